"""A session that has ended, as a test: its source is run, and is green."""

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.session.home import Home
from steersman.session.log_reading import read_records
from steersman.testing import (
    Agent,
    Budget,
    CannotRepeat,
    Command,
    Create,
    Delete,
    Edit,
    Move,
    Outside,
    Protected,
    RunMismatch,
    Trust,
    after,
    call,
    failure,
    session_to_test,
    to_test,
    turn,
)

EDIT = call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])


@pytest.fixture
def agent(steersman_agent):
    steersman_agent.workspace.write({"a.txt": "one\nmore\n", "sub/b.txt": "b\n"})
    return steersman_agent


@pytest.fixture
def repeated(agent, pytester):
    """Makes a test of the agent's session, runs it, and returns its source."""

    def repeat() -> str:
        source = session_to_test(agent.results[-1].session, Home(agent.home))
        pytester.path.joinpath("test_made.py").write_text(source)
        result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
        result.assert_outcomes(passed=1)
        return source

    return repeat


def test_what_was_said_answered_and_changed_is_repeated(agent, repeated):
    agent.run(
        "Make it two.",
        [
            turn("I look.", call("read", path="a.txt"), thinking="hm"),
            failure("overloaded"),
            turn(EDIT),
            "Done.",
        ],
        answers=[Edit("a.txt").accept()],
    )
    source = repeated()
    assert '"a.txt": (\n' in source and '"one\\n"' in source
    assert "sub/b.txt" not in source  # nobody has looked at it
    assert 'turn("I look.", call("read", path="a.txt"), thinking="hm"),' in source
    assert 'failure("overloaded", ' in source
    assert 'answers=[Edit("a.txt").accept()],' in source
    assert 'assert result.stop_reason == "complete"' in source
    assert "#" not in source


def test_every_kind_of_change_and_answer(agent, repeated):
    agent.workspace.write({"crlf.txt": "one\r\n", "raw": b"\xff"})
    agent.configure(protect=["sub/**"])
    agent.run(
        "Everything.",
        [
            turn(
                call("edit", path="crlf.txt", edits=[{"oldText": "one", "newText": '"two"'}]),
                call("delete", path="raw"),
                call("move", {"from": "a.txt", "to": "c.txt"}),
                call("write", path="new.txt", content="n\n"),
                call("delete", path="sub/b.txt"),
                call("edit", '{"path": broken'),
            ),
            "Done.",
        ],
        answers=[
            Edit("crlf.txt").accept(),
            Delete("raw").accept(),
            Move("a.txt").accept(),
            Create("new.txt").decline('not "now"'),
            Protected("sub/b.txt").accept(),
        ],
    )
    source = repeated()
    assert '"crlf.txt": "one\\r\\n"' in source and "b'\\xff'" in source
    assert 'steersman_agent.configure(protect=["sub/b.txt"])' in source
    assert "#" not in source


def test_several_runs_with_steering_follow_ups_and_limits(agent, repeated):
    agent.run(
        "go",
        [turn(call("ls")), turn(call("read", path="a.txt")), "First.", "Second."],
        during=[
            after("tool_execution_end").steer("only a"),
            after("message_update", nth=3).follow_up("and then?"),
        ],
    )
    agent.run("again", [turn(call("ls"))], budget=Budget(turns=1))
    agent.run(None, ["Done."])
    agent.run("quietly", [turn(EDIT), "Oh."], answers="nobody")
    agent.run("loosely", [turn(EDIT), "Done."], mode="auto-edit")
    agent.run("carefully", ["Hm."], mode="auto-edit", trusted=False, answers=[Trust().decline()])
    source = repeated()
    assert 'after("turn_start").steer("only a")' in source
    assert 'after("turn_start", nth=3).follow_up("and then?")' in source
    assert "budget=Budget(turns=1)," in source
    assert 'answers="nobody",' in source and "trusted=False," in source


@pytest.mark.parametrize("decision", ["accept", "decline"])
def test_what_was_said_about_trust_holds_for_the_runs_after_it(agent, repeated, decision):
    agent.workspace.write({"AGENTS.md": "Be kind.\n"})
    reply = Trust().accept() if decision == "accept" else Trust().decline()
    agent.run("go", ["Yes."], trusted=False, answers=[reply])
    answers = [] if decision == "accept" else [Edit("a.txt").accept()]
    agent.run("go", [turn(EDIT), "Done."], trusted=False, mode="auto-edit", answers=answers)
    assert f"answers=[Trust().{decision}()]" in repeated()


