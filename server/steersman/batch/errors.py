"""Failures of a batch."""

import errno


class BatchError(Exception):
    """The batch can't run, or go on. The text says why, and what to do."""


class BadTasks(BatchError):
    """The tasks or the command line can't be used. The text has every reason, one per line."""


class Unwritten(Exception):
    """The result of a task could not be written: the task is unfinished, and the next batch begins it anew."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def is_for_all(error: OSError) -> bool:
    """Whether every other task would fail too: the disk is full or can't be written."""
    return error.errno in _NO_ROOM
