"""Reads one response of a model: local until it is complete, whatever the stream does.

The stream is read by a task of its own, so that an abort, a stall, an exception or a missing end can't hold the run.
Nothing here commits anything.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.clock import Clock
from steersman.agent.events import MessageUpdate, utf16_length
from steersman.agent.messages import (
    NO_USAGE,
    AssistantContent,
    ModelStop,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    FailureKind,
    Model,
    ModelRequest,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamFailure,
)
from steersman.agent.recorder import Recorder
from steersman.agent.tasks import Strays, WorkAborted, WorkLeftRunning, supervise

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Block:
    kind: BlockKind
    name: str
    call_id: str
    provider_id: str | None
    signature: str | None = None
    redacted: bool = False
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    """Of all pieces, in UTF-16 code units."""

    def content(self) -> AssistantContent:
        text = "".join(self.pieces)
        if self.kind == "toolCall":
            return ToolCall(self.call_id, self.name, text, self.provider_id, self.signature)
        if self.kind == "thinking":
            return Thinking(text, self.signature, self.redacted)
        return Refusal(text) if self.kind == "refusal" else Text(text)


class Response:
    """One response as far as it has come."""

    def __init__(self, message_id: str, recorder: Recorder, new_call_id: Callable[[], str]) -> None:
        self.message_id = message_id
        self.stop_reason: ModelStop | None = None
        """Set once the response is complete and usable."""
        self.failure: StreamFailure | None = None
        self.usage: Usage = NO_USAGE
        self._recorder = recorder
        self._new_call_id = new_call_id
        self._last_event = 0.0
        self._blocks: dict[int, _Block] = {}

    @property
    def content(self) -> tuple[AssistantContent, ...]:
        """The blocks that have something in them, in the order of their indices."""
        blocks = (self._blocks[index].content() for index in sorted(self._blocks))
        return tuple(block for block in blocks if not _is_blank(block))

    async def read(
        self,
        model: Model,
        request: ModelRequest,
        *,
        signal: AbortSignal,
        clock: Clock,
        strays: Strays,
        stall: float,
        grace: float,
    ) -> None:
        """Fills this response from `model`; on return either `stop_reason` or `failure` is set, or it was aborted.

        `stall`: seconds without any event after which the stream is given up; `grace`: seconds that a cancelled
        stream has to clean up.
        """
        own = AbortController()  # stops the stream: for the run's abort, and for silence
        withdraw = signal.on_abort(lambda: _forward(signal, own))
        self._last_event = clock.monotonic()
        watch = asyncio.create_task(self._watch(own, clock, stall))
        try:
            await supervise(
                self._pump(model, request, own.signal, clock),
                what=f"the response stream of {model.id}",
                signal=own.signal,
                clock=clock,
                strays=strays,
                patience=0,
                grace=grace,
            )
        except (WorkAborted, WorkLeftRunning):
            self._fail("The model's stream was cancelled.")
        except Exception:
            log.exception("the stream of %s raised", model.id)
            self._fail("The model's stream failed unexpectedly; the log says how.")
        finally:
            withdraw()
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        self._fail("The model's stream ended before its response was complete.")

    async def _pump(self, model: Model, request: ModelRequest, signal: AbortSignal, clock: Clock) -> None:
        stream = model.stream(request, signal)
        try:
            async for event in stream:
                self._last_event = clock.monotonic()
                if not self.take(event):
                    return
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def _watch(self, own: AbortController, clock: Clock, stall: float) -> None:
        while (quiet := clock.monotonic() - self._last_event) < stall:
            await clock.sleep(stall - quiet)
        self._fail(f"The model sent nothing for {stall:g} seconds.", kind="timeout")
        own.abort("the model stalled")

    def _fail(self, message: str, *, kind: FailureKind = "protocol") -> None:
        """Unless it has ended already: what comes after the last event changes nothing."""
        if self.stop_reason is None and self.failure is None:
            self.failure = StreamFailure(kind, message)

    def take(self, event: StreamEvent) -> bool:
        """Adds one stream event. Returns False after the last one."""
        if isinstance(event, BlockDelta):
            block = self._blocks.get(event.index)
            if block is None:
                raise LookupError(f"a delta for block {event.index}, which was never started")
            if event.text:
                self._recorder.tell(
                    MessageUpdate(self.message_id, event.index, block.kind, block.length, event.text)
                )
                block.pieces.append(event.text)
                block.length += utf16_length(event.text)
        elif isinstance(event, BlockStart):
            call_id = self._new_call_id() if event.kind == "toolCall" else ""
            self._blocks[event.index] = _Block(event.kind, event.name, call_id, event.provider_id)
        elif isinstance(event, BlockEnd):
            self._end_block(event)
        elif isinstance(event, StreamDone):
            self.usage = event.usage
            self._complete(event.stop_reason)
            return False
        elif isinstance(event, StreamError):
            self.usage, self.failure = event.usage, event.failure
            return False
        return True

    def _end_block(self, event: BlockEnd) -> None:
        block = self._blocks.get(event.index)
        if block is None:
            raise LookupError(f"the end of block {event.index}, which was never started")
        block.name = event.name or block.name
        block.signature = event.signature or block.signature
        block.redacted = event.redacted or block.redacted

    def _complete(self, stop_reason: ModelStop) -> None:
        if any(not isinstance(block, Thinking) for block in self.content):
            self.stop_reason = stop_reason
            return
        cut = stop_reason == "length"
        message = (
            "The model's output limit was reached before it said anything. Raise the limit or ask for less."
            if cut
            else "The model gave an empty answer: neither text nor tool calls."
        )
        self.failure = StreamFailure("empty", message, cut=cut)


def _forward(signal: AbortSignal, own: AbortController) -> None:
    own.abort(signal.reason)


def _is_blank(block: AssistantContent) -> bool:
    if isinstance(block, ToolCall):
        return False
    if isinstance(block, Thinking):
        return not block.text and block.signature is None
    return not block.text
