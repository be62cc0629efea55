"""Checks what must hold of a home and a workspace after a crash of the process, or a full disk."""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steersman.agent.model import ModelRequest
from steersman.models.anthropic_request import AnthropicRequestBuilder
from steersman.models.chat_request import ChatRequestBuilder
from steersman.session.errors import Refused
from steersman.session.fold import closed, fold
from steersman.session.housekeeping import tidy
from steersman.session.listing import list_sessions
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from steersman.session.open_run import INTERRUPTED_BEFORE, INTERRUPTED_RUNNING, WITHDRAWN
from support.anthropic_rules import check_anthropic_request
from support.chat_rules import check_chat_request
from support.crash_story import CUT, PATIENCE, tree
from support.event_checker import check_conversation
from support.scripted_model import answer
from support.session_harness import SessionHarness, check_wire, keys

Record = dict[str, Any]
Trees = Mapping[str, Sequence[str | None]]
"""By relative path, what may be there: each state of the story; None: nothing."""


def check_requests(request: ModelRequest) -> None:
    """The request is one that strict servers of both APIs take."""
    check_chat_request(ChatRequestBuilder("openai-chat:m-1", "m-1").body(request))
    model = "claude-sonnet-4-5"
    check_anthropic_request(AnthropicRequestBuilder(f"anthropic:{model}", model).body(request))


def notes_in(path: Path) -> list[dict[str, Any]]:
    lines = path.read_bytes().split(b"\n")[:-1]  # the last one may have been cut off
    return [json.loads(line) for line in lines]


async def check(base: Path, legal: Trees) -> str:
    """Looks at what is left, resumes, goes on, and takes everything back. Returns what was found, for the record.

    Raises:
        AssertionError: something is lost, torn or wrong.
    """
    notes = notes_in(base / "notes")
    root, sessions = base / "ws", base / "home" / "sessions"
    logs = sorted(sessions.glob("*.jsonl")) if sessions.is_dir() else []
    _nothing_written_is_lost(notes, sessions)
    found = tree(root)
    for name in {*found, *legal}:
        assert found.get(name) in legal.get(name, ()), f"{name} is torn"
    h = SessionHarness(base, answer("Going on."), answer("And on."), mode="ask")
    h._numbers = itertools.count(10_000)
    tidy(h.home)
    what = "nothing had begun"
    for path in logs:
        what = await _session(h, path, legal) if path == logs[0] else await _copy(h, path)
    left = [str(path.relative_to(base)) for path in base.rglob("*") if path.name.startswith(".steersman-")]
    assert left == [], "temporary files"
    await h.close()
    h.verify()
    return what


def _nothing_written_is_lost(notes: Sequence[Record], sessions: Path) -> None:
    sizes = {note["log"]: note["size"] for note in notes if "log" in note and "failed" not in note}
    for name, size in sizes.items():
        assert (sessions / name).stat().st_size >= size or _was_taken_back(notes), "the log has shrunk"
    told = [note["told"] for note in notes if "told" in note]
    for session in {each[0] for each in told}:
        mine = [(seq, kind) for name, seq, kind in told if name == session]
        numbers = {seq for seq, _ in mine}
        records = read_records(sessions / f"{session}.jsonl")
        kept = [(r["seq"], r["type"]) for r in records if r["seq"] in numbers]
        assert kept == mine, "what was told is in the log"


def _was_taken_back(notes: Sequence[Record]) -> bool:
    """Half a record that did not fit is cut off at once."""
    return any("failed" in note for note in notes)


async def _session(h: SessionHarness, path: Path, legal: Trees) -> str:
    session = path.stem
    before = list(read_records(path))
    was_open = fold(before)
    reader = closed(read_picture(path))
    listed = {each.id: each for each in list_sessions(path.parent)}
    await h.manager.resume(session)
    after = list(read_records(path))
    assert after[: len(before)] == before, "history is never rewritten"
    assert keys(h.session.picture.messages) == keys(reader.messages), "a reader sees the same"
    check_wire(after)
    check_conversation(h.session.picture.messages)
    runs = Counter(record["type"] for record in after if record["type"] in ("agent_start", "agent_end"))
    assert runs["agent_start"] == runs["agent_end"], "each run has one end"
    (shown,) = h.manager.status()["sessions"]
    interrupted = was_open.run is not None or was_open.last_stop == "interrupted"
    assert (shown["state"] == "interrupted") == interrupted
    if before:
        assert (listed[session].state == "interrupted") == interrupted
    _told_apart(before, after)
    await h.close()
    h.events.clear()  # of a run whose beginning was told by the process that is gone
    once = path.read_bytes()
    await _go_on(h, session)
    assert path.read_bytes().startswith(once), "what was closed is not closed again"
    await _take_back(h, session, after, legal)
    return _what(before, was_open)


