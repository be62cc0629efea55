"""The session that was used last in a folder, found among the logs on disk."""

import json
import os

import pytest

from steersman.session.errors import Refused
from steersman.session.recent import MAX_HEADER, MAX_LOGS, most_recent_log
from steersman.workspace.roots import Roots
from support.scripted_model import answer


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
        await h.manager.to_continue(h.roots)
    assert refused.value.code == "unknownSession"
    h.model.fallback = answer("done")
    first = await h.run("first")
    await h.run("second")
    await h.close()
    os.utime(h.path(first.session), (2e9, 2e9))
    h.restart(answer("new"))
    assert await h.manager.to_continue(h.roots) == first.session
    new = await h.run("new")
    assert await h.manager.to_continue(h.roots) == new.session, "what this server has used comes first"
