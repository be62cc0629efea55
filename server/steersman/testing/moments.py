"""What the user does during a run of a test: steers, queues a follow-up, or aborts at the nth event of a type."""

import asyncio
import difflib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict

from steersman.session.errors import Refused
from steersman.session.schema import EVENTS
from steersman.testing.errors import ScriptError


class _Numbered(TypedDict, total=False):
    seq: int
    run: str
    turn: int


class Event(_Numbered):
    """An event of the protocol. Those that the log keeps have a `seq`."""

    session: str
    ts: int
    type: str
    data: dict[str, Any]


class Live(Protocol):
    """The current run, as its user can act on it."""

    def steer(self, text: str) -> None: ...

    def follow_up(self, text: str) -> None: ...

    def abort(self, reason: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Action:
    """Something that the user does at a moment: `steer`, `follow_up`, `abort`, or the call that `do` was given."""

    moment: "Moment"
    verb: str
    text: str | None = None
    call: Callable[[Live], None] | None = field(default=None, compare=False)

    def act(self, live: Live) -> None:
        """Raises:
        Refused: the run takes no more messages.
        """
        if self.call is not None:
            self.call(live)
        elif self.verb == "abort":
            live.abort()
        elif self.verb == "steer":
            live.steer(self.text or "")
        else:
            live.follow_up(self.text or "")

    def __repr__(self) -> str:
        return f"{self.moment!r}.{self.verb}({'' if self.text is None else repr(self.text)})"


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in a run, made by `after`."""

    event: str
    nth: int = 1
    data: tuple[tuple[str, Any], ...] = ()

    def steer(self, text: str) -> Action:
        """The user says `text`, which goes into the next request."""
        return Action(self, "steer", text)

    def follow_up(self, text: str) -> Action:
        """The user says `text`, which is sent when the work is done."""
        return Action(self, "follow_up", text)

    def abort(self) -> Action:
        """The user stops the run."""
        return Action(self, "abort")

    def do(self, call: Callable[[Live], None]) -> Action:
        """Calls `call` with the run."""
        return Action(self, "do", getattr(call, "__name__", "…"), call)

    def matches(self, event: Event) -> bool:
        data = event["data"]
        return event["type"] == self.event and all(data.get(name) == value for name, value in self.data)

    def __repr__(self) -> str:
        nth = [] if self.nth == 1 else [f"nth={self.nth}"]
        return f"after({', '.join([repr(self.event), *nth, *(f'{k}={v!r}' for k, v in self.data)])})"


def after(event: str, *, nth: int = 1, **data: Any) -> Moment:
    """The moment after the `nth` event of a type whose data has these values:
    `after("tool_execution_end", name="read")`.

    Raises:
        ScriptError: there is no such event.
    """
    known = {form.event for form in EVENTS}
    if event not in known:
        near = difflib.get_close_matches(event, known, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ScriptError(
            f"after({event!r}): there is no such event.{hint} There are {', '.join(sorted(known))}."
        )
    if nth < 1:
        raise ScriptError(f"after({event!r}, nth={nth!r}): nth counts from 1.")
    return Moment(event, nth, tuple(data.items()))


@dataclass(slots=True)
class _Waiting:
    action: Action
    left: int
    """How many such events are still to come."""


class Watcher:
    """Does each action when its moment comes."""

    def __init__(self, actions: Sequence[Action], on_event: Callable[[Event, Live], None] | None) -> None:
        """Raises:
        ScriptError: one of `actions` is not an action.
        """
        for each in actions:
            if not isinstance(each, Action):
                raise ScriptError(
                    f"during: {each!r} is not an action. Write, for example, after('turn_end').steer('…')."
                )
        self.raised: BaseException | None = None
        """What a function of the test has raised."""
        self._waiting = [_Waiting(action, action.moment.nth) for action in actions]
        self._on_event = on_event
        self._late: list[str] = []

    @property
    def problems(self) -> list[str]:
        """Actions that were refused, and moments that never came."""
        never = [f"The moment of {each.action!r} never came." for each in self._waiting if each.left > 0]
        return [*self._late, *never]

    def see(self, event: Event, live: Live) -> None:
        """Acts in the next step of the event loop: until then, every listener has got the event."""
        loop = asyncio.get_running_loop()
        if self._on_event is not None:
            loop.call_soon(self._call, functools.partial(self._on_event, event), live)
        for each in self._waiting:
            if each.left > 0 and each.action.moment.matches(event):
                each.left -= 1
                if each.left == 0:
                    loop.call_soon(self._act, each.action, live)

    def _act(self, action: Action, live: Live) -> None:
        def attempt(live: Live) -> None:
            try:
                action.act(live)
            except Refused as refusal:
                self._late.append(f"{action!r} was refused: {refusal}")

        self._call(attempt, live)

    def _call(self, act: Callable[[Live], None], live: Live) -> None:
        if self.raised is not None:
            return
        try:
            act(live)
        except BaseException as error:  # noqa: BLE001 - pytest.fail included; it is raised again when the run has ended
            self.raised = error
            live.abort("the test has failed")
