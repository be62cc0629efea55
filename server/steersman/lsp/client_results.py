"""What the client's answers must be to `steersman/input` and `steersman/callTool`. Few clients are asked, so
validators are built at the first use."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from steersman.lsp.params import Params


class InputAnswer(Params):
    """The answer to `steersman/input`; null if the user closed the question."""

    text: str
    """As it was typed. An empty one is no answer."""


class TextContent(BaseModel):
    """A block of what a tool says."""

    # Tools are written for other hosts as well, which take more of a result than its text.
    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    type: Literal["text"]
    text: str


class CallToolAnswer(BaseModel):
    """The answer to `steersman/callTool`: `content`, or `data` from a known tool. More fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    content: str | list[TextContent] | None = None
    """For the model."""
    data: JsonValue = None
    """Of a known tool only, in place of `content`: the result of the LSP request, as it came; null for nothing."""
    is_error: bool = False
    """The call failed; `content` says why."""

    @property
    def text(self) -> str | None:
        """`content` as one text."""
        if isinstance(self.content, list):
            return "\n".join(block.text for block in self.content)
        return self.content

    @property
    def has_data(self) -> bool:
        return "data" in self.model_fields_set


def what_is_wrong(error: ValidationError) -> str:
    """The first fault, without the value: that would repeat what a client sent, which has no bound."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the result'}: {first['msg']}"
