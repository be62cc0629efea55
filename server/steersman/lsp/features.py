"""What a client can do beyond LSP, as it says at initialize. It asks for each feature separately."""

import functools
import logging
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic.alias_generators import to_camel

log = logging.getLogger(__name__)

PROTOCOL_VERSION: Final = "1"
USED: Final = (
    "eventToken",
    "approval",
    "save",
    "openDocuments",
    "diagnostics",
    "input",
    "tools",
    "untrusted",
)
"""The features that this server uses, of those that a client can ask for."""


class ClientTool(BaseModel):
    """A tool that the client offers to models. It is called by `steersman/callTool`."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    name: Annotated[StrictStr, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
    description: Annotated[StrictStr, Field(min_length=1, max_length=4000)]
    """For the model: what it does and when to use it."""
    parameters: dict[str, JsonValue]
    """JSON Schema of its arguments, which are an object."""
    read_only: StrictBool = False
    """It changes nothing, so the user is not asked before a call."""


class ClientFeatures(BaseModel):
    """`initializationOptions.steersman` or `capabilities.experimental.steersman`: what the client can do beyond LSP.

    Unknown fields are ignored: a newer client may ask for more than this server has.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    event_token: StrictStr | StrictInt | None = None
    """The progress token that every session's events go to."""
    approval: StrictBool | None = None
    """It takes questions by `steersman/requestApproval`."""
    save: StrictBool | None = None
    """It saves documents by `steersman/save`."""
    open_documents: StrictBool | None = None
    """It lists all its open documents, including those that this server is not attached to, by
    `steersman/openDocuments`."""
    diagnostics: StrictBool | None = None
    """It passes on the diagnostics of all its language servers by `$/steersman/diagnostics`."""
    input: StrictBool | None = None
    """It asks its user for a line of text by `steersman/input`."""
    tools: list[StrictStr | ClientTool] | None = None
    """The tools that can be called by `steersman/callTool`: names of known tools, and tools of its own."""
    untrusted: StrictBool | None = None
    """Its user has not trusted the workspace: no instructions or settings in it are followed, no mode is looser than
    `ask`, and nobody is asked about trust."""

    @field_validator("tools", mode="before")
    @classmethod
    def _leave_out_what_is_no_tool(cls, given: object) -> object:
        """A newer client may offer other forms of tools. That is no reason to refuse the client."""
        return [tool for tool in given if _is_tool(tool)] if isinstance(given, list) else given

    @property
    def asked_for(self) -> list[str]:
        """The names of the client's features, as spelled on the wire, in the order of this class."""
        fields = type(self).model_fields.items()
        return [to_camel(name) for name, _ in fields if getattr(self, name) not in (None, False, [])]


def accepted(features: ClientFeatures, tools: Sequence[str]) -> dict[str, JsonValue]:
    """What the server answers at initialize (`capabilities.experimental.steersman`). `tools`: names of the client's
    tools that are used."""
    uses: list[JsonValue] = [
        name for name in features.asked_for if name in USED and (tools or name != "tools")
    ]
    answer: dict[str, JsonValue] = {"version": PROTOCOL_VERSION, "uses": uses}
    return answer if features.tools is None else answer | {"tools": list(tools)}


@functools.cache
def _tool() -> TypeAdapter[str | ClientTool]:
    return TypeAdapter(StrictStr | ClientTool)


def _is_tool(given: object) -> bool:
    try:
        _tool().validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[-1]
        where = ".".join(str(part) for part in first["loc"][1:])
        name = given.get("name") if isinstance(given, dict) else given
        log.warning("the client's tool %.80r is left out: %s: %s", name, where or "tool", first["msg"])
        return False
    return True
