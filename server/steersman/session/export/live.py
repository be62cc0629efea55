"""A transcript as Markdown that keeps up with its session: it reads the log once, then gets each record. Blocking.

It holds the last part of a long session only; an export has the whole.
"""

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from steersman.session.export.document import Document, code, plain
from steersman.session.export.outline import Outline, malformed, require_format
from steersman.session.export.reading import EntryReader
from steersman.session.log_lines import MALFORMED, Record
from steersman.session.log_reading import read_records

MAX_CHARACTERS: Final = 1_000_000
"""Of the entries that are shown; the oldest of more are left out. One entry alone is always shown."""


class LiveTranscript:
    """Of the branch at the tip. Not for several threads at once."""

    def __init__(self, log: Path, *, max_characters: int = MAX_CHARACTERS) -> None:
        self._log, self._max = log, max_characters
        self._begin()

    def _begin(self) -> None:
        self._outline = Outline()
        self._shown: deque[str] = deque()
        self._size = 0
        self._left_out = 0
        self._reader: EntryReader | None = None

    @property
    def seq(self) -> int:
        """Of the last record that is in it; 0 before the log was read."""
        return self._outline.seq

    def read(self) -> None:
        """Reads the log as it is by now.

        Raises:
            LogCorrupt: it is no session's log, or one that this version doesn't read.
            LogError: it can't be read.
        """
        self._begin()
        outline = self._outline
        for record in read_records(self._log):
            self._outlined(record)
        require_format(outline, self._log)
        last, reader = outline.seq, EntryReader(outline)
        for record in read_records(self._log):
            if record["seq"] > last:
                break
            self._tell(reader, record)
        self._reader = reader

    def feed(self, records: Iterable[Record]) -> None:
        """Takes what was recorded since. Known records are skipped; if some are missing, or the session has gone back
        to another branch, the log is read again.

        Raises:
            LogCorrupt, LogError: see `read`.
        """
        for record in records:
            if record["seq"] <= self.seq:
                continue
            if self._reader is None or record["seq"] != self.seq + 1 or record["type"] == "head":
                self.read()
                continue
            self._outlined(record)
            if self._outline.tree.tip is not None:
                self._reader.follow(self._outline.tree.tip)
            self._tell(self._reader, record)

    def text(self) -> str:
        """The document as it is by now."""
        document = Document(self._outline)
        parts = [document.head(all_branches=False)]
        if self._left_out:
            entries = "1 entry" if self._left_out == 1 else f"{self._left_out:,} entries"
            parts.append(
                f"\n*The first {entries} are left out here. {code('steersman.export')} writes the whole.*\n"
            )
        return "".join([*parts, *self._shown, *self._unfinished()])

    def _unfinished(self) -> Iterable[str]:
        if self._outline.stop is not None or self._reader is None or not self._outline.runs:
            return
        waiting = self._reader.waiting
        for asked in waiting:
            yield f"\n*Waiting for you: {plain(asked.title)}*\n"
        calls = self._reader.under_way
        if calls and not waiting:
            yield f"\n*Under way: {', '.join(code(call.title) for call in calls)}*\n"

    def _outlined(self, record: Record) -> None:
        try:
            self._outline.feed(record)
        except MALFORMED as error:
            raise malformed(record, error) from error

    def _tell(self, reader: EntryReader, record: Record) -> None:
        document = Document(self._outline)
        try:
            told = [document.entry(entry) for entry in reader.feed(record)]
        except MALFORMED as error:
            raise malformed(record, error) from error
        for text in told:
            self._shown.append(text)
            self._size += len(text)
        while self._size > self._max and len(self._shown) > 1:
            self._size -= len(self._shown.popleft())
            self._left_out += 1
