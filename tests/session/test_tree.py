"""The tree of a session: going back, branches in place, forks into sessions of their own."""

import asyncio
import json
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.messages import (
    AssistantMessage,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    plain_text,
)
from steersman.session.errors import Refused
from steersman.session.fold import closed, fold
from steersman.session.log import SessionLog
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from steersman.session.schema import validate
from steersman.session.tree import MAX_HELD, Branch, Node
from steersman.session.window import characters
from support.event_checker import check_conversation
from support.manual_clock import settle
from support.rich_session import RICH, rich_person, rich_session
from support.scripted_model import answer, call
from support.session_harness import SessionHarness, check_wire, keys


def said(messages: Sequence) -> list[str]:
    """The texts of the users and models."""
    return [plain_text(message.content) for message in messages if message.role in ("user", "assistant")]


def users(h: SessionHarness) -> list[str]:
    """Ids of the messages of the user, in the order in which they were said."""
    return [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]


async def three_turns(harness, **options) -> SessionHarness:
    h = harness(answer("A1"), answer("A2"), answer("A3"), answer("B2"), answer("B3"), answer("C"), **options)
    run = await h.run("one")
    await h.run("two", session=run.session)
    await h.run("three", session=run.session)
    return h


class TestGoingBack:
    async def test_the_next_message_follows_what_was_before_the_one_that_was_gone_back_to(self, harness):
        h = await three_turns(harness)
        session = h.session.id
        went = await h.manager.library.go_back(session, users(h)[1])
        assert (went["text"], went["session"]) == ("two", session)
        assert said(h.session.picture.messages) == ["one", "A1"]
        await h.run("other two", session=session)
        assert said(h.model.requests[-1].messages) == ["one", "A1", "other two"]
        assert said(h.session.picture.messages) == ["one", "A1", "other two", "B2"]

    async def test_the_log_keeps_every_branch_and_a_restart_stands_where_it_stood(self, harness):
        h = await three_turns(harness)
        session = h.session.id
        before = h.path().read_bytes()
        await h.manager.library.go_back(session, users(h)[1])
        await h.run("other two", session=session)
        await h.close()
        assert h.path(session).read_bytes().startswith(before)
        h.restart(answer("B3"))
        await h.run("other three", session=session)
        assert said(h.model.requests[0].messages) == ["one", "A1", "other two", "B2", "other three"]
        await h.close()

    async def test_to_the_first_message_is_an_empty_conversation(self, harness):
        h = await three_turns(harness)
        session = h.session.id
        went = await h.manager.library.go_back(session, users(h)[0])
        assert went["text"] == "one"
        assert h.session.picture.messages == []
        await h.run("anew", session=session)
        assert said(h.model.requests[-1].messages) == ["anew"]

    async def test_a_branch_that_was_left_can_be_returned_to(self, harness):
        h = await three_turns(harness)
        session, tip = h.session.id, h.session.picture.tip
        await h.manager.library.go_back(session, users(h)[1])
        await h.run("other two", session=session)
        resumed = await h.manager.library.resume(session, tip)
        assert resumed["tip"] == tip
        assert said(h.session.picture.messages) == ["one", "A1", "two", "A2", "three", "A3"]
        await h.run("four", session=session)
        assert said(h.model.requests[-1].messages)[-2:] == ["A3", "four"]

    async def test_it_changes_no_file(self, harness):
        write = call("write", {"path": "made.txt", "content": "made\n"})
        h = harness(answer("", write), answer("done"), mode="auto-edit")
        run = await h.run("make it")
        await h.manager.library.go_back(run.session, users(h)[0])
        assert h.text("made.txt") == "made\n"

    async def test_editing_or_forking_from_an_earlier_message_changes_no_file_without_a_revert(self, harness):
        """Bug 47"""
        write = call("write", {"path": "made.txt", "content": "made\n"})
        again = [answer("another way"), answer("in a copy")]
        h = harness(answer("", write), answer("done"), *again, mode="auto-edit")
        h.put("other.txt", "other\n")
        run = await h.run("make it")
        first = users(h)[0]
        copy = await h.manager.library.fork(run.session, first)
        await h.manager.library.go_back(run.session, first)
        await h.run("make it otherwise", session=run.session)
        await h.run("make it elsewhere", session=copy["session"])
        assert {path.name: path.read_text() for path in h.root.iterdir()} == {
            "made.txt": "made\n",
            "other.txt": "other\n",
        }
        assert h.of("revert_start") == []

    async def test_an_empty_conversation_can_not_be_shortened(self, harness):
        h = await three_turns(harness)
        await h.manager.library.go_back(h.session.id, users(h)[0])
        with pytest.raises(Refused) as caught:
            await h.manager.compact(h.session.id, h.roots)
        assert caught.value.code == "nothingToDo"

    async def test_it_is_refused_while_a_run_is_live_and_nothing_is_recorded(self, harness):
        h = await three_turns(harness)
        run = await h.manager.start(h.request("four", session=h.session.id))
        with pytest.raises(Refused) as caught:
            await h.manager.library.go_back(run.session, users(h)[0])
        assert caught.value.code == "busy"
        assert h.of("head") == []
        run.release()
        await run.wait()

    @pytest.mark.parametrize("message", ["msg_0", "", "cfg_4"])
    async def test_to_what_is_no_message_of_the_user_is_refused(self, harness, message):
        h = await three_turns(harness)
        with pytest.raises(Refused) as caught:
            await h.manager.library.go_back(h.session.id, message)
        assert caught.value.code == "unknownMessage"

    async def test_what_was_configured_on_the_branch_holds_on_it_again(self, harness):
        h = await three_turns(harness)
        session = h.session.id
        h.models["test:other"] = h.model
        await h.manager.configure(session=session, model="test:other")
        await h.run("four", session=session)
        assert h.specs[-1] == "test:other"
        await h.manager.library.go_back(session, users(h)[1])
        await h.run("other two", session=session)
        assert h.specs[-1] == "test:scripted"

    async def test_a_session_that_is_not_kept_goes_back_as_far_as_memory_reaches(self, harness):
        h = await three_turns(harness, keep_logs=False)
        session, tip = h.session, h.session.picture.tip
        await session.move_to(session.picture.tree.nodes[users(h)[1]].parent, h.manager._store)
        assert said(session.picture.messages) == ["one", "A1"]
        with pytest.raises(Refused) as caught:
            await session.move_to(tip, h.manager._store)
        assert caught.value.code == "unsupported"


