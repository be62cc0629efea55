"""The client's requests and notifications that are being handled: each is a `Call` until it is answered."""

import asyncio
import contextvars
import inspect
import logging
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from steersman.lsp.envelope import MessageId

logger = logging.getLogger(__name__)

# What pygls' registries hold: a plain or async function or, for pygls' own features, a generator function that yields
# (handler, args, kwargs) to have them run.
Handler = Callable[..., Any]


@dataclass(slots=True, eq=False)
class Call:
    """A request, or a notification (without an id), for which there is a handler."""

    id: MessageId | None
    method: str
    task: asyncio.Task[object] | None = None
    _answered: bool = False
    _after_response: list[Callable[[], None]] = field(default_factory=list)

    def after_response(self, callback: Callable[[], None]) -> None:
        """Runs the callback when the answer is in the outbox, which may be at once."""
        if self._answered:
            callback()
        else:
            self._after_response.append(callback)

    def answered(self) -> None:
        """The answer (a result or an error) has been handed to the outbox."""
        self._answered = True
        callbacks, self._after_response = self._after_response, []
        for callback in callbacks:
            try:
                callback()
            except Exception:
                logger.exception("A callback after the answer to %s failed.", self.method)


_current_call: contextvars.ContextVar[Call] = contextvars.ContextVar("current_call")


def after_response(callback: Callable[[], None]) -> None:
    """Runs the callback when the answer to the current request is in the outbox.

    So what the callback sends reaches the client after the answer. The callback runs exactly once, even if the answer
    is an error, the request was cancelled or the client is gone.

    Raises:
        LookupError: not called from a handler.
    """
    _current_call.get().after_response(callback)


class Calls:
    """Runs handlers, and knows which are still running."""

    def __init__(self, settle: Callable[[Call, Callable[[], object]], None]) -> None:
        """`settle(call, outcome)` is called once for each call; `outcome()` returns its result or raises its error."""
        self._settle = settle
        self._requests: dict[MessageId, Call] = {}
        self._live: set[Call] = set()

    def __len__(self) -> int:
        return len(self._live)

    def is_live(self, message_id: MessageId) -> bool:
        """Whether a request with this id is still being handled."""
        return message_id in self._requests

    def begin(self, call: Call, handler: Handler, *arguments: object) -> bool:
        """Starts the handler. Returns True if it runs as a task, which takes its first step in the loop's next turn."""
        before = _current_call.set(call)
        try:
            outcome = handler(*arguments)
            if inspect.isgenerator(outcome):
                outcome = _run_steps(outcome)
            if inspect.isawaitable(outcome):
                self._track(call, asyncio.ensure_future(_awaited(outcome)))
                return True
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - settle raises it again
            self._settle(call, _raiser(error))
        else:
            self._settle(call, lambda: outcome)
        finally:
            _current_call.reset(before)
        return False

    def cancel(self, message_id: MessageId) -> None:
        """Cancels the handler of a request, if it is still running."""
        call = self._requests.get(message_id)
        if call is not None and call.task is not None:
            call.task.cancel()

    async def end_all(self, timeout: float) -> None:
        """Cancels all calls except the current one, and waits at most `timeout` seconds until they have ended."""
        current = _current_call.get(None)
        tasks = [call.task for call in self._live if call is not current and call.task is not None]
        for task in tasks:
            task.cancel()
        if not tasks:
            return
        _, stubborn = await asyncio.wait(tasks, timeout=timeout)
        for task in stubborn:
            logger.error("A handler ignores its cancellation: %r", task)

    def _track(self, call: Call, task: asyncio.Task[object]) -> None:
        call.task = task
        self._live.add(call)
        if call.id is not None:
            self._requests[call.id] = call
        task.add_done_callback(lambda _: self._ended(call, task))

    def _ended(self, call: Call, task: asyncio.Task[object]) -> None:
        self._live.discard(call)
        if call.id is not None:
            self._requests.pop(call.id, None)
        self._settle(call, task.result)


async def _awaited(awaitable: Awaitable[object]) -> object:
    return await awaitable


async def _run_steps(steps: Generator[Any, Any, Any]) -> object:
    """Runs one of pygls' generator handlers."""
    value: object = None
    while True:
        try:
            handler, arguments, named = steps.send(value)
        except StopIteration as end:
            return end.value
        value = handler(*(arguments or ()), **(named or {}))
        if inspect.isgenerator(value):
            value = await _run_steps(value)
        elif inspect.isawaitable(value):
            value = await value


def _raiser(error: BaseException) -> Callable[[], object]:
    def outcome() -> object:
        raise error

    return outcome
