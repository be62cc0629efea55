"""What both documents say in the same words: the head of a transcript, names of files, how a run ended."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from steersman.agent.messages import Json
from steersman.session.export.entries import Call, Message, Reverted, RunEnd, Summary
from steersman.session.export.outline import Outline
from steersman.session.export.visible import counted, duration, moment, one_line
from steersman.session.facts import usage_text
from steersman.session.wire import Data
from steersman.workspace.uris import path_of

MAX_BRANCHES: Final = 100
"""Left branches that are listed."""
MAX_SHORT: Final = 200
"""Characters of an argument that is shown on one line."""
_HUNK: Final = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_OUTCOMES: Final = {"ok": "done", "failed": "failed", "denied": "declined", None: "no result"}


class Names:
    """Names of files, as short as they can be."""

    def __init__(self, outline: Outline) -> None:
        roots = outline.header.get("roots") or []
        self.folders = [_path(root) for root in roots]

    def of(self, uri: str) -> str:
        """Below the session's own folder, relative to it."""
        path = _path(uri)
        own = self.folders[0].rstrip("/") + "/" if self.folders else ""
        return one_line(path.removeprefix(own) if own else path)


def _path(uri: object) -> str:
    try:
        return str(path_of(str(uri))) or str(uri)
    except ValueError:  # a malformed URI
        return str(uri)


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches that are not in the transcript."""

    lines: list[str]
    more: int


def title_of(outline: Outline) -> str:
    return one_line(outline.title or "") or "A session without a title"


def facts(outline: Outline, *, all_branches: bool) -> list[tuple[str, str]]:
    """The facts of the session that stand before its first message: labels and texts."""
    header, nodes = outline.header, outline.path
    said = outline.tree.nodes.values() if all_branches else nodes
    messages = sum(node.kind in ("user", "assistant", "custom") for node in said)
    origin = header.get("forkedFrom")
    found = [
        ("Session", str(header.get("session", ""))),
        ("Copied from", str(origin.get("session", "")) if isinstance(origin, dict) else ""),
        ("Folders", ", ".join(Names(outline).folders)),
        ("Began", f"{moment(header.get('created'))} UTC"),
        ("Last", f"{moment(outline.last_ts)} UTC"),
        ("Model", outline.model or ""),
        ("Mode", outline.mode or ""),
        ("Messages", f"{messages:,}" + (", of all branches" if all_branches else "")),
        ("Usage", usage_text(outline.usage)),
        ("State", "a run is under way, or was cut off" if outline.stop is None and outline.runs else ""),
        ("Written by", f"Steersman {header.get('version', '')}"),
    ]
    return [(label, one_line(text)) for label, text in found if text.strip()]


def other_branches(outline: Outline) -> Branches:
    others = outline.others()
    lines = []
    for branch in others[:MAX_BRANCHES]:
        before = outline.said_before(branch.after)
        where = "from the beginning" if before is None else f"after the answers to “{one_line(before)}”"
        title = f"“{one_line(branch.title)}”" if branch.title else "an answer"
        lines.append(f"{title}, {counted(branch.messages, 'message')}, {where}")
    return Branches(lines, len(others) - len(lines))


def who(message: Message) -> str:
    if message.role == "custom":
        return one_line(message.kind or "custom")
    if message.source is not None:
        return f"{one_line(message.source)}, in your place"
    return "You" if message.role == "user" else "Assistant"


def discarded_text(message: Message) -> str:
    """Of a message that is no part of the conversation, one sentence; empty for the others."""
    if message.discarded is None:
        return ""
    why = f": {one_line(message.failure)}" if message.failure else "."
    return f"This answer was discarded ({one_line(message.discarded)}){why}"


def outcome_text(call: Call) -> str:
    """`done · 12 ms`."""
    known = _OUTCOMES.get(call.outcome)
    said = known or one_line(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", call.outcome or "").lower())
    return f"{said} · {duration(call.duration_ms)}" if call.duration_ms else said


def arguments(call: Call) -> Iterable[tuple[str, str]]:
    """The names of a call's arguments and their texts; without a name what is no JSON object."""
    if call.args_text is not None and not call.args:
        return [("", call.args_text)] if call.args_text.strip() not in ("", "{}") else []
    return [(name, _value(value)) for name, value in call.args.items()]


def is_short(text: str) -> bool:
    """Whether it can stand in a line, as it is."""
    return 0 < len(text) <= MAX_SHORT and one_line(text) == text


def _value(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def text_of(content: Iterable[Data]) -> str:
    """The text of a result, what is attached to it included."""
    return "\n".join(block["text"] for block in content if block.get("text"))


def images_in(content: Iterable[Data]) -> list[Data]:
    return [block for block in content if block["type"] == "image"]


def is_diff(text: str) -> bool:
    return _HUNK.search(text) is not None


def end_text(end: RunEnd) -> str:
    """How a run ended, in one line."""
    parts = [one_line(end.message), counted(end.turns, "turn"), usage_text(end.usage)]
    return " · ".join(part for part in parts if part)


def summary_text(summary: Summary) -> str:
    return (
        f"The {counted(summary.replaced, 'message')} before were summarised for the model: about "
        f"{summary.tokens_before:,} tokens became {summary.tokens_after:,}."
    )


def reverted_text(reverted: Reverted, names: Names) -> list[str]:
    """A line for each file."""
    lines = [f"{names.of(uri)}: {one_line(outcome)}" for uri, outcome in reverted.files]
    return [*lines, "It was interrupted."] if reverted.cut else lines
