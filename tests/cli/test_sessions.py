"""`steersman sessions …`: what a user sees of kept sessions, and what a script relies on."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from steersman.cli import main
from steersman.cli.session_ids import NoSuchName, in_short, named
from steersman.cli.session_list import show
from steersman.session.listing import SessionSummary
from support.command_line import CommandLine, Finished, calls

EDIT = ("edit", {"path": "calc.py", "edits": [{"oldText": "a - b", "newText": "a + b"}]})
WRITE = ("write", {"path": "new.txt", "content": "x\n"})
BEFORE, AFTER = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"


@dataclass
class Here:
    """A home and a workspace, and `steersman` in this process: as a process of its own it takes half a second."""

    home: Path
    workspace: Path
    capsys: Any

    def run(self, *arguments: str) -> Finished:
        self.capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STEERSMAN_HOME", str(self.home))
            patch.chdir(self.workspace)
            try:
                status = main(arguments)
            except SystemExit as end:
                status = end.code
        captured = self.capsys.readouterr()
        return Finished(status, captured.out, captured.err)

    @property
    def processes(self) -> CommandLine:
        return CommandLine(self.home, self.workspace)

    def tape(self, *turns) -> str:
        return self.processes.tape(*turns)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A home and a workspace after one run, which has changed and made a file."""
    base = tmp_path_factory.mktemp("made")
    line = CommandLine(base / "home", base / "workspace")
    line.home.mkdir()
    line.workspace.mkdir()
    (line.workspace / "calc.py").write_text(BEFORE)
    model = line.tape(calls(EDIT, WRITE), {"text": "Fixed."})
    assert line.run("run", "fix calc", "--model", model, "--mode", "auto-edit", "--trust").status == 0
    return base


@pytest.fixture
def line(tmp_path, capsys):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    (workspace / "calc.py").write_text(BEFORE)
    return Here(home, workspace, capsys)


@pytest.fixture
def session(line, made):
    """The session of that run, as if it had been here."""
    shutil.rmtree(line.home)
    shutil.rmtree(line.workspace)
    shutil.copytree(made / "home", line.home)
    shutil.copytree(made / "workspace", line.workspace)
    name = only_session(line)
    log = line.home / "sessions" / f"{name}.jsonl"
    log.write_bytes(log.read_bytes().replace(bytes(made / "workspace"), bytes(line.workspace)))
    return name


def only_session(line) -> str:
    (log,) = (line.home / "sessions").glob("*.jsonl")
    return log.stem


def text_of(line):
    return (line.workspace / "calc.py").read_text()


def checkpoint(line, session) -> str:
    return line.run("sessions", "checkpoints", session).out.split()[0]


