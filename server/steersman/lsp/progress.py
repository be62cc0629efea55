"""What runs do, told as work-done progress to every client that has it; `event_stream` tells those who asked more.

It listens to the sessions' events and decides nothing.
"""

import asyncio
import logging
from typing import Any

from steersman.agent.clock import Clock
from steersman.lsp.background import Background
from steersman.lsp.client import Client
from steersman.lsp.errors import ClientRequestError
from steersman.lsp.inert import inert_text
from steersman.lsp.operation_messages import operation_message
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within
from steersman.lsp.wire import encode
from steersman.session.facts import describe, usage_text
from steersman.session.journal import Emitted
from steersman.session.limits import Limits
from steersman.session.wire import usage_from

log = logging.getLogger(__name__)

INTERVAL = 0.2
"""Seconds between two reports of one token: some clients drop what comes closer."""
SHORT_ANSWER = 400
"""Characters up to which a final answer is shown as a message."""
_WHOLE = "the whole: code action “Show the transcript”, or command steersman.transcript"

_ERROR, _WARNING, _INFO, _LOG = 1, 2, 3, 4  # MessageType of LSP 3.17


class FloorProgress:
    """One work-done token for each run: begin, reports, end.

    A client that sees no events is told the answer as a message, and what happens by the log if it has no progress.
    """

    def __init__(self, server: RpcServer, client: Client, limits: Limits, clock: Clock) -> None:
        self._server, self._client, self._limits, self._clock = server, client, limits, clock
        self._runs: dict[str, _RunProgress] = {}
        self._tasks = Background()
        self._closed = False

    def begin(self, run: str, title: str) -> None:
        """Makes the token of a run that is about to start. What is told before the client knows it, waits."""
        if self._closed or not (self._client.progress or self._client.features.event_token is None):
            return
        progress = _RunProgress(token_of(run), title, self._server, self._clock)
        self._runs[run] = progress
        self._tasks.begin(self._drive(progress))

    async def _drive(self, progress: "_RunProgress") -> None:
        progress.open(await self._create(progress.token))
        await progress.report_until_end()

    async def _create(self, token: str) -> bool:
        """Whether the client has taken the token."""
        if not self._client.progress:
            return False
        request = self._server.request("window/workDoneProgress/create", {"token": token}, timeout=None)
        try:
            await answered_within(self._clock, self._limits.create_progress, request)
        except ClientRequestError as error:
            log.info("no work-done progress: %s", error)
            return False
        return True

    def run_of(self, token: object) -> str | None:
        """The run that a token stands for."""
        return next((run for run, progress in self._runs.items() if progress.token == token), None)

    def on_event(self, event: Emitted) -> None:
        if event.run is None and self._client.features.event_token is None:
            message = operation_message(event)
            if message is not None:
                self._show(_INFO, message)
        progress = self._runs.get(event.run or "")
        if progress is None:
            return
        if event.type == "agent_end":
            del self._runs[event.run or ""]
            progress.end(_ending(event.data))
            if self._client.features.event_token is None:
                self._tell_end(event.data, progress.told)
        else:
            if self._client.features.event_token is None:
                self._tell_early(progress, event)
            progress.on_event(event)

    def _tell_early(self, progress: "_RunProgress", event: Emitted) -> None:
        """What a client that sees no events can't wait for until the end."""
        role = event.data.get("role")
        if role == "custom":
            self._tell_custom(event)
        elif role == "assistant" and event.type == "message_end" and "discarded" not in event.data:
            said = (block["text"] for block in event.data["content"] if block["type"] in ("text", "refusal"))
            progress.answer = "".join(said).strip()
        elif _is_of_no_call(event):  # the work is done, and what it came to is not to wait for this
            self._tell_answer(progress.answer)
            progress.told = progress.answer

    def _tell_custom(self, event: Emitted) -> None:
        """What an extension wants shown, for a client that sees no events."""
        if event.type == "message_end":
            text = "".join(block.get("text", "") for block in event.data["content"])
            message = f"Steersman: {event.data['kind']}\n{text}"
            self._server.notify("window/logMessage", {"type": _INFO, "message": message})

    def _tell_end(self, data: dict[str, Any], told: str) -> None:
        """What a client that sees no events must not miss. `told`: the answer, if it was told before."""
        text = data["text"].strip()
        if data["stopReason"] == "error":
            self._show(_ERROR, data["message"])
        elif text != told:
            self._tell_answer(text)
        if data["stopReason"] in ("max_turns", "budget"):
            self._show(_WARNING, data["message"])
        for item in data["undelivered"]:
            self._show(_WARNING, f"Steersman: this was not delivered, send it again: {item['text']}")

    def _tell_answer(self, text: str) -> None:
        if text and len(text) <= SHORT_ANSWER:
            self._show(_INFO, text)
        elif text:
            self._show(_INFO, f"{text[:SHORT_ANSWER].rstrip()} … ({_WHOLE})")
            self._server.notify("window/logMessage", {"type": _INFO, "message": text})

    def _show(self, kind: int, message: str) -> None:
        self._server.notify("window/showMessage", {"type": kind, "message": message})

    async def close(self) -> None:
        """Ends what is open: every token that had its begin gets its end."""
        self._closed = True
        for progress in self._runs.values():
            progress.end("The server has stopped.")
        self._runs.clear()
        await self._tasks.close()


def token_of(run: str) -> str:
    """The work-done token of a run."""
    return f"steersman/{run}"


def _ending(data: dict[str, Any]) -> str:
    """How a run ended, and what it took where that was counted."""
    took = usage_text(usage_from(data.get("usage")))
    return f"{data['message']} {took}." if took else str(data["message"])


def _is_of_no_call(event: Emitted) -> bool:
    """Whether the user is asked about a change that no call of the model makes."""
    data = event.data
    return event.type == "approval_requested" and data.get("toolCallId") == "" and data["kind"] != "trust"


def _asks(event: Emitted) -> bool:
    """Whether the run waits for its user from here on."""
    waits_for_input = event.type == "state" and event.data["state"] == "waitingInput"
    return event.type == "approval_requested" or waits_for_input


class _RunProgress:
    """One token's life. Of the states that come closer than the interval only the latest is reported; the begin, a
    question and the end go out at once."""

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
        """The last one of the model."""
        self.told = ""
        """The answer that the client was told before the end."""

    def open(self, taken: bool) -> None:
        """The client has taken the token, or it won't: then log messages say the same."""
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
            # A client that drops reports that come too close has to hear of the question once more.
            too_close = self._clock.monotonic() - self._last < INTERVAL
            self._report()
            self._state = state if too_close and self._how == "progress" else None
        self._changed.set()

    def _state_at(self, event: Emitted) -> str | None:
        """What the client is shown from this event on; None for no change."""
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
            # Of the reports that a slow client has not taken it gets the latest only.
            key = ("report", self.token) if value["kind"] == "report" else None
            texts = {name: inert_text(value[name]) for name in ("title", "message") if name in value}
            params = encode({"token": self.token, "value": value | texts})
            self._server.send_raw_notification("$/progress", params, key=key)
            return
        texts = [value[name] for name in ("title", "message") if value.get(name)]
        for text in texts:
            message = text if text.startswith("Steersman: ") else f"Steersman: {text}"
            self._server.notify("window/logMessage", {"type": _LOG, "message": message})
