"""The client's answers to `steersman/input` and `steersman/callTool`. Validators are built at the first use, since few
clients are asked."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from steersman.lsp.params import Params


class InputAnswer(Params):
    """The answer to `steersman/input`. It is null if the user closed the question."""

    text: str
    """What the user typed. Empty text is no answer."""


class TextContent(BaseModel):
    """A block of a tool's result."""

    # Tools are written for other hosts too, which take more of a result than its text.
    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    type: Literal["text"]
    text: str


class CallToolAnswer(BaseModel):
    """The answer to `steersman/callTool`: `content`, or `data` from a known tool. Further fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    content: str | list[TextContent] | None = None
    """For the model."""
    data: JsonValue = None
    """From a known tool, instead of `content`: the unchanged result of the LSP request, which may be null."""
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
    """The first fault. The value is left out: it may be long, or somebody's text."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the result'}: {first['msg']}"
