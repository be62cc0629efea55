"""After an edit: waits a short while for the next diagnostics of the file, and says which problems are new.

Without a report it says nothing. The tool waits after the change was made and recorded, and holds no lock; an abort
ends the wait.
"""

import asyncio
import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steersman.agent.clock import Clock
from steersman.lsp.buffers import Buffers
from steersman.lsp.problems import ProblemStore, language_of
from steersman.lsp.waits import set_within
from steersman.lsp.wire import JsonValue
from steersman.session.limits import Limits
from steersman.tools.problems import Difference, Report, difference, note_on
from steersman.workspace.changes import FileChange
from steersman.workspace.passing import PassingWorkspace
from steersman.workspace.ports import Applied, Workspace
from steersman.workspace.waiting import Stop

log = logging.getLogger(__name__)

INLINE_CHARACTERS = 100_000
"""Texts up to this length are compared on the event loop, longer ones in a thread."""
LEAST_PATIENCE = 0.25
"""The fraction of the full wait that is always granted."""


@dataclass(frozen=True, slots=True)
class _Edit:
    path: Path
    name: str
    before: Report
    placed: bool
    """The report before the edit is about the text that was edited."""
    old_text: str
    new_text: str
    version: int | None
    """The first version of the editor's document with the new text; None if it isn't open or has no versions."""
    begun: int
    """The number of the last report before the edit."""
    made: int
    """The number of the last report when the edit was known to be made."""

    def is_answered_by(self, report: Report) -> bool:
        """Whether a report is about the edited text."""
        if self.version is None or report.version is None:
            return report.number > self.made
        return report.number > self.begun and report.version >= self.version


class AfterEdits:
    """One connection's."""

    def __init__(self, problems: ProblemStore, buffers: Buffers, limits: Limits, clock: Clock) -> None:
        self._problems, self._buffers, self._limits, self._clock = problems, buffers, limits, clock
        self._patience: dict[tuple[str, bool], float] = {}
        """The fraction of the full wait that is granted, by language and whether the file is open; 1 if missing."""

    def over(self, workspace: Workspace) -> Workspace:
        """The workspace, with results of changes that name the problems they cause."""
        return _Watched(workspace, self)

    def take(self, params: JsonValue) -> None:
        """Takes the params of a notification. Since there are reports on this kind of file, the full wait is granted
        again.

        Raises:
            InvalidParams: see `ReportedProblems`.
        """
        path = self._problems.take(params)
        if path is not None:
            self._patience.pop(self._kind(path), None)

    async def apply(self, workspace: Workspace, change: FileChange) -> Applied:
        """`Workspace.apply`. If a report can be expected, the result's `afterwards` waits for it."""
        problems, source = self._problems, change.path.path
        before, shown, begun = problems.of(source) or Report(), problems.version_of(source), problems.number
        applied = await workspace.apply(change)
        path = change.path if change.target is None else change.target
        if change.kind == "delete" or not problems.knows(path.path):
            return applied
        if applied.source == "buffer":
            version = problems.version_of(path.path)
        else:  # an editor that shows the file has to load it again first
            version = None if shown is None or change.target is not None else shown + 1
        edit = _Edit(
            path.path,
            path.display,
            before,
            placed=None in (before.version, shown) or before.version == shown,
            old_text=change.old_text,
            new_text=change.new_text if applied.text is None else applied.text,
            version=version,
            begun=begun,
            made=problems.number,
        )
        return replace(applied, afterwards=functools.partial(self._notes, edit))

    async def _notes(self, edit: _Edit, stop: Stop) -> Sequence[str]:
        """The notes for the model. An error here must not spoil the result of an edit that was made."""
        try:
            report = await self._report(edit, stop)
            if report is None:
                return ()
            note = note_on(edit.name, await self._difference(edit, report))
            return () if note is None else (note,)
        except Exception:
            log.exception("the problems of %s could not be told", edit.name)
            return ()

    async def _difference(self, edit: _Edit, report: Report) -> Difference:
        text = self._text(edit, report)
        compare = functools.partial(
            difference, edit.before.problems, report.problems, edit.old_text, text, placed=edit.placed
        )
        if len(edit.old_text) + len(text) <= INLINE_CHARACTERS:
            return compare()
        return await asyncio.to_thread(compare)

    def _text(self, edit: _Edit, report: Report) -> str:
        """The text that the report is about: the user may have typed since the edit."""
        buffer = self._buffers.of(edit.path)
        text = None if buffer is None else buffer.text
        current = buffer is not None and buffer.document.version == report.version is not None
        return text if current and text is not None else edit.new_text

    async def _report(self, edit: _Edit, stop: Stop) -> Report | None:
        """The report on the edited text; None if none comes in time, or at an abort."""
        waiting = asyncio.ensure_future(self._settled(edit))
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({waiting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return waiting.result() if waiting.done() and not stop.aborted else None
        finally:
            waiting.cancel()
            stopped.cancel()
            await asyncio.gather(waiting, stopped, return_exceptions=True)

    async def _settled(self, edit: _Edit) -> Report | None:
        """The last report before a short silence. Several language servers report one after the other, and some clear
        their diagnostics before they send new ones."""
        granted = self._limits.problems * self._patience.get(self._kind(edit.path), 1.0)
        deadline = self._clock.monotonic() + granted
        report = self._answer(edit)
        while (left := deadline - self._clock.monotonic()) > 0:
            heard = asyncio.Event()
            with self._problems.watch(edit.path, heard.set):
                patience = left if report is None else min(left, self._limits.problems_quiet)
                if not await set_within(self._clock, patience, heard):
                    break
            report = self._answer(edit)
        if report is None:
            self._be_less_patient(edit.path)
        return report

    def _answer(self, edit: _Edit) -> Report | None:
        report = self._problems.of(edit.path)
        return report if report is not None and edit.is_answered_by(report) else None

    def _be_less_patient(self, path: Path) -> None:
        """Halves the wait, so that many edits of files without reports don't take long."""
        kind = self._kind(path)
        self._patience[kind] = max(LEAST_PATIENCE, self._patience.get(kind, 1.0) / 2)

    def _kind(self, path: Path) -> tuple[str, bool]:
        return language_of(path), self._buffers.of(path) is not None


class _Watched(PassingWorkspace):
    def __init__(self, inner: Workspace, after: AfterEdits) -> None:
        super().__init__(inner)
        self._after = after

    async def apply(self, change: FileChange) -> Applied:
        return await self._after.apply(self._inner, change)