class TestList:
    def test_those_of_this_folder_are_listed_between_tabs_on_a_pipe(self, line, session):
        done = line.run("sessions")
        row = done.out.rstrip("\n").split("\t")
        assert (done.status, row[0], row[2], row[7]) == (0, session, "fix calc", "idle")
        assert line.run("sessions", "list").out == done.out
        assert (
            line.run("sessions", "--all", "--json").out == line.run("sessions", "list", "--all", "--json").out
        )
        assert line.run("sessions", "list", "--all").out.rstrip("\n").split("\t")[-1] == str(line.workspace)

    def test_those_of_other_folders_only_with_all(self, line, session, tmp_path):
        other = Here(line.home, tmp_path, line.capsys)
        assert "--all" in other.run("sessions").err
        assert session in other.run("sessions", "list", "--all").out

    def test_words_of_the_title_narrow_it(self, line, session):
        assert session in line.run("sessions", "list", "--query", "CALC fix").out
        assert line.run("sessions", "list", "--query", "other").out == ""

    def test_as_json_it_is_what_the_server_answers(self, line, session):
        (listed,) = json.loads(line.run("sessions", "list", "--json").out)["sessions"]
        assert (listed["session"], listed["title"], listed["state"]) == (session, "fix calc", "idle")

    def test_an_empty_home_has_none_and_that_is_no_error(self, line):
        assert line.run("sessions").status == 0
        assert json.loads(line.run("sessions", "list", "--json").out) == {"sessions": []}

    def test_tokens_from_the_cache_stand_apart_where_there_are_any(self, capsys):
        usage = {"input": 12_345, "output": 678, "cacheRead": 8_000, "cost": 0.0042}
        summary = SessionSummary("ses_0123456789ab", "t", 0, 0, (), "m", usage, "idle", locked=False, size=1)
        show([summary], folders=False, width=120)
        head, row = capsys.readouterr().out.splitlines()
        assert head.split()[-4:] == ["tokens", "cached", "cost", "state"]
        assert row.split()[-4:] == ["13.0k", "8.0k", "$0.0042", "idle"]

    @pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
    def test_a_table_is_as_wide_as_the_terminal_and_the_id_is_whole(self, width, capsys):
        usage = {"input": 12_345, "output": 678}
        summary = SessionSummary(
            "ses_0123456789ab",
            "字 title " * 30,
            0,
            0,
            ("file:///home/x/some/where",),
            "anthropic:a-long-name-of-a-model",
            usage,
            "interrupted",
            False,
            1,
        )
        show([summary], folders=True, width=width)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 2
        assert all(cell_len(line) <= width for line in lines)
        assert lines[1].startswith("ses_0123456789ab  ")
        assert ("13.0k" in lines[1], "interrupted" in lines[1]) == (width >= 120, width >= 80)
        assert ("/home/x/some" in lines[1], "some/where" in lines[1]) == (width >= 120, width >= 200)


class TestIds:
    def test_one_may_be_abbreviated_as_long_as_it_is_unique(self):
        ids = ["ses_abc1", "ses_abd2", "ses_xyz3"]
        assert named("x", ids, "session") == named("ses_x", ids, "session") == "ses_xyz3"
        with pytest.raises(NoSuchName, match="Several sessions begin with ab: ses_abc1, ses_abd2"):
            named("ab", ids, "session")
        with pytest.raises(NoSuchName, match="Did you mean ses_xyz3"):
            named("xyz4", ids, "session")
        with pytest.raises(NoSuchName):
            named("", ids, "session")

    def test_an_id_that_begins_others_is_itself(self):
        assert named("ses_a", ["ses_a", "ses_ab"], "session") == "ses_a"

    def test_one_that_is_not_there_exits_1_everywhere(self, line, session):
        for arguments in (["show", "nope"], ["export", "nope"], ["rename", "nope", "T"], ["to-test", "nope"]):
            done = line.run("sessions", *arguments)
            assert (done.status, done.out) == (1, "")
            assert "There is no session nope" in done.err

    def test_a_path_is_no_id(self, line, session):
        assert line.run("sessions", "show", f"../sessions/{session}").status == 1

    def test_a_folder_below_the_home_is_written_with_a_tilde(self, monkeypatch):
        monkeypatch.setenv("HOME", "/home/x")
        assert [in_short(path) for path in ("/home/x", "/home/x/a", "/home/xy")] == ["~", "~/a", "/home/xy"]


class TestTranscripts:
    def test_show_prints_markdown(self, line, session):
        done = line.run("sessions", "show", session.removeprefix("ses_")[:6])
        assert done.status == 0
        assert done.out.startswith("# fix calc\n")
        assert "> Fixed." in done.out

    def test_export_writes_a_file_of_its_own_and_prints_its_path(self, line, session):
        path = line.run("sessions", "export", session).out.strip()
        assert path == str(line.home / "exports" / f"fix-calc-{session}.html")
        assert "<title>fix calc</title>" in (line.home / "exports" / f"fix-calc-{session}.html").read_text()

    def test_export_replaces_a_file_only_when_told(self, line, session):
        target = line.workspace / "out.md"
        assert line.run("sessions", "export", session, "-o", "out.md").status == 0
        target.write_text("mine")
        done = line.run("sessions", "export", session, "-o", "out.md")
        assert (done.status, target.read_text()) == (1, "mine")
        assert "--force" in done.err
        assert line.run("sessions", "export", session, "-o", "out.md", "--force").status == 0
        assert target.read_text().startswith("# fix calc")

    def test_export_goes_to_standard_output_too(self, line, session):
        assert line.run("sessions", "export", session, "-o", "-").out.startswith("<!doctype html>")
        assert line.run("sessions", "export", session, "-o", "-", "--format", "markdown").out.startswith(
            "# fix"
        )

    def test_a_folder_that_is_not_there_is_an_error(self, line, session):
        done = line.run("sessions", "export", session, "-o", "no/such/out.md")
        assert (done.status, "No such file" in done.err) == (1, True)

    def test_a_test_is_made_of_it(self, line, session):
        done = line.run("sessions", "to-test", session)
        assert (done.status, done.err) == (0, "")
        compile(done.out, "test", "exec")
        assert line.run("sessions", "to-test", session, "-o", "test_it.py").status == 0
        assert (line.workspace / "test_it.py").read_text() == done.out
        assert line.run("sessions", "to-test", session, "-o", "test_it.py").status == 1


