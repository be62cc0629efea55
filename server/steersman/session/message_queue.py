"""The messages that wait for a session's live run, and what its user can do with them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from steersman.agent.events import Input, InputKind
from steersman.agent.inbox import InboxClosed, NotQueued, QueueKind
from steersman.session.errors import Refused
from steersman.session.parts import Parts
from steersman.session.pointing import Pointed
from steersman.session.prompts import Composed
from steersman.session.run import Run


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits, and the run that will get it."""

    run: Run
    item: Input


@dataclass(frozen=True, slots=True)
class Driven:
    """The live run."""

    run: Run
    queue_changed: Callable[[Sequence[str]], None]
    """Tells what waits; its argument is the ids of what the user has taken out."""


class MessageQueue:
    """One session's. `driven()` is its live run, if there is one."""

    def __init__(self, parts: Parts, driven: Callable[[], Driven | None]) -> None:
        self._parts, self._driven = parts, driven
        self._session = parts.journal.session

    @property
    def items(self) -> tuple[Input, ...]:
        """Steering first; in each kind in the order of delivery."""
        return self._parts.inbox.items

    def add(self, kind: InputKind, said: Composed) -> Queued:
        """Queues a message for the live run.

        Raises:
            Refused: notRunning, aborting; `data.text` has the text.
        """
        driven, text = self._driven(), said.typed
        if driven is None:
            raise Refused("notRunning", "No run is live in this session.", text=text, session=self._session)
        run = driven.run
        if run.aborting:
            raise Refused("aborting", "The run is being aborted.", text=text, run=run.id)
        item = Input(kind, self._parts.to_say(said), self._parts.services.new_id("in"))
        try:
            self._parts.inbox.add(item)
        except InboxClosed:
            raise Refused("notRunning", "The run has just ended.", text=text, run=run.id) from None
        driven.queue_changed(())
        self._tell_of(said, run)
        return Queued(run, item)

    def pointed_with(self, item_id: str) -> Pointed:
        """What an item was sent with, besides its text."""
        item = next((item for item in self.items if item.id == item_id), None)
        said = None if item is None else self._parts.said.get(item.message.id)
        return Pointed() if said is None else said.pointed

    def edit(self, item_id: str, said: Composed | str) -> None:
        """Gives an item another text, and what is attached to that.

        Raises:
            Refused: unknownItem, notRunning.
        """
        said = Composed(said) if isinstance(said, str) else said
        with self._change(item_id):
            self._parts.inbox.edit(item_id, self._parts.to_say(said))
        driven = self._driven()
        self._tell_of(said, None if driven is None else driven.run)

    def move(self, item_id: str, to: int | None, kind: QueueKind | None) -> None:
        """See `Inbox.move`.

        Raises:
            Refused: unknownItem, notRunning.
        """
        with self._change(item_id):
            self._parts.inbox.move(item_id, to=to, kind=kind)

    def remove(self, item_id: str) -> Sequence[Input]:
        """Takes an item out, and returns it.

        Raises:
            Refused: unknownItem, notRunning.
        """
        with self._change(item_id, removed=[item_id]):
            return [self._parts.inbox.remove(item_id)]

    def clear(self) -> Sequence[Input]:
        """Takes everything out, and returns it."""
        items = self._parts.inbox.clear()
        driven = self._driven()
        if items and driven is not None:
            driven.queue_changed([item.id for item in items])
        return items

    def _tell_of(self, said: Composed, run: Run | None) -> None:
        """Tells the user what came of composing a message, and what the run's model won't see of it."""
        for notice in said.notices:
            self._parts.notice(notice)
        if run is not None:
            self._parts.tell_if_blind(run.model, said.attached)

    @contextmanager
    def _change(self, item_id: str, removed: Sequence[str] = ()) -> Iterator[None]:
        """A change of one item: refused if it doesn't wait any more, told if it was made."""
        driven, data = self._driven(), {"session": self._session, "id": item_id}
        try:
            yield
        except NotQueued:
            if driven is None or not self._parts.inbox.open:
                text = f"The run is over: {item_id} was delivered, taken out, or handed back with its end."
                raise Refused("notRunning", text, **data) from None
            text = f"{item_id} is not in the queue: it has gone to the model, or was taken out."
            raise Refused("unknownItem", text, **data, run=driven.run.id) from None
        if driven is not None:
            driven.queue_changed(removed)
