"""The params of `steersman/input` and `steersman/callTool`, as models: for the protocol's schema.

Nothing here is used while a server runs; tests check every request against these models.
"""

from pydantic import JsonValue

from steersman.session.schema_parts import Wire


class InputRequest(Wire):
    """The params of `steersman/input`."""

    session: str
    """Empty, like `run` and `toolCallId`, if no run asks: `steersman.ask` wants a prompt."""
    run: str
    tool_call_id: str
    prompt: str
    """The question."""
    options: list[str] | None = None
    """Two to six suggestions. Any other text is an answer too."""


class CallToolRequest(Wire):
    """The params of `steersman/callTool`."""

    session: str
    run: str
    tool_call_id: str
    name: str
    """The tool's name, as the client offered it."""
    arguments: dict[str, JsonValue]
    """For a known tool: the params of its LSP request. For the client's own tool: what the model gave. The server has
    checked only the names and types at the top level."""
