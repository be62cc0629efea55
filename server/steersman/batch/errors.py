"""What can go wrong with a batch as a whole, for the one who starts it."""

import errno


class BatchError(Exception):
    """The batch can't be run. The text says why, and what to do."""


class BadTasks(BatchError):
    """The tasks or the command line can't be used: every reason, one a line."""


class Unwritten(Exception):
    """What a task did could not be written down: it is unfinished, and the next batch begins it anew."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def is_for_all(error: OSError) -> bool:
    """Whether the next task would fail as well: the disk is full, or can't be written."""
    return error.errno in _NO_ROOM
