"""The fixture `steersman_agent`: one run, what comes out of it, and what is refused before it begins."""

import json

import pytest

from steersman.session.schema import validate
from steersman.testing import (
    Agent,
    Budget,
    Create,
    Delete,
    Edit,
    Link,
    Move,
    ScriptError,
    after,
    call,
    failure,
    script,
    tape,
    turn,
)
from support.planned_runs import EDIT


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
    agent.workspace.write({"raw": b"\xff\x00", "link": Link("./a.txt/"), "crlf": "x\r\n"})
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
    assert result.tree["link"] == Link("./a.txt/"), "its target is not normalised"
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
        (lambda: call("read", path={1}), "JSON can't hold the arguments"),
        (lambda: after("turn_ende"), "there is no such event. Did you mean 'turn_end'?"),
        (lambda: after("turn_end", nth=0), "nth counts from 1"),
    ],
)
def test_parts_that_are_wrong_are_refused(write, said):
    with pytest.raises(ScriptError) as caught:
        write()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("Done.", {}, "model='Done.': give a list of turns"),
        ([7], {}, "turn 1: 7 is neither a text nor a turn(…)"),
        (["a"], {"answers": "yes"}, "answers='yes': give 'accept', 'decline' or 'nobody'"),
        (["a"], {"answers": [Edit("a")]}, "is not a reply. Write, for example, Edit("),
        (["a"], {"during": [after("turn_end")]}, "is not an action. Write, for example, after("),
        (["a"], {"commands": {"ls": 1}}, "commands: 'ls' has 1"),
        (["a"], {"mode": "yolo"}, "mode='yolo': it is one of read-only"),
        (["a"], {"budget": 3}, "budget=3: give Budget(turns=…), or None."),
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


def test_a_link_that_leads_in_a_circle_can_be_written_and_removed(agent):
    agent.workspace.write({"loop": Link("loop")})
    assert agent.workspace.tree["loop"] == Link("loop")
    agent.workspace.write({"loop": None})
    assert "loop" not in agent.workspace.tree


def test_files_outside_the_workspace_are_not_written(agent):
    with pytest.raises(ScriptError, match="leads out of the workspace"):
        agent.workspace.write({"../x": "y"})
    with pytest.raises(ScriptError, match=r"There is no folder|there is no folder"):
        agent.workspace.copy("nowhere")
