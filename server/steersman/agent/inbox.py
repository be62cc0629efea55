"""The queue of what a person says while a run is going on: steering for the next request, follow-ups for its end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from steersman.agent.events import Input, InputKind
from steersman.agent.messages import CustomMessage, UserMessage

DeliveryMode = Literal["one", "all"]
QueueKind = Literal["steer", "followUp"]


class InboxClosed(Exception):
    """The run takes no more input. `item` is what was refused, so that its sender gets it back."""

    def __init__(self, item: Input) -> None:
        super().__init__("the run is ending and takes no more messages")
        self.item = item


class NotQueued(Exception):
    """No such item is queued: it was delivered, removed, or never there. Nothing was changed."""

    def __init__(self, item_id: str) -> None:
        super().__init__(f"{item_id} does not wait in the queue")
        self.id = item_id


class Inbox:
    """Queued input of one agent.

    With `closes=True` (the product) the last empty poll closes it, in the same step, and what is left at a run's end is
    handed back. With `closes=False` (the kernel as a library) it stays open and keeps what was not delivered.
    """

    def __init__(
        self, *, steering: DeliveryMode = "one", follow_up: DeliveryMode = "one", closes: bool = False
    ) -> None:
        self.steering_mode, self.follow_up_mode = steering, follow_up
        self.open = True
        self._closes = closes
        self._steering: list[Input] = []
        self._follow_ups: list[Input] = []

    @property
    def items(self) -> tuple[Input, ...]:
        """What is queued, steering first."""
        return (*self._steering, *self._follow_ups)

    def add(self, item: Input) -> None:
        """Queues `item`.

        Raises:
            InboxClosed: it came too late, and was not queued.
        """
        if not self.open:
            raise InboxClosed(item)
        self._queue(item.kind).append(item)

    def edit(self, item_id: str, message: UserMessage | CustomMessage) -> None:
        """Replaces an item's message. Raises NotQueued if there is no such item."""
        queue, index = self._find(item_id)
        queue[index] = replace(queue[index], message=message)

    def remove(self, item_id: str) -> Input:
        """Removes an item and returns it. Raises NotQueued if there is no such item."""
        queue, index = self._find(item_id)
        return queue.pop(index)

    def move(self, item_id: str, *, to: int | None = None, kind: QueueKind | None = None) -> None:
        """Moves an item within its queue, or to another one. Raises NotQueued if there is no such item.

        Args:
            to: the place in that queue, from 0; None, or a number beyond it, is the end.
            kind: the queue; None: the item's own.
        """
        queue, index = self._find(item_id)
        item = queue.pop(index)
        if kind is not None:
            item = replace(item, kind=kind)
            queue = self._queue(kind)
        queue.insert(len(queue) if to is None else to, item)

    def clear(self) -> tuple[Input, ...]:
        """Removes all items and returns them."""
        items = self.items
        self._steering, self._follow_ups = [], []
        return items

    def reopen(self) -> None:
        """Takes input again, for the next run."""
        self.open = True

    def take_steering(self) -> Sequence[Input]:
        taken, self._steering = _take(self._steering, self.steering_mode)
        return taken

    def take_follow_ups(self) -> Sequence[Input]:
        taken, self._follow_ups = _take(self._follow_ups, self.follow_up_mode)
        if not taken and self._closes:
            self.open = False
        return taken

    def hand_back(self, undelivered: Sequence[Input]) -> Sequence[Input]:
        """Called at a run's end with what it took but did not deliver. Returns what goes back to the sender."""
        if self._closes:
            self.open = False
            return (*undelivered, *self.clear())
        prompts = [item for item in undelivered if item.kind == "prompt"]
        self._steering[:0] = [item for item in undelivered if item.kind == "steer"]
        self._follow_ups[:0] = [item for item in undelivered if item.kind == "followUp"]
        return prompts

    def _queue(self, kind: InputKind) -> list[Input]:
        return self._steering if kind == "steer" else self._follow_ups

    def _find(self, item_id: str) -> tuple[list[Input], int]:
        """The queue that holds the item, and its place there."""
        for queue in (self._steering, self._follow_ups):
            for index, item in enumerate(queue):
                if item_id and item.id == item_id:
                    return queue, index
        raise NotQueued(item_id)


def _take(queue: list[Input], mode: DeliveryMode) -> tuple[list[Input], list[Input]]:
    count = len(queue) if mode == "all" else 1
    return queue[:count], queue[count:]
