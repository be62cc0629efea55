"""What the user of a scene does after its run: takes the changes back, or asks something else in a copy."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steersman.cli.demo.client import Json, ServerError
from steersman.cli.demo.editor import Editor
from steersman.cli.demo.record import Record

Heard = Callable[[str], Awaitable[Json]]
"""Waits for an event of this type, and gives its data."""


async def revert(record: Record, editor: Editor, session: str, heard: Heard) -> None:
    """Somebody else changes a file that the run has changed. Then the user takes everything back, except that file."""
    assert record.scene.elsewhere is not None  # the scene is about it
    name, text = record.scene.elsewhere
    (checkpoint,) = (await editor.command("checkpoints", session=session))["checkpoints"]
    changed = {uri.rpartition("/")[2]: uri for uri in checkpoint["files"]}
    Path(unquote(urlsplit(changed[name]).path)).write_text(text, "utf-8")
    since = {"session": session, "checkpoint": checkpoint["checkpoint"]}
    preview = await editor.command("revert", **since)
    states = {each["uri"]: each["state"] for each in preview["files"]}
    record.notes.append(f"somebody else has changed {name}; what a revert would find: {_told(states)}")
    try:
        await editor.command("revert", **since, preview=False)
        record.problems.append("the conflict was not asked about")
    except ServerError as refused:
        record.notes.append(f"refused until the user decides: {refused}")
    await editor.command("revert", **since, preview=False, onConflict={changed[name]: "keep"})
    end = await heard("revert_end")
    record.notes.append(_told({each["uri"]: each["outcome"] for each in end["files"]}))
    kept = [each["uri"] for each in end["files"] if each["outcome"] == "kept"]
    if kept != [changed[name]]:
        record.problems.append(f"kept was {kept}")


async def fork(record: Record, editor: Editor, session: str) -> None:
    """The user copies the session up to the last message, and sends another message there."""
    assert record.scene.instead is not None  # the scene is about it
    before = (await editor.command("events", session=session))["events"]
    messages = (await editor.command("checkpoints", session=session))["checkpoints"]
    forked = await editor.command("fork", session=session, message=messages[-1]["checkpoint"])
    record.notes.append(f"forked before “{forked['text']}”, which comes back to be changed")
    started = await editor.command("start", prompt=record.scene.instead, session=forked["session"])
    await editor.end_of(started["run"])
    after = (await editor.command("events", session=session))["events"]
    if before != after:
        record.problems.append("the first session's log has changed")
    record.notes.append(f"the first session has the same {len(after)} records as before")


def _told(files: dict[str, str]) -> str:
    return ", ".join(f"{uri.rpartition('/')[2]} {what}" for uri, what in files.items())
