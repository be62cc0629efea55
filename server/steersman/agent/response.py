"""Reads one response of a model. Nothing of it is committed here.

The stream is read by a task of its own, so that an abort, a stall, an exception or a missing end can't hold up the run.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.clock import Clock
from steersman.agent.events import MessageUpdate, utf16_length
from steersman.agent.messages import (
    CUT,
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
    close_stream,
)
from steersman.agent.recorder import Recorder
from steersman.agent.tasks import Strays, stop, until_aborted

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
    """One response, as far as it has been read."""

    def __init__(self, message_id: str, recorder: Recorder, new_call_id: Callable[[], str]) -> None:
        self.message_id = message_id
        self.stop_reason: ModelStop | None = None
        """Set once the response is complete and usable."""
        self.failure: StreamFailure | None = None
        self.usage: Usage = NO_USAGE
        self._recorder = recorder
        self._new_call_id = new_call_id
        self._last_event = 0.0
        self._closing = False
        self._blocks: dict[int, _Block] = {}

    @property
    def content(self) -> tuple[AssistantContent, ...]:
        """The blocks that are not blank, in the order of their indices."""
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
        """Fills this response from `model`. On return exactly one of `stop_reason` and `failure` is set.

        Args:
            stall: seconds without any event after which the stream is given up.
            grace: seconds that a stream has to clean up, after its last event or once cancelled.
        """
        own = AbortController()  # stops the stream: at the run's abort, and when it stalls
        over = AbortController()  # ends our wait: then too, and after the stream's last event
        withdraw = own.follow(signal)
        over.follow(own.signal)
        self._last_event = clock.monotonic()
        watch = asyncio.create_task(self._watch(own, clock, stall))
        reading = asyncio.create_task(self._pump(model, request, own.signal, over, clock))
        try:
            await until_aborted(reading, over.signal)
        finally:
            withdraw()
            if not over.signal.aborted:
                own.abort("nobody reads on")
            watch.cancel()
            await stop(
                reading,
                what=f"the response stream of {model.id}",
                clock=clock,
                strays=strays,
                patience=grace if self._closing else 0,
                grace=grace,
            )
            await asyncio.gather(watch, return_exceptions=True)
        self._check_end(reading, model.id)

    def _check_end(self, reading: "asyncio.Task[None]", model_id: str) -> None:
        """Makes what the stream raised, or a missing end, the failure of this response, if it has no end yet."""
        if reading.done() and not reading.cancelled() and (error := reading.exception()):
            if not isinstance(error, Exception):
                raise error
            log.error("the stream of %s raised", model_id, exc_info=error)
            self._fail("The model's stream failed unexpectedly; the log says how.")
        self._fail("The model's stream ended before its response was complete.")

    async def _pump(
        self,
        model: Model,
        request: ModelRequest,
        signal: AbortSignal,
        over: AbortController,
        clock: Clock,
    ) -> None:
        stream = model.stream(request, signal)
        take, now = self.take, clock.monotonic
        try:
            async for event in stream:
                if signal.aborted:  # a stream that ignores the abort: nobody listens any more
                    return
                self._last_event = now()
                if not take(event):
                    return
        finally:
            self._closing = True
            over.abort()  # from here on the stream has `grace` to close
            await close_stream(stream)

    async def _watch(self, own: AbortController, clock: Clock, stall: float) -> None:
        while (quiet := clock.monotonic() - self._last_event) < stall:
            await clock.sleep(stall - quiet)
        self._fail(f"The model sent nothing for {stall:g} seconds.", kind="timeout")
        own.abort("the model stalled")

    def _fail(self, message: str, *, kind: FailureKind = "protocol") -> None:
        """Sets the failure, unless the response has ended already: nothing after its last event counts."""
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
            if event.index in self._blocks:
                raise LookupError(f"block {event.index} was started twice")
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
        self.failure = _nothing_said(stop_reason)


def _nothing_said(stop_reason: ModelStop) -> StreamFailure:
    """The failure of a response without text, refusal or calls. Asking again helps only if it wasn't cut."""
    if stop_reason == "length":
        message = (
            "The model's output limit was reached before it said anything. Raise the limit or ask for less."
        )
        return StreamFailure("empty", message, cut=True)
    if stop_reason in CUT:
        message = "The answer was withheld by the model's provider. Put the request in other words."
        return StreamFailure("refused", message, cut=True)
    return StreamFailure("empty", "The model gave an empty answer: neither text nor tool calls.")


def _is_blank(block: AssistantContent) -> bool:
    if isinstance(block, ToolCall):
        return False
    if isinstance(block, Thinking):
        return not block.text and block.signature is None
    return not block.text