@pytest.mark.parametrize("when", ["stream", "nothing", "question", "stop", "tool", "turn"])
def test_an_abort_is_repeated_where_it_was(agent, repeated, when):
    runs = {
        "stream": ([turn("abcd", chunk=2)], {"during": [after("message_update").abort()]}),
        "nothing": ([turn(hang=True)], {"during": [after("message_start", role="assistant").abort()]}),
        "question": (
            [turn(EDIT)],
            {"answers": [Edit("a.txt").leave()], "during": [after("approval_requested").abort()]},
        ),
        "stop": ([turn(EDIT)], {"answers": [Edit("a.txt").stop()]}),
        "tool": (
            [turn(call("bash", command="sleep 60"))],
            {"answers": "accept", "during": [after("tool_execution_running").abort()]},
        ),
        "turn": ([turn(call("ls"))], {"during": [after("turn_end").abort()]}),
    }
    model, options = runs[when]
    assert agent.run("go", model, **options).stop_reason == "aborted"
    assert 'assert result.stop_reason == "aborted"' in repeated()


def test_commands_are_not_run_again_and_give_what_they_gave(agent, repeated):
    agent.run(
        "test it",
        [
            turn(call("bash", command="cat sub/x")),
            turn(call("bash", command="echo x > sub/x && cat sub/x")),
            turn(call("bash", command="cat sub/x")),
            "Done.",
        ],
        answers=[Command("cat sub/x").accept_for_run(), Command("echo x > sub/x && cat sub/x").accept()],
    )
    source = repeated()
    assert '"echo x > sub/x && cat sub/x": "x\\n"' in source
    assert "is_error=True" in source and source.count('"cat sub/x"') == 4
    assert "assert result.changed == {}" in source  # what commands do to files is not repeated


def test_the_path_of_the_workspace_is_not_in_it(agent, repeated):
    root = agent.workspace.path
    agent.run(
        "go",
        [
            turn(
                call("read", path=f"{root}/a.txt"),
                call("bash", command=f"ls {root}/sub"),
                call("write", path=f"{root}/where.txt", content=f"{root}\n"),
            ),
            "Done.",
        ],
        mode="full-auto",
    )
    source = repeated()
    assert 'call("read", path="a.txt")' in source and '"ls sub": "b.txt\\n"' in source
    assert source.count(str(root)) == 2  # the text of a file is what it is


def test_what_is_not_known_is_said(agent, repeated):
    agent.workspace.write({"long.txt": "".join(f"{n}\n" for n in range(3000))})
    agent.run(
        "go",
        [
            turn(call("read", path="long.txt", offset=20, limit=2), call("read", path="sub/b.txt")),
            turn(call("write", path="new.txt", content="draft\n")),
            turn(call("edit", path="a.txt", edits=[{"oldText": "more", "newText": "less"}])),
            "Done.",
        ],
        answers=[Create("new.txt").rewrite("final\n"), Edit("a.txt").decline()],
    )
    source = repeated()
    assert "# Of long.txt only 2 lines are known." in source
    assert '"\\n" * 19\n' in source and '+ "19\\n"' in source
    assert "was accepted as rewritten by the user" in source
    assert "# The session left new.txt with another content than this test does." in source


def test_a_call_that_comes_out_otherwise_is_said(agent):
    agent.run("go", [turn(call("grep", pattern="one", path="sub/b.txt")), "Done."])
    source = session_to_test(agent.results[-1].session, Home(agent.home))
    assert "# `grep sub/b.txt` was ok in the session; here it is failed: " in source


def test_records_alone_give_what_was_read(agent):
    agent.run("go", [turn(call("read", path="a.txt")), turn(EDIT), "Done."], answers="accept")
    records = list(read_records(agent.results[-1].log))
    source = to_test(records, name="test_two")
    assert "def test_two(steersman_agent):" in source and '"one\\n"' in source
    assert to_test(json.loads(json.dumps(records)), name="test_two") == source


def test_a_log_can_be_named_by_its_path(agent):
    result = agent.run("go", ["Done."])
    home = Home(agent.home)
    assert session_to_test(result.log, home) == session_to_test(result.session, home)


def test_a_session_that_has_worked_outside_its_workspace_is_refused(agent, tmp_path):
    agent.run(
        "go",
        [turn(call("write", path=str(tmp_path / "x"), content="x")), "Done."],
        answers=[Outside(str(tmp_path / "x")).accept()],
    )
    (tmp_path / "x").unlink()
    with pytest.raises(CannotRepeat, match="outside its workspace: a test must not do that again"):
        session_to_test(agent.results[-1].session, Home(agent.home))
    assert not (tmp_path / "x").exists()


