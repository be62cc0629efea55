"""What a user does at the light bulb: asks for the actions at a place, and chooses one."""

from __future__ import annotations

from typing import Any

from support.lsp_workspace import Desk

EVERYTHING = {"dataSupport": True, "resolveSupport": {"properties": ["edit", "command"]}}


class LightBulb:
    """At one document of a desk's editor."""

    def __init__(self, it: Desk, uri: str) -> None:
        self.it, self.uri = it, uri

    async def at(
        self, start: str, end: str | None = None, *, diagnostics: Any = (), **context: Any
    ) -> list[dict[str, Any]]:
        """The code actions where a text begins, or from there to where another ends."""
        text = self.it.editor.buffers[self.uri].text
        first = text.index(start)
        last = first if end is None else text.index(end) + len(end)
        span = self.span(first, last)
        params = {"textDocument": {"uri": self.uri}, "range": span}
        params["context"] = {"diagnostics": list(diagnostics), "triggerKind": 1, **context}
        return await self.it.client.request("textDocument/codeAction", params)

    async def titles(self, start: str, end: str | None = None, **context: Any) -> list[str]:
        return [action["title"] for action in await self.at(start, end, **context)]

    async def offered(self, title: str, start: str, end: str | None = None, **context: Any) -> dict[str, Any]:
        """The one action whose title begins so."""
        actions = await self.at(start, end, **context)
        (found,) = [action for action in actions if action["title"].startswith(title)]
        return found

    async def choose(self, title: str, start: str, end: str | None = None, **context: Any) -> Any:
        """Chooses it; returns what its command answers."""
        return await self.give(await self.offered(title, start, end, **context))

    async def give(self, action: dict[str, Any]) -> Any:
        """Gives the command of an action."""
        if "command" not in action:
            action = await self.it.client.request("codeAction/resolve", action)
        command = action["command"]
        assert command["title"]
        return await self.it.client.command(command["command"], *command["arguments"])

    def span(self, first: int, last: int) -> dict[str, Any]:
        text = self.it.editor.buffers[self.uri].text
        return {"start": self.it.editor.position(text, first), "end": self.it.editor.position(text, last)}

    def problem(self, at: str, message: str, **more: Any) -> dict[str, Any]:
        """A diagnostic, as the editor has it of some language server."""
        first = self.it.editor.buffers[self.uri].text.index(at)
        return {"range": self.span(first, first + len(at)), "message": message, **more}


def bulb(it: Desk, text: str, *, name: str = "a.py", language: str = "python") -> LightBulb:
    """At a new file of the workspace, open in the editor."""
    return LightBulb(it, it.editor.open(it.put(name, text), language=language))
