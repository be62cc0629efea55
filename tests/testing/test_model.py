"""The model of a test: its turns, scripts and tapes, and the requests that it gets."""

import pytest

from steersman.extensions import CannotGoOn, Extension
from steersman.models.recording import Recording, RecordingModel
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.testing import (
    ScriptError,
    after,
    call,
    failure,
    script,
    tape,
    turn,
)
from steersman.testing.commands import Commands
from steersman.testing.model import ScriptModel
from steersman.testing.setting import services_for
from steersman.workspace.roots import Roots
from support.planned_runs import mismatch
from support.session_harness import Person


def test_failures_are_tried_again_at_once(agent):
    result = agent.run("go", [failure("rate_limit", retry_after=30, after="half"), "Done."])
    assert result.text == "Done." and len(result.requests) == 2
    assert result.data("retry")[0]["afterMs"] == 0


def test_a_failure_that_is_not_tried_again_ends_the_run(agent):
    result = agent.run("go", [failure("auth", "The key is wrong.")])
    assert result.stop_reason == "error"
    assert result.end["error"]["code"] == "auth"


def test_a_turn_may_be_made_from_the_request(agent):
    result = agent.run("go", [turn(call("read", path="a.txt")), lambda request: request.messages[-1]["text"]])
    assert result.text == "one\n"


def test_malformed_arguments_reach_the_agent_as_they_are(agent):
    result = agent.run("go", [turn(call("read", '{"path": "a')), "Oh."])
    assert result.calls[0].outcome == "badArguments"


@pytest.mark.parametrize(("stop", "truncated"), [("length", True), ("stop", None)])
def test_why_the_model_stops_can_be_said(agent, stop, truncated):
    result = agent.run("go", [turn("half", stop=stop, usage={"input": 7, "cost": 0.5})])
    assert result.end.get("truncated") is truncated
    assert (result.usage["input"], result.usage["cost"]) == (7, 0.5)


def test_a_request_too_many_fails_the_test_and_is_named(agent):
    said = mismatch(agent, "go", [turn(call("read", path="a.txt"))])
    assert (
        "The model was asked a request that the script has no turn for, number 2: read returned 'one'."
        in said
    )


def test_a_turn_too_many_fails_the_test_and_is_named(agent):
    assert "Nobody asked for turns 2 to 3: the model was asked once" in mismatch(agent, "go", ["a", "b", "c"])


def test_an_extension_that_fails_is_told_before_what_came_of_it(agent):
    class Broken(Extension):
        async def prepare_run(self, inputs, signal):
            raise ValueError("no ticket")

    agent.configure(extensions={"broken": Broken})
    assert mismatch(agent, "go", ["a"]).splitlines() == [
        "The run failed: An extension failed; the log says which and how.",
        "Logged: the extension broken raised in prepare_run",
        "Logged: the hook prepare_run raised: ValueError('no ticket')",
        "Nobody asked for turn 1: the model was asked nothing, and the script has 1 turns.",
    ]


def test_what_an_extension_says_for_people_is_told_too(agent):
    class Told(Extension):
        async def prepare_run(self, inputs, signal):
            raise CannotGoOn("There is no ticket.")

    agent.configure(extensions={"told": Told})
    assert mismatch(agent, "go", ["a"]).startswith("The run failed: told: There is no ticket.\nNobody asked")


def test_a_request_too_many_is_told_once(agent):
    said = mismatch(agent, "go", [turn(call("read", path="a.txt"))])
    assert (said.count("no turn for"), said.count("failed")) == (1, 0)


def test_what_a_turn_raises_is_told(agent):
    assert "turn 1: it raised KeyError('x')" in mismatch(agent, "go", [lambda request: {}["x"]])


def test_a_script_in_yaml(agent, tmp_path):
    path = tmp_path / "turns.yaml"
    path.write_text(
        "- toolCalls:\n    - {name: read, arguments: {path: a.txt}}\n"
        "- {error: {kind: overloaded, times: 2}, expect: {toolResults: one}, text: Read.}\n"
        "- hang: true\n"
    )
    result = agent.run(
        "go",
        script(str(path)),
        during=[after("turn_start", nth=2).follow_up("more"), after("message_start", nth=7).abort()],
    )
    assert (result.stop_reason, len(result.requests)) == ("aborted", 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- text: ok\n- txt: no\n", "turns.yaml, line 2: unknown field `txt`"),
        ("- toolCalls: [{name: x, arguments: {when: 2026-01-01}}]\n", "turns.yaml, line 1: "),
        ("- {text: a, delayMs: 5}\n", "turns.yaml, line 1: a test doesn't wait"),
        ("- 7\n", "turns.yaml, line 1: a turn is a text, or a mapping"),
        ("text: a\n", "turns.yaml: a script is a list of turns"),
        ("- [\n", "turns.yaml is not YAML"),
        ("- {}\n", "line 1: the turn says nothing"),
    ],
)
def test_a_script_in_yaml_that_is_wrong_is_refused_with_its_line(agent, tmp_path, text, said):
    path = tmp_path / "turns.yaml"
    path.write_text(text)
    with pytest.raises(ScriptError) as caught:
        agent.run("go", script(str(path)))
    assert said in str(caught.value)
    assert agent.results == []


def test_a_yaml_turn_that_expects_another_request_fails_the_test(agent, tmp_path):
    path = tmp_path / "turns.yaml"
    path.write_text("\n- {text: a, expect: {user: stop}}\n")
    said = mismatch(agent, "go", script(str(path)))
    assert "turn 1 (line 2) expects the last user message to contain 'stop', but it is 'go'" in said


def test_a_tape_is_replayed_and_a_miss_fails_the_test(agent, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"tape": 1}\n{"when": "go"}\n{"text": "Gone."}\n')
    assert agent.run("go", tape(str(path))).text == "Gone."
    assert "this request asks for turn 2" in mismatch(agent, "stop", tape(str(path)))


async def record(base, turns) -> str:
    """A tape of one run in a workspace of its own, as `steersman run --record` makes it."""
    workspace = base / "recorded"
    workspace.mkdir()
    recording = Recording(base / "r.jsonl", lambda text: text)
    model = RecordingModel(ScriptModel(turns, "the script"), recording)
    services = services_for(
        Home(base / "home"),
        Settings(model="script:test"),
        approver=Person(),
        model=lambda: model,
        commands=lambda: Commands(None),
    )
    manager = SessionManager(services)
    run = await manager.start(StartRequest("look", Roots([workspace])))
    run.release()
    await run.wait()
    await manager.close()
    recording.close()
    return str(recording.path)


async def test_a_recorded_run_is_replayed_strictly_or_by_its_place(steersman_agent, tmp_path):
    agent = steersman_agent
    path = await record(tmp_path, [turn(call("ls")), "Seen."])
    assert agent.run("look", tape(path)).text == "Seen."
    agent.new_session()
    agent.workspace.write({"more.txt": ""})
    assert "has no recording of this request" in mismatch(agent, "look", tape(path))
    agent.new_session()
    assert agent.run("look", tape(path, loose=True)).text == "Seen."
