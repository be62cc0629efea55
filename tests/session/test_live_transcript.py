"""A transcript that is told of each record says what one that is made anew would say, and stays bounded."""

import pytest

from steersman.session.errors import LogCorrupt
from steersman.session.export.live import LiveTranscript
from steersman.session.export.writing import transcript
from steersman.session.log_reading import read_records
from support.rich_session import LONG, RICH, long_session, rich_person, rich_session
from support.told_log import Told, said


async def rich_log(harness):
    h = harness(*RICH, person=rich_person())
    session = await rich_session(h)
    await h.close()
    return h.services.log_path(session)


async def test_at_its_end_it_is_the_transcript_of_the_log(tmp_path, harness):
    log = await rich_log(harness)
    whole = "".join(transcript(log, "markdown"))
    live = LiveTranscript(log)
    live.read()
    assert live.text() == whole


async def test_records_that_come_one_by_one_are_told_as_if_the_log_were_read(tmp_path, harness):
    log = await rich_log(harness)
    records = list(read_records(log))
    for known in range(1, len(records), 7):
        part = tmp_path / "part.jsonl"
        lines = log.read_bytes().splitlines(keepends=True)
        part.write_bytes(b"".join(lines[:known]))
        live = LiveTranscript(part)
        live.read()
        part.write_bytes(b"".join(lines))
        live.feed(records)
        assert live.text() == "".join(transcript(log, "markdown")), known


async def test_of_a_long_one_the_last_part_is_shown_and_what_is_left_out_is_counted(tmp_path, harness):
    log = await rich_log(harness)
    live = LiveTranscript(log, max_characters=500)
    live.read()
    text = live.text()
    assert "entries are left out here. `steersman.export` writes the whole.*" in text
    assert text.endswith("".join(transcript(log, "markdown"))[-200:])


async def test_a_gap_is_read_again(tmp_path, harness):
    log = await rich_log(harness)
    records = list(read_records(log))
    live = LiveTranscript(log)
    live.feed(records[-1:])
    assert live.seq == len(records)


async def test_who_goes_back_is_followed(harness):
    h = harness(*LONG, mode="auto-edit")
    session = await long_session(h)
    await h.close()
    log = h.services.log_path(session)
    live = LiveTranscript(log)
    for record in read_records(log):
        live.feed([record])
    assert live.text() == "".join(transcript(log, "markdown"))


def kept(path, told: Told):
    path.write_bytes(told.lines)
    return path


def test_calls_under_way_and_open_questions_stand_at_its_end(tmp_path):
    told = Told()
    told.run()
    told.said("user", said("go"))
    told.said("assistant", {"type": "toolCall", "id": "call_x", "name": "ls", "arguments": "{}"})
    told.add(
        "tool_execution_start", {"toolCallId": "call_x", "name": "ls", "args": {"path": "src"}}, run="run_1"
    )
    live = LiveTranscript(kept(tmp_path / "log.jsonl", told))
    live.read()
    assert live.text().endswith("\n*Under way: `ls src`*\n")
    question = {"id": "apr_1", "toolCallId": "call_x", "title": "Look?", "changes": []}
    told.add("approval_requested", question, run="run_1")
    live.feed(told.records)
    assert live.text().endswith("\n*Waiting for you: Look?*\n")


@pytest.mark.parametrize(
    ("kind", "data"),
    [("message_end", {"messageId": "msg_9"}), ("retry", {"message": "no wait"}), ("config", {"model": 1})],
)
def test_a_record_that_lacks_what_its_type_must_have_is_named(tmp_path, kind, data):
    told = Told()
    told.run()
    told.said("user", said("go"))
    live = LiveTranscript(kept(tmp_path / "log.jsonl", told))
    live.read()
    told.add(kind, data, run="run_1")
    with pytest.raises(LogCorrupt, match="Record 4 of the session's log is malformed"):
        live.feed(told.records)
    with pytest.raises(LogCorrupt, match="Record 4 of the session's log is malformed"):
        LiveTranscript(kept(tmp_path / "log.jsonl", told)).read()


def test_what_is_no_log_of_this_version_is_not_read(tmp_path):
    told = Told()
    told.records[0]["data"]["format"] = 2
    with pytest.raises(LogCorrupt, match="this one doesn't read"):
        LiveTranscript(kept(tmp_path / "log.jsonl", told)).read()
