"""Keeps a run's requests within the model's window: when to compact, what to shorten, when to give up.

Serves the kernel's `transform_context` and `on_stream_failure`. What it leaves out is left out for the model only.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steersman.agent.abort import AbortSignal
from steersman.agent.hooks import GiveUp, HookError, Retry
from steersman.agent.messages import AssistantMessage, Message, Usage
from steersman.session.compaction import Compactor, Reason, See
from steersman.session.parts import Parts
from steersman.session.run import RunState
from steersman.session.summary_writer import CompactionFailed
from steersman.session.window import estimate, estimate_anew, shortened, within_characters

log = logging.getLogger(__name__)

FULL = 0.85
"""Part of the window that a request may fill before old messages are summarised: the rest is for the answer."""
WORTH_IT = 0.1
"""Part of the window that must have been filled since the last compaction to make another one worth its price."""
GUESS = 0.7
"""Part of a request that was too long which is assumed to fit."""

TOO_LONG = (
    "The conversation does not fit the model's window, though it was shortened as far as it can be. "
    "Start a new session, or choose a model with a larger window."
)


@dataclass(frozen=True, slots=True)
class Window:
    """What is known of the model's window, and what the user has set."""

    tokens: int | None = None
    """None: not known."""
    characters: int | None = None
    """The plain policy: never more characters of conversation than this, and nothing is summarised or shortened."""


class Fitting:
    """One run's."""

    def __init__(
        self,
        window: Window,
        compactor: Compactor,
        parts: Parts,
        overhead: int,
        set_state: Callable[[RunState], None],
        *,
        see: See,
    ) -> None:
        """`overhead`: tokens of the system prompt and the tools; `see(messages)`: what the model is to see of them."""
        self._window, self._compactor, self._parts = window, compactor, parts
        self._set_state, self._see = set_state, see
        self.overhead = overhead
        self.replaced = False
        """An extension has replaced the history; requests are made from its messages as they are."""
        self._tokens = window.tokens
        self._compacted = False
        """Requests are made from the session's own view of the branch, not from the run's history."""
        self._shortened = False
        """Items were cut for the model, so the provider's counts since then are not of the whole."""
        self._last: Sequence[Message] = ()
        """The run's history when the last request was made."""
        self._most: int | None = None
        """Tokens that a request may have, once one was too long."""
        self._overflowed_at: str | None = None
        """The tip when a request last was too long."""
        self._failed = False
        """A summary failed: there is no next try before a request is too long, or the user asks."""
        self.wanted: str | None = None
        """Not None: the user wants a compaction before the next request, with these instructions (perhaps none)."""

    async def transform(self, messages: Sequence[Message], signal: AbortSignal) -> Sequence[Message]:
        """The kernel's `transform_context`.

        Raises:
            HookError: not even what can't be left out fits.
        """
        if self._window.characters is not None:
            if self.wanted is not None:
                self.wanted = None
                self._parts.notice("context_max_chars is set, so nothing is summarised while a run is live.")
            return within_characters(await self._see(messages, signal), self._window.characters)
        self._last = messages
        view = self._view(messages)
        if self.wanted is not None:
            instructions, self.wanted = self.wanted, None
            await self._try(signal, "user", instructions or None)
        elif not (self.replaced or self._failed) and self._is_full(view):
            await self._try(signal, "threshold")
        return self._fitting(await self._see(self._view(messages), signal))

    async def on_overflow(self, message: str, signal: AbortSignal) -> Retry | GiveUp:
        """The provider says that the request was too long; `message` is what it says."""
        tip = self._parts.journal.picture.tip
        if self._window.characters is not None or (tip is not None and tip == self._overflowed_at):
            return GiveUp(f"{TOO_LONG} ({message})")
        needed = estimate_anew(self._view(self._last), self.overhead)
        self._tokens = min(self._tokens or needed, needed)
        self._most = round(needed * GUESS)
        try:
            await self._compact(signal, "overflow")
        except CompactionFailed as failure:
            return GiveUp(str(failure))
        self._overflowed_at = self._parts.journal.picture.tip
        self._shortened = True  # what was counted before says nothing of what fits
        fitted = self._fitting(await self._see(self._view(self._last), signal))
        if estimate_anew(fitted, self.overhead) > needed * FULL:
            return GiveUp(TOO_LONG)
        return Retry()

    def take_usage(self) -> Usage:
        """That of summaries, since the last call."""
        return self._compactor.take_usage()

    # Inside

    def _view(self, messages: Sequence[Message]) -> Sequence[Message]:
        if not self._compacted or self.replaced:
            return messages
        return list(self._parts.journal.picture.messages)

    def _is_full(self, view: Sequence[Message]) -> bool:
        return self._tokens is not None and self._size(view) > self._tokens * FULL

    def _size(self, view: Sequence[Message]) -> int:
        """The provider's count where it is of this view, else an estimate."""
        if self._shortened:
            return estimate_anew(view, self.overhead)
        tree, compaction = self._parts.journal.picture.tree, self._parts.journal.picture.branch.compaction
        since = 0 if compaction is None else tree.nodes[compaction].seq

        def counts(message: AssistantMessage) -> bool:
            node = tree.nodes.get(message.id)
            return node is not None and node.seq > since

        return estimate(view, self.overhead, counts)

    def _fitting(self, view: Sequence[Message]) -> Sequence[Message]:
        most = self._most if self._most is not None or self._tokens is None else round(self._tokens * FULL)
        if most is None or self._size(view) <= most:
            return view
        cut = shortened(view, most, self.overhead)
        self._shortened = self._shortened or cut is not view
        if self._window.tokens is not None and estimate_anew(cut, self.overhead) > self._window.tokens:
            raise HookError("context_overflow", TOO_LONG)
        return cut

    async def _try(self, signal: AbortSignal, reason: Reason, instructions: str | None = None) -> None:
        """Compacts if it is worth it. Without a summary the request is made all the same: it may still fit."""
        try:
            await self._compact(signal, reason, instructions)
        except CompactionFailed as failure:
            self._failed = True
            if not signal.aborted:
                self._parts.notice(str(failure))

    async def _compact(self, signal: AbortSignal, reason: Reason, instructions: str | None = None) -> None:
        window = self._tokens or estimate_anew(self._parts.journal.picture.messages, self.overhead)
        size = self._size(self._view(self._last))
        plan = self._compactor.plan(window, size=size, wanted=reason == "user")
        if plan is None:
            return
        grown = estimate_anew(plan.messages, 0)
        if reason == "threshold" and plan.before is not None and grown < window * WORTH_IT:
            return
        self._set_state("compacting")
        await self._compactor.compact(plan, window, reason, signal, instructions)
        self._compacted = True
