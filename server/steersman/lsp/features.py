"""What a client can do beyond LSP, as it says at initialize: each feature is asked for by itself."""

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
    """A tool that the client offers to models; it is called by `steersman/callTool`."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    name: Annotated[StrictStr, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
    description: Annotated[StrictStr, Field(min_length=1, max_length=4000)]
    """For the model: what it does and when to use it."""
    parameters: dict[str, JsonValue]
    """JSON Schema of its arguments, an object."""
    read_only: StrictBool = False
    """It changes nothing, so that the user is not asked before it is called."""


class ClientFeatures(BaseModel):
    """`initializationOptions.steersman`, or `capabilities.experimental.steersman`: what the client can do more.

    What is not known here is left alone: a newer client may ask for more than this server has.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    event_token: StrictStr | StrictInt | None = None
    """Every session's events go to this progress token."""
    approval: StrictBool | None = None
    """Questions come as `steersman/requestApproval`."""
    save: StrictBool | None = None
    """It saves documents by `steersman/save`."""
    open_documents: StrictBool | None = None
    """It says what it has open beyond the documents that this server is attached to, by `steersman/openDocuments`."""
    diagnostics: StrictBool | None = None
    """It passes on the diagnostics of all its language servers, by `$/steersman/diagnostics`."""
    input: StrictBool | None = None
    """It asks its user for a line of text, by `steersman/input`."""
    tools: list[StrictStr | ClientTool] | None = None
    """What it can be asked to do by `steersman/callTool`: names of known tools, and tools of its own."""
    untrusted: StrictBool | None = None
    """Its user has not trusted the workspace: nothing in it is followed, no mode is looser than `ask`, and nobody is
    asked about trust."""

    @field_validator("tools", mode="before")
    @classmethod
    def _leave_out_what_is_no_tool(cls, given: object) -> object:
        """A newer client may offer tools in other forms, or with other names: that is no reason to refuse it."""
        return [tool for tool in given if _is_tool(tool)] if isinstance(given, list) else given

    @property
    def asked_for(self) -> list[str]:
        """Names of the features that the client has, as they are spelled on the wire, in the order of this class."""
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
