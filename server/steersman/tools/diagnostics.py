"""diagnostics: lists what the language servers of the user's editor have found in files.

It knows them only through a port, which whoever offers the tool implements.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json
from steersman.agent.tool import Proposal, ToolContext, ToolResult, text_result
from steersman.tools.base import ABORTED, BaseTool, count, with_notes
from steersman.tools.problem_listing import Found, Listing, Texts
from steersman.tools.problems import SEVERITIES, Problems, Report, Severity
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import FILE_NAMES, Arguments
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import ResolvedPath

LIMIT = 100
DEFAULT: Final[Severity] = "information"
_WORDS: Mapping[str, Severity] = {
    "errors": "error",
    "warn": "warning",
    "warnings": "warning",
    "info": "information",
    "all": "hint",
    "hints": "hint",
}


class DiagnosticsArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys((*FILE_NAMES, "uri", "directory"), "path"),
        "level": "severity",
        "max_results": "limit",
    }
    path: str | None = Field(None, description="File or directory; the whole workspace if omitted.")
    severity: Severity = Field(
        DEFAULT, description=f"Only problems that are at least this severe; default {DEFAULT}."
    )
    limit: int | None = Field(None, ge=1, description=f"Maximum number of problems; default {LIMIT}.")

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        severity = raw.get("severity")
        if isinstance(severity, str):
            raw["severity"] = _WORDS.get(severity.lower(), severity.lower())
        if raw.get("path") == "":
            del raw["path"]
        return raw


class DiagnosticsTool(BaseTool[DiagnosticsArguments]):
    name = "diagnostics"
    description = (
        "List the errors and warnings that the language servers of the user's editor have found in a file, a directory "
        "or the whole workspace: `path:line:column: severity (source code): message` and the line. Often they check "
        "only files that are open in the editor. The result of an edit already names the problems that are new."
    )
    arguments = DiagnosticsArguments
    execution = "parallel"

    def __init__(self, workspace: Workspace, problems: Problems) -> None:
        super().__init__()
        self._workspace, self._problems = workspace, problems

    async def propose(self, args: DiagnosticsArguments, signal: AbortSignal) -> Proposal | None:
        if args.path is None:
            return None
        return access_needed(self._workspace, self.name, self._workspace.resolve(args.path))

    async def execute(self, args: DiagnosticsArguments, context: ToolContext) -> ToolResult:
        target = None if args.path is None else self._workspace.resolve(args.path)
        if target is not None:
            require_access(self._workspace, self.name, target, context)
            if not await self._workspace.exists(target):
                await self._workspace.read(target)  # says what is wrong, with suggestions
            if not target.path.is_dir() and self._problems.of(target.path) is None:
                return text_result(
                    f"Nothing is known about {target.display}: no language server has reported on it, which does not "
                    "mean that it has no problems. Ask the user to open it in the editor, or check it with a command."
                )
        reports = [(path, self._problems.of(path) or Report()) for path in self._problems.files()]
        known = await asyncio.to_thread(self._known, target, reports)
        listing = Listing(Texts(self._workspace, self._problems), args.limit or LIMIT)
        least = SEVERITIES.index(args.severity)
        chosen = [found for found in known.found if found.problem.gravity <= least]
        for found in sorted(chosen, key=lambda it: (it.problem.gravity, it.place)):
            if context.signal.aborted:
                return text_result(with_notes(listing.text(), [ABORTED]), is_error=True)
            if not await listing.add(found):
                break
        where = "the workspace" if target is None else target.display
        notes = [known.summary(where), *_shortened(args, listing, len(chosen)), *known.notes(args.severity)]
        notes += listing.texts.notes()
        if self._problems.forgotten:
            notes.append(
                "Language servers reported on too many files to keep them all: old reports are missing"
            )
        return text_result(with_notes(listing.text(), notes))

    def _known(self, target: ResolvedPath | None, reports: Sequence[tuple[Path, Report]]) -> "_Known":
        """What has been reported on a file, a folder, or all workspace folders. Blocking: looks whether files exist."""
        known = _Known()
        roots, rules = self._workspace.roots, self._workspace.rules
        for path, report in reports:
            root = roots.containing(path)
            if target is None and root is None:
                known.outside += bool(report.problems)
            elif target is not None and not path.is_relative_to(target.path):
                continue
            elif rules.denied_name(str(path if root is None else path.relative_to(root.path))) is not None:
                known.denied += 1
            elif (
                not report.problems or path.exists()
            ):  # a server may not have withdrawn its report on a deleted file
                known.add(path, roots.relative(path, root), report)
        return known


@dataclass(slots=True)
class _Known:
    files: int = 0
    found: list[Found] = field(default_factory=list)
    left_out: int = 0
    denied: int = 0
    """The number of files that a deny rule covers."""
    outside: int = 0
    """The number of files with problems outside the workspace."""

    def add(self, path: Path, name: str, report: Report) -> None:
        self.files += 1
        self.left_out += report.left_out
        self.found += [Found(path, name, problem) for problem in report.problems]

    def summary(self, where: str) -> str:
        counts = Counter(found.problem.severity for found in self.found)
        if counts:
            told = [_counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
            return f"In {where}: {', '.join(told)}"
        if self.files:
            return f"No problems in {where}: {count(self.files, 'file')} reported on"
        return (
            f"Nothing is known about {where}: no language server has reported on a file there, which does not mean "
            "that there are no problems"
        )

    def notes(self, severity: Severity) -> list[str]:
        notes: list[str] = []
        hidden = sum(found.problem.gravity > SEVERITIES.index(severity) for found in self.found)
        if hidden:
            notes.append(f"{count(hidden, 'problem')} less severe than {severity} left out")
        if self.left_out:
            notes.append(f"{count(self.left_out, 'further problem')} could not be kept")
        if self.denied:
            notes.append(f"{count(self.denied, 'file')} left out by deny rules")
        if self.outside:
            notes.append(
                f"{count(self.outside, 'file')} outside the workspace with problems left out; name one to see them"
            )
        return notes


def _shortened(args: DiagnosticsArguments, listing: Listing, chosen: int) -> list[str]:
    if len(listing) == chosen:
        return []
    hint = "Use limit for more, or name a file" if len(listing) == (args.limit or LIMIT) else "Name a file"
    return [f"{len(listing)} of {count(chosen, 'problem')} are listed, the most severe ones. {hint}"]


def _counted(number: int, severity: Severity) -> str:
    return f"{number:,} information" if severity == "information" else count(number, severity)
