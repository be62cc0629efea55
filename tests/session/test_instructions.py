"""The instructions of folders: which are followed, when a model is told of them, and that it is told once."""

import os

import pytest

from steersman.session.instructions import MAX_INSTRUCTIONS, InstructionsRefused, read_instructions
from support.scripted_model import answer, call
from support.session_harness import Person


def system(h):
    return h.model.requests[-1].system


def given(h):
    """What was added to the results of tools, by name."""
    return [
        (block["attached"], block["text"].partition("\n\n")[2])
        for data in h.of("tool_execution_end")
        for block in data["content"]
        if block.get("attached")
    ]


def read(*names):
    return [call("read", {"path": name}) for name in names]


async def test_the_homes_come_before_the_workspaces_and_need_no_trust(harness):
    h = harness(answer("ok"), answer("ok"), trusts_all=False, person=Person("accept", "decline"))
    h.home.root.mkdir()
    (h.home.root / "AGENTS.md").write_text("Mine.")
    h.put("AGENTS.md", "Theirs.")
    await h.run()
    assert system(h).index("Mine.") < system(h).index("Theirs.")
    assert system(h).rstrip().splitlines()[-1].startswith("Date: "), "what changes comes last"
    other = harness(answer("ok"), trusts_all=False, person=Person("decline"))
    other.home.root.mkdir()
    (other.home.root / "AGENTS.md").write_text("Mine.")
    other.put("AGENTS.md", "Theirs.")
    await other.run()
    assert "Mine." in system(other) and "Theirs." not in system(other)


async def test_claude_md_counts_where_there_is_no_agents_md_beside_it(harness):
    h = harness(answer("", *read("one/a.txt", "two/a.txt")), answer("ok"))
    h.put("CLAUDE.md", "Root claude.")
    h.put("one/a.txt")
    h.put("one/AGENTS.md", "One agents.")
    h.put("one/CLAUDE.md", "One claude.")
    h.put("two/a.txt")
    h.put("two/CLAUDE.md", "Two claude.")
    await h.run()
    assert "Root claude." in system(h)
    assert given(h) == [("one/AGENTS.md", "One agents."), ("two/CLAUDE.md", "Two claude.")]


async def test_those_further_down_come_with_the_first_result_from_below_them_outermost_first(harness):
    h = harness(
        answer("", *read("a/b/x.txt", "a/b/y.txt", "a/z.txt")),
        answer("", *read("a/b/x.txt"), call("ls", {"path": "c"})),
        answer("ok"),
    )
    h.put("AGENTS.md", "Root.")
    for name in ("a/b/x.txt", "a/b/y.txt", "a/z.txt"):
        h.put(name, "text\n")
    h.put("a/AGENTS.md", "Of a.")
    h.put("a/b/AGENTS.md", "Of b.")
    h.put("c/AGENTS.md", "Of c.")
    await h.run()
    assert sorted(given(h)[:2]) == [("a/AGENTS.md", "Of a."), ("a/b/AGENTS.md", "Of b.")]
    assert given(h)[2:] == [("c/AGENTS.md", "Of c.")]
    systems = {request.system for request in h.model.requests}
    assert len(systems) == 1, "the beginning of a request stays as it was"


async def test_they_are_not_given_again_in_the_next_run_or_by_the_next_server(harness):
    look = [answer("", *read("a/x.txt")), answer("ok")]
    h = harness(*look, *look)
    h.put("a/x.txt", "text\n")
    agents = h.put("a/AGENTS.md", "Of a.")
    run = await h.run()
    await h.run("again", session=run.session)
    assert given(h) == [("a/AGENTS.md", "Of a.")]
    await h.close()
    h.restart(*look, *look)
    await h.run("again", session=run.session)
    assert given(h) == [("a/AGENTS.md", "Of a.")]
    agents.write_text("Of a, changed.")
    await h.run("again", session=run.session)
    assert given(h)[1:] == [("a/AGENTS.md", "Of a, changed.")]


