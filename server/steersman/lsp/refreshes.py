"""Requests that make the client ask for something again: one of a kind at a time, with a short timeout."""

import asyncio
import logging

from steersman.agent.clock import Clock
from steersman.lsp.errors import ClientRequestError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within
from steersman.lsp.wire import JsonObject, encode
from steersman.session.limits import Limits

log = logging.getLogger(__name__)


class Refreshes:
    """One connection's."""

    def __init__(self, server: RpcServer, limits: Limits, clock: Clock) -> None:
        self._server, self._limits, self._clock = server, limits, clock
        self._asking: dict[bytes, asyncio.Task[None]] = {}
        self._again: set[bytes] = set()
        self._closed = False

    def ask(self, method: str, params: JsonObject | None = None) -> None:
        """Sends the request. If one of the same kind is under way, another follows its answer."""
        key = encode([method, params])
        if self._closed:
            return
        if key in self._asking:
            self._again.add(key)
            return
        self._asking[key] = asyncio.create_task(self._ask(key, method, params))

    async def close(self) -> None:
        """Stops waiting for answers, and sends nothing any more."""
        self._closed = True
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _ask(self, key: bytes, method: str, params: JsonObject | None) -> None:
        try:
            while True:
                self._again.discard(key)
                request = self._server.request(method, params, timeout=None)
                try:
                    await answered_within(self._clock, self._limits.refresh, request)
                except ClientRequestError as error:
                    log.info("the client did not answer %s: %s", method, error)
                if key not in self._again:
                    return
        finally:  # no await since `_again` was checked: whoever asks from here on begins a new task
            del self._asking[key]
