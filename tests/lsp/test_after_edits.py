"""The result of an edit names the problems that it made, for a client that passes diagnostics on and no more."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steersman.agent.abort import AbortController
from steersman.lsp.after_edits import AfterEdits
from steersman.lsp.buffers import Buffers
from steersman.lsp.documents import Documents
from steersman.lsp.problems import ProblemStore
from steersman.lsp.reports import METHOD
from steersman.workspace.changes import FileChange, edition
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.passing import PassingWorkspace
from steersman.workspace.ports import Applied, Workspace
from steersman.workspace.roots import Roots
from support.editor_client import honest
from support.lsp_client import PATIENCE
from support.lsp_workspace import LIMITS, Desk, desk, edit_call, edits
from support.manual_clock import ManualClock, settle
from support.scripted_model import answer, call

ONLY_THIS = {"initializationOptions": {"steersman": {"version": "1", "diagnostics": True}}}
TEXT = "one\ntwo\nthree\n"
ONE_EDIT = edits("a.txt", ("one\n", "zero\none\n"))
PROBLEMS, QUIET = LIMITS.problems, LIMITS.problems_quiet


def at(line: int, message: str, severity: int = 1) -> dict[str, Any]:
    """`line` from 1."""
    place = {"line": line - 1, "character": 0}
    return {
        "range": {"start": place, "end": place},
        "message": message,
        "severity": severity,
        "source": "lint",
    }


class Linter:
    """The client's other language servers, and what the model is told of them."""

    def __init__(self, it: Desk) -> None:
        self.it = it

    def reports(self, path: Path, *diagnostics: dict[str, Any], **more: Any) -> None:
        self.it.client.notify(METHOD, {"uri": path.as_uri(), "diagnostics": list(diagnostics), **more})

    async def until(self, condition: Callable[[], bool]) -> None:
        """Returns when something is so that the client is not told of."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await self.it.heard()

    def told(self, back: int = 1) -> str:
        """What the model was told of its last call, or of one before."""
        return self.it.model.requests[-1].messages[-back].text

    async def end(self, run: str) -> str:
        await self.it.floor_ended(run)
        return self.told()


@asynccontextmanager
async def at_desk(base: Path, *responses: Any, **options: Any):
    async with desk(base, *responses, rich=False, mode="auto-edit", **{**ONLY_THIS, **options}) as it:
        yield it, Linter(it)


async def test_an_edit_on_the_disk_names_its_new_problems(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(2, "old"), at(3, "mended"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(path, at(3, "old"), at(1, "made"), at(2, "made too", 2))
        await it.clock.let_pass(QUIET)
        text = await linter.end(run)
        assert text.endswith(
            "[New problems in a.txt since this edit:\n"
            "line 1: error (lint): made\n"
            "line 2: warning (lint): made too\n"
            "The edit also resolved 1 problem.]"
        )


async def test_of_several_files_each_names_its_new_problems_after_one_wait(tmp_path):
    items = [{"path": name, "oldText": "one\n", "newText": "zero\none\n"} for name in ("a.txt", "b.txt")]
    script = [answer("", call("edit", {"path": "a.txt", "edits": items})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, linter):
        paths = [it.put(name, TEXT) for name in ("a.txt", "b.txt")]
        for path in paths:
            linter.reports(path)
        run = await it.start()
        await linter.until(lambda: all(path.read_text() != TEXT for path in paths))
        await it.clock.until_asleep(PROBLEMS, sleepers=len(paths))
        for path in paths:
            linter.reports(path, at(1, f"made in {path.name}"))
        await it.clock.let_pass(QUIET, sleepers=len(paths))
        text = await linter.end(run)
        for name in ("a.txt", "b.txt"):
            note = f"[New problems in {name} since this edit:\nline 1: error (lint): made in {name}]"
            assert text.count(note) == 1
        assert text.index("Changed a.txt") < text.index("made in a.txt") < text.index("Changed b.txt")


async def test_an_edit_in_the_editor_counts_reports_on_its_text_only(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        uri = it.editor.open(path, version=7)
        linter.reports(path, at(1, "old"), version=7)
        run = await it.start()
        await it.client.wait_for_method("workspace/applyEdit")
        await it.heard()
        linter.reports(path, at(1, "late"), version=7)
        await it.heard()
        assert it.editor.buffers[uri].version == 8
        linter.reports(path, at(2, "old"), at(4, "made"), version=8)
        await it.clock.let_pass(QUIET)
        text = await linter.end(run)
        assert "line 4: error (lint): made" in text
        assert "late" not in text
        assert "old" not in text.split("New problems")[1]


async def test_a_report_that_comes_before_the_answer_to_the_edit_counts(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        it.editor.open(path)

        def quick(editor: Any, params: Any) -> Any:
            done = honest(editor, params)
            linter.reports(path, at(1, "made"))
            return done

        it.editor.behaviour = quick
        linter.reports(path)
        run = await it.start()
        await it.clock.let_pass(QUIET)
        assert "line 1: error (lint): made" in await linter.end(run)


async def test_an_edit_on_the_disk_of_an_open_file_counts_reports_on_what_the_editor_has_loaded(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT, workspace={}) as (it, linter):
        path = it.put("a.txt", TEXT)
        uri = it.editor.open(path)
        linter.reports(path, at(1, "old"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(path, at(1, "late"))
        await it.heard()
        it.editor.reload(uri)
        linter.reports(path, at(2, "old"), at(1, "made"))
        await it.clock.let_pass(QUIET)
        (note,) = (await linter.end(run)).split("New problems")[1:]
        assert "line 1: error (lint): made" in note
        assert "late" not in note
        assert "old" not in note


async def test_a_report_from_before_counts_for_nothing_whatever_its_version(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        it.editor.open(path)
        linter.reports(path, version=1)
        linter.reports(path, at(1, "early"), version=99)
        run = await it.start()
        await it.clock.let_pass(PROBLEMS)
        assert "problem" not in await linter.end(run)


async def test_of_several_servers_the_last_word_before_a_silence_counts(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(1, "old"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(path)  # taken back, to be told anew
        await it.heard()
        linter.reports(path, at(2, "old"))
        await it.heard()
        it.clock.advance(QUIET / 2)
        linter.reports(path, at(2, "old"), at(3, "made"))
        await it.heard()
        it.clock.advance(QUIET / 2)
        await settle()
        assert len(it.model.requests) == 1
        it.clock.advance(QUIET)
        text = await linter.end(run)
        assert "line 3: error (lint): made" in text
        assert "resolved" not in text


async def test_what_the_user_typed_meanwhile_shifts_problems_too(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        uri = it.editor.open(path)
        linter.reports(path, at(2, "old"))
        run = await it.start()
        await it.client.wait_for_method("workspace/applyEdit")
        await it.heard()
        it.editor.replace(uri, "zero\n", "typed\n\nzero\n")
        linter.reports(path, at(5, "old"), version=it.editor.buffers[uri].version)
        await it.clock.let_pass(QUIET)
        assert "problem" not in await linter.end(run)


async def test_problems_that_were_told_of_an_older_text_are_compared_without_their_lines(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        uri = it.editor.open(path)
        linter.reports(path, at(1, "old"))
        it.editor.replace(uri, "three", "4\n5\n6\nthree")
        run = await it.start()
        await it.client.wait_for_method("workspace/applyEdit")
        await it.heard()
        linter.reports(path, at(7, "old"), at(3, "made"))
        await it.clock.let_pass(QUIET)
        (note,) = (await linter.end(run)).split("New problems")[1:]
        assert "line 3: error (lint): made" in note
        assert "old" not in note


@pytest.mark.parametrize("is_open", [False, True])
async def test_without_a_report_nothing_is_claimed_and_later_waits_are_shorter(tmp_path, is_open):
    steps = [answer("", edit_call("a.txt", f"v{n}\n", f"v{n + 1}\n")) for n in range(6)]
    async with at_desk(tmp_path, *steps, answer("done")) as (it, linter):
        path = it.put("a.txt", "v0\n")
        if is_open:
            it.editor.open(path)
        linter.reports(path, at(1, "old"))
        run = await it.start()
        for number, part in enumerate((1, 0.5, 0.25, 0.25), start=2):
            await it.clock.let_pass(PROBLEMS * part)
            await linter.until(lambda number=number: len(it.model.requests) == number)
        await it.clock.until_asleep(PROBLEMS / 4)
        linter.reports(path, at(1, "old"), at(1, "made"))
        await it.clock.let_pass(QUIET)
        await it.clock.let_pass(PROBLEMS)
        await linter.end(run)
        told = [linter.told(back) for back in (11, 9, 7, 5, 3, 1)]
        assert ["made" in text for text in told] == [False] * 4 + [True, False]
        assert not any("problem" in text for text in told if "made" not in text)


async def test_nobody_waits_for_a_language_that_was_never_reported_on(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        it.put("a.txt", TEXT)
        linter.reports(it.put("b.py", TEXT), at(1, "old"))
        assert "problem" not in await linter.end(await it.start())
        assert it.clock.now == 1000.0


async def test_a_client_without_the_feature_is_not_heard_and_waited_for(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT, initializationOptions={}) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(1, "old"))
        assert "problem" not in await linter.end(await it.start())
        assert it.clock.now == 1000.0


async def test_a_new_file_of_a_known_language_is_waited_for(tmp_path):
    responses = answer("", call("write", {"path": "new.py", "content": "x\n"})), answer("done")
    async with at_desk(tmp_path, *responses) as (it, linter):
        linter.reports(it.put("b.py", TEXT))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(it.root / "new.py", at(1, "made"))
        await it.clock.let_pass(QUIET)
        assert "[New problems in new.py since this edit:\nline 1: error (lint): made]" in await linter.end(
            run
        )


async def test_a_moved_file_is_compared_with_what_it_was(tmp_path):
    responses = answer("", call("move", {"from": "a.py", "to": "lib/a.py"})), answer("done")
    async with at_desk(tmp_path, *responses) as (it, linter):
        linter.reports(it.put("a.py", TEXT), at(1, "old"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(it.root / "a.py")
        linter.reports(it.root / "lib/a.py", at(1, "old"), at(2, "import fails"))
        await it.clock.let_pass(QUIET)
        (note,) = (await linter.end(run)).split("New problems in lib/a.py")[1:]
        assert "line 2: error (lint): import fails" in note
        assert "old" not in note


async def test_a_deleted_file_is_not_waited_for(tmp_path):
    responses = answer("", call("delete", {"path": "a.py"})), answer("done")
    async with at_desk(tmp_path, *responses) as (it, linter):
        linter.reports(it.put("a.py", TEXT), at(1, "old"))
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await linter.end(run)
        assert it.clock.now == 1000.0


async def test_an_abort_ends_the_wait_and_the_edit_is_told_as_made(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(1, "old"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        await it.command("abort")
        message = await it.floor_ended(run)
        assert message.startswith("Aborted. 1 file changed (+1 −0).")
        assert it.clock.now == 1000.0
        (session,) = (await it.command("status"))["sessions"]
        events = (await it.command("events", session["session"]))["events"]
        (end,) = [event["data"] for event in events if event["type"] == "tool_execution_end"]
        assert not end["isError"]


async def test_the_edit_is_recorded_and_its_file_is_free_while_it_waits(tmp_path):
    more = answer("", edit_call("a.txt", "three", "3")), answer("done"), answer("done")
    async with at_desk(tmp_path, ONE_EDIT[0], *more) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(1, "old"))
        first = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        (session,) = (await it.command("status"))["sessions"]
        events = (await it.command("events", session["session"]))["events"]
        types = [event["type"] for event in events]
        assert "edit_applied" in types
        assert "tool_execution_end" not in types
        second = await it.start()
        await linter.until(lambda: path.read_text() == "zero\n" + TEXT.replace("three", "3"))
        assert it.clock.now == 1000.0

        def both_ended() -> bool:
            it.clock.advance(PROBLEMS)
            return all(it.progress(run)[-1]["kind"] == "end" for run in (first, second))

        await linter.until(both_ended)


async def test_a_report_in_another_file_ends_no_wait(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, linter):
        path = it.put("a.txt", TEXT)
        linter.reports(path, at(1, "old"))
        run = await it.start()
        await it.clock.until_asleep(PROBLEMS)
        linter.reports(it.put("b.txt", TEXT), at(1, "elsewhere"))
        await it.clock.let_pass(PROBLEMS)
        assert "problem" not in await linter.end(run)


class Meanwhile(PassingWorkspace):
    """Something happens while a change is being made; the user types `typed` above it."""

    def __init__(self, inner: Workspace, happens: Callable[[], object], typed: str) -> None:
        super().__init__(inner)
        self._happens, self._typed = happens, typed

    async def apply(self, change: FileChange) -> Applied:
        self._happens()
        applied = await super().apply(change)
        return replace(applied, text=self._typed + change.new_text) if self._typed else applied


@pytest.mark.parametrize("typed", ["", "typed\n\n"])
async def test_while_an_edit_is_made_on_the_disk_reports_may_be_about_either_text(tmp_path, typed):
    documents, clock = Documents(), ManualClock()
    buffers = Buffers(documents, clock)
    after = AfterEdits(ProblemStore(documents, buffers), buffers, LIMITS, clock)
    (tmp_path / "a.txt").write_text(TEXT)

    def report(*diagnostics: dict[str, Any]) -> None:
        after.take({"uri": (tmp_path / "a.txt").as_uri(), "diagnostics": list(diagnostics)})

    report(at(1, "old"))
    disk = DiskWorkspace(Roots([tmp_path]))
    workspace = after.over(Meanwhile(disk, lambda: report(at(3, "half-way")), typed))
    base = await workspace.read(workspace.resolve("a.txt"))
    applied = await workspace.apply(edition(base, base.as_text().rewrite("zero\n" + TEXT)))
    assert applied.afterwards is not None
    waiting = asyncio.ensure_future(applied.afterwards(AbortController().signal))
    await settle()
    clock.advance(2 * QUIET)
    await settle()
    assert not waiting.done()
    report(at(2 + typed.count("\n"), "old"))
    assert await clock.elapse_until(waiting) == pytest.approx(QUIET)
    assert waiting.result() == ()
