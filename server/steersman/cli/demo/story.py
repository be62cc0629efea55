"""The main demo: a bug, a file with unsaved text, questions, edits through the editor, and tests that pass.

A real tape server and a real language server, as processes; this one is the editor.
"""

import difflib
import time
from collections.abc import Iterable
from dataclasses import dataclass

from steersman.cli.demo.client import ServerError, ServerGone
from steersman.cli.demo.documents import Document
from steersman.cli.demo.editor import Asked, Editor, Handlers
from steersman.cli.demo.processes import (
    STEERSMAN,
    DemoFailed,
    Place,
    TestsResult,
    environment,
    run_tests,
    tape,
    tape_server,
    temporary_place,
)
from steersman.cli.demo.screen import Screen
from steersman.cli.demo.transcript import Transcript
from steersman.cli.demo.tree import Tree
from steersman.cli.terminal import is_interactive, read_line

PROMPT = "the tests fail: fix it"
OPEN_FILE = "shop/basket.py"
TYPED_AFTER = "class Basket:\n"
TYPED = '    """What one customer wants to buy, at today\'s prices."""\n\n'
_KEYS = {"a": "Accept", "r": "Accept all in this run", "d": "Decline", "s": "Stop"}
_NOTE = "The model is a tape: it goes on with its lines, whatever you answer."


@dataclass(slots=True)
class _Timings:
    """Seconds."""

    cold_start: float = 0.0
    """Seconds from the first process to the answer to initialize."""
    run: float = 0.0


async def play(screen: Screen, *, yes: bool) -> int:
    """Plays the story. Returns 0 only if the tests pass now and the unsaved text is still there."""
    began = time.monotonic()
    with temporary_place("shop") as place:
        _introduce(screen, place)
        before = Tree.of(place.workspace)
        failing = await run_tests(place.workspace, environment(place))
        _show_tests(screen, "The tests before", failing)
        story = _Story(screen, place, yes=yes)
        await story.play()
        passing = await run_tests(place.workspace, environment(place))
        _show_tests(screen, "The tests after", passing)
        screen.heading("What changed on the disk")
        after = Tree.of(place.workspace)
        screen.diff(_diff(before, after) or "Nothing.")
        story.report(time.monotonic() - began)
        return _verdict(screen, story, failing, passing)


