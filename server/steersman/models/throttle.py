"""Keeps the requests to a provider within the limits that the user has set, in the order in which they were made.

A request waits before anything of it is sent. Meanwhile pings show that its stream has not stalled.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from steersman.agent.abort import AbortSignal
from steersman.agent.clock import Clock, SystemClock
from steersman.agent.messages import NO_USAGE, Usage
from steersman.agent.model import (
    ABORTED,
    Model,
    ModelRequest,
    Ping,
    StreamDone,
    StreamError,
    StreamEvent,
    close_stream,
)
from steersman.models.provider import RateLimits

WINDOW: Final = 60.0
"""Seconds of the sliding window in which limits per minute hold."""
LOOK_SECONDS: Final = 15.0
"""Between two pings of a waiting request."""
WORTH_TELLING: Final = 5.0
"""Shortest wait, in seconds, that the user is told about."""
CHARACTERS_PER_TOKEN: Final = 4
"""To estimate the tokens of a prompt that the provider hasn't counted yet."""
IMAGE_TOKENS: Final = 1000


class Throttle:
    """The throttle of one provider. All use is from one event loop.

    No span of `WINDOW` seconds has more requests than the limit, nor more tokens, as far as is known when a request
    begins: a prompt is estimated until the provider has counted it, and cached tokens count like others. A request
    that exceeds the limit of tokens by itself is made when it is alone in its window.
    """

    def __init__(self, limits: RateLimits, clock: Clock | None = None) -> None:
        self.limits = limits
        self.clock = clock or SystemClock()
        self._queue: deque[Turn] = deque()
        self._running = 0
        self._starts: deque[float] = deque()
        self._spent: deque[Spent] = deque()

    def queue(self, tokens: int) -> "Turn":
        """A place at the end of the queue, for a request of about `tokens` tokens. It has to `leave` in the end."""
        turn = Turn(self, tokens)
        self._queue.append(turn)
        return turn

    def left(self, turn: "Turn") -> float:
        """Seconds until `turn` may begin; infinite while that depends on other requests."""
        limits = self.limits
        busy = limits.concurrent is not None and self._running >= limits.concurrent
        if busy or self._queue[0] is not turn:
            return math.inf
        now = self.clock.monotonic()
        while self._starts and self._starts[0] + WINDOW <= now:
            self._starts.popleft()
        while self._spent and self._spent[0].at + WINDOW <= now:
            self._spent.popleft()
        free_at = now
        if limits.requests_per_minute is not None and len(self._starts) >= limits.requests_per_minute:
            free_at = self._starts[len(self._starts) - limits.requests_per_minute] + WINDOW
        if limits.tokens_per_minute is not None:
            total = sum(spent.tokens for spent in self._spent) + turn.tokens
            for spent in self._spent:
                if total <= limits.tokens_per_minute:
                    break
                total -= spent.tokens
                free_at = max(free_at, spent.at + WINDOW)
        return free_at - now

    def begin(self, turn: "Turn") -> "Spent":
        """Begins `turn`, which is the first in the queue and may begin now."""
        now = self.clock.monotonic()
        self._queue.popleft()
        self._running += 1
        self._starts.append(now)
        spent = Spent(now, turn.tokens)
        self._spent.append(spent)
        self._wake_first()
        return spent

    def end(self, turn: "Turn", begun: "Spent | None", used: int) -> None:
        """Ends `turn`, whether it has begun or not. `used`: the tokens that the provider has counted; 0: not known."""
        if begun is None:
            self._queue.remove(turn)
        else:
            self._running -= 1
            if used > begun.tokens:
                self._spent.append(Spent(self.clock.monotonic(), used - begun.tokens))
            elif used:
                begun.tokens = used
        self._wake_first()

    def _wake_first(self) -> None:
        if self._queue:
            self._queue[0].wake()


@dataclass(slots=True)
class Spent:
    """Tokens that count from the time `at` on."""

    at: float
    tokens: int


