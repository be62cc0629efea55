"""A person at a real Emacs, in a real terminal, with the configurations of docs/editors/emacs.md and nothing else."""

import pytest

from editors.conftest import Capture, SetStage, Stage
from editors.emacs_stage import EGLOT_WITH_MORE, LSP_MODE, act, answer, do, emacs, is_missing, leave
from editors.turns import LOOK_THEN_SHOUT, bash, edit, read, turn

NOTE = "one\ntwo\nthree\n"
SHOUT = [turn("I shout.", edit("note.txt", "two", "TWO")), turn("Shouted.")]

pytestmark = pytest.mark.skipif(is_missing() is not None, reason=f"Emacs is left out: {is_missing()}")


@pytest.fixture
def shouting(set_stage: SetStage) -> Stage:
    return set_stage(SHOUT, {"note.txt": NOTE})


def test_the_question_shows_the_diff_and_the_edit_is_one_undo_step(shouting: Stage, capture: Capture) -> None:
    with emacs(shouting, "note.txt") as it:
        do(it, "steersman", "shout")
        it.until("Choose an option: Show diff")
        capture("emacs-question", it.settle(0.5))
        it.type("\r")
        it.until("+TWO")
        capture("emacs-diff", it.settle(0.5))
        answer(it, "Accept")
        it.until("Shouted.")
        it.until("one\nTWO\nthree")
        assert shouting.read("note.txt") == NOTE
        it.type("\x1f")  # C-/
        it.until("one\ntwo\nthree")


def test_what_is_declined_is_not_done(set_stage: SetStage) -> None:
    turns = [*SHOUT[:1], turn("As you wish.", results="declined")]
    with emacs(set_stage(turns, {"note.txt": NOTE}), "note.txt") as it:
        do(it, "steersman", "shout")
        answer(it, "Decline")
        assert "one\ntwo\nthree" in it.until("As you wish.")


def test_a_question_that_was_left_is_answered_by_a_code_action(shouting: Stage, capture: Capture) -> None:
    with emacs(shouting, "note.txt") as it:
        do(it, "steersman", "shout")
        it.until("Choose an option: ")
        leave(it)
        do(it, "eglot-code-actions")
        it.until("Pick an action (default Show diff: Edit note.txt")
        it.type("\t")
        it.until("Decline: Edit note.txt")
        capture("emacs-answers", it.settle(0.5))
        it.type("Accept: \t\r")
        it.until("Shouted.")
        it.until("one\nTWO\nthree")


def test_a_question_about_a_file_that_is_not_open_is_shown_again_and_answered_elsewhere(
    set_stage: SetStage,
) -> None:
    turns = [turn("I do.", edit("todo", "milk", "bread")), turn("All done.")]
    stage = set_stage(turns, {"note.txt": NOTE, "todo": "milk\n"})
    with emacs(stage, "note.txt") as it:
        do(it, "steersman", "do it")
        it.until("Choose an option: ")
        leave(it)
        do(it, "steersman-answer")
        it.until("+bread")
        act(it, "Accept: ")
        it.until("All done.")
        assert stage.read("todo") == "bread\n"


@pytest.mark.parametrize("typed", ["return 2 * x\r", "a b c\r", "Accept\r", "y\r", "2\r"])
def test_ordinary_typing_at_the_moment_of_the_question_never_accepts(shouting: Stage, typed: str) -> None:
    with emacs(shouting, "note.txt") as it:
        do(it, "steersman", "shout")
        it.until("Choose an option: Show diff")
        it.type(typed)
        it.settle(1)
        assert "TWO\nthree" not in it.text
        answer(it, "Decline")
        it.until("Shouted.")
        assert shouting.read("note.txt") == NOTE


def test_a_run_that_waits_is_steered(set_stage: SetStage) -> None:
    turns = [*SHOUT[:1], turn("Fait.", user="answer in French")]
    with emacs(set_stage(turns, {"note.txt": NOTE}), "note.txt") as it:
        do(it, "steersman", "shout")
        it.until("Choose an option: ")
        leave(it)
        do(it, "steersman-steer", "answer in French")
        act(it, "Accept: ")
        it.until("Fait.")


