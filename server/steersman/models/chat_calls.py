"""Which call a piece of a Chat Completions `tool_calls` list belongs to. Providers differ in indices, ids and names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson

from steersman.models.blocks import shown_name
from steersman.models.event_json import arguments_text
from steersman.models.surrogates import whole

_MOST_CHECKS: Final = 64
"""How often it is looked whether a call is complete when its name comes again: each look reads all its arguments."""


@dataclass(slots=True)
class CallSlot:
    """One call while its pieces arrive."""

    index: int | None
    id: str | None = None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    block: int | None = None
    """The index of its block in the message, once that has been started."""
    name_is_late: bool = False
    """Its block was started before the name was known."""
    checks: int = 0

    @property
    def is_ready(self) -> bool:
        """Enough is known to start its block: the name, or arguments that came before any name."""
        return bool(self.name or self.pieces)

    @property
    def is_complete(self) -> bool:
        """The arguments are one JSON object. No arguments at all are not known to be complete."""
        if not self.pieces or not self.pieces[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(orjson.loads("".join(self.pieces).encode("utf-8", "replace")), dict)
        except orjson.JSONDecodeError:
            return False


class CallSlots:
    """The calls of one response, in the order of their first pieces."""

    __slots__ = ("_by_id", "_by_index", "_slots")

    def __init__(self) -> None:
        self._slots: list[CallSlot] = []
        self._by_index: dict[int, CallSlot] = {}
        self._by_id: dict[str, CallSlot] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[CallSlot]:
        return iter(self._slots)

    @property
    def all_complete(self) -> bool:
        """There are calls, and each has its name and its whole arguments."""
        return bool(self._slots) and all(slot.name and slot.is_complete for slot in self._slots)

    def current(self, index: int | None) -> CallSlot | None:
        """The slot that a piece with nothing but an index, or not even that, continues."""
        if index is not None:
            return self._by_index.get(index)
        return self._slots[-1] if self._slots else None

    def take(self, entry: Mapping[str, object]) -> tuple[CallSlot, str]:
        """The slot that `entry` belongs to, brought up to date, and the piece of arguments that it added."""
        function = entry.get("function")
        if not isinstance(function, dict):
            function = entry
        index = entry.get("index")
        call_id = entry.get("id")
        name = function.get("name")
        arguments = arguments_text(function.get("arguments"))
        slot = self._find(
            index if type(index) is int else None,
            whole(call_id) if isinstance(call_id, str) else "",
            shown_name(name) if isinstance(name, str) else "",
            arguments,
        )
        if arguments:
            slot.pieces.append(arguments)
        return slot, arguments

    def _find(self, index: int | None, call_id: str, name: str, arguments: str) -> CallSlot:
        if index is not None:
            slot = self._by_index.get(index)
            if slot is None or _is_another(slot, call_id, name, arguments):
                slot = self._open(index)
        elif call_id:
            slot = self._by_id.get(call_id) or self._nameless(name) or self._open(None)
        else:
            last = self._slots[-1] if self._slots else None
            slot = self._open(None) if last is None or _is_another(last, "", name, arguments) else last
        if call_id and slot.id is None:
            slot.id = call_id
            self._by_id.setdefault(call_id, slot)
        if name and not slot.name:
            slot.name = name
        return slot

    def _nameless(self, name: str) -> CallSlot | None:
        """Without an index, a new id that comes without a name continues the last call: ids that change per piece."""
        return self._slots[-1] if self._slots and not name else None

    def _open(self, index: int | None) -> CallSlot:
        slot = CallSlot(index)
        self._slots.append(slot)
        if index is not None:
            self._by_index[index] = slot
        return slot


def _is_another(slot: CallSlot, call_id: str, name: str, arguments: str) -> bool:
    """Whether a piece at the slot's place opens another call. Every new call brings a name."""
    if not name or not slot.name:
        return False
    if call_id and slot.id:
        return call_id != slot.id
    if name != slot.name:
        return True
    # The name again, as some providers repeat it on every piece, or the same tool once more.
    if not arguments.lstrip().startswith("{") or slot.checks >= _MOST_CHECKS:
        return False
    slot.checks += 1
    return slot.is_complete
