"""A transcript as one HTML page: no script, nothing from elsewhere, every text of the log as text."""

import re
from collections.abc import Iterable, Iterator
from functools import singledispatchmethod
from html import escape
from typing import Final

from steersman import __version__
from steersman.session.export import parts
from steersman.session.export.entries import Call, Entry, Message, Note, Reverted, RunEnd, Summary
from steersman.session.export.outline import Outline
from steersman.session.export.prose import prose
from steersman.session.export.style import STYLE
from steersman.session.export.visible import counted, in_short, moment, one_line, visible
from steersman.session.wire import Data

POLICY: Final = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
MAX_IMAGE, MAX_IMAGES = 4_000_000, 40_000_000
"""Characters of Base64, of one image and of all on the page."""
MAX_OPEN_LINES: Final = 40
"""Lines of a diff that is shown without being asked for."""
_IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,80}")
_DIFF_CLASSES: Final = {"+": "add", "-": "del", "@": "hunk"}


def page(outline: Outline, entries: Iterable[Entry], *, all_branches: bool = False) -> Iterator[str]:
    """The page, piece by piece. Raises what reading the entries raises."""
    made = _Page(outline)
    yield made.head(all_branches=all_branches)
    for entry in entries:
        yield made.entry(entry)
    yield f"</main>\n<footer class=dim>Exported by Steersman {escape(__version__)}.</footer>\n</body>\n</html>\n"


class _Page:
    def __init__(self, outline: Outline) -> None:
        self._outline, self._names = outline, parts.Names(outline)
        self._image_room = MAX_IMAGES

    def head(self, *, all_branches: bool) -> str:
        title = escape(parts.title_of(self._outline))
        facts = "".join(
            f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>\n"
            for label, text in parts.facts(self._outline, all_branches=all_branches)
        )
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
            '<meta name="referrer" content="no-referrer">\n'
            f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
            f'<header>\n<h1>{title}</h1>\n<dl class="facts">\n{facts}</dl>\n'
            f"{'' if all_branches else self._others()}{self._contents()}</header>\n<main>\n"
        )

    def _others(self) -> str:
        branches = parts.other_branches(self._outline)
        if not branches.lines:
            return ""
        items = "".join(f"<li>{escape(line)}</li>\n" for line in branches.lines)
        more = f"<li>and {branches.more:,} more</li>\n" if branches.more else ""
        number = counted(len(branches.lines) + branches.more, "other branch").replace("branchs", "branches")
        return (
            f'<details class="others"><summary>This is the branch at the tip; {number} not shown</summary>\n'
            f"<ul>\n{items}{more}</ul></details>\n"
        )

    def _contents(self) -> str:
        """The user's messages, as links; for more than a few."""
        asked = [
            (node.id, self._outline.asked[node.id])
            for node in self._outline.path
            if self._outline.asked.get(node.id) and _ID.fullmatch(node.id)
        ]
        if len(asked) < 3:
            return ""
        items = "".join(
            f'<li><a href="#{node}">{escape(one_line(title))}</a></li>\n' for node, title in asked
        )
        return (
            f"<nav><details><summary>{len(asked):,} messages of the user</summary>\n"
            f"<ol>\n{items}</ol></details></nav>\n"
        )

    @singledispatchmethod
    def entry(self, entry: Entry) -> str:
        """One entry as HTML."""
        raise NotImplementedError(type(entry))

    @entry.register
    def _message(self, message: Message) -> str:
        blocks = message.shown
        said = parts.discarded_text(message)
        if not blocks and not said:
            return ""
        body = "".join(self._block(message, block) for block in blocks)
        kind = "user" if message.role == "user" else "assistant"
        note = f"<p class=dim>{escape(said)}</p>\n" if said else ""
        return (
            f'<article class="{kind}{" discarded" if said else ""}"{_anchor(message.id)}>'
            f"<header><b>{escape(parts.who(message))}</b>{_link(message.id, message.ts)}</header>\n"
            f"{note}{body}</article>\n"
        )

    def _block(self, message: Message, block: Data) -> str:
        if block["type"] == "image":
            return self._image(block)
        if block["type"] == "thinking":
            return _folded("thinking", "Thinking", _said(block["text"]))
        if (name := block.get("attached")) is not None:
            return _folded("attached", f"Attached: {one_line(name)}", _text(block["text"]))
        if message.role == "assistant":
            return _prose(block["text"])
        return _said(block["text"])

    @entry.register
    def _call(self, call: Call) -> str:
        text = parts.text_of(call.content)
        diffs = [diff for asked in call.asked for diff in asked.diffs]
        inside = "".join(f"<p class=label>{escape(one_line(asked.text))}</p>\n" for asked in call.asked)
        for name, value in parts.arguments(call):
            short = f": <code>{escape(value)}</code>" if parts.is_short(value) else ""
            inside += f"<div class=label>{escape(one_line(name))}{short}</div>\n" if name or short else ""
            inside += "" if short else _text(value)
        if diffs and not parts.is_diff(text):
            inside += "".join(map(_text, diffs))
        shows = parts.is_diff(text) and text.count("\n") <= MAX_OPEN_LINES
        if text and not shows:
            inside += f"<div class=label>Result</div>\n{_text(text)}"
        inside += "".join(map(self._image, parts.images_in(call.content)))
        summary = (
            f"<code>{escape(one_line(call.title))}</code> "
            f'<span class="outcome">{escape(parts.outcome_text(call))}</span>'
        )
        mark = " bad" if call.is_error or call.outcome is None else ""
        folded = f'<details class="call{mark}"><summary>{summary}</summary>\n{inside}</details>\n'
        # What was changed is what a reader looks for; the rest is for those who ask.
        return folded + (_text(text) if shows else "")

    @entry.register
    def _summary(self, summary: Summary) -> str:
        return (
            f'<section class="summary"{_anchor(summary.id)}>'
            f"<p class=dim>{escape(parts.summary_text(summary))} {_time(summary.ts)}</p>\n"
            f"{_folded('summary-text', 'The summary', _prose(summary.text))}</section>\n"
        )

    @entry.register
    def _note(self, note: Note) -> str:
        return f'<div class="note {note.kind}">{escape(one_line(note.text))} {_time(note.ts)}</div>\n'

    @entry.register
    def _end(self, end: RunEnd) -> str:
        files = "".join(
            f'<li><code>{escape(self._names.of(uri))}</code> <span class="added">+{added}</span> '
            f'<span class="removed">−{removed}</span></li>\n'
            for uri, added, removed in end.files
        )
        lost = "".join(f"<li>not delivered: {escape(one_line(text))}</li>\n" for text in end.undelivered)
        listed = f"<ul>\n{files}{lost}</ul>" if files or lost else ""
        mark = "" if end.stop_reason == "complete" else " bad"
        return f'<div class="end{mark}">{escape(parts.end_text(end))} {_time(end.ts)}{listed}</div>\n'

    @entry.register
    def _reverted(self, reverted: Reverted) -> str:
        items = "".join(f"<li>{escape(line)}</li>\n" for line in parts.reverted_text(reverted, self._names))
        title = escape(one_line(reverted.title))
        return f'<div class="note reverted">{title} {_time(reverted.ts)}<ul>\n{items}</ul></div>\n'

    def _image(self, block: Data) -> str:
        kind, data = str(block["mimeType"]), str(block["data"])
        if kind not in _IMAGE_TYPES or not _BASE64.fullmatch(data):
            return f"<p class=dim>[image: {escape(one_line(kind))}]</p>\n"
        if len(data) > min(MAX_IMAGE, self._image_room):
            return f"<p class=dim>[image: {kind}, {len(data) * 3 // 4:,} bytes, left out]</p>\n"
        self._image_room -= len(data)
        return f'<img alt="image" src="data:{kind};base64,{data}">\n'


