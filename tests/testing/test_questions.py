"""The questions of a run, and the answers that a test expects to give."""

import pytest

from steersman.testing import (
    Command,
    Delete,
    Edit,
    Outside,
    ScriptError,
    Trust,
    after,
    call,
    turn,
)
from support.planned_runs import EDIT, mismatch


def test_questions_are_answered_in_their_order_and_told(agent):
    result = agent.run(
        "go",
        [turn(EDIT, call("delete", path="sub/b.txt")), turn(call("bash", command="true")), "Done."],
        answers=[
            Edit("a.txt").rewrite("three\n"),
            Delete("sub/b.txt").decline("keep it"),
            Command("true").accept(),
        ],
        commands={"true": ""},
    )
    assert result.asked == [Edit("a.txt"), Delete("sub/b.txt"), Command("true")]
    assert [each.decision for each in result.asked] == ["accept", "decline", "accept"]
    assert result.asked[1].feedback == "keep it" and result.saw("keep it")
    assert "+two" in result.asked[0].diff
    assert result.changed == {"a.txt": "three\n"}


def test_some_hunks_can_be_accepted(agent):
    lines = [f"{number}\n" for number in range(30)]
    agent.workspace.write({"long.txt": "".join(lines)})
    edits = [{"oldText": "\n2\n", "newText": "\nzwei\n"}, {"oldText": "\n28\n", "newText": "\nx\n"}]
    model = [turn(call("edit", path="long.txt", edits=edits)), "Done."]
    asked = agent.run("go", model, answers="decline").data("approval_requested")[0]
    result = agent.run(
        "go", model, answers=[Edit("long.txt").accept_hunks(asked["changes"][0]["hunks"][0]["id"])]
    )
    assert "zwei" in result.tree["long.txt"] and "x\n" not in result.tree["long.txt"]


def test_a_question_that_is_not_expected_fails_the_test_with_its_diff(agent):
    said = mismatch(agent, "go", [turn(EDIT), "Done."])
    assert "A question that the test does not expect: Edit('a.txt')." in said
    assert "-one\n+two" in said
    assert "answers=[Edit('a.txt').accept()]" in said
    assert agent.results[-1].stop_reason == "aborted"
    assert agent.results[-1].changed == {}
    assert agent.results[-1].asked[0].decision == "withdrawn"


def test_another_question_than_the_next_one_fails_the_test(agent):
    said = mismatch(agent, "go", [turn(EDIT)], answers=[Delete("a.txt").accept()])
    assert "does not expect here: Edit('a.txt')" in said and "It expects Delete('a.txt')." in said


def test_an_answer_that_nobody_asked_for_fails_the_test(agent):
    assert mismatch(agent, "go", ["Done."], answers=[Edit("a.txt").accept()]) == "Never asked: Edit('a.txt')."


def test_an_answer_that_does_not_fit_fails_the_test(agent):
    said = mismatch(agent, "go", [turn(EDIT)], answers=[Edit("a.txt").accept_hunks("h9")])
    assert "The answer to Edit('a.txt') can't be used: No such hunk: h9." in said


def test_nobody_can_be_asked(agent):
    result = agent.run("go", [turn(EDIT), "Oh."], answers="nobody")
    assert result.calls[0].outcome == "denied" and "nobody to ask" in result.calls[0].text


def test_stop_ends_the_run_and_a_question_can_be_left_open(agent):
    stopped = agent.run("go", [turn(EDIT)], answers=[Edit("a.txt").stop()])
    left = agent.run(
        "go", [turn(EDIT)], answers=[Edit("a.txt").leave()], during=[after("approval_requested").abort()]
    )
    assert [each.stop_reason for each in (stopped, left)] == ["aborted", "aborted"]
    assert left.asked[0].decision == "withdrawn"


def test_trust_is_asked_about_only_where_the_test_says_so(agent):
    assert agent.run("go", [turn(EDIT), "Done."], mode="auto-edit").asked == []
    asked = agent.run("go", ["Hm."], mode="auto-edit", trusted=False, answers=[Trust().decline()])
    assert asked.asked == [Trust()]


def test_what_is_outside_the_workspace_is_asked_about(agent, tmp_path):
    (tmp_path / "x.txt").write_text("secret of the house\n")
    result = agent.run(
        "go",
        [turn(call("read", path=str(tmp_path / "x.txt"))), "Done."],
        mode="full-auto",
        answers=[Outside(f"Read {tmp_path}/x.txt (outside the workspace)").accept()],
    )
    assert result.saw("secret of the house")


def test_rules_of_the_user(steersman_agent):
    steersman_agent.configure(deny=["private/**"], allow_commands=["echo *"])
    steersman_agent.workspace.write({"private/key": "k"})
    result = steersman_agent.run(
        "go", [turn(call("read", path="private/key"), call("bash", command="echo hi")), "Done."]
    )
    assert [each.outcome for each in result.calls] == ["denied", "ok"]
    assert result.calls[1].text == "hi\n"
    with pytest.raises(ScriptError, match="before the first run"):
        steersman_agent.configure()
