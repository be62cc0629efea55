"""Searches names and contents with ripgrep: which binary, which arguments, and its records as values.

Ripgrep respects ignore files. Deny rules are up to the caller, whatever ripgrep was asked to leave out.
"""

import asyncio
import base64
import json
import os
import shutil
import signal
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from steersman.workspace.errors import SearchError
from steersman.workspace.launch import StartError, TooLong
from steersman.workspace.program import ProgramResult, run_program
from steersman.workspace.waiting import Stop

_MAX_RECORD = 4 << 20
"""Bytes of one record of ripgrep, which contains one line of a file."""
_IN_ORDER = "--sort=path"
"""Makes ripgrep use a single core."""
_FEW = 200
"""The most matching lines that are sorted here."""
_FEW_CHARACTERS = 4 << 20
"""The most characters of these lines and their context."""
_MISSING = (
    "The tools find and grep need ripgrep (rg): it was found neither beside Python nor in PATH. Install the Python "
    "package `ripgrep` or the system's own."
)
_ALWAYS = (
    "--no-config",
    "--color=never",
    "--hidden",
    "--no-require-git",
    "--glob=!**/.{git,hg,svn,jj}",
)


@dataclass(frozen=True, slots=True)
class ContentQuery:
    pattern: str
    glob: str | None = None
    """For the file's name only. A pattern with `/` has to be checked by the caller."""
    ignore_case: bool = False
    literal: bool = False
    context: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line that matches, or one of its context."""

    path: str
    """Relative to where the search began, with `/`. Raw: print it with `roots.printable`."""
    number: int
    """From 1."""
    text: str
    """Without its line end; bytes that are not UTF-8 as U+FFFD."""
    is_match: bool
    column: int = 0
    """The offset in `text` where the first match begins."""


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """How a search ended."""

    stopped: bool
    """The listener wanted no more."""
    aborted: bool
    cut_short: str | None = None
    """Why ripgrep was ended before it had seen everything."""
    unreadable: int = 0
    """A lower bound for the number of files that could not be read."""
    overlong: int = 0
    """Lines that were too long to be searched."""


@dataclass(slots=True)
class Ripgrep:
    """The program, and the environment it runs in."""

    program: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    seconds: float = 60.0
    """After which it is ended. It opens whatever a workspace names as an ignore file, and would wait for a pipe."""
    memory: int = 1 << 30
    """Bytes of memory, where the system can limit it (Linux): it reads the whole of an ignore file, a device too."""

    async def files(
        self, folder: Path, *, exclude: Sequence[str], stop: Stop, on_path: Callable[[str], bool]
    ) -> SearchEnd:
        """Calls `on_path` with each file below `folder` that is covered by no ignore file and no glob of `exclude`, in
        order. The search ends when it returns False.

        Raises:
            SearchError: ripgrep can't be run, or a glob is too long.
        """
        arguments = [*_ALWAYS, _IN_ORDER, "--files", "--null", *_excluding(exclude), "--", "./"]
        result = await self._run(arguments, folder, stop, lambda record: on_path(_name(record)), b"\0")
        return self._end(result)

    async def lines(
        self,
        folder: Path,
        name: str,
        query: ContentQuery,
        *,
        exclude: Sequence[str],
        stop: Stop,
        on_line: Callable[[Line], bool],
    ) -> SearchEnd:
        """Calls `on_line` with each line that `query` finds in `name` below `folder` (`.`: all of it), sorted by path
        and line. The search ends when it returns False.

        A folder is first searched on all cores. If there are too many matches to sort here, it is searched again in
        order, which soon finds enough.

        Raises:
            SearchError: the pattern is too long or not a valid regular expression, or ripgrep can't be run.
        """
        asked = [*_query(query), *_excluding(exclude), f"--regexp={query.pattern}", "--"]
        if name != ".":
            return await self._lines(folder, [*asked, f"./{name}"], stop, on_line)
        few = _FewLines()
        end = await self._lines(folder, [f"--max-count={_FEW + 1}", *asked, "./"], stop, few.add)
        if few.too_many:
            return await self._lines(folder, [_IN_ORDER, *asked, "./"], stop, on_line)
        return end if few.pass_on(on_line) else replace(end, stopped=True)

    async def _lines(
        self, folder: Path, asked: Sequence[str], stop: Stop, on_line: Callable[[Line], bool]
    ) -> SearchEnd:
        def on_record(record: bytes) -> bool:
            line = _line(record)
            return line is None or on_line(line)

        result = await self._run([*_ALWAYS, "--json", "--crlf", *asked], folder, stop, on_record, b"\n")
        if result.code == 2 and "multiline" in result.stderr:
            raise SearchError("The search goes line by line: the pattern must not contain a line break.")
        if result.code == 2 and "regex" in result.stderr:
            raise SearchError(
                f"The pattern is not a valid regular expression: {_reason(result.stderr)} "
                "To search for the text as it is, set literal to true."
            )
        if result.code == 2 and "glob" in result.stderr:
            raise SearchError(f"The glob is not valid: {_reason(result.stderr)}")
        return self._end(result)

    async def _run(
        self,
        arguments: Sequence[str],
        folder: Path,
        stop: Stop,
        on_record: Callable[[bytes], bool],
        separator: bytes,
    ) -> ProgramResult:
        try:
            async with asyncio.timeout(self.seconds):
                return await run_program(
                    [str(self.program), *arguments],
                    cwd=folder,
                    env=self.env,
                    stop=stop,
                    on_record=on_record,
                    separator=separator,
                    max_record=_MAX_RECORD,
                    memory=self.memory,
                )
        except TimeoutError:
            return ProgramResult(code=None, stderr="")
        except TooLong as error:
            raise SearchError("The pattern or the glob is too long for the system. Shorten it.") from error
        except StartError as error:
            missing = shutil.which(self.program) is None
            raise SearchError(_MISSING if missing else f"ripgrep could not be run: {error}") from error

    def _end(self, result: ProgramResult) -> SearchEnd:
        unreadable = len([line for line in result.stderr.splitlines() if line.startswith("rg: ")])
        return SearchEnd(result.stopped, result.aborted, self._cut_short(result), unreadable, result.overlong)

    def _cut_short(self, result: ProgramResult) -> str | None:
        if result.code is None:
            return (
                None if result.stopped or result.aborted else f"it took longer than {self.seconds:g} seconds"
            )
        if result.code == -signal.SIGABRT:
            return "it needed too much memory"
        if result.code < 0:
            return f"ripgrep was ended by signal {-result.code}"
        # 0: found, 1: not found, 2: an error with some file, or with what was asked for.
        return None if result.code <= 2 else f"ripgrep failed with exit status {result.code}"


class _FewLines:
    """Collects lines whose files come in any order, as long as there are few."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._matches = self._characters = 0

    @property
    def too_many(self) -> bool:
        return self._matches > _FEW or self._characters > _FEW_CHARACTERS

    def add(self, line: Line) -> bool:
        self._lines.append(line)
        self._matches += line.is_match
        self._characters += len(line.text)
        return not self.too_many

    def pass_on(self, on_line: Callable[[Line], bool]) -> bool:
        """Passes the lines on in ripgrep's order: by path, name by name. False if the listener wanted no more."""
        return all(
            on_line(line) for line in sorted(self._lines, key=lambda it: os.fsencode(it.path).split(b"/"))
        )


