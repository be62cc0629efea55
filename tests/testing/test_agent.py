"""The fixture `steersman_agent`: one run and what comes out of it."""

import json

import pytest

from steersman.models.recording import Recording, RecordingModel
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.schema import validate
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.testing import (
    Agent,
    Budget,
    Command,
    Create,
    Delete,
    Edit,
    Link,
    Move,
    Outside,
    Ran,
    RunMismatch,
    ScriptError,
    Trust,
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
from support.session_harness import Person

EDIT = call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])


@pytest.fixture
def agent(steersman_agent):
    steersman_agent.workspace.write({"a.txt": "one\n", "sub/b.txt": "b\n"})
    return steersman_agent


def mismatch(agent, *args, **options) -> str:
    with pytest.raises(RunMismatch) as caught:
        agent.run(*args, **options)
    return str(caught.value)


# What comes out


def test_a_run_changes_the_workspace_and_tells_everything(agent):
    result = agent.run(
        "go",
        [turn("Look.", call("read", path="a.txt"), thinking="hm"), turn(EDIT), "Done."],
        answers="accept",
    )
    assert (result.stop_reason, result.text) == ("complete", "Done.")
    assert result.tree == {"a.txt": "two\n", "sub/b.txt": "b\n"}
    assert result.before["a.txt"] == "one\n"
    assert result.changed == {"a.txt": "two\n"}
    assert result.diff == "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
    assert [(each.name, each.outcome) for each in result.calls] == [("read", "ok"), ("edit", "ok")]
    assert result.calls[0].text == "one\n"
    assert [message["role"] for message in result.requests[1].messages] == ["user", "assistant", "tool"]
    assert {"read", "edit", "bash"} <= set(result.requests[0].tools)
    assert result.usage["input"] > 0
    assert "`edit a.txt`: ok" in result.transcript and str(agent.workspace.path) not in result.transcript


def test_the_events_are_those_of_the_protocol_and_of_the_log(agent):
    result = agent.run("go", [turn(EDIT), "Done."], answers="accept")
    for event in result.events:
        validate(event)
    kept = [json.loads(line) for line in result.log.read_text().splitlines()]
    assert [each["type"] for each in kept] == [each["type"] for each in result.events if "seq" in each]


def test_two_agents_have_the_same_ids_dates_and_requests(tmp_path, agent):
    other = Agent(tmp_path, tmp_path)
    try:
        other.workspace.write(agent.workspace.tree)
        runs = [
            each.run("go", [turn(EDIT), failure("overloaded"), "Done."], answers="accept")
            for each in (agent, other)
        ]
    finally:
        other.close()
    places = [str(each.workspace.path) for each in (agent, other)]
    one, two = (json.dumps(run.events).replace(at, "…") for run, at in zip(runs, places, strict=True))
    assert one == two
    one, two = (run.requests[0].system.replace(at, "…") for run, at in zip(runs, places, strict=True))
    assert one == two
    assert "2026-01-05" in runs[0].requests[0].system


def test_files_that_are_made_removed_linked_or_no_text(agent):
    agent.workspace.write({"raw": b"\xff\x00", "link": Link("a.txt"), "crlf": "x\r\n"})
    result = agent.run(
        "go",
        [
            turn(
                call("delete", path="sub/b.txt"),
                call("write", path="new.txt", content="n\n"),
                call("move", {"from": "a.txt", "to": "c.txt"}),
            ),
            "Done.",
        ],
        answers=[Delete("sub/b.txt").accept(), Create("new.txt").accept(), Move("a.txt").accept()],
    )
    assert result.changed == {"sub/b.txt": None, "new.txt": "n\n", "a.txt": None, "c.txt": "one\n"}
    assert result.tree["raw"] == b"\xff\x00"
    assert result.tree["link"] == Link("a.txt")
    assert result.tree["crlf"] == "x\r\n"
    assert "+++ /dev/null" in result.diff


def test_unchanged_and_saw_say_why(agent):
    result = agent.run("go", [turn(EDIT), "Done."], answers="accept")
    assert result.unchanged("sub/b.txt")
    assert not result.unchanged("a.txt")
    assert "a.txt was changed" in repr(result.unchanged("a.txt"))
    assert result.saw("go")
    assert "none of the 2 requests has 'nowhere'" in repr(result.saw("nowhere"))
    with pytest.raises(LookupError, match=r"There is no file nope\.txt"):
        result.unchanged("nope.txt")


def test_the_next_run_goes_on_in_the_session_and_a_new_one_does_not(agent):
    first = agent.run("remember 42", ["Yes."])
    second = agent.run("and?", ["42."])
    assert second.saw("remember 42") and second.session == first.session
    assert second.changed == {}
    agent.new_session()
    third = agent.run("and?", ["What?"])
    assert not third.saw("remember 42") and third.session != first.session


