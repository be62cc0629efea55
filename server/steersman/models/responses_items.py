"""The output items of one Responses stream while it arrives, and which of them an event is about.

Items are told apart by their place (`output_index`) and their id. Compatible servers may leave out one of the two, give
two items the same place, or change the id with every event.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from steersman.models.call_arguments import CallArguments
from steersman.models.event_json import string

Item: TypeAlias = Mapping[str, object]
"""An output item as the server sends it."""
ItemKind = Literal["message", "reasoning", "call"]
KINDS: Final[Mapping[object, ItemKind]] = {
    "message": "message",
    "reasoning": "reasoning",
    "function_call": "call",
    "custom_tool_call": "call",
}
"""Types of items that are passed on. Those of the provider's own tools are not."""


@dataclass(slots=True)
class OutputItem:
    """One output item: what is known of it, and how much of it has been passed on."""

    kind: ItemKind
    id: str
    call_id: str
    block: int = -1
    """The index of its block. Not used for a message, whose blocks the writer manages."""
    late_name: str | None = None
    """For a call whose block was started without a name: what is known of the name now."""
    is_whole: bool = False
    """The server has said that it is complete."""
    is_told: bool = False
    """Some of its text, thinking or arguments has been passed on."""
    arguments: CallArguments = field(default_factory=CallArguments)
    """Those of a call that have streamed."""
    part_is_told: bool = False
    """Some of its open part has been passed on."""
    part: object = None
    """The part of the summary that was last passed on."""
    source: str = ""
    """Whether reasoning was first sent as its summary or as its content: the other repeats it."""
    signature: str | None = None
    id_changes: bool = False
    """The server gives it a different id each time, so none of them is the model's."""


class OutputItems:
    """The items of one response, in the order in which they began."""

    __slots__ = ("_by_id", "_by_index", "_items", "_last")

    def __init__(self) -> None:
        self._items: list[OutputItem] = []
        self._by_index: dict[int, OutputItem] = {}
        self._by_id: dict[str, OutputItem] = {}
        self._last: dict[ItemKind, OutputItem] = {}

    def __iter__(self) -> Iterator[OutputItem]:
        return iter(self._items)

    def open(self, kind: ItemKind, item: Mapping[str, object], index: object = None) -> OutputItem:
        """Adds a new item."""
        opened = OutputItem(kind, string(item, "id"), string(item, "call_id"))
        self._items.append(opened)
        self._last[kind] = opened
        if type(index) is int:
            self._by_index[index] = opened
        for name in _names(item):
            self._by_id[name] = opened
        return opened

    def find(self, kind: ItemKind, index: object, names: Iterable[str]) -> OutputItem | None:
        """The item of `kind` that an event is about. If that can't be told: the last one, unless it is complete.

        Args:
            index: the place that the event names; ignored unless it is a number.
            names: the ids that the event names.
        """
        placed = self._by_index.get(index) if type(index) is int else None
        named = next((self._by_id[name] for name in names if name in self._by_id), None)
        found = placed if named is None or (placed is not None and placed.id == named.id) else named
        if found is not None and found.kind == kind:
            return found
        last = self._last.get(kind)
        return last if last is not None and not last.is_whole else None

    def matched(self, output: Iterable[object]) -> Iterator[tuple[ItemKind, Item, OutputItem | None]]:
        """The items of a complete response, each with the known item that it is, if any. Items are matched by an id
        that is unique, else by their place among those of the same kind."""
        named: dict[tuple[ItemKind, str], OutputItem | None] = {}
        alike: dict[ItemKind, list[OutputItem]] = {kind: [] for kind in KINDS.values()}
        for known in self._items:
            alike[known.kind].append(known)
            for name in {known.id, known.call_id} - {""}:
                named[known.kind, name] = None if (known.kind, name) in named else known
        places = dict.fromkeys(alike, 0)
        for item in output:
            kind = kind_of(item)
            if kind is None or not isinstance(item, dict):
                continue
            place = places[kind]
            places[kind] += 1
            by_place = alike[kind][place] if place < len(alike[kind]) else None
            found = (named.get((kind, name)) for name in _names(item))
            yield kind, item, next(filter(None, found), by_place)


def kind_of(item: object) -> ItemKind | None:
    """The kind of an item; None if it is not passed on."""
    kind = item.get("type") if isinstance(item, dict) else None
    return KINDS.get(kind) if isinstance(kind, str) else None


def _names(item: Item) -> list[str]:
    return [name for name in (string(item, "id"), string(item, "call_id")) if name]
