"""The problems that the client has reported, by file, and who waits for the next report.

Implements `tools.problems.Problems`. Lives as long as the connection; its size is bounded.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from steersman.lsp.buffers import Buffers
from steersman.lsp.client import real_path_of
from steersman.lsp.documents import Documents
from steersman.lsp.reports import ReportedProblems
from steersman.lsp.watchers import Watchers
from steersman.lsp.wire import JsonValue
from steersman.tools.problems import Report
from steersman.workspace.positions import PositionEncoding

MAX_FILES: Final = 2_000
MAX_KEPT: Final = 10_000
"""Problems of all files together."""
MAX_LANGUAGES: Final = 200


class ProblemStore:
    def __init__(self, documents: Documents, buffers: Buffers) -> None:
        self.number = 0
        """The number of the last report."""
        self.forgotten = False
        self._documents, self._buffers = documents, buffers
        self._reports: dict[Path, Report] = {}
        """The latest report comes last."""
        self._kept = 0
        self._languages: set[str] = set()
        self._watchers = Watchers()

    @property
    def encoding(self) -> PositionEncoding:
        return self._documents.encoding

    def take(self, params: JsonValue) -> Path | None:
        """Takes the params of a notification. Returns the file; None if the document is not a local file.

        Raises:
            InvalidParams: see `ReportedProblems`.
        """
        told = ReportedProblems(params)
        path = real_path_of(told.uri)
        if path is None:
            return None
        self.number += 1
        version = self.version_of(path) if told.version is None else told.version
        self._forget(path)
        self._reports[path] = Report(told.problems, told.left_out, version, self.number)
        self._kept += len(told.problems)
        self._make_room()
        if len(self._languages) < MAX_LANGUAGES:
            self._languages.add(language_of(path))
        self._watchers.tell(path)
        return path

    def of(self, path: Path) -> Report | None:
        return self._reports.get(path)

    def is_current(self, path: Path) -> bool:
        report, version = self.of(path), self.version_of(path)
        return report is None or None in (report.version, version) or report.version == version

    def files(self) -> Sequence[Path]:
        return list(self._reports)

    def knows(self, path: Path) -> bool:
        """Whether there was ever a report on the file, or on one of the same language."""
        return path in self._reports or language_of(path) in self._languages

    def version_of(self, path: Path) -> int | None:
        """The version of the editor's document; None if it isn't open or has no versions."""
        buffer = self._buffers.of(path)
        return None if buffer is None else buffer.document.version

    def watch(self, path: Path, on_report: Callable[[], None]) -> AbstractContextManager[None]:
        """Calls back after each report on the file."""
        return self._watchers.watch(path, on_report)

    def _forget(self, path: Path) -> None:
        if old := self._reports.pop(path, None):
            self._kept -= len(old.problems)

    def _make_room(self) -> None:
        """Forgets the oldest reports. If there are too many files, those without problems go first."""
        while len(self._reports) > MAX_FILES or self._kept > MAX_KEPT:
            clean = (path for path, report in self._reports.items() if not report.problems)
            oldest = next(iter(self._reports))
            self._forget(oldest if self._kept > MAX_KEPT else next(clean, oldest))
            self.forgotten = True


def language_of(path: Path) -> str:
    """What stands for the language of a file: its extension, or its name if it has none."""
    return (path.suffix or path.name).lower()