class TestForks:
    async def test_a_fork_has_the_branch_up_to_the_message_and_goes_on_by_itself(self, harness):
        h = await three_turns(harness)
        parent = h.session.id
        before = h.path().read_bytes()
        forked = await h.manager.library.fork(parent, users(h)[2])
        assert forked["text"] == "three"
        child = forked["session"]
        run = await h.run("other three", session=child)
        assert said(h.model.requests[-1].messages) == ["one", "A1", "two", "A2", "other three"]
        assert run.session == child
        assert h.path(parent).read_bytes() == before

    async def test_a_fork_without_a_message_is_the_whole_branch(self, harness):
        h = await three_turns(harness)
        parent = h.session.id
        await h.manager.library.go_back(parent, users(h)[1])
        await h.run("other two", session=parent)
        child = (await h.manager.library.fork(parent))["session"]
        picture = read_picture(h.path(child))
        assert said(picture.messages) == ["one", "A1", "other two", "B2"]
        assert picture.header["forkedFrom"] == {
            "session": parent,
            "node": read_picture(h.path(parent)).tip,
        }
        assert "two" not in said(picture.messages), "the other branch stays behind"

    async def test_of_a_live_run_only_what_was_before_a_message_can_be_forked(self, harness):
        h = await three_turns(harness)
        run = await h.manager.start(h.request("four", session=h.session.id))
        with pytest.raises(Refused) as caught:
            await h.manager.library.fork(run.session)
        assert caught.value.code == "busy"
        child = (await h.manager.library.fork(run.session, users(h)[1]))["session"]
        assert said(read_picture(h.path(child)).messages) == ["one", "A1"]
        run.release()
        await run.wait()

    @pytest.mark.parametrize("written", [False, True], ids=["while it is copied", "when it is there already"])
    async def test_a_fork_that_is_cancelled_leaves_no_session_that_nobody_was_told_of(self, harness, written):
        loop, copying, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        class HeldLog(SessionLog):
            @classmethod
            def write_whole(cls, path: Path, lines: Iterable[bytes]) -> None:
                if written:
                    super().write_whole(path, lines)
                loop.call_soon_threadsafe(copying.set)
                go_on.wait()
                if not written:
                    super().write_whole(path, lines)

        h = await three_turns(harness, log_class=HeldLog)
        parent = h.session.id
        forking = asyncio.create_task(h.manager.library.fork(parent))
        await copying.wait()
        forking.cancel()
        await settle()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await forking
        assert [path.name for path in h.home.sessions.iterdir()] == [h.path(parent).name]

    async def test_a_fork_before_the_first_message_is_empty_and_nothing_was_interrupted(self, harness):
        h = await three_turns(harness)
        child = (await h.manager.library.fork(h.session.id, users(h)[0]))["session"]
        picture = read_picture(h.path(child))
        assert (picture.messages, picture.last_stop, picture.model) == ([], None, "test:scripted")
        assert "agent_start" not in {record["type"] for record in read_records(h.path(child))}
        await h.run("anew", session=child)
        assert said(h.model.requests[-1].messages) == ["anew"]

    async def test_a_disk_that_refuses_leaves_nothing_of_the_copy(self, harness, tmp_path):
        h = await three_turns(harness)
        before = sorted(path.name for path in h.home.sessions.iterdir())
        name = f"ses_{next(h._numbers) + 1}"
        (h.home.sessions / f"{name}.jsonl").mkdir()
        with pytest.raises(Refused) as caught:
            await h.manager.library.fork(h.session.id)
        assert caught.value.code == "readOnly"
        (h.home.sessions / f"{name}.jsonl").rmdir()
        assert sorted(path.name for path in h.home.sessions.iterdir()) == before

    async def test_the_name_that_the_user_gave_goes_with_it(self, harness):
        h = await three_turns(harness)
        await h.manager.library.rename(h.session.id, "  My\n work ")
        child = (await h.manager.library.fork(h.session.id, users(h)[1]))["session"]
        assert read_picture(h.path(child)).title == "My work"