def test_an_aborted_command_leaves_no_process(set_stage: SetStage) -> None:
    stage = set_stage([turn("I wait.", bash("sleep 987654 & echo $! > pid; wait"))], {"note.txt": NOTE})
    with emacs(stage, "note.txt") as it:
        do(it, "steersman", "wait")
        answer(it, "Accept")
        pid = int(stage.until_written("pid"))
        assert stage.runs(pid)
        do(it, "steersman-stop")
        stage.until_gone(pid)


def test_unsaved_text_is_what_the_model_reads_and_it_stays_unsaved(set_stage: SetStage) -> None:
    turns = [
        turn("I look.", read("note.txt")),
        turn("I shout.", edit("note.txt", "not saved", "NOT SAVED"), results="not saved"),
        turn("Shouted."),
    ]
    stage = set_stage(turns, {"note.txt": NOTE})
    with emacs(stage, "note.txt") as it:
        it.type("not saved\r")
        it.until("not saved\none")
        do(it, "steersman", "shout")
        answer(it, "Accept")
        it.until("Shouted.")
        it.until("NOT SAVED\none\ntwo")
        assert stage.read("note.txt") == NOTE


def test_what_is_typed_while_the_question_waits_is_kept_beside_the_edit(shouting: Stage) -> None:
    with emacs(shouting, "note.txt") as it:
        do(it, "steersman", "shout")
        it.until("Choose an option: ")
        leave(it)
        it.type("typed meanwhile\r")
        it.until("typed meanwhile\none")
        act(it, "Accept: ")
        it.until("Shouted.")
        it.until("typed meanwhile\none\nTWO\nthree")


def test_a_file_that_changed_on_the_disk_is_edited_as_it_is_there(set_stage: SetStage) -> None:
    stage = set_stage(LOOK_THEN_SHOUT, {"note.txt": NOTE})
    with emacs(stage, "note.txt") as it:
        do(it, "steersman", "look")  # its answer shows that the server has read what the buffer held
        it.until("Seen.")
        stage.write("note.txt", f"zero\n{NOTE}")
        it.until("zero\none")
        do(it, "steersman", "shout")
        answer(it, "Accept")
        it.until("Shouted.")
        it.until("zero\none\nTWO")


def test_what_a_comment_says_is_done_and_the_comment_goes(set_stage: SetStage, capture: Capture) -> None:
    code = "# steersman: really double it\ndef double(x):\n    return x\n"
    turns = [
        turn("I double.", edit("app.py", "return x", "return 2 * x"), user="really double it"),
        turn("Doubled."),
    ]
    with emacs(set_stage(turns, {"app.py": code}), "app.py") as it:
        do(it, "eglot-code-actions")
        it.until("Pick an action (default Do what this comment says: really double it)")
        it.type("\t")
        it.until("Possible completions")
        capture("emacs-comment", it.settle(0.5))
        it.type("Do\t\r")
        answer(it, "Accept")
        it.until("Doubled.")
        screen = it.until("return 2 * x")
        assert "steersman: really" not in screen.split("Doubled.")[0]


def test_with_what_can_be_added_a_command_sees_what_was_edited(set_stage: SetStage, capture: Capture) -> None:
    turns = [*SHOUT[:1], turn("I look.", bash("cat note.txt")), turn("Seen.", results="TWO")]
    stage = set_stage(turns, {"note.txt": NOTE})
    with emacs(stage, "note.txt", EGLOT_WITH_MORE) as it:
        do(it, "steersman", "shout")
        it.until("[waitingApproval]")
        capture("emacs-progress", it.settle(0.5))
        answer(it, "Accept")
        it.until("Run cat note.txt")
        assert stage.read("note.txt") == "one\nTWO\nthree\n"
        answer(it, "Accept")
        it.until("Seen.")