class Turn:
    """One request's place in the queue, and then among the running requests."""

    def __init__(self, throttle: Throttle, tokens: int) -> None:
        self._throttle = throttle
        self.tokens = tokens
        self._begun: Spent | None = None
        self._waker: asyncio.Future[None] | None = None

    def try_begin(self) -> float:
        """Begins if it may, and returns 0. Otherwise returns what `Throttle.left` says."""
        left = self._throttle.left(self)
        if left > 0:
            return left
        self._begun = self._throttle.begin(self)
        return 0.0

    async def pause(self, seconds: float, signal: AbortSignal) -> None:
        """Waits for `seconds`, or until something has changed, or until the abort."""
        self._waker = asyncio.get_running_loop().create_future()
        withdraw = signal.on_abort(self.wake)
        sleeping = asyncio.ensure_future(self._throttle.clock.sleep(seconds))
        try:
            await asyncio.wait((self._waker, sleeping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            withdraw()
            self._waker = None
            sleeping.cancel()
            await asyncio.wait((sleeping,))

    def leave(self, usage: Usage = NO_USAGE) -> None:
        """Gives the place up. Has to be called once, whatever happens."""
        self._throttle.end(self, self._begun, usage.input + usage.output)

    def wake(self) -> None:
        """Ends a pause, since something has changed."""
        if self._waker is not None and not self._waker.done():
            self._waker.set_result(None)


class ThrottledModel:
    """A model whose requests wait for their provider's limits."""

    def __init__(
        self, model: Model, provider: str, limits: RateLimits, throttle: Throttle | None = None
    ) -> None:
        """`throttle`: used instead of the one that all models of `provider` share in this process."""
        self._model, self._provider, self._limits = model, provider, limits
        self._throttle = throttle

    @property
    def id(self) -> str:
        return self._model.id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """The model's own stream, after pings while it waits."""
        throttle = self._throttle or shared_throttle(self._provider, self._limits)
        turn = throttle.queue(estimated_tokens(request))
        last: StreamEvent | None = None
        try:
            began, told, wait = throttle.clock.monotonic(), False, WORTH_TELLING
            while not signal.aborted and (left := turn.try_begin()) > 0:
                known = left if math.isfinite(left) else throttle.clock.monotonic() - began
                if known >= WORTH_TELLING and not told:
                    self._tell(request, left)
                    told = True
                yield Ping()
                await turn.pause(min(left, wait), signal)
                wait = LOOK_SECONDS
            if signal.aborted:
                yield StreamError(ABORTED)
                return
            events = self._model.stream(request, signal)
            try:
                async for event in events:
                    last = event
                    yield event
            finally:
                await close_stream(events)
        finally:
            turn.leave(last.usage if isinstance(last, StreamDone | StreamError) else NO_USAGE)

    def _tell(self, request: ModelRequest, left: float) -> None:
        if request.on_wait is not None:
            how_long = (
                f"for {math.ceil(left)} seconds" if math.isfinite(left) else "for other requests to end"
            )
            request.on_wait(
                f"The request waits {how_long}: config.toml limits what is asked of {self._provider}."
            )


_SHARED: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, RateLimits], Throttle]]" = (
    WeakKeyDictionary()
)


def shared_throttle(provider: str, limits: RateLimits) -> Throttle:
    """The throttle for all requests to `provider` from the running event loop."""
    throttles = _SHARED.setdefault(asyncio.get_running_loop(), {})
    return throttles.setdefault((provider, limits), Throttle(limits))


def estimated_tokens(request: ModelRequest) -> int:
    """A rough estimate of the prompt's tokens, at least 1."""
    characters, images = len(request.system), 0
    for message in request.messages:
        for block in message.content:
            if block.type == "text":
                characters += len(block.text)
            elif block.type == "toolCall":
                characters += len(block.arguments)
            elif block.type == "image":
                images += 1
    return characters // CHARACTERS_PER_TOKEN + images * IMAGE_TOKENS + 1
