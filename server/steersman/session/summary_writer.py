"""Asks a model for the summary that a text asks for, and counts what that takes."""

from dataclasses import dataclass

from steersman.agent.abort import AbortSignal
from steersman.agent.events import AgentEvent, DurableEvent
from steersman.agent.hooks import GiveUp
from steersman.agent.messages import NO_USAGE, ModelStop, Text, UserMessage, plain_text
from steersman.agent.model import Model, ModelRequest, StreamFailure
from steersman.agent.recorder import Recorder
from steersman.agent.response import Response
from steersman.agent.tasks import pause
from steersman.session.parts import Parts
from steersman.session.summary import CUT_OFF, SYSTEM, with_less_room


class CompactionFailed(Exception):
    """There is no summary; the text says why, for a person. Nothing has changed."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    is_cut: bool


class SummaryWriter:
    """For one compaction, which may need several summaries."""

    def __init__(self, model: Model, parts: Parts) -> None:
        self._model, self._parts = model, parts
        self.usage = NO_USAGE
        """Of all its requests."""

    async def write(self, text: str, signal: AbortSignal) -> str | StreamFailure:
        """The summary that `text` asks for. One that is cut off lacks its last headings, such as what comes next: a
        shorter one is asked for, once. If that is of no help, the summary says where it ends.

        Raises:
            CompactionFailed: it was aborted.
        """
        first = await self._request(text, signal)
        if isinstance(first, StreamFailure):
            return first
        if not first.is_cut:
            return first.text
        second = await self._request(with_less_room(text, first.text), signal)
        best = first if isinstance(second, StreamFailure) else second
        return f"{best.text}\n\n{CUT_OFF}" if best.is_cut else best.text

    async def _request(self, text: str, signal: AbortSignal) -> _Said | StreamFailure:
        """One request, tried again as any other.

        Raises:
            CompactionFailed: it was aborted.
        """
        services = self._parts.services
        request = ModelRequest(SYSTEM, [UserMessage("", (Text(text),))])
        limits, attempt = services.limits.kernel(), 0
        while True:
            attempt += 1
            response = Response("", Recorder(_Nowhere()), lambda: "")
            await response.read(
                self._model,
                request,
                signal=signal,
                clock=services.clock,
                strays=self._parts.strays,
                stall=limits.stall,
                grace=limits.grace,
            )
            self.usage += response.usage
            if signal.aborted:
                raise CompactionFailed("It was aborted.")
            said = plain_text(response.content).strip()
            failure = response.failure or _unusable(said, response.stop_reason)
            if failure is None:
                return _Said(said, is_cut=response.stop_reason == "length")
            decision = services.retry.decide(failure, attempt)
            if isinstance(decision, GiveUp):
                return failure
            await pause(decision.after, signal=signal, clock=services.clock)
            if signal.aborted:
                raise CompactionFailed("It was aborted.")


def _unusable(said: str, stop_reason: ModelStop | None) -> StreamFailure | None:
    """Why a whole answer is no summary; None if it is one. What a filter or a refusal has cut must not stand in for the
    conversation, however it begins."""
    if stop_reason in ("content_filter", "refusal"):
        return StreamFailure("refused", "The model or its provider withheld the summary.", cut=True)
    return None if said else StreamFailure("empty", "The model wrote no summary.")


class _Nowhere:
    """A sink that drops everything."""

    async def record(self, event: DurableEvent) -> None:
        return

    def tell(self, event: AgentEvent) -> None:
        return
