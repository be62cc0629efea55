"""Finds the call that an entry of a Chat Completions `tool_calls` list belongs to. Providers differ in the indices, ids
and names that they send."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from steersman.models.blocks import shown_name
from steersman.models.call_arguments import CallArguments
from steersman.models.event_json import arguments_text
from steersman.models.surrogates import whole

_MOST_CHECKS: Final = 64
"""How often a call is checked for completeness when its name comes again. Each check parses all its arguments."""


@dataclass(slots=True)
class CallSlot:
    """One call while its pieces arrive."""

    index: int | None
    id: str | None = None
    name: str = ""
    arguments: CallArguments = field(default_factory=CallArguments)
    block: int | None = None
    """The index of its block in the message, once it has been started."""
    name_is_late: bool = False
    """Its block was started before its name was known."""
    checks: int = 0

    @property
    def is_ready(self) -> bool:
        """Its block can be started: the name is known, or arguments have come before it."""
        return bool(self.name or self.arguments.pieces)


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
        """There are calls, and each has a name and complete arguments."""
        return bool(self._slots) and all(slot.name and slot.arguments.are_complete for slot in self._slots)

    def current(self, index: int | None) -> CallSlot | None:
        """The call that a piece of arguments continues if it has no id or name, and perhaps not even an index."""
        if index is not None:
            return self._by_index.get(index)
        return self._slots[-1] if self._slots else None

    def take(self, entry: Mapping[str, object]) -> tuple[CallSlot, str]:
        """The call that `entry` belongs to, updated with it, and the piece of arguments that it has added."""
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
        return slot, slot.arguments.add(arguments)

    def _find(self, index: int | None, call_id: str, name: str, arguments: str) -> CallSlot:
        if index is not None:
            slot = self._by_index.get(index)
            if slot is None or _is_another(slot, call_id, name, arguments):
                slot = self._open(index)
        elif call_id:
            known = self._by_id.get(call_id)
            if known is not None and _is_another(known, call_id, name, arguments):
                slot = self._open(None)
            else:
                slot = known or self._nameless(name) or self._open(None)
        else:
            last = self._slots[-1] if self._slots else None
            slot = self._open(None) if last is None or _is_another(last, "", name, arguments) else last
        if call_id and slot.id is None:
            slot.id = call_id
            self._by_id[call_id] = slot
        if name and not slot.name:
            slot.name = name
        return slot

    def _nameless(self, name: str) -> CallSlot | None:
        """The last call, for an entry with a new id but no index or name: some servers change ids with every piece."""
        return self._slots[-1] if self._slots and not name else None

    def _open(self, index: int | None) -> CallSlot:
        slot = CallSlot(index)
        self._slots.append(slot)
        if index is not None:
            self._by_index[index] = slot
        return slot


def _is_another(slot: CallSlot, call_id: str, name: str, arguments: str) -> bool:
    """Whether an entry in this slot's place begins another call. Every new call has a name."""
    if not name or not slot.name:
        return False
    same_id = bool(call_id) and call_id == slot.id
    if not same_id and ((call_id and slot.id) or name != slot.name):
        return True
    # Either some provider repeats the name with every piece, or the same tool is called again. Some give every call the
    # same id, and some send a call as a whole once more.
    if not arguments.lstrip().startswith("{") or slot.checks >= _MOST_CHECKS:
        return False
    slot.checks += 1
    return slot.arguments.are_complete and not (same_id and slot.arguments.are_repeated_by(arguments))