def _prose(text: str) -> str:
    html = prose(text)
    return _said(text) if html is None else f'<div class="prose">{html}</div>\n'


def _said(text: str) -> str:
    shown, rest = in_short(text)
    return f'<div class="said">{escape(shown)}</div>\n{_rest(rest)}'


def _text(text: str) -> str:
    """Output, arguments: as it is; a diff in colours."""
    shown, rest = in_short(text)
    if not parts.is_diff(shown):
        return f'<div class="text">{escape(shown)}</div>\n{_rest(rest)}'
    lines, in_diff = [], False
    for line in shown.rstrip("\n ").split("\n"):
        in_diff = in_diff or line.startswith(("--- ", "@@ "))
        kind = "file" if line.startswith(("--- ", "+++ ")) else _DIFF_CLASSES.get(line[:1])
        css = f' class="{kind}"' if in_diff and kind else ""
        lines.append(f"<span{css}>{escape(line)}\n</span>")
    return f'<div class="diff">{"".join(lines)}</div>\n{_rest(rest)}'


def _rest(rest: str) -> str:
    return f"<p class=dim>{escape(rest)}</p>\n" if rest else ""


def _folded(css: str, title: str, inside: str) -> str:
    return f'<details class="{css}"><summary>{escape(visible(title))}</summary>\n{inside}</details>\n'


def _anchor(name: str) -> str:
    return f' id="{name}"' if _ID.fullmatch(name) else ""


def _link(name: str, ts: int) -> str:
    return f'<a href="#{name}">{_time(ts)}</a>' if _ID.fullmatch(name) else _time(ts)


def _time(ts: int) -> str:
    text = moment(ts)
    return f'<time datetime="{text.replace(" ", "T")}Z">{text}</time>' if text else ""
