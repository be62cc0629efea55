"""What Steersman logs as an error during a test's run: of some failures, the events say only that the log has them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _Errors(logging.Handler):
    def __init__(self, told: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        self._told.append(f"{record.getMessage()}: {error!r}" if error else record.getMessage())


@contextmanager
def logged_errors() -> Iterator[list[str]]:
    """The errors that are logged inside, as they come: each message, and what was raised."""
    told: list[str] = []
    handler, logger = _Errors(told), logging.getLogger("steersman")
    logger.addHandler(handler)
    try:
        yield told
    finally:
        logger.removeHandler(handler)
