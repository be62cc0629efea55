"""A person at a real Neovim, in a real terminal, with the configuration of docs/editors/neovim.md and nothing else."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from editors.conftest import Capture, SetStage, Stage
from editors.snippets import snippets
from editors.terminal import Terminal
from editors.turns import LOOK_THEN_SHOUT, bash, edit, read, turn

NOTE = "one\ntwo\nthree\n"
SHOUT = [turn("I shout.", edit("note.txt", "two", "TWO")), turn("Shouted.")]


@contextmanager
def neovim(stage: Stage, *files: str, rich: bool = False) -> Iterator[Terminal]:
    """Neovim with the page's first configuration, and with all that can be added where it is to be `rich`; attached."""
    config = Path(stage.env["XDG_CONFIG_HOME"]) / "nvim"
    config.mkdir(parents=True)
    first, *more = snippets("neovim", "lua")
    (config / "init.lua").write_text("".join([first, *more] if rich else [first]))
    with stage.terminal("nvim", "-n", *files) as vim:
        vim.until(files[0])
        attached = "#vim.lsp.get_clients({ name = 'steersman', bufnr = 0 }) == 1"
        vim.type(f":lua vim.wait(99000, function() return {attached} end) print('It is att' .. 'ached')\r")
        vim.until("It is attached")
        yield vim


def choose(vim: Terminal, title: str) -> None:
    """Types the number of what the list on the screen calls so."""
    found = re.search(rf"(\d+): {re.escape(title)}", vim.until(f": {title}"))
    assert found is not None
    vim.type(f"{found[1]}\r")


def act(vim: Terminal, line: int, title: str) -> None:
    """Chooses a code action on a line of the buffer."""
    vim.type(f":{line}\rgra")
    choose(vim, title)


def later(vim: Terminal) -> None:
    """Leaves the question open."""
    choose(vim, "Answer later")
    vim.until("waits: answer it")


@pytest.fixture
def shouting(set_stage: SetStage) -> Stage:
    return set_stage(SHOUT, {"note.txt": NOTE})


def test_a_question_is_answered_in_the_diff_and_the_edit_is_one_undo_step(
    shouting: Stage, capture: Capture
) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        vim.until("1: Show diff")
        capture("neovim-question", vim.settle(0.5))
        choose(vim, "Show diff")
        vim.until("+TWO")
        capture("neovim-diff", vim.settle(0.5))
        vim.type("gra")
        vim.until("1: Accept")
        capture("neovim-answers", vim.settle(0.5))
        choose(vim, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":edit note.txt\r")
        vim.until("TWO\nthree")
        vim.type("u")
        vim.until("two\nthree")


def test_the_status_line_tells_what_the_run_does_and_that_it_waits(shouting: Stage, capture: Capture) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        vim.type(":1\r")
        vim.until("turn 1 · Edit note.txt (+1 −1) · waiting for you")
        capture("neovim-progress", vim.settle(0.5))
        act(vim, 2, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":1\r")
        vim.until("1 file changed (+1 −1)")