async def test_before_every_message_of_a_rich_session_a_fork_is_whole_and_the_parent_unchanged(harness):
    h = harness(*RICH, person=rich_person())
    parent = await rich_session(h)
    before = h.path(parent).read_bytes()
    tree = h.session.picture.tree
    nodes = {node.id: node for node in tree.nodes.values() if node.kind == "user"}
    assert len(nodes) >= 4
    for node in nodes.values():
        child = (await h.manager.library.fork(parent, node.id))["session"]
        records = list(read_records(h.path(child)))
        check_fork(records)
        picture = fold(records)
        assert picture.run is None
        assert list(picture.tree.nodes) == [each.id for each in tree.path(node.parent)]
        original = [message for message in h.session.picture.messages if message.role != "tool"]
        wanted = [message.id for message in original if message.id in picture.tree.nodes]
        assert [key for key in keys(picture.messages) if key in tree.nodes] == wanted
    assert h.path(parent).read_bytes() == before
    await h.close()


def check_fork(records: list[dict]) -> None:
    for record in records:
        validate(record)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    check_wire(records)
    check_conversation(fold(records).messages)
    ends = [record for record in records if record["type"] == "agent_end"]
    assert len(ends) == len([record for record in records if record["type"] == "agent_start"])
    for end in ends:
        assert end["data"]["session"] == fold(records[: end["seq"] - 1]).totals()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_after_any_wandering_memory_and_log_tell_the_same(harness, data):
    """Runs, steps back, returns to other branches, forks and restarts, in any order."""
    h = harness(*[answer(f"A{i}") for i in range(30)])
    session = (await h.run("0")).session
    for step in range(data.draw(st.integers(1, 8))):
        nodes = list(h.session.picture.tree.nodes.values())
        told = [node.id for node in nodes if node.kind in ("user", "assistant")]
        match data.draw(st.sampled_from(["run", "back", "return", "fork", "restart"])):
            case "run":
                await h.run(f"{step + 1}", session=session)
            case "back":
                message = data.draw(st.sampled_from([node.id for node in nodes if node.kind == "user"]))
                await h.manager.library.go_back(session, message)
            case "return":
                await h.manager.library.resume(session, data.draw(st.sampled_from(told)))
            case "fork":
                child = (await h.manager.library.fork(session))["session"]
                check_fork(list(read_records(h.path(child))))
                mine, copy = h.session.picture, read_picture(h.path(child))
                assert keys(copy.messages) == keys(mine.messages)
                assert copy.tip == mine.tip
            case "restart":
                await h.close()
                h.restart(*[answer(f"R{step}-{i}") for i in range(30)])
                await h.manager.resume(session)
        memory, disk = h.session.picture, closed(read_picture(h.path(session)))
        assert keys(memory.messages) == keys(disk.messages)
        assert (memory.tip, memory.asked, memory.model, memory.mode) == (
            disk.tip,
            disk.asked,
            disk.model,
            disk.mode,
        )
        path = [node.id for node in memory.tree.path(memory.tip) if node.kind in ("user", "assistant")]
        assert keys(memory.messages) == path
    await h.close()