async def test_a_change_below_them_brings_them_too_and_an_error_does_not(harness):
    h = harness(
        answer("", *read("a/none.txt")),
        answer("", call("write", {"path": "a/new.txt", "content": "x\n"})),
        answer("ok"),
        mode="auto-edit",
    )
    h.put("a/AGENTS.md", "Of a.")
    await h.run()
    assert h.outcomes == ["failed", "ok"]
    assert given(h) == [("a/AGENTS.md", "Of a.")]
    assert h.of("tool_execution_end")[0]["content"][-1].get("attached") is None


async def test_the_user_is_asked_about_trust_when_they_are_first_met(harness):
    person = Person("accept")
    h = harness(answer("", *read("a/x.txt", "a/y.txt")), answer("ok"), person=person, trusts_all=False)
    h.put("a/x.txt", "x\n")
    h.put("a/y.txt", "y\n")
    h.put("a/AGENTS.md", "Of a.")
    await h.run()
    assert person.kinds == ["trust"]
    assert given(h) == [("a/AGENTS.md", "Of a.")]


async def test_with_nobody_to_ask_they_are_not_followed_and_that_is_said_once(harness):
    h = harness(answer("", *read("a/x.txt")), answer("", *read("b/x.txt")), answer("ok"), trusts_all=False)
    for name in "ab":
        h.put(f"{name}/x.txt", "x\n")
        h.put(f"{name}/AGENTS.md", "Do.")
    await h.run()
    assert given(h) == []
    (notice,) = h.of("notice")
    assert "--trust" in notice["message"]


async def test_those_of_another_workspace_folder_come_with_the_first_result_from_there(harness):
    h = harness(answer("", *read("two/x.txt")), answer("ok"), folders=("one", "two"))
    (h.base / "two/x.txt").write_text("x\n")
    (h.base / "two/AGENTS.md").write_text("Of two.")
    h.put("AGENTS.md", "Of one.")
    await h.run()
    assert "Of one." in system(h) and "Of two." not in system(h)
    assert given(h) == [("two/AGENTS.md", "Of two.")]


async def test_a_link_that_leads_out_of_the_workspace_is_not_followed_and_that_is_said(harness):
    h = harness(answer("", *read("a/x.txt")), answer("", *read("a/x.txt")), answer("ok"))
    (h.base / "secret").write_text("secret words")
    h.put("a/x.txt", "x\n")
    for folder in (h.root, h.root / "a"):
        (folder / "AGENTS.md").symlink_to(h.base / "secret")
    await h.run()
    assert "secret words" not in repr(h.model.requests)
    assert [data["message"].count("outside the workspace") for data in h.of("notice")] == [1, 1]


async def test_a_deny_rule_covers_them_too(harness):
    h = harness(answer("", *read("a/x.txt")), answer("ok"), deny=("AGENTS.md",))
    h.put("a/x.txt", "x\n")
    h.put("AGENTS.md", "Of all.")
    h.put("a/AGENTS.md", "Of a.")
    await h.run()
    assert given(h) == [] and "Of all." not in system(h)


def test_one_file_is_bounded_decoded_and_never_waited_for(tmp_path):
    file = tmp_path / "AGENTS.md"
    assert read_instructions(tmp_path) is None
    file.write_bytes(b"\xef\xbb\xbf" + "Grüße \U0001f600 ".encode() + b"\xff\n")
    assert read_instructions(tmp_path).text == "Grüße \U0001f600 \ufffd"
    file.write_bytes(("é" * MAX_INSTRUCTIONS).encode())
    text = read_instructions(tmp_path).text
    assert text.endswith("é\n\n(The rest of this file is left out: it is too long.)")
    assert len(text.encode()) < MAX_INSTRUCTIONS + 100
    file.write_text(" \n")
    assert read_instructions(tmp_path) is None
    file.unlink()
    os.mkfifo(file)
    assert read_instructions(tmp_path) is None, "to open a pipe would wait for its other end"
    file.unlink()
    file.symlink_to("AGENTS.md")
    with pytest.raises(InstructionsRefused):
        read_instructions(tmp_path)
