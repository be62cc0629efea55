"""Compaction: old messages of a session are replaced, for the model, by a summary that a model writes.

It adds a node to the session's tree and deletes nothing. `fitting` decides when it is needed.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import NO_USAGE, CustomMessage, Message, Text, Usage, UserMessage, plain_text
from steersman.agent.model import Model, StreamFailure
from steersman.agent.tasks import supervise
from steersman.session.errors import Refused
from steersman.session.parts import Parts
from steersman.session.retry import sentence
from steersman.session.summary import Files, files_in, request_text, with_summary
from steersman.session.summary_writer import CompactionFailed, SummaryWriter
from steersman.session.tree import SUMMARY_HEADER
from steersman.session.window import CHARACTERS_PER_TOKEN, Unit, estimate_anew, tokens_of, units_of
from steersman.session.wire import Data, usage_data

log = logging.getLogger(__name__)

See = Callable[[Sequence[Message], AbortSignal], Awaitable[Sequence[Message]]]
"""Makes of a conversation what models may see of it."""

Reason = Literal["threshold", "overflow", "user"]

KEEP_TOKENS = 20_000
"""Of the newest messages, which stay as they are; never more than a quarter of the window."""
LIKELY_WINDOW = 32_000
"""Tokens that an unknown model is assumed to take. A request that doesn't fit is made again with less."""
LEAST_TOKENS = 500
"""That must be replaced: a summary of fewer would free nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one compaction replaces."""

    messages: tuple[Message, ...]
    before: str | None
    """The summary that stands before them."""
    kept_from: str | None
    """The first node that stays; None: no message does."""
    tokens: int
    """Of the whole conversation, before."""


