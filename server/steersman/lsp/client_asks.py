"""What the client is sent with `steersman/input` and `steersman/callTool`, as models: for the protocol's schema.

Nothing here is used while a server runs; tests hold every request against these models.
"""

from pydantic import JsonValue

from steersman.session.schema_parts import Wire


class InputRequest(Wire):
    """The params of `steersman/input`."""

    session: str
    """Empty, as the two below, where no run asks: `steersman.ask` wants a prompt."""
    run: str
    tool_call_id: str
    prompt: str
    """What is asked."""
    options: list[str] | None = None
    """Suggestions, two to six. Any other text is an answer as well."""


class CallToolRequest(Wire):
    """The params of `steersman/callTool`."""

    session: str
    run: str
    tool_call_id: str
    name: str
    """As the client named the tool."""
    arguments: dict[str, JsonValue]
    """Of a known tool: the params of its LSP request. Of the client's own: what the model gave, of which only the
    names and types at the top have been looked at."""
