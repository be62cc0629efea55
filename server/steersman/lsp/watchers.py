"""Who waits for news of a file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Watchers:
    """Callbacks by resolved path."""

    def __init__(self) -> None:
        self._watchers: list[tuple[Path, Callable[[], None]]] = []

    @contextmanager
    def watch(self, path: Path, callback: Callable[[], None]) -> Iterator[None]:
        """Calls back at all news of the path while the context is open."""
        watcher = (path, callback)
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def tell(self, path: Path) -> None:
        """There is news of the path."""
        for watched, callback in tuple(self._watchers):
            if watched == path:
                callback()