class Compactor:
    def __init__(self, model: Model, parts: Parts, overhead: int, see: See) -> None:
        """`overhead`: tokens of the system prompt and the tools; `see(messages)`: what models may see of them."""
        self._model, self._parts, self._overhead, self._see = model, parts, overhead, see
        self._spent = NO_USAGE

    def take_usage(self) -> Usage:
        """That of its requests since the last call."""
        spent, self._spent = self._spent, NO_USAGE
        return spent

    def plan(self, window: int, *, size: int | None = None, wanted: bool = False) -> Plan | None:
        """What would be replaced for a window of so many tokens; None if there is too little.

        `size`: tokens of the whole request, if the provider has counted them. `wanted`: the user asks for it, so most
        is replaced, however large the window is.
        """
        branch = self._parts.journal.picture.branch
        messages = branch.messages
        first = 1 + branch.carried if branch.compaction is not None else 0
        units = [unit for unit in units_of(messages) if unit.start >= first]
        total = estimate_anew(messages, self._overhead)
        room = min(KEEP_TOKENS, window // 4, *((total // 4,) if wanted else ()))
        if size is not None and size > total:
            room = room * total // size  # the provider counts more tokens than we estimate
        start = _first_kept(units, messages, room)
        if tokens_of(messages[first:start]) < LEAST_TOKENS:
            return None
        before = None
        if first:
            before = plain_text(messages[0].content).removeprefix(SUMMARY_HEADER)
        kept_from = branch.nodes[start] if start < len(messages) else None
        return Plan(tuple(messages[first:start]), before, kept_from, total)

    async def compact(
        self, plan: Plan, window: int, reason: Reason, signal: AbortSignal, instructions: str | None = None
    ) -> None:
        """Carries the plan out.

        Raises:
            CompactionFailed: no summary was made, or it was aborted; nothing has changed.
            LogError: it could not be kept.
        """
        journal, services = self._parts.journal, self._parts.services
        journal.record("compaction_start", {"reason": reason, "tokens": plan.tokens})
        node = services.new_id("cmp")
        writer = SummaryWriter(self._model, self._parts)
        try:
            text = await self._summary(plan, window, signal, instructions, writer)
        except BaseException as error:
            failed: Data = {"failed": _why(error), "usage": usage_data(writer.usage)}
            await journal.record_end("compaction_end", failed, failed)
            raise
        finally:
            self._spent += writer.usage
        files = files_in(plan.messages, Files.of(journal.picture.files))
        summary = "\n\n".join(filter(None, (text, files.text())))
        kept = _kept(journal.picture.messages, journal.picture.branch.nodes, plan.kept_from)
        told = UserMessage(node, (Text(SUMMARY_HEADER + summary),))
        data: Data = {
            "id": node,
            "parent": journal.picture.tip,
            "summary": summary,
            "keptFrom": plan.kept_from,
            "replaced": len(plan.messages),
            "files": files.data(),
            "tokensBefore": plan.tokens,
            "tokensAfter": estimate_anew([told, *kept], self._overhead),
            "usage": usage_data(writer.usage),
        }
        unkept = "The session log could not be written; open the session again."
        await journal.record_end(
            "compaction_end", data, {"failed": unkept, "usage": usage_data(writer.usage)}
        )

    def work_for_user(
        self, window: int | None, instructions: str | None
    ) -> Callable[[AbortSignal], Awaitable[None]]:
        """What carries out a compaction that the user asks for while no run is live. `window`: tokens, if known.

        Raises:
            Refused: nothingToDo.
        """
        journal = self._parts.journal
        size = window or max(LIKELY_WINDOW, tokens_of(journal.picture.messages))
        plan = self.plan(size, wanted=True)
        if plan is None:
            raise Refused("nothingToDo", "There is nothing to shorten yet.", session=journal.session)

        async def work(signal: AbortSignal) -> None:
            try:
                await self.compact(plan, size, "user", signal, instructions)
            except CompactionFailed as failure:
                log.info("the session %s was not shortened: %s", journal.session, failure)

        return work

    async def _summary(
        self, plan: Plan, window: int, signal: AbortSignal, instructions: str | None, writer: SummaryWriter
    ) -> str:
        """Summarises piece by piece, each with the summary of those before it; in shorter pieces if they don't fit."""
        messages = await self._seen(plan.messages, signal)
        limit = round(window * CHARACTERS_PER_TOKEN * 0.6)
        while True:
            pieces = request_text(messages, limit=limit, before=plan.before, instructions=instructions)
            summary, failure = plan.before, None
            for piece in pieces:
                answer = await writer.write(with_summary(summary, piece), signal)
                if isinstance(answer, StreamFailure):
                    failure = answer
                    break
                summary = answer
            if failure is None:
                return summary or ""
            if failure.kind != "context_overflow" or limit < 8000:
                raise CompactionFailed(
                    f"The conversation could not be shortened: {sentence(failure.message)}"
                )
            limit //= 2

    async def _seen(self, messages: Sequence[Message], signal: AbortSignal) -> Sequence[Message]:
        """What the model that writes the summary gets to see. Custom messages are left out: they are not replaced.

        Raises:
            CompactionFailed: an extension failed, or it was aborted.
        """
        services = self._parts.services
        told = [message for message in messages if not isinstance(message, CustomMessage)]
        try:
            return await supervise(
                self._see(told, signal),
                what="what a summary is made of",
                signal=signal,
                clock=services.clock,
                strays=self._parts.strays,
                grace=services.limits.grace,
            )
        except Exception as error:
            if signal.aborted:
                raise CompactionFailed("It was aborted.") from error
            log.exception("the context of a summary could not be made")
            raise CompactionFailed("An extension failed; the log says which and how.") from error


def _why(error: BaseException) -> str:
    """For a person."""
    if isinstance(error, CompactionFailed):
        return str(error)
    return "It failed; the log says how." if isinstance(error, Exception) else "It was aborted."


def _first_kept(units: list[Unit], messages: list[Message], room: int) -> int:
    """Index of the first message that stays. The newest units stay that fit into `room`, and always the last one."""
    start = units[-1].start if units else len(messages)
    used = 0
    for unit in reversed(units):
        used += tokens_of(unit.of(messages))
        if used > room and unit is not units[-1]:
            break
        start = unit.start
    return start


def _kept(messages: list[Message], nodes: list[str], kept_from: str | None) -> list[Message]:
    return messages[nodes.index(kept_from) :] if kept_from is not None else []
