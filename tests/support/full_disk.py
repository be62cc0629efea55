"""A disk that takes no more, for this process: the system itself enforces it, also for root."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_room(size: int = 0) -> Iterator[None]:
    """Meanwhile no file can grow beyond `size` bytes: a write that would fails (`File too large`), after what still
    fits. For all threads; nothing that is captured may be written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
