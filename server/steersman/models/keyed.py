"""A model whose key is printed by a command of the user's. When a key is refused, the command is run once more."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from steersman.agent.abort import AbortSignal
from steersman.agent.model import (
    Model,
    ModelRequest,
    Ping,
    StreamError,
    StreamEvent,
    StreamFailure,
    close_stream,
)
from steersman.models.errors import ModelConfigError
from steersman.models.keys import KeyCommands
from steersman.models.making import make_model
from steersman.models.routes import Route

if TYPE_CHECKING:
    import httpx


class KeyedModel:
    """See `agent.model.Model` for the contract of its streams. The command runs in a thread, and only if it has to.

    Args:
        route: has a `command`.
        commands: runs it, and keeps the key that it has printed.
    """

    def __init__(
        self, route: Route, commands: KeyCommands, client: "httpx.AsyncClient | None" = None
    ) -> None:
        assert route.command is not None
        self._route, self._command, self._commands, self._client = route, route.command, commands, client
        self._made: tuple[str, Model] | None = None
        """The key, and the model with it. Kept, because the model keeps what it has converted."""

    @property
    def id(self) -> str:
        return self._route.spec

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises.

        If the key is refused before anything of the answer has come, the request is made again, once, with the key
        that the command prints now.
        """
        refused: tuple[str, StreamError] | None = None
        while True:
            try:
                key, model = await self._ready()
            except ModelConfigError as error:
                yield StreamError(StreamFailure("auth", str(error)))
                return
            if refused is not None and refused[0] == key:
                yield refused[1]  # the command has printed the same key again
                return
            again = begun = False
            events = model.stream(request, signal)
            try:
                async for event in events:
                    if isinstance(event, StreamError) and event.failure.kind == "auth":
                        self._commands.forget(self._command, key)
                        if refused is None and not begun and not signal.aborted:
                            refused, again = (key, event), True
                            break
                    begun = begun or not isinstance(event, Ping)
                    yield event
            finally:
                await close_stream(events)
            if not again:
                return

    async def _ready(self) -> tuple[str, Model]:
        """The key and the model with it. Raises ModelConfigError if there is no key, or if it can't be used."""
        key = self._commands.kept(self._command)
        if key is None:
            key = await asyncio.to_thread(self._commands.key, self._command)
        if self._made is None or self._made[0] != key:
            self._made = key, make_model(self._route, key, self._client)
        return self._made
