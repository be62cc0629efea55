"""What runs do, told to the client: as work-done progress to everybody, as the event stream to those who asked.

It listens to the sessions' events and decides nothing.
"""

import asyncio
import logging
from typing import Any

from steersman.lsp.client import Client
from steersman.lsp.errors import ClientRequestError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.wire import encode
from steersman.session.facts import describe
from steersman.session.journal import Emitted
from steersman.session.limits import Limits

log = logging.getLogger(__name__)

INTERVAL = 0.2
"""Seconds between two reports of one token: some clients drop what comes closer."""
SHORT_ANSWER = 400
"""Characters up to which a final answer is shown as a message."""

_INFO, _WARNING, _ERROR, _LOG = 3, 2, 1, 4  # MessageType of LSP 3.17


class EventStream:
    """Every event to one progress token that the client named, as it is in the log."""

    def __init__(self, server: RpcServer, token: str | int) -> None:
        self._server = server
        self._head = b'{"token":%b,"value":' % encode(token)

    def on_event(self, event: Emitted) -> None:
        self._server.send_raw_notification(
            "$/progress", b"%b%b}" % (self._head, event.line), droppable=event.seq is None
        )


class FloorProgress:
    """One work-done token for each run: begin, reports, end. A client without progress gets log messages."""

    def __init__(self, server: RpcServer, client: Client, limits: Limits) -> None:
        self._server, self._client, self._limits = server, client, limits
        self._runs: dict[str, _RunProgress] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, run: str, title: str) -> str:
        """Makes a token for a run that is about to start. What it is told before the client knows it, waits."""
        progress = _RunProgress(self._server, f"steersman/{run}", title)
        self._runs[run] = progress
        task = asyncio.create_task(progress.open(self._client.progress, self._limits.create_progress))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return progress.token

    def run_of(self, token: object) -> str | None:
        """The run that a token stands for."""
        return next((run for run, progress in self._runs.items() if progress.token == token), None)

    def on_event(self, event: Emitted) -> None:
        progress = self._runs.get(event.run or "")
        if progress is None:
            return
        if event.type == "agent_end":
            del self._runs[event.run or ""]
            progress.end(event.data["message"])
            self._tell_end(event.data)
        elif text := progress.describe(event):
            progress.report(text, urgent=event.type == "approval_requested")

    def _tell_end(self, data: dict[str, Any]) -> None:
        """The answer, for a client that sees no events."""
        if self._client.features.event_token is not None:
            return
        text = data["text"].strip()
        if data["stopReason"] == "error":
            self._show(_ERROR, data["message"])
        elif text and len(text) <= SHORT_ANSWER:
            self._show(_INFO, text)
        elif text:
            self._show(_INFO, f"{text[:SHORT_ANSWER].rstrip()} … (the whole answer is in the log)")
            self._server.notify("window/logMessage", {"type": _INFO, "message": text})
        if data["stopReason"] in ("max_turns", "budget"):
            self._show(_WARNING, data["message"])

    def _show(self, kind: int, message: str) -> None:
        self._server.notify("window/showMessage", {"type": kind, "message": message})

    async def close(self) -> None:
        """Ends what is open: every token that had its begin gets its end."""
        for progress in self._runs.values():
            progress.end("The server has stopped.")
        self._runs.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _RunProgress:
    """One token's life. The latest state wins; nothing but the end is told twice."""

    def __init__(self, server: RpcServer, token: str, title: str) -> None:
        self.token = token
        self._server, self._title = server, title
        self._state = "opening"
        self._waiting: str | None = None
        self._ended: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        self._turn = ""
        self._doing = ""

    async def open(self, supported: bool, timeout: float) -> None:
        if supported:
            try:
                await self._server.request(
                    "window/workDoneProgress/create", {"token": self.token}, timeout=timeout
                )
                self._state = "open"
            except ClientRequestError as error:
                log.info("no work-done progress: %s", error)
        if self._state != "open":
            self._state = "log"
        self._begin()

    def _begin(self) -> None:
        if self._state == "open":
            self._send(
                {"kind": "begin", "title": self._title, "cancellable": True, "message": self._waiting or ""}
            )
        else:
            self._log(f"{self._title}: started")
        self._waiting = None
        if self._ended is not None:
            self._finish(self._ended)

    def describe(self, event: Emitted) -> str | None:
        """What the client is shown while this event is the latest."""
        data = event.data
        if event.type == "turn_start":
            self._turn, self._doing = f"turn {data['turn']}", ""
        elif event.type == "tool_execution_start":
            self._doing = describe(data["name"], data["args"])
        elif event.type == "tool_execution_end":
            self._doing = ""
        elif event.type == "approval_requested":
            return f"{self._prefix()}{data['title']} · waiting for you"
        elif event.type == "retry":
            return f"{self._prefix()}{data['kind']}: next try in {data['afterMs'] / 1000:.0f} s"
        elif event.type == "state" and data["state"] == "aborting":
            return "stopping"
        elif event.type not in ("approval_resolved", "message_start"):
            return None
        return f"{self._prefix()}{self._doing or 'thinking'}"

    def _prefix(self) -> str:
        return f"{self._turn} · " if self._turn else ""

    def report(self, message: str, *, urgent: bool = False) -> None:
        """Shows a state, at the latest after the interval; an urgent one at once."""
        self._waiting = message
        if self._state == "opening":
            return
        now = asyncio.get_running_loop().time()
        if urgent or now >= self._next:
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self._next, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        message, self._waiting = self._waiting, None
        if message is None:
            return
        self._next = asyncio.get_running_loop().time() + INTERVAL
        if self._state == "open":
            self._send({"kind": "report", "message": message})
        else:
            self._log(message)

    def end(self, message: str) -> None:
        self._ended = message
        if self._state != "opening":
            self._finish(message)

    def _finish(self, message: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._state == "open":
            self._send({"kind": "end", "message": message})
        elif self._state == "log":
            self._log(message)
        self._state = "ended"

    def _send(self, value: dict[str, Any]) -> None:
        self._server.notify("$/progress", {"token": self.token, "value": value})

    def _log(self, message: str) -> None:
        self._server.notify("window/logMessage", {"type": _LOG, "message": f"Steersman: {message}"})