class TestChanges:
    def test_rename_and_delete(self, line, session):
        assert line.run("sessions", "rename", session, "The calculator").status == 0
        assert "The calculator" in line.run("sessions").out
        refused = line.run("sessions", "delete", session)
        assert (refused.status, "--yes" in refused.err) == (64, True)
        assert only_session(line) == session
        assert line.run("sessions", "delete", session, "--yes").status == 0
        assert list((line.home / "sessions").glob("*.jsonl")) == []

    def test_delete_asks_at_a_terminal(self, line, session):
        done = line.processes.run_on_terminal("sessions", "delete", session, typed=[("[y/N]", "n\n")])
        assert "Delete" in done.out
        assert "“fix calc” for good?" in done.out
        assert only_session(line) == session
        assert (
            line.processes.run_on_terminal("sessions", "delete", session, typed=[("[y/N]", "y\n")]).status
            == 0
        )
        assert list((line.home / "sessions").glob("*.jsonl")) == []

    def test_fork_prints_the_id_of_the_copy(self, line, session):
        before = (line.home / "sessions" / f"{session}.jsonl").read_bytes()
        made = line.run("sessions", "fork", session).out.strip()
        assert made in line.run("sessions").out
        part = line.run("sessions", "fork", session, "--message", checkpoint(line, session))
        assert "fix calc" in part.err
        assert part.out.strip() not in (session, made)
        assert (line.home / "sessions" / f"{session}.jsonl").read_bytes() == before

    def test_compact_says_when_there_is_nothing_to_shorten(self, line, session):
        done = line.run("sessions", "compact", session)
        assert (done.status, "nothing to shorten" in done.err) == (1, True)

    def test_compact_tells_what_came_of_it(self, line):
        long = line.tape({"text": "long " * 800}, {"text": "short"}, {"text": "## Goal\nall"})
        for prompt in ("one", "two"):
            line.processes.run("run", prompt, "--model", long, *(["--continue"] if prompt == "two" else []))
        done = line.run("sessions", "compact", only_session(line))
        assert (done.status, done.err) == (0, "")
        assert re.search(r"2 messages were summarised .* about [\d,]+ tokens became [\d,]+", done.out)