def test_what_is_declined_is_not_done(set_stage: SetStage) -> None:
    turns = [turn("I shout.", edit("note.txt", "two", "TWO")), turn("As you wish.", results="declined")]
    stage = set_stage(turns, {"note.txt": NOTE})
    with neovim(stage, "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        act(vim, 2, "Decline: Edit note.txt")
        vim.until("As you wish.")
        vim.type(":1\r")
        vim.until("two\nthree")
        assert stage.read("note.txt") == NOTE


def test_the_transcript_goes_on_with_the_run(shouting: Stage) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        vim.type(":AgentTranscript\r")
        vim.until("I shout.")
        vim.type(":edit note.txt\r")
        vim.until("one\ntwo")
        act(vim, 2, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":AgentTranscript\r")
        vim.until("`edit note.txt`")
        # What is on the screen may still be an older part of it.
        vim.type(":lua vim.wait(99000, function() return vim.fn.search('^> Shouted') > 0 end)\r")
        vim.until("> Shouted.\n")


def test_a_run_that_waits_is_steered(set_stage: SetStage) -> None:
    turns = [turn("I shout.", edit("note.txt", "two", "TWO")), turn("Fait.", user="answer in French")]
    with neovim(set_stage(turns, {"note.txt": NOTE}), "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        vim.type(":AgentSteer answer in French\r")
        act(vim, 2, "Accept: Edit note.txt")
        vim.until("Fait.")


def test_a_follow_up_is_done_when_the_run_would_end(set_stage: SetStage) -> None:
    turns = [*SHOUT, turn("Counted: three.", user="count the lines")]
    with neovim(set_stage(turns, {"note.txt": NOTE}), "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        vim.type(":AgentNext count the lines\r")
        act(vim, 2, "Accept: Edit note.txt")
        vim.until("Counted: three.")


TODO = [turn("I do.", edit("todo", "milk", "bread")), turn("All done.")]


def test_a_question_is_shown_again_where_the_server_is_not_attached_and_answered_in_its_diff(
    set_stage: SetStage,
) -> None:
    stage = set_stage(TODO, {"note.txt": NOTE, "todo": "milk\n"})
    with neovim(stage, "note.txt") as vim:
        vim.type(":edit todo\r")
        vim.until("milk")
        vim.type(":Agent do it\r")
        later(vim)
        vim.type(":AgentAnswer\r")
        vim.until("+bread")
        act(vim, 1, "Accept: Edit todo")
        vim.until("All done.")
        vim.type(":buffer todo\r")
        vim.until("bread")
        assert stage.read("todo") == "bread\n"


def test_a_question_about_a_file_that_is_not_open_is_answered_in_another(set_stage: SetStage) -> None:
    stage = set_stage(TODO, {"note.txt": NOTE, "todo": "milk\n"})
    with neovim(stage, "note.txt") as vim:
        vim.type(":Agent do it\r")
        later(vim)
        act(vim, 1, "Accept: Edit todo")
        vim.until("All done.")
        assert stage.read("todo") == "bread\n"


def test_an_aborted_command_leaves_no_process(set_stage: SetStage) -> None:
    stage = set_stage([turn("I wait.", bash("sleep 987654 & echo $! > pid; wait"))], {"note.txt": NOTE})
    with neovim(stage, "note.txt") as vim:
        vim.type(":Agent wait\r")
        vim.until("sleep 987654")
        choose(vim, "Show command")
        vim.until("# in ")
        act(vim, 1, "Accept: ")
        vim.type(":2\r")
        vim.until("turn 1 · bash sleep 987654")
        pid = int(stage.until_written("pid"))
        assert stage.runs(pid)
        vim.type(":AgentStop\r")
        vim.until("I wait.")  # what was said until then
        vim.type(":1\r")
        vim.until("Aborted")
        assert not stage.runs(pid)


@pytest.mark.parametrize("typed", ["return 2 * x\r", "2\r", "3\r12\r", "ok\r2\r2\r2\r", "5\r\x1b3\r"])
def test_ordinary_typing_at_the_moment_of_the_question_never_accepts(shouting: Stage, typed: str) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        vim.until("1: Show diff")
        vim.type(typed)
        vim.settle(1)
        assert shouting.read("note.txt") == NOTE
        vim.type("\r:echo getline(1, '$')\r")
        assert "TWO" not in vim.settle(0.5).split("echo getline")[-1]
        # The question is still there, and can be answered.
        act(vim, 1, "Accept: Edit note.txt")
        vim.until("Shouted.")


def test_what_is_typed_while_the_question_waits_is_kept_beside_the_edit(shouting: Stage) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        later(vim)
        vim.type(":1\rOtyped meanwhile\x1b")
        vim.until("typed meanwhile\none")
        act(vim, 1, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":1\r")
        vim.until("typed meanwhile\none\nTWO\nthree")
        vim.type("u")
        vim.until("typed meanwhile\none\ntwo\nthree")


def test_unsaved_text_is_what_the_model_reads_and_it_stays_unsaved(set_stage: SetStage) -> None:
    turns = [
        turn("I look.", read("note.txt")),
        turn("I shout.", edit("note.txt", "not saved", "NOT SAVED"), results="not saved"),
        turn("Shouted."),
    ]
    stage = set_stage(turns, {"note.txt": NOTE})
    with neovim(stage, "note.txt") as vim:
        vim.type("Onot saved\x1b")
        vim.until("not saved\none")
        vim.type(":Agent shout\r")
        later(vim)
        act(vim, 1, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":1\r")
        vim.until("NOT SAVED\none\ntwo")
        assert stage.read("note.txt") == NOTE
        vim.type(":write\r")
        vim.until("written")
        assert stage.read("note.txt") == f"NOT SAVED\n{NOTE}"


def test_a_file_that_changed_on_the_disk_is_edited_as_it_is_there(set_stage: SetStage) -> None:
    stage = set_stage(LOOK_THEN_SHOUT, {"note.txt": NOTE})
    with neovim(stage, "note.txt") as vim:
        vim.type(":Agent look\r")  # its answer shows that the server has read what the buffer held
        vim.until("Seen.")
        stage.write("note.txt", f"zero\n{NOTE}")
        vim.type(":Agent shout\r")
        later(vim)
        act(vim, 1, "Accept: Edit note.txt")
        vim.until("Shouted.")
        vim.type(":1\r")
        vim.until("zero\none\nTWO")
        assert stage.read("note.txt") == f"zero\n{NOTE}"


def test_what_a_comment_says_is_done_and_the_comment_goes(set_stage: SetStage, capture: Capture) -> None:
    code = "def double(x):\n    # steersman: really double it\n    return x\n"
    turns = [
        turn("I double.", edit("app.py", "return x", "return 2 * x"), user="really double it"),
        turn("Doubled."),
    ]
    with neovim(set_stage(turns, {"app.py": code}), "app.py") as vim:
        vim.type(":2\rgra")
        vim.until("Do what this comment says: really double it")
        capture("neovim-comment", vim.settle(0.5))
        choose(vim, "Do what this comment says")
        later(vim)
        act(vim, 2, "Accept: Edit app.py")
        vim.until("Doubled.")
        vim.type(":1\r")
        vim.until("def double(x):\n    return 2 * x\n")


def test_with_what_can_be_added_a_command_sees_what_was_edited(set_stage: SetStage) -> None:
    turns = [*SHOUT[:1], turn("I look.", bash("cat note.txt")), turn("Seen.", results="TWO")]
    stage = set_stage(turns, {"note.txt": NOTE})
    with neovim(stage, "note.txt", rich=True) as vim:
        vim.type(":Agent shout\r")
        later(vim)
        act(vim, 1, "Accept: Edit note.txt")
        vim.until("Run cat note.txt")
        assert stage.read("note.txt") == "one\nTWO\nthree\n"
        choose(vim, "Show command")
        vim.until("# in ")
        act(vim, 1, "Accept: Run cat note.txt")
        vim.until("Seen.")  # an event: a client that takes them gets no message


def test_with_what_can_be_added_a_file_without_a_file_type_is_seen_and_edited(
    set_stage: SetStage,
) -> None:
    turns = [
        turn("I look.", read("todo")),
        turn("I do.", edit("todo", "not saved", "done"), results="not saved"),
        turn("All done."),
    ]
    stage = set_stage(turns, {"note.txt": NOTE, "todo": "milk\n"})
    with neovim(stage, "note.txt", rich=True) as vim:
        vim.type(":edit todo\r")
        vim.until("milk")
        vim.type("Onot saved\x1b")
        vim.until("not saved\nmilk")
        vim.type(":buffer! note.txt\r:Agent do it\r")
        choose(vim, "Show diff")
        vim.until("+done")
        act(vim, 1, "Accept: Edit todo")
        vim.until("All done.")
        vim.type(":buffer todo\r")
        vim.until("done\nmilk")
        assert stage.read("todo") == "milk\n"
