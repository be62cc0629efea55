"""Which runs there have been lately: who names one that has ended hears that, and not that it never was."""

from typing import Final

MOST: Final = 1000


class LastRuns:
    """The ids of the last runs. A server may live for weeks: it doesn't keep them all."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._ids: dict[str, None] = {}

    def add(self, run: str) -> None:
        self._ids[run] = None
        if len(self._ids) > self._most:
            del self._ids[next(iter(self._ids))]

    def __contains__(self, run: str) -> bool:
        return run in self._ids

    def __len__(self) -> int:
        return len(self._ids)