def test_without_a_prompt_a_run_goes_on_from_what_there_is(agent):
    stopped = agent.run("go", [turn(call("ls"))], budget=Budget(turns=1))
    assert stopped.stop_reason == "max_turns"
    assert agent.run(None, ["Done."]).text == "Done."


def test_what_is_kept_is_kept_in_a_home_of_its_own(agent):
    result = agent.run("go", [turn(EDIT), "Done."], answers="accept")
    assert result.log.is_relative_to(agent.home)
    assert (agent.home / "preimages").is_dir()
    assert not agent.home.is_relative_to(agent.workspace.path)


async def test_a_run_from_a_test_with_an_event_loop(agent):
    result = await agent.run_async("go", [turn(EDIT), "Done."], answers="accept")
    assert result.changed == {"a.txt": "two\n"}


# The model


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


# Questions


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


def test_a_question_that_is_not_foreseen_fails_the_test_with_its_diff(agent):
    said = mismatch(agent, "go", [turn(EDIT), "Done."])
    assert "A question that the test does not foresee: Edit('a.txt')." in said
    assert "-one\n+two" in said
    assert "answers=[Edit('a.txt').accept()]" in said
    assert agent.results[-1].stop_reason == "aborted"
    assert agent.results[-1].changed == {}
    assert agent.results[-1].asked[0].decision == "withdrawn"


def test_another_question_than_the_next_one_fails_the_test(agent):
    said = mismatch(agent, "go", [turn(EDIT)], answers=[Delete("a.txt").accept()])
    assert "does not foresee here: Edit('a.txt')" in said and "It foresees Delete('a.txt')." in said


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


# Commands


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
    assert "A command that the test does not foresee: 'make'. It foresees 'make test'." in said
    assert "The command 'make test' ran 0 times, not 1." in said


# While it runs


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
    assert "It never came to after('tool_execution_end', name='ls').abort()." in said
    assert "after('agent_end').steer('late') was refused: " in said


def test_a_run_that_does_not_end_fails_the_test(agent):
    assert "had not ended after 0.05 seconds" in mismatch(agent, "go", [turn(hang=True)], timeout=0.05)


# What is written wrongly


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (turn, "turn() says nothing"),
        (lambda: turn(7), "turn(…): 7 is neither a text nor a call(…)"),
        (lambda: turn("a", stop="bored"), "turn(stop='bored'): it is one of stop, tool_calls"),
        (lambda: turn("a", usage={"tokens": 1}), "turn(usage={'tokens': 1}): it has input, output"),
        (lambda: turn("a", chunk=0), "turn(chunk=0)"),
        (lambda: failure("bored"), "failure('bored'): the kind is one of"),
        (lambda: call(""), "the first argument is the name of a tool"),
        (lambda: call("read", "{}", path="a"), "arguments as text, or as keywords, not both"),
        (lambda: call("read", path={1}), "the arguments are no JSON"),
        (lambda: after("turn_ende"), "there is no such event. Did you mean 'turn_end'?"),
        (lambda: after("turn_end", nth=0), "the first one is 1"),
    ],
)
def test_parts_that_are_wrong_are_refused(write, said):
    with pytest.raises(ScriptError) as caught:
        write()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("Done.", {}, "model='Done.': it is a list of turns"),
        ([7], {}, "turn 1: 7 is neither a text nor a turn(…)"),
        (["a"], {"answers": "yes"}, "answers='yes': it is 'accept', 'decline' or 'nobody'"),
        (["a"], {"answers": [Edit("a")]}, "is no reply; write Edit("),
        (["a"], {"during": [after("turn_end")]}, "is no action; write after("),
        (["a"], {"commands": {"ls": 1}}, "commands: 'ls' has 1"),
        (["a"], {"mode": "yolo"}, "mode='yolo': it is one of read-only"),
        (["a"], {"timeout": 0}, "timeout=0: seconds, above 0"),
        (script("nowhere.yaml"), {}, "Can't read the script"),
        (tape("nowhere.jsonl"), {}, "Can't read the tape"),
    ],
)
def test_a_run_that_is_planned_wrongly_is_refused_before_it_begins(agent, model, options, said):
    with pytest.raises(ScriptError) as caught:
        agent.run("go", model, **options)
    assert said in str(caught.value)
    assert not (agent.home / "sessions").exists()


def test_files_outside_the_workspace_are_not_written(agent):
    with pytest.raises(ScriptError, match="leads out of the workspace"):
        agent.workspace.write({"../x": "y"})
    with pytest.raises(ScriptError, match=r"There is no folder|there is no folder"):
        agent.workspace.copy("nowhere")
