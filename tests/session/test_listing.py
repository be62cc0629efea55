"""The session that was used last in a folder, found among the logs on disk."""

import json
import os

import pytest

from steersman.agent.messages import Usage
from steersman.session.errors import Refused
from steersman.session.listing import MAX_HEADER, MAX_LOGS, list_sessions, most_recent_log, summarize
from steersman.session.log import SessionLog
from steersman.session.log_lock import is_being_written
from steersman.session.wire import usage_data
from steersman.workspace.roots import Roots
from support.scripted_model import answer
from support.session_harness import failing_log


class Logs:
    def __init__(self, path):
        self.path = path
        path.mkdir()

    def put(self, session, *roots, used, text=None):
        log = self.path / f"{session}.jsonl"
        data = {"format": 1, "session": session, "roots": [root.as_uri() for root in roots]}
        log.write_text(
            json.dumps({"seq": 1, "type": "session", "data": data}) + "\n" if text is None else text
        )
        os.utime(log, (used, used))
        return log


@pytest.fixture
def logs(tmp_path):
    return Logs(tmp_path / "sessions")


def test_it_is_the_one_that_was_written_last_in_that_folder(logs, tmp_path):
    mine, other = tmp_path / "my work 😀", tmp_path / "other"
    logs.put("ses_a", mine, used=1)
    logs.put("ses_b", mine, other, used=3)
    logs.put("ses_c", mine, used=2)
    logs.put("ses_d", other, mine, used=4)
    logs.put("ses_e", used=5)
    assert most_recent_log(logs.path, mine) == "ses_b"
    assert most_recent_log(logs.path, other) == "ses_d"
    assert most_recent_log(logs.path, None) == "ses_e"
    assert most_recent_log(logs.path, tmp_path / "none") is None


def test_a_folder_that_was_named_by_a_link_is_the_same(logs, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    logs.put("ses_a", tmp_path / "link", used=1)
    assert most_recent_log(logs.path, Roots([tmp_path / "link"]).primary.path) == "ses_a"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json\n",
        "[1]\n",
        '{"type": "session"}\n',
        '{"type": "session", "data": {"session": "ses_other", "roots": []}}\n',
        '{"type": "session", "data": {"session": "ses_bad", "roots": 7}}',
        '{"type": "session", "data": {"session": "ses_bad", "roots": ["file:///a%00b"]}}',
        '{"type": "session", "data": {"session": "ses_bad", "roots": ["file://[/x"]}}',
        '{"type": "agent_start", "data": {"session": "ses_bad"}}\n',
        "[" * 50_000,
        '{"type": "session", "data": {"padding": "' + "x" * MAX_HEADER + '"}}\n',
        "\0\udcff",
    ],
)
def test_what_is_no_log_is_passed_over(logs, tmp_path, text):
    logs.put("ses_a", tmp_path, used=1)
    log = logs.put("ses_bad", used=2, text="")
    log.write_bytes(text.encode(errors="surrogateescape"))
    (logs.path / "ses_dir.jsonl").mkdir()
    (logs.path / "ses_link.jsonl").symlink_to(logs.path / "nowhere")
    (logs.path / "notes.txt").write_text("{}")
    assert most_recent_log(logs.path, tmp_path) == "ses_a"


@pytest.mark.parametrize(
    "record",
    [
        {"type": "message_end", "data": None},
        {"type": "message_end", "data": {"role": "user"}},
        {"type": "message_end", "data": {"role": "user", "messageId": 1, "content": [{"type": "picture"}]}},
        {"type": "session_renamed", "ts": "now", "data": {"title": 5}},
        {"type": "config", "data": {"model": ["m"]}},
        {"type": "agent_end", "ts": 10**30, "data": {"session": {"title": {}, "model": 7, "usage": "much"}}},
    ],
)
def test_a_log_whose_records_lack_what_their_types_have_hides_no_session(logs, tmp_path, record):
    logs.put("ses_a", tmp_path, used=1)
    header = {
        "seq": 1,
        "type": "session",
        "data": {"format": 1, "session": "ses_b", "roots": None, "created": "x"},
    }
    logs.put("ses_b", used=2, text=f"{json.dumps(header)}\n{json.dumps({'seq': 2, **record})}\n")
    strange, plain = list_sessions(logs.path)
    assert (strange.id, plain.id) == ("ses_b", "ses_a")
    assert (strange.title, strange.model, strange.usage, strange.roots, strange.created) == (
        None,
        None,
        None,
        (),
        0,
    )


def test_only_so_many_are_looked_into(logs, tmp_path):
    logs.put("ses_old", tmp_path, used=1)
    for number in range(MAX_LOGS - 1):
        logs.put(f"ses_{number}", tmp_path / "other", used=2)
    assert most_recent_log(logs.path, tmp_path) == "ses_old"
    logs.put("ses_more", tmp_path / "other", used=2)
    assert most_recent_log(logs.path, tmp_path) is None


def test_without_a_home_there_is_none(tmp_path):
    assert most_recent_log(tmp_path / "none", tmp_path) is None


async def test_the_next_server_goes_on_where_the_one_before_was(harness):
    h = harness()
    with pytest.raises(Refused) as refused:
        await h.manager.find.to_continue(h.roots)
    assert refused.value.code == "unknownSession"
    h.model.fallback = answer("done")
    first = await h.run("first")
    await h.run("second")
    await h.close()
    os.utime(h.path(first.session), (2e9, 2e9))
    h.restart(answer("new"))
    assert await h.manager.find.to_continue(h.roots) == first.session
    new = await h.run("new")
    assert await h.manager.find.to_continue(h.roots) == new.session, "what this server has used comes first"