PATHS = st.sampled_from(["a.txt", "sub/b.txt", "c.txt", "none.txt"])
LINES = st.lists(st.sampled_from(["one\n", "two\n", "drei\r\n", "\n"]), max_size=4).map("".join)
CALLS = st.one_of(
    st.builds(lambda path: call("read", path=path), PATHS),
    st.builds(lambda path: call("read", path=path, offset=2, limit=1), PATHS),
    st.builds(
        lambda path, old, new: call("edit", path=path, edits=[{"oldText": old, "newText": new}]),
        PATHS,
        st.sampled_from(["one", "two"]),
        LINES,
    ),
    st.builds(lambda path, text: call("write", path=path, content=text), PATHS, LINES),
    st.builds(lambda path: call("delete", path=path), PATHS),
    st.builds(lambda path, to: call("move", {"from": path, "to": to}), PATHS, PATHS),
    st.sampled_from([call("bash", command="true"), call("ls"), call("nope"), call("read", "{")]),
)
TURNS = st.lists(st.lists(CALLS, min_size=1, max_size=3).map(lambda calls: turn(*calls)), max_size=3)
MOMENTS = st.sampled_from(
    ["turn_start", "message_update", "message_end", "tool_execution_start", "tool_execution_end", "turn_end"]
)
ACTIONS = st.builds(
    lambda event, nth, abort: after(event, nth=nth).abort() if abort else after(event, nth=nth).steer("wait"),
    MOMENTS,
    st.integers(1, 4),
    st.booleans(),
)


@settings(deadline=None, max_examples=12, derandomize=True)
@given(
    files=st.dictionaries(PATHS, LINES, max_size=3),
    runs=st.lists(st.tuples(TURNS, st.lists(ACTIONS, max_size=1)), min_size=1, max_size=2),
    mode=st.sampled_from(["ask", "auto-edit", "full-auto"]),
    answers=st.sampled_from(["accept", "decline", "nobody"]),
)
def test_whatever_a_session_has_done_can_be_repeated(files, runs, mode, answers):
    with tempfile.TemporaryDirectory() as base:
        agent = Agent(Path(base), Path(base))
        try:
            agent.workspace.write(files)
            for turns, during in runs:
                with contextlib.suppress(RunMismatch):  # more turns than needed, and moments that never come
                    model = [*turns, "Done.", "Done.", "Done."]
                    agent.run("go", model, mode=mode, answers=answers, during=during, commands={"true": ""})
            changed = [result.changed for result in agent.results]
            source = session_to_test(agent.results[-1].session, Home(agent.home))
        finally:
            agent.close()
    assert source.count("assert result.changed == ") == len(runs)
    assert "another content" not in source
    if not any(changed):
        assert source.count("assert result.changed == {}") == len(runs)


def record(seq, kind, **data):
    return {"seq": seq, "session": "ses_1", "ts": 0, "type": kind, "data": data}


HEAD = record(1, "session", format=1, session="ses_1", created=0, roots=["file:///w"], version="0")
START = record(2, "agent_start", model="m", mode="ask", inputs=[{"kind": "prompt", "text": "go"}])


def end(**data):
    usual = {"stopReason": "complete", "undelivered": [], "turns": 1}
    return record(3, "agent_end", **(usual | data))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "The session's log is empty."),
        ([START], "This is no session log"),
        ([record(1, "session", format=2)], "This is no session log that this version reads"),
        ([HEAD], "Nothing has run in this session."),
        ([HEAD, START], "The session's last run has not ended."),
        ([HEAD, START, end(stopReason="interrupted")], "was interrupted"),
        ([HEAD, START, end(stopReason="budget", limit="seconds")], "its limit of seconds"),
        ([HEAD, START, end(stopReason="error", error={"code": "hookFailed"})], "failed with hookFailed"),
        ([HEAD, record(2, "head", tip=None)], "was taken back to an earlier message (record 2)"),
        ([HEAD, record(2, "compaction_end")], "was compacted (record 2)"),
        ([HEAD, START, end()], "The repetition differs from the session: "),
    ],
)
def test_what_can_not_be_repeated_is_refused_with_the_reason(records, said):
    with pytest.raises(CannotRepeat) as caught:
        to_test(records)
    assert said in str(caught.value)


@pytest.mark.parametrize("session", ["ses_9", "../ses_1", ""])
def test_a_session_that_is_not_there_is_refused(tmp_path, session):
    with pytest.raises(CannotRepeat, match=r"There is no session ses_9|is not the id of a session"):
        session_to_test(session, Home(tmp_path))


def test_a_name_that_is_none_is_refused():
    with pytest.raises(CannotRepeat, match="'test it' can't name a function"):
        to_test([HEAD], name="test it")