class TestRevert:
    def test_a_preview_changes_nothing(self, line, session):
        done = line.run("sessions", "revert", session, checkpoint(line, session), "--preview")
        assert done.status == 0
        assert "-    return a + b" in done.out
        assert f"delete: {line.workspace / 'new.txt'}" in done.out
        assert text_of(line) == AFTER

    def test_without_a_terminal_and_without_yes_it_refuses(self, line, session):
        done = line.run("sessions", "revert", session, "msg")
        assert (done.status, "--yes" in done.err, text_of(line)) == (64, True, AFTER)

    def test_at_a_terminal_it_asks(self, line, session):
        done = line.processes.run_on_terminal("sessions", "revert", session, "msg", typed=[("[y/N]", "\n")])
        assert (done.status, "Nothing was done." in done.out, text_of(line)) == (0, True, AFTER)
        done = line.processes.run_on_terminal("sessions", "revert", session, "msg", typed=[("[y/N]", "y\n")])
        assert (done.status, text_of(line)) == (0, BEFORE)
        assert not (line.workspace / "new.txt").exists()

    def test_it_can_be_taken_back_itself(self, line, session):
        assert line.run("sessions", "revert", session, "msg", "--yes").status == 0
        listed = line.run("sessions", "checkpoints", session).out
        (revert,) = re.findall(r"^rev_\w+", listed, re.M)
        assert line.run("sessions", "revert", session, revert, "--yes").status == 0
        assert text_of(line) == AFTER
        assert (line.workspace / "new.txt").read_text() == "x\n"

    def test_a_file_that_somebody_else_changed_is_a_conflict_until_it_is_said_what_to_do(self, line, session):
        (line.workspace / "calc.py").write_text("mine\n")
        done = line.run("sessions", "revert", session, "msg", "--yes")
        assert (done.status, text_of(line)) == (1, "mine\n")
        assert "--on-conflict" in done.err
        assert "conflict: " in done.out
        done = line.run("sessions", "revert", session, "msg", "--yes", "--on-conflict", "keep")
        assert (done.status, text_of(line)) == (0, "mine\n")
        assert not (line.workspace / "new.txt").exists()
        assert f"kept: {line.workspace / 'calc.py'}" in done.out
        done = line.run("sessions", "revert", session, "msg", "--yes", "--on-conflict", "restore")
        assert (done.status, text_of(line)) == (0, BEFORE)

    def test_nothing_to_take_back_is_said(self, line, session):
        line.run("sessions", "revert", session, "msg", "--yes")
        done = line.run("sessions", "revert", session, "msg", "--yes")
        assert (done.status, "nothing to take back" in done.out) == (0, True)

    def test_a_checkpoint_that_is_not_there_is_an_error(self, line, session):
        done = line.run("sessions", "revert", session, "nope", "--yes")
        assert (done.status, "There is no checkpoint nope" in done.err) == (1, True)


class TestGoingOn:
    def test_continue_goes_on_in_the_last_session_of_this_folder(self, line, session, tmp_path):
        model = line.tape({"when": "again"}, {"text": "Again."})
        assert line.processes.run("run", "again", "--continue", "--model", model).out == "Again.\n"
        assert only_session(line) == session
        other = CommandLine(line.home, tmp_path)
        done = other.run("run", "again", "--continue", "--model", model)
        assert (done.status, "no session of" in done.err) == (1, True)

    def test_a_session_works_in_its_own_folder_and_says_so(self, line, session, tmp_path):
        model = line.tape({"when": "look"}, calls(("read", {"path": "calc.py"})), {"text": "Seen."})
        other = CommandLine(line.home, tmp_path)
        done = other.run("run", "look", "--session", session, "--model", model)
        assert (done.status, done.out) == (0, "Seen.\n")
        assert f"working in {line.workspace}" in done.err
        assert "read calc.py: ok" in done.err

    def test_another_folder_is_taken_when_it_is_named_and_that_is_said(self, line, session, tmp_path):
        model = line.tape({"when": "look"}, {"text": "Seen."})
        done = line.processes.run(
            "run", "look", "--session", session, "--workspace", str(tmp_path), "--model", model
        )
        assert done.status == 0
        assert f"begun in {line.workspace}" in done.err
        assert f"works in {tmp_path}" in done.err

    def test_a_folder_that_is_gone_has_to_be_named(self, line, session, tmp_path):
        line.workspace.rename(tmp_path / "moved")
        other = CommandLine(line.home, tmp_path)
        model = line.tape({"when": "look"}, {"text": "Seen."})
        done = other.run("run", "look", "--session", session, "--model", model)
        assert (done.status, "is gone" in done.err, "--workspace" in done.err) == (1, True, True)

    @pytest.mark.parametrize("more", [["--session", "x"], ["--no-session"]])
    def test_continue_fits_no_other_choice_of_session(self, line, more):
        assert line.processes.run("run", "x", "--continue", *more).status == 64
