"""The work-done progress of one run: its begin, its reports, its end."""

import asyncio
from typing import Any

from steersman.agent.clock import Clock
from steersman.lsp.inert import inert_text
from steersman.lsp.messages import MessageType, log_message
from steersman.lsp.rpc import RpcServer
from steersman.lsp.wire import encode
from steersman.session.facts import describe
from steersman.session.journal import Emitted

INTERVAL = 0.2
"""Seconds between two reports of one token, at least: some clients drop reports that come faster."""


class RunProgress:
    """One token, from begin to end. Of states that come faster than the interval only the latest is reported; the
    begin, a question and the end are sent at once."""

    def __init__(self, token: str, title: str, server: RpcServer, clock: Clock) -> None:
        self.token = token
        self._title, self._server, self._clock = title, server, clock
        self._how: str | None = None  # None until the client has answered, then "progress" or "log"
        self._state: str | None = None  # what is still to be reported
        self._changed = asyncio.Event()
        self._last = 0.0
        self._end: str | None = None
        self._turn = ""
        self._doing = ""
        self.answer = ""
        """The model's last answer."""
        self.told = ""
        """The answer that the client was shown before the end."""

    def open(self, taken: bool) -> None:
        """Begins. `taken`: the client has accepted the token; otherwise log messages say the same."""
        self._how = "progress" if taken else "log"
        begin = {"kind": "begin", "title": self._title, "cancellable": True}
        self._send(begin if self._state is None else begin | {"message": self._state})
        self._state = None
        self._last = self._clock.monotonic()
        if self._end is not None:
            self.end(self._end)

    async def report_until_end(self) -> None:
        """Sends the reports, never two within the interval."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._end is not None:
                return
            left = self._last + INTERVAL - self._clock.monotonic()
            if left > 0:
                await self._clock.sleep(left)
            self._report()

    def on_event(self, event: Emitted) -> None:
        state = self._state_at(event)
        if state is None:
            return
        self._state = state
        if _asks(event) and self._how is not None:
            # A client that drops reports that come too fast has to hear of the question again.
            too_close = self._clock.monotonic() - self._last < INTERVAL
            self._report()
            self._state = state if too_close and self._how == "progress" else None
        self._changed.set()

    def _state_at(self, event: Emitted) -> str | None:
        """The state to show after this event; None if it doesn't change."""
        data = event.data
        doing = None
        if event.type == "turn_start":
            self._turn, self._doing = f"turn {data['turn']} · ", ""
        elif event.type == "tool_execution_start":
            self._doing = describe(data["name"], data["args"])
        elif event.type == "tool_execution_end":
            self._doing = ""
        elif event.type == "approval_requested":
            doing = f"{data['title']} · waiting for you"
        elif _asks(event):
            doing = f"{self._doing} · waiting for you"
        elif event.type == "compaction_start":
            doing = "summarising old messages"
        elif event.type == "retry":
            doing = f"{data['kind']}: next try in {data['afterMs'] / 1000:.0f} s"
        elif event.type == "state" and data["state"] == "aborting":
            return "stopping"
        elif event.type not in ("approval_resolved", "message_start"):
            return None
        return f"{self._turn}{doing or self._doing or 'thinking'}"

    def _report(self) -> None:
        if self._state is not None and self._end is None:
            self._send({"kind": "report", "message": self._state})
            self._state = None
            self._last = self._clock.monotonic()

    def end(self, message: str) -> None:
        self._end = message
        if self._how is not None:
            self._send({"kind": "end", "message": message})
        self._changed.set()

    def _send(self, value: dict[str, Any]) -> None:
        if self._how == "progress":
            # A client that is slow to read gets only the latest report.
            key = ("report", self.token) if value["kind"] == "report" else None
            plain = {name: inert_text(value[name]) for name in ("title", "message") if name in value}
            params = encode({"token": self.token, "value": value | plain})
            self._server.send_raw_notification("$/progress", params, key=key)
            return
        texts = [value[name] for name in ("title", "message") if value.get(name)]
        for text in texts:
            message = text if text.startswith("Steersman: ") else f"Steersman: {text}"
            log_message(self._server, MessageType.LOG, message)


def _asks(event: Emitted) -> bool:
    """Whether the run waits for the user after this event."""
    waits_for_input = event.type == "state" and event.data["state"] == "waitingInput"
    return event.type == "approval_requested" or waits_for_input
