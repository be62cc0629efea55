"""Reports what runs do as work-done progress, to every client that supports it, and as messages to clients without
events (those with an event token get `event_stream`).

Listens to the sessions' events and decides nothing.
"""

import logging
from typing import Any

from steersman.agent.clock import Clock
from steersman.lsp.background import Background
from steersman.lsp.client import Client
from steersman.lsp.errors import ClientRequestError
from steersman.lsp.messages import MessageType, log_message, show, tell
from steersman.lsp.operation_messages import operation_message
from steersman.lsp.rpc import RpcServer
from steersman.lsp.run_progress import RunProgress
from steersman.lsp.waits import answered_within
from steersman.session.facts import usage_text
from steersman.session.journal import Emitted
from steersman.session.limits import Limits
from steersman.session.wire import usage_from

log = logging.getLogger(__name__)

SHORT_ANSWER = 400
"""Characters up to which a final answer is shown as a message."""
_WHOLE = "the whole: code action “Show the transcript”, or command steersman.transcript"


class FloorProgress:
    """One work-done token for each run: begin, reports, end.

    A client without events gets the answer as a message; if it has no progress either, it gets the reports in its log.
    """

    def __init__(self, server: RpcServer, client: Client, limits: Limits, clock: Clock) -> None:
        self._server, self._client, self._limits, self._clock = server, client, limits, clock
        self._runs: dict[str, RunProgress] = {}
        self._tasks = Background()
        self._closed = False

    def begin(self, run: str, title: str) -> None:
        """Makes the token of a run that is about to start. Reports wait until the client has accepted the token."""
        if self._closed or not (self._client.progress or self._client.features.event_token is None):
            return
        progress = RunProgress(token_of(run), title, self._server, self._clock)
        self._runs[run] = progress
        self._tasks.begin(self._drive(progress))

    async def _drive(self, progress: RunProgress) -> None:
        progress.open(await self._create(progress.token))
        await progress.report_until_end()

    async def _create(self, token: str) -> bool:
        """Whether the client has accepted the token."""
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
        """The live run that a token belongs to."""
        return next((run for run, progress in self._runs.items() if progress.token == token), None)

    def on_event(self, event: Emitted) -> None:
        if event.run is None and self._client.features.event_token is None:
            message = operation_message(event)
            if message is not None:
                show(self._server, MessageType.INFO, message)
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

    def _tell_early(self, progress: RunProgress, event: Emitted) -> None:
        """Tells a client without events what can't wait until the end."""
        role = event.data.get("role")
        if role == "custom":
            self._tell_custom(event)
        elif role == "assistant" and event.type == "message_end" and "discarded" not in event.data:
            said = (block["text"] for block in event.data["content"] if block["type"] in ("text", "refusal"))
            progress.answer = "".join(said).strip()
        elif _is_of_no_call(event):  # the work is done: its answer should not wait for this question
            self._tell_answer(progress.answer)
            progress.told = progress.answer

    def _tell_custom(self, event: Emitted) -> None:
        """Writes an extension's message to the log of a client without events."""
        if event.type == "message_end":
            text = "".join(block.get("text", "") for block in event.data["content"])
            message = f"Steersman: {event.data['kind']}\n{text}"
            log_message(self._server, MessageType.INFO, message)

    def _tell_end(self, data: dict[str, Any], told: str) -> None:
        """Tells a client without events what it must not miss. `told`: the answer, if it was shown before."""
        text = data["text"].strip()
        if data["stopReason"] == "error":
            show(self._server, MessageType.ERROR, data["message"])
        elif text != told:
            self._tell_answer(text)
        if data["stopReason"] in ("max_turns", "budget"):
            show(self._server, MessageType.WARNING, data["message"])
        for item in data["undelivered"]:
            text = f"this was not delivered, send it again: {item['text']}"
            tell(self._server, MessageType.WARNING, text)

    def _tell_answer(self, text: str) -> None:
        if text and len(text) <= SHORT_ANSWER:
            show(self._server, MessageType.INFO, text)
        elif text:
            show(self._server, MessageType.INFO, f"{text[:SHORT_ANSWER].rstrip()} … ({_WHOLE})")
            log_message(self._server, MessageType.INFO, text)

    async def close(self) -> None:
        """Ends all progress: every token that had a begin gets an end."""
        self._closed = True
        for progress in self._runs.values():
            progress.end("The server has stopped.")
        self._runs.clear()
        await self._tasks.close()


def token_of(run: str) -> str:
    """The work-done token of a run."""
    return f"steersman/{run}"


def _ending(data: dict[str, Any]) -> str:
    """How a run ended, and the tokens and money that it used, if they were counted."""
    took = usage_text(usage_from(data.get("usage")))
    return f"{data['message']} {took}." if took else str(data["message"])


def _is_of_no_call(event: Emitted) -> bool:
    """Whether the user is asked about a change that doesn't come from a tool call of the model."""
    data = event.data
    return event.type == "approval_requested" and data.get("toolCallId") == "" and data["kind"] != "trust"