class TestTheList:
    async def test_each_session_is_told_as_it_stands(self, harness):
        h = harness(answer("A1", usage=Usage(10, 2)), answer("A2", usage=Usage(20, 3)))
        first = await h.run("fix the cart\nplease")
        await h.run("and more", session=first.session)
        (summary,) = await h.manager.library.list()
        told = summary.data()
        assert told == {
            "session": first.session,
            "title": "fix the cart",
            "created": told["created"],
            "updated": told["updated"],
            "roots": [h.root.as_uri()],
            "model": "test:scripted",
            "usage": usage_data(Usage(30, 5)),
            "state": "idle",
            "locked": False,
            "size": h.path().stat().st_size,
        }
        assert told["created"] < told["updated"]
        await h.close()
        assert list_sessions(h.home.sessions) == [summary]

    async def test_a_run_that_has_ended_here_is_not_live_whatever_its_log_says(self, harness):
        h = harness(answer("A1"), log_class=failing_log(lambda record: record["type"] == "agent_end"))
        await h.run("one")
        assert summarize(h.path()).state == "live"
        assert [each.state for each in await h.manager.library.list()] == ["idle"]

    async def test_the_last_name_counts_and_words_of_it_find_it(self, harness):
        h = harness(answer("A1"), answer("A2"))
        run = await h.run("one")
        await h.run("two")
        await h.manager.library.rename(run.session, "The Cart")
        await h.close()
        h.restart()
        titles = {each.id: each.title for each in await h.manager.library.list()}
        assert titles[run.session] == "The Cart"
        assert [each.id for each in await h.manager.library.list(query="cart THE")] == [run.session]
        assert await h.manager.library.list(query="cart nothing") == []

    async def test_only_sessions_of_a_folder_newest_first_and_no_more_than_asked_for(self, logs, tmp_path):
        for number in range(5):
            logs.put(f"ses_{number}", tmp_path / ("a" if number % 2 else "b"), used=number)
        assert [each.id for each in list_sessions(logs.path)] == [f"ses_{n}" for n in (4, 3, 2, 1, 0)]
        assert [each.id for each in list_sessions(logs.path, tmp_path / "a")] == ["ses_3", "ses_1"]
        assert [each.id for each in list_sessions(logs.path, limit=2)] == ["ses_4", "ses_3"]

    async def test_a_run_that_a_crash_cut_is_interrupted_and_one_of_another_process_is_live(self, harness):
        h = harness(answer("A1"))
        run = await h.manager.start(h.request("one"))
        run.release()
        await run.wait()
        path = h.path()
        lines = path.read_bytes().splitlines(keepends=True)
        assert json.loads(lines[-1])["type"] == "agent_end"
        await h.close()
        path.write_bytes(b"".join(lines[:-1]))
        assert summarize(path).state == "interrupted"
        other, _ = SessionLog.open(path)  # as another process would hold it
        told = summarize(path)
        assert (told.state, told.locked, told.title) == ("live", True, "one")
        await other.close()
        path.write_bytes(b"".join(lines))
        h.events.clear()

    async def test_looking_at_a_log_keeps_nobody_from_opening_it(self, harness):
        h = harness(answer("A1"))
        run = await h.run("one")
        await h.close()
        path = h.path(run.session)
        with path.open("rb") as file:
            assert not is_being_written(file.fileno())
            opened, _ = SessionLog.open(path)
            assert is_being_written(file.fileno())
            await opened.close()

    async def test_of_a_long_log_little_is_read_and_the_name_is_found_at_its_end(self, harness):
        """Bug 31"""
        h = harness(answer("A1", usage=Usage(10, 2)))
        run = await h.run("one")
        await h.close()
        path = h.path(run.session)
        lines = path.read_bytes().splitlines(keepends=True)
        notice = json.dumps({"seq": 0, "session": run.session, "ts": 1, "type": "notice", "data": {}})
        filler = (notice[:-1] + ', "x": "' + "x" * 100_000 + '"}\n').encode()
        head = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "agent_start")
        path.write_bytes(b"".join(lines[:head]) + filler * 300 + b"".join(lines[head:]))
        told = summarize(path)
        assert (told.title, told.state, told.usage) == ("one", "idle", usage_data(Usage(10, 2)))
        path.write_bytes(b"".join(lines))

    async def test_of_a_very_long_turn_what_can_be_told_is_told(self, harness):
        h = harness(answer("A1"))
        run = await h.run("one")
        await h.close()
        path = h.path(run.session)
        lines = path.read_bytes().splitlines(keepends=True)
        filler = b'{"seq": 0, "type": "notice", "ts": 1, "data": {"message": "' + b"x" * 100_000 + b'"}}\n'
        path.write_bytes(b"".join(lines[:-1]) + filler * 50)
        told = summarize(path)
        assert (told.title, told.state, told.usage) == ("one", "unknown", None)
        path.write_bytes(b"".join(lines))


async def test_a_folder_whose_name_is_no_utf_8_is_found_again(harness):
    h = harness(answer("A1"), answer("A2"))
    path = h.base / os.fsdecode(b"caf\xe9")
    path.mkdir()
    run = await h.run("one", roots=Roots([path]))
    await h.close()
    h.restart(answer("A2"))
    session = await h.manager.resume(run.session)
    assert [root.path for root in session.roots.folders] == [path.resolve()]
    assert [each.id for each in await h.manager.library.list(path.resolve())] == [run.session]
    await h.close()