def find_ripgrep() -> Ripgrep:
    """ripgrep from its Python package, beside this interpreter, or else from PATH.

    Raises:
        SearchError: it was not found.
    """
    beside = [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    user_scheme = sysconfig.get_preferred_scheme("user")
    beside.append(Path(sysconfig.get_path("scripts", user_scheme)))
    for directory in beside:
        program = directory / "rg"
        if os.access(program, os.X_OK):
            return Ripgrep(program)
    found = shutil.which("rg")
    if found is None:
        raise SearchError(_MISSING)
    return Ripgrep(Path(found))


def _query(query: ContentQuery) -> list[str]:
    arguments: list[str] = []
    if query.ignore_case:
        arguments.append("--ignore-case")
    if query.literal:
        arguments.append("--fixed-strings")
    if query.context:
        arguments.append(f"--context={query.context}")
    if query.glob:
        # The glob of --glob would overrule ignore files, that of a type doesn't.
        arguments += [f"--type-add=steersman:{query.glob}", "--type=steersman"]
    return arguments


def _excluding(globs: Sequence[str]) -> list[str]:
    return [f"--iglob=!{glob}" for glob in globs]


def _name(raw: bytes) -> str:
    return os.fsdecode(raw.removeprefix(b"./"))


def _line(record: bytes) -> Line | None:
    """A match or a context line of ripgrep's JSON; None for its other records."""
    kind = record[:20]
    if not kind.startswith((b'{"type":"match"', b'{"type":"context"')):
        return None
    data = json.loads(record)["data"]
    raw = _bytes(data["lines"])
    starts = [match["start"] for match in data["submatches"]]
    text = raw.decode(errors="replace")
    return Line(
        path=_name(_bytes(data["path"])),
        number=data["line_number"],
        text=text.rstrip("\r\n"),
        is_match=kind.startswith(b'{"type":"match"'),
        column=len(raw[: starts[0]].decode(errors="replace")) if starts else 0,
    )


def _bytes(value: Mapping[str, str]) -> bytes:
    """ripgrep's arbitrary data: text, or base64 where it isn't UTF-8."""
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def _reason(stderr: str) -> str:
    """The cause that an error message names: its last line with `error:`, otherwise its last line."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    causes = [line.removeprefix("error:").strip() for line in lines if line.startswith("error:")]
    return f"{(causes or lines)[-1][:500].rstrip('.')}."
