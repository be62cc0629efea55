"""diagnostics: the known problems of files, sorted and bounded, never past a deny rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.tool import ProposalSuperseded, ToolContext
from steersman.tools.diagnostics import LIMIT, DiagnosticsTool
from steersman.tools.proposals import AccessProposal
from steersman.workspace.guard import Guard
from steersman.workspace.rules import PathRules
from support.known_problems import KnownProblems, problem
from support.workspace import Bench, make_bench


@dataclass
class Checked:
    bench: Bench
    known: KnownProblems

    def report(self, name: str, *problems: object, content: str = "a\nb\nc\nd\n") -> Path:
        path = self.bench.put(name, content)
        self.known.report(path, *problems)
        return path

    async def ok(self, **arguments: object) -> str:
        return await self.bench.ok("diagnostics", **arguments)

    async def error(self, **arguments: object) -> str:
        return await self.bench.error("diagnostics", **arguments)


def checked_by(bench: Bench) -> Checked:
    known = KnownProblems()
    tools: Mapping = {**bench.tools, "diagnostics": DiagnosticsTool(bench.workspace, known)}
    bench.tools = tools
    return Checked(bench, known)


@pytest.fixture
def checked(bench: Bench) -> Checked:
    return checked_by(bench)


async def test_problems_are_listed_by_place_with_their_lines_and_counted(checked: Checked) -> None:
    checked.report(
        "src/app.py",
        problem(3, "later", severity="warning"),
        problem(1, "no such\nname", character=4, code="E1"),
        content="x = undefined\n\n\tdeep = 1\n",
    )
    checked.report("README.md", problem(1, "typo", severity="information", source=""), content="Tpyo\n")
    assert await checked.ok() == (
        "README.md:1:1: information: typo\n"
        "    Tpyo\n"
        "src/app.py:1:5: error (lint E1): no such name\n"
        "    x = undefined\n"
        "src/app.py:3:1: warning (lint): later\n"
        "    deep = 1\n"
        "[In the workspace: 1 error, 1 warning, 1 information]"
    )


async def test_columns_are_in_characters(checked: Checked) -> None:
    checked.report("a.py", problem(1, character=5), content='"😀é" x\n')
    assert "a.py:1:5: error" in await checked.ok()
    checked.known.encoding = "utf-8"
    checked.report("a.py", problem(1, character=9), content='"😀é" x\n')
    assert "a.py:1:6: error" in await checked.ok()


async def test_a_file_and_a_folder_can_be_named(checked: Checked) -> None:
    checked.report("src/a.py", problem(1, "first"))
    checked.report("src/deep/b.py", problem(1, "second"))
    checked.report("srcs/c.py", problem(1, "third"))
    assert "first" in (text := await checked.ok(path="src/a.py"))
    assert "second" not in text
    assert "[In src: 2 errors]" in (text := await checked.ok(path="src/"))
    assert "third" not in text


async def test_clean_and_unknown_are_told_apart(checked: Checked) -> None:
    checked.report("clean.py")
    checked.bench.put("unknown.py")
    assert await checked.ok(path="clean.py") == "[No problems in clean.py: 1 file reported on]"
    assert (await checked.ok(path="unknown.py")).startswith("Nothing is known about unknown.py:")
    checked.bench.put("docs/a.md")
    assert (await checked.ok(path="docs")).startswith("[Nothing is known about docs:")
    assert await checked.error(path="clan.py") == "File not found: clan.py. Did you mean clean.py?"


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ({}, 3),
        ({"severity": "error"}, 1),
        ({"severity": "Warnings"}, 2),
        ({"severity": "all"}, 4),
        ({"level": "hint"}, 4),
    ],
)
async def test_the_less_grave_can_be_left_out(checked: Checked, asked: dict, listed: int) -> None:
    checked.report(
        "a.py",
        *(problem(1, severity=severity) for severity in ("error", "warning", "information", "hint")),
    )
    text = await checked.ok(**asked)
    assert text.count("a.py:1:1") == listed
    assert "[In a.py" not in text
    assert "1 error, 1 warning, 1 information, 1 hint]" in text
    assert ("less severe than" in text) == (listed < 4)


async def test_of_too_many_the_gravest_are_listed(checked: Checked) -> None:
    checked.report("a.py", *(problem(1, f"w{number}", severity="warning") for number in range(LIMIT)))
    checked.report("z.py", problem(1, "grave"), problem(2, "graver"))
    text = await checked.ok()
    assert "grave" in text
    assert text.count(": warning") == LIMIT - 2
    assert f"[{LIMIT} of {LIMIT + 2} problems are listed, the most severe ones. Use limit" in text
    assert (await checked.ok(limit=1)).count("lint") == 1
    checked.report("b.py", *(problem(1, "long " * 500) for _ in range(300)))
    text = await checked.ok(limit=10_000)
    assert len(text.encode()) < 52_000
    assert "Name a file]" in text


async def test_lines_are_shown_only_where_they_are_those_that_were_reported_on(checked: Checked) -> None:
    checked.known.outdated.add(checked.report("a.py", problem(2)))
    checked.report("b.py", problem(90))
    checked.report("c.py", problem(1), content="x" * 2_000_000)
    checked.report("d.py", problem(1), content="")
    checked.bench.put("e.py", b"\xff\x00\xfe")
    checked.known.report(checked.bench.root / "e.py", problem(1))
    assert (await checked.ok()).splitlines() == [
        "a.py:2: error (lint): wrong",
        "b.py:90: error (lint): wrong",
        "c.py:1: error (lint): wrong",
        "d.py:1:1: error (lint): wrong",
        "e.py:1: error (lint): wrong",
        "[In the workspace: 5 errors]",
        "[Changed since it was reported on, so that line numbers may be off: a.py]",
    ]


async def test_unsaved_text_is_the_text(editor: Bench) -> None:
    checked = checked_by(editor)
    path = checked.report("a.py", problem(1), content="on the disk\n")
    editor.workspace.buffers[path] = "in the editor\n"
    assert "    in the editor\n" in await checked.ok()


async def test_a_deleted_file_has_no_problems(checked: Checked) -> None:
    checked.report("a.py", problem(1)).unlink()
    assert (await checked.ok()).startswith("[Nothing is known about the workspace:")
    assert "File not found" in await checked.error(path="a.py")


async def test_nothing_is_told_of_a_denied_file(tmp_path: Path, guard: Guard) -> None:
    checked = checked_by(make_bench(tmp_path, guard, rules=PathRules.of(deny=["secrets/"])))
    checked.report(".env", problem(1, "hunter2 is unquoted"), content="PASSWORD=hunter2\n")
    checked.report("secrets/a.py", problem(1, "hunter2"))
    (checked.bench.root / "link.py").symlink_to("secrets/a.py")
    for arguments in ({}, {"path": "."}):
        text = await checked.ok(**arguments)
        assert "hunter2" not in text
        assert "secrets" not in text
        assert "[2 files left out by deny rules]" in text
    for name in (".env", "secrets/a.py", "link.py", "secrets"):
        assert "hunter2" not in await checked.error(path=name)


async def test_outside_the_workspace_only_what_is_named_after_a_question(checked: Checked) -> None:
    outside = checked.bench.root.parent / "elsewhere"
    path = checked.report(str(outside / "lib.py"), problem(1, "far away"))
    text = await checked.ok()
    assert "far away" not in text
    assert "[1 file outside the workspace with problems left out; name one to see them]" in text
    called = await checked.bench.call("diagnostics", path=str(path))
    assert isinstance(called.proposal, AccessProposal)
    assert "far away" in called.text
    bound = checked.bench.tools["diagnostics"].bind({"path": str(path)})
    with pytest.raises(ProposalSuperseded):
        await bound.execute(ToolContext("call-1", AbortController().signal, lambda _: None))
    assert "far away" in (await checked.bench.call("diagnostics", path=str(outside))).text


async def test_what_could_not_be_kept_is_said(checked: Checked) -> None:
    path = checked.report("a.py")
    checked.known.report(path, problem(1), left_out=1200)
    checked.known.forgotten = True
    text = await checked.ok()
    assert "[1,200 further problems could not be kept]" in text
    assert "old reports are missing]" in text


async def test_an_abort_ends_it(checked: Checked) -> None:
    checked.report("a.py", problem(1))
    abort = AbortController()
    abort.abort()
    called = await checked.bench.call("diagnostics", signal=abort.signal)
    assert called.is_error


def test_it_may_run_beside_others(checked: Checked) -> None:
    assert checked.bench.tools["diagnostics"].execution == "parallel"