def test_with_what_can_be_added_a_file_of_another_mode_is_seen_and_edited(set_stage: SetStage) -> None:
    turns = [
        turn("I look.", read("todo")),
        turn("I do.", edit("todo", "not saved", "done"), results="not saved"),
        turn("All done."),
    ]
    stage = set_stage(turns, {"note.txt": NOTE, "todo": "milk\n"})
    with emacs(stage, "note.txt", EGLOT_WITH_MORE) as it:
        it.press("C-x", "C-f")
        it.until("Find file: ")
        it.type("todo\r")
        it.until("(Fundamental")
        it.type("not saved\r")
        it.until("not saved\nmilk")
        it.press("C-x")
        it.type("b\r")
        it.until("two\nthree")
        do(it, "steersman", "do it")
        answer(it, "Accept")
        it.until("All done.")
        it.press("C-x")
        it.type("b\r")
        it.until("done\nmilk")
        assert stage.read("todo") == "milk\n"


def test_lsp_mode_asks_edits_and_undoes(shouting: Stage, capture: Capture) -> None:
    with emacs(shouting, "note.txt", LSP_MODE) as it:
        do(it, "steersman", "shout")
        it.until("Steersman: Edit note.txt")
        it.type("\t")
        it.until("Accept all in this run")
        capture("lsp-mode-question", it.settle(0.5))
        it.type("Show\t\r")
        # The diff may come before the question, which it then hides; that one is open the menu tells.
        it.until(lambda text: "+TWO" in text and " Minibuf " in text)
        it.type("Accept\r")
        it.until("Shouted.")
        it.until("one\nTWO\nthree")
        it.type("\x1f")
        it.until("one\ntwo\nthree")


@pytest.mark.parametrize("typed", ["return 2 * x\r", "All in all\r", "y\r", "2\r"])
def test_ordinary_typing_at_the_moment_of_lsp_modes_question_never_accepts(
    shouting: Stage, typed: str
) -> None:
    with emacs(shouting, "note.txt", LSP_MODE) as it:
        do(it, "steersman", "shout")
        it.until("Steersman: Edit note.txt")
        it.type(typed)
        it.settle(1)
        assert "TWO\nthree" not in it.text
        it.type("\x01\x0bDecline\r")
        it.until("Shouted.")
        it.until("one\ntwo\nthree")


def test_lsp_mode_declines_and_stops(set_stage: SetStage) -> None:
    sleep = bash("sleep 987654 & echo $! > pid; wait")
    stage = set_stage([*SHOUT[:1], turn("I wait.", sleep, results="declined")], {"note.txt": NOTE})
    with emacs(stage, "note.txt", LSP_MODE) as it:
        do(it, "steersman", "shout")
        it.until("Steersman: Edit note.txt")
        it.type("Decline\r")
        it.until("Steersman: Run sleep 987654")
        it.type("Accept\r")
        pid = int(stage.until_written("pid"))
        do(it, "steersman-stop")
        stage.until_gone(pid)


def test_lsp_mode_leaves_a_question_for_a_code_action(set_stage: SetStage) -> None:
    turns = [turn("I do.", edit("todo", "milk", "bread")), turn("All done.")]
    stage = set_stage(turns, {"note.txt": NOTE, "todo": "milk\n"})
    with emacs(stage, "note.txt", LSP_MODE) as it:
        do(it, "steersman", "do it")
        it.until("Steersman: Edit todo")
        leave(it)
        do(it, "steersman-answer")
        it.until("+bread")
        do(it, "lsp-execute-code-action")
        it.until("Select code action")
        it.type("Accept: \t\r")
        it.until("All done.")
        assert stage.read("todo") == "bread\n"


def test_lsp_mode_does_what_a_comment_says(set_stage: SetStage) -> None:
    code = "# steersman: really double it\ndef double(x):\n    return x\n"
    turns = [
        turn("I double.", edit("app.py", "return x", "return 2 * x"), user="really double it"),
        turn("Doubled."),
    ]
    with emacs(set_stage(turns, {"app.py": code}), "app.py", LSP_MODE) as it:
        do(it, "lsp-execute-code-action")
        it.until("Select code action")
        it.type("Do\t\r")
        it.until("Steersman: Edit app.py")
        it.type("Accept\r")
        it.until("Doubled.")
        it.until("return 2 * x")