def _what(before: Sequence[Record], was_open: Any) -> str:
    if was_open.run is not None:
        return "in a run"
    if was_open.reverting is not None:
        return "in a revert"
    if was_open.compacting:
        return "in a compaction"
    return "between runs" if len(before) > 1 else "nothing had begun"


def _told_apart(before: Sequence[Record], after: Sequence[Record]) -> None:
    """Each call that a crash left open is closed with the words that are true of it; what had finished is kept."""
    began = {r["data"]["toolCallId"] for r in before if r["type"] == "tool_execution_running"}
    ended = {r["data"]["toolCallId"] for r in before if r["type"] == "tool_execution_end"}
    questions = {
        r["data"]["id"]: r["data"]["toolCallId"] for r in before if r["type"] == "approval_requested"
    }
    for record in before:
        if record["type"] == "approval_resolved":
            questions.pop(record["data"]["id"], None)
    asked = set(questions.values())
    for record in after[len(before) :]:
        if record["type"] != "tool_execution_end":
            continue
        data = record["data"]
        name, text = data["toolCallId"], data["content"][0]["text"]
        assert name not in ended
        expected = INTERRUPTED_BEFORE
        if name in began:
            expected = INTERRUPTED_RUNNING
        elif name in asked:
            expected = WITHDRAWN
        assert text == expected, (text, expected)
    calls = [
        block["id"]
        for r in after
        if r["type"] == "message_end"
        and r["data"].get("role") == "assistant"
        and "discarded" not in r["data"]
        for block in r["data"]["content"]
        if block["type"] == "toolCall"
    ]
    results = [r["data"]["toolCallId"] for r in after if r["type"] == "tool_execution_end"]
    assert sorted(calls) == sorted(results), "one result for each call"


async def _go_on(h: SessionHarness, session: str) -> None:
    h.restart(answer("Going on."), answer("And on."))
    try:
        run = await h.run(None, session=session)
    except Refused as refused:
        assert refused.code == "emptyPrompt", refused.code
        run = await h.run("go on", session=session)
    assert run.end is not None and run.end.stop_reason == "complete", run.end
    for request in h.model.requests:
        check_requests(request)


async def _take_back(h: SessionHarness, session: str, records: Sequence[Record], legal: Trees) -> None:
    """Everything back to before the first message."""
    first = next((r["data"]["messageId"] for r in records if _is_user(r)), None)
    if first is not None:
        preview = await h.manager.reverts.preview(session, first)
        states = {each["uri"].rsplit("/", 1)[1]: each["state"] for each in preview["files"]}
        assert set(states.values()) <= {"ready", "done"}, states
        if "ready" in states.values():
            await h.manager.reverts.revert(session, first)
            await asyncio.wait_for(h.session.operation.task, PATIENCE)  # type: ignore[union-attr]
    original = {name: states[0] for name, states in legal.items() if states[0] is not None}
    assert tree(h.root) == original, "the old tree is back"


def _is_user(record: Record) -> bool:
    return record["type"] == "message_end" and record["data"].get("role") == "user"


async def _copy(h: SessionHarness, path: Path) -> str:
    """A session that was forked is whole, unless the story has cut it off: then it is mended as any."""
    once = path.read_bytes()
    cut = h.base / CUT
    is_cut = cut.exists() and cut.read_text() == path.stem
    picture = read_picture(path)
    assert is_cut or picture.closers() == []
    check_conversation(closed(picture).messages)
    await h.manager.resume(path.stem)
    kept = list(read_records(path))
    check_wire(kept)
    _told_apart([json.loads(line) for line in once.split(b"\n")[:-1]], kept)
    await h.close()
    assert is_cut or path.read_bytes() == once
    h.events.clear()
    h.restart(answer("Going on."))
    run = await h.run("go on", session=path.stem)
    assert run.end is not None and run.end.stop_reason == "complete"
    check_requests(h.model.requests[0])
    return "while an interrupted run was closed" if is_cut else "a copy had been made"