async def test_a_deleted_session_is_gone_and_what_it_did_to_files_stays(harness):
    write = call("write", {"path": "made.txt", "content": "made\n"})
    h = harness(answer("", write), answer("done"), mode="auto-edit")
    session = (await h.run("make it")).session
    path = h.path(session)
    h.verify()
    await h.manager.library.delete(session)
    h.events.clear()
    assert not path.exists()
    assert h.text("made.txt") == "made\n"
    with pytest.raises(Refused) as caught:
        await h.manager.resume(session)
    assert caught.value.code == "unknownSession"


async def test_a_session_with_a_live_run_is_not_deleted(harness):
    h = harness(answer("done"))
    run = await h.manager.start(h.request("go"))
    with pytest.raises(Refused) as caught:
        await h.manager.library.delete(run.session)
    assert caught.value.code == "busy"
    assert h.path(run.session).exists()
    run.release()
    await run.wait()


@pytest.mark.parametrize("title", ["", " \n", "x" * 201])
async def test_a_title_that_is_none_is_refused(harness, title):
    h = harness(answer("done"))
    run = await h.run("go")
    with pytest.raises(Refused) as caught:
        await h.manager.library.rename(run.session, title)
    assert caught.value.code == "badTitle"
    assert json.loads(h.path().read_bytes().splitlines()[-1])["type"] == "agent_end"


class TestVeryLongSessions:
    """31: what no model could be told is not kept in memory, and stays in the log."""

    def long_branch(self) -> Branch:
        branch = Branch()
        for number in range(100):
            call = ToolCall(f"c{number}", "read", "{}")
            branch.add(UserMessage(f"u{number}", (Text(f"wish {number}"),)), f"u{number}")
            branch.add(AssistantMessage(f"a{number}", (call,), "m", "stop"), f"a{number}")
            text = f"begin {number} {'x' * 1_000_000} end {number}"
            branch.add_results([ToolResultMessage(call.id, "read", (Text(text),))])
        return branch

    def test_of_old_results_only_beginning_and_end_stay_and_the_newest_are_whole(self):
        branch = self.long_branch()
        assert sum(map(characters, branch.messages)) <= MAX_HELD
        assert len(branch.messages) == len(branch.nodes) == 300
        check_conversation(branch.messages)
        old, new = branch.messages[2].text, branch.messages[-1].text
        assert (old.startswith("begin 0 x"), old.endswith("x end 0"), len(old) < 1000) == (True, True, True)
        assert len(new) > 1_000_000
        assert plain_text(branch.messages[0].content) == "wish 0"

    def test_going_back_and_going_on_stays_within_the_bound(self):
        branch = self.long_branch()
        branch.go_back([Node("u0", None, 1, "user"), Node("a0", "u0", 2, "assistant")])
        assert [message.role for message in branch.messages] == ["user", "assistant", "tool"]
        for _ in range(60):
            branch.add_results([ToolResultMessage("c0", "read", (Text("y" * 1_000_000),))])
        assert sum(map(characters, branch.messages)) <= MAX_HELD