class _Story:
    def __init__(self, screen: Screen, place: Place, *, yes: bool) -> None:
        self._screen, self._place, self._yes = screen, place, yes
        self._transcript = Transcript(screen, place.workspace)
        self._timings = _Timings()
        self._document: Document | None = None
        self._noted = False

    async def play(self) -> None:
        place = self._place
        handlers = Handlers(
            on_event=self._transcript.on_event,
            on_progress=self._transcript.on_progress,
            ask=self._ask,
            on_saved=lambda document: self._transcript.saved(document.path),
        )
        editor = Editor(place.workspace, handlers)
        began = time.monotonic()
        async with tape_server(tape("fix-the-tests"), place) as url:
            with place.log.open("wb") as log:
                try:
                    await editor.start(
                        (*STEERSMAN, "serve"), cwd=place.root, env=environment(place, url), log=log
                    )
                    self._timings.cold_start = time.monotonic() - began
                    self._type(editor)
                    await self._run(editor)
                except (ServerGone, ServerError) as error:
                    raise DemoFailed(f"{error}{place.log_tail()}") from error
                finally:
                    await editor.stop()

    def _type(self, editor: Editor) -> None:
        """The user opens a file and types, and does not save."""
        document = editor.documents.open(self._place.workspace / OPEN_FILE, "python")
        editor.documents.insert(document, document.text.index(TYPED_AFTER) + len(TYPED_AFTER), TYPED)
        self._document = document
        self._screen.heading(f"The editor has {OPEN_FILE} open, with a docstring that is not saved")
        self._screen.diff(_unified(document.saved, document.text, "disk", "editor"))

    async def _run(self, editor: Editor) -> None:
        self._screen.heading(f'steersman.start "{PROMPT}"')
        began = time.monotonic()
        self._transcript.begin()
        started = await editor.command("start", prompt=PROMPT)
        await editor.end_of(started["run"])
        self._timings.run = time.monotonic() - began

    async def _ask(self, asked: Asked) -> str | None:
        screen = self._screen
        for change in (asked.details or {}).get("changes", ()):
            screen.diff(change["diff"])
        command = (asked.details or {}).get("command")
        if command:
            screen.detail(f"$ {command}", head=12, style="bold")
        title = await self._answer(asked)
        if title not in (_KEYS["a"], _KEYS["r"]) and not self._noted:
            self._noted = True
            screen.line(_NOTE, "yellow")
        self._transcript.answered()
        return title

    async def _answer(self, asked: Asked) -> str | None:
        """The user's choice. With `--yes` it accepts; without a terminal it declines."""
        name = (asked.details or {}).get("title", asked.message)
        if self._yes or not is_interactive():
            title = "Accept" if self._yes else "Decline"
            why = "--yes" if self._yes else "no terminal; --yes would accept"
            self._screen.line(f"? {name}  →  {title} ({why})", "bold yellow")
            return title
        keys = {key: title for key, title in _KEYS.items() if title in asked.titles}
        while True:
            self._screen.line(f"? {name}", "bold yellow")
            self._transcript.asking = True
            try:
                line = await read_line(
                    "  " + ", ".join(f"[{key}] {title}" for key, title in keys.items()) + ": "
                )
            finally:
                self._transcript.asking = False
            if line is None:
                return None
            if chosen := keys.get(line.strip().lower()[:1]):
                return chosen

    @property
    def kept(self) -> bool:
        """Whether the text that the user typed is still in the editor."""
        return self._document is not None and TYPED_AFTER + TYPED in self._document.text

    def report(self, whole: float) -> None:
        screen, transcript = self._screen, self._transcript
        kept = "is still there" if self.kept else "IS LOST"
        saved = self._document is not None and self._document.text == self._document.saved
        screen.heading("How it went")
        _fact(
            screen, "unsaved text", f"{TYPED.strip()} {kept}{', now saved' if saved else ', still unsaved'}"
        )
        for path, via in transcript.edits:
            _fact(screen, "edited", f"{path}, {via}")
        _fact(screen, "answers", ", ".join(transcript.decisions) or "none were asked for")
        applied = transcript.approval_to_applied
        timings = [f"cold start {self._timings.cold_start:.2f} s"]
        if "message_update" in transcript.at:
            timings.append(f"first delta {transcript.at['message_update']:.2f} s")
        if applied:
            timings.append(f"approval to applied {max(applied):.3f} s")
        timings += [f"run {self._timings.run:.2f} s", f"whole {whole:.2f} s"]
        _fact(screen, "timings", " · ".join(timings))


def _introduce(screen: Screen, place: Place) -> None:
    screen.line("steersman demo", "bold")
    screen.line(
        "A language server, an editor and a recorded model, on this machine only. The workspace is a copy in "
        f"{place.workspace}; it is removed at the end."
    )


def _show_tests(screen: Screen, title: str, result: TestsResult) -> None:
    screen.heading(f"{title}: {'they pass' if result.passed else 'they fail'}")
    wanted = ("FAIL:", "ERROR:", "AssertionError", "Ran ", "OK", "FAILED")
    lines = [line.partition(" (tests.")[0] for line in result.output.splitlines() if line.startswith(wanted)]
    screen.detail("\n".join(lines), head=20)


def _verdict(screen: Screen, story: _Story, failing: TestsResult, passing: TestsResult) -> int:
    problems = [
        text
        for wrong, text in (
            (failing.passed, "the tests passed before anything was done"),
            (not passing.passed, "the tests still fail"),
            (not story.kept, "the unsaved text was lost"),
        )
        if wrong
    ]
    screen.line()
    if problems:
        screen.line(f"Not fixed: {'; '.join(problems)}.", "bold red")
        return 1
    screen.line("Fixed: the tests pass, and what was typed is still there.", "bold green")
    screen.line("More: steersman demo --list", "dim")
    return 0


def _diff(before: Tree, after: Tree) -> str:
    return "".join(
        _unified(before.text(path), after.text(path), f"a/{path}", f"b/{path}")
        for path in before.changed(after)
    )


def _unified(old: str, new: str, old_name: str, new_name: str) -> str:
    lines: Iterable[str] = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), old_name, new_name, n=2
    )
    return "".join(lines)


def _fact(screen: Screen, label: str, text: str) -> None:
    screen.row(f"  {label}", text, indent=16)
