"""One heap for all threads, so that a server that lives for days takes no more memory than it needs."""

import contextlib
import sys
from typing import Final

_ARENA_MAX: Final = -8
"""M_ARENA_MAX of glibc's malloc.h."""


def share_one_heap() -> bool:
    """Keeps the C library from giving each thread a heap of its own, where it would. Whether it was told to.

    glibc does, up to eight for each core. Few of our threads run at the same time, so all that this brings are gaps:
    what one heap holds on to, no other can use. It takes about 2 ms.
    """
    if sys.platform != "linux":
        return False
    with contextlib.suppress(
        ImportError, OSError, AttributeError
    ):  # no ctypes; a C library that is not glibc
        import ctypes  # noqa: PLC0415 - not before an editor has its answer

        return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, 1))
    return False
