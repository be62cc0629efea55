"""What happens while a run goes on: commands with given results, and what the user does meanwhile."""

import pytest

from steersman.testing import (
    Ran,
    after,
    call,
    turn,
)
from support.planned_runs import mismatch


def test_commands_that_are_given_do_not_run(agent):
    result = agent.run(
        "go",
        [turn(call("bash", command="touch x")), turn(call("bash", command="touch x")), "Done."],
        mode="full-auto",
        commands={"touch x": [Ran("No space left", is_error=True), "made"]},
    )
    assert [(each.outcome, each.text) for each in result.calls] == [
        ("failed", "No space left"),
        ("ok", "made"),
    ]
    assert result.changed == {}


def test_commands_that_are_not_given_or_not_run_fail_the_test(agent):
    model = [turn(call("bash", command="make")), "Done."]
    said = mismatch(agent, "go", model, mode="full-auto", commands={"make test": ""})
    assert "A command that the test does not expect: 'make'. It expects 'make test'." in said
    assert "The command 'make test' ran 0 times, not 1." in said


def test_a_user_steers_and_queues(agent):
    result = agent.run(
        "go",
        [turn(call("ls")), "First.", "Second."],
        during=[
            after("tool_execution_end", name="ls").steer("only sub"),
            after("message_update", nth=2).follow_up("and then?"),
        ],
    )
    assert "only sub" in result.requests[1].text and "and then?" not in result.requests[1].text
    assert "and then?" in result.requests[2].text


def test_an_abort_in_the_middle_of_an_answer_leaves_the_rest_unsaid(agent):
    result = agent.run("go", [turn("abcdef", chunk=2)], during=[after("message_update", nth=2).abort()])
    assert result.stop_reason == "aborted"
    assert result.data("message_end")[-1]["partial"][0]["text"] == "abcd"


def test_an_abort_before_anything_is_said_hands_the_prompt_back(agent):
    result = agent.run("go", ["x"][:0], during=[after("agent_start").abort()])
    assert (result.stop_reason, result.undelivered) == ("aborted", ["go"])


def test_a_callback_sees_each_event_and_acts(agent):
    seen = []

    def on_event(event, live):
        seen.append(event["type"])
        if event["type"] == "turn_start" and event["turn"] == 1:
            live.steer("quick")

    result = agent.run("go", [turn(call("ls")), "Done."], on_event=on_event)
    assert seen == [event["type"] for event in result.events]
    assert result.saw("quick")


def test_what_a_callback_raises_is_raised_when_the_run_has_ended(agent):
    def on_event(event, live):
        assert event["type"] != "tool_execution_start", "no tools here"

    with pytest.raises(AssertionError, match="no tools here"):
        agent.run("go", [turn(call("ls")), "Done."], on_event=on_event)
    assert agent.results[-1].stop_reason == "aborted"
    assert agent.run("again", ["Fine."]).text == "Fine."


def test_a_moment_that_never_comes_and_one_that_is_too_late_fail_the_test(agent):
    said = mismatch(
        agent,
        "go",
        ["Done."],
        during=[after("tool_execution_end", name="ls").abort(), after("agent_end").steer("late")],
    )
    assert "The moment of after('tool_execution_end', name='ls').abort() never came." in said
    assert "after('agent_end').steer('late') was refused: " in said


def test_a_run_that_does_not_end_fails_the_test(agent):
    assert "had not ended after 0.05 seconds" in mismatch(agent, "go", [turn(hang=True)], timeout=0.05)
