"""A session log that counts the bytes that are read of it, by whomever."""

import io
from pathlib import Path
from typing import BinaryIO

from steersman.session.log import READ_BUFFER, SessionLog


class _CountedFile(io.FileIO):
    """Every read of the disk adds to `counter[0]`."""

    def __init__(self, path: Path, counter: list[int]) -> None:
        super().__init__(path)
        self._counter = counter

    def readinto(self, buffer) -> int:
        count = super().readinto(buffer)
        self._counter[0] += count
        return count


def counted_log() -> tuple[type[SessionLog], list[int]]:
    """The class of logs, and where the count is."""
    counter = [0]

    class CountedLog(SessionLog):
        @staticmethod
        def reader(path: Path) -> BinaryIO:
            return io.BufferedReader(_CountedFile(path, counter), READ_BUFFER)

    return CountedLog, counter
