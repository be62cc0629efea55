"""What the recorded model says in the stories of the editors."""

from typing import Any

Turn = dict[str, Any]


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    """A call that puts one text in the place of another."""
    return {"name": "edit", "arguments": {"path": path, "edits": [{"oldText": old, "newText": new}]}}


def bash(command: str) -> dict[str, Any]:
    return {"name": "bash", "arguments": {"command": command}}


def read(path: str) -> dict[str, Any]:
    return {"name": "read", "arguments": {"path": path}}


def turn(text: str, *calls: dict[str, Any], user: str = "", results: str = "") -> Turn:
    """An answer. The model insists on having been told `user` by the user, and `results` by its tools."""
    told = {"user": user, "toolResults": results}
    expect = {name: text for name, text in told.items() if text}
    return {"text": text, "toolCalls": list(calls), "expect": expect}


LOOK_THEN_SHOUT = [
    turn("Seen."),
    {"when": "shout"},
    turn("I look.", read("note.txt")),
    turn("I shout.", edit("note.txt", "two", "TWO"), results="zero"),
    turn("Shouted."),
]
"""A run that does nothing, and one that finds the file changed."""
