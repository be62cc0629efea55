"""A transcript as Markdown. What was said is quoted, what tools returned is fenced: neither can pass for the rest."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, singledispatchmethod
from typing import Final

from markdown_it import MarkdownIt

from steersman.session.export import parts
from steersman.session.export.entries import Call, Entry, Message, Note, Reverted, RunEnd, Summary
from steersman.session.export.outline import Outline
from steersman.session.export.prose import MAX_PROSE
from steersman.session.export.visible import in_short, moment, one_line
from steersman.session.wire import Data

_RUN: Final = re.compile("`+")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|~&$])")
_ACTIVE: Final = frozenset({"html_block", "html_inline", "image"})


def document(outline: Outline, entries: Iterable[Entry], *, all_branches: bool = False) -> Iterator[str]:
    """The document, piece by piece. Raises what reading the entries raises."""
    made = Document(outline)
    yield made.head(all_branches=all_branches)
    for entry in entries:
        yield made.entry(entry)


class Document:
    """Makes a transcript's parts; each ends with a line break."""

    def __init__(self, outline: Outline) -> None:
        self._outline, self._names = outline, parts.Names(outline)

    def head(self, *, all_branches: bool) -> str:
        lines = [f"# {plain(parts.title_of(self._outline))}", ""]
        lines += [
            f"- {label}: {plain(text)}"
            for label, text in parts.facts(self._outline, all_branches=all_branches)
        ]
        if not all_branches:
            branches = parts.other_branches(self._outline)
            lines += [f"- Another branch, not shown: {plain(line)}" for line in branches.lines]
            lines += [f"- and {branches.more:,} more branches"] if branches.more else []
        return "\n".join(lines) + "\n"

    @singledispatchmethod
    def entry(self, entry: Entry) -> str:
        """One entry as Markdown, after an empty line."""
        raise NotImplementedError(type(entry))

    @entry.register
    def _message(self, message: Message) -> str:
        said = parts.discarded_text(message)
        blocks = message.shown
        if not blocks and not said:
            return ""
        note = f"\n*{plain(said)}*\n" if said else ""
        head = f"\n## {plain(parts.who(message))} · {moment(message.ts)}\n"
        return head + note + "".join(_block(block) for block in blocks)

    @entry.register
    def _call(self, call: Call) -> str:
        text = parts.text_of(call.content)
        out = f"\n**{code(call.title)}** · {plain(parts.outcome_text(call))}\n"
        out += "".join(f"\n{plain(asked.text)}\n" for asked in call.asked)
        for name, value in parts.arguments(call):
            if parts.is_short(value):
                out += f"\n- {code(name)}: {code(value)}\n" if value not in call.title else ""
            elif not parts.is_diff(text):  # which says the same
                out += (f"\n{code(name)}:\n" if name else "") + fence(value)
        if not parts.is_diff(text):
            out += "".join(fence(diff) for asked in call.asked for diff in asked.diffs)
        if text:
            out += "\nResult:\n" + fence(text)
        return out + "".join(map(_image, parts.images_in(call.content)))

    @entry.register
    def _summary(self, summary: Summary) -> str:
        head = f"\n## Summary · {moment(summary.ts)}\n\n{plain(parts.summary_text(summary))}\n"
        return head + speech(summary.text)

    @entry.register
    def _note(self, note: Note) -> str:
        return f"\n*{plain(note.text)}*\n"

    @entry.register
    def _end(self, end: RunEnd) -> str:
        lines = [
            f"- {code(self._names.of(uri))} +{added} −{removed}" for uri, added, removed in end.files
        ] + [f"- not delivered: {plain(text)}" for text in end.undelivered]
        listed = "".join(f"{line}\n" for line in ["", *lines]) if lines else ""
        return f"\n*{plain(parts.end_text(end))}* {moment(end.ts)}\n{listed}\n---\n"

    @entry.register
    def _reverted(self, reverted: Reverted) -> str:
        lines = [f"- {plain(line)}" for line in parts.reverted_text(reverted, self._names)]
        listed = "".join(f"{line}\n" for line in ["", *lines]) if lines else ""
        return f"\n*{plain(reverted.title)}* {moment(reverted.ts)}\n{listed}"


def _block(block: Data) -> str:
    if block["type"] == "image":
        return _image(block)
    if block["type"] == "thinking":
        return "\nThinking:\n" + fence(block["text"])
    if (name := block.get("attached")) is not None:
        return f"\nAttached, {code(name)}:\n" + fence(block["text"])
    return speech(block["text"])


def _image(block: Data) -> str:
    return f"\n[image: {plain(str(block['mimeType']))}, {len(block['data']) * 3 // 4:,} bytes]\n".replace(
        "[image", "\\[image", 1
    )


def speech(text: str) -> str:
    """What somebody said, quoted; fenced if a viewer would do something with it: fetch an image, take HTML for HTML."""
    shown, rest = in_short(text)
    quoted = "".join(f"> {line}\n" if line else ">\n" for line in shown.rstrip("\n").split("\n"))
    if len(shown) > MAX_PROSE or _acts(quoted):  # as quoted: a tab there is narrower
        return fence(text)
    return f"\n{quoted}" + (f"\n*{plain(rest)}*\n" if rest else "")


def _acts(text: str) -> bool:
    tokens = _parser().parse(text)
    return any(
        token.type in _ACTIVE or any(child.type in _ACTIVE for child in token.children or ())
        for token in tokens
    )


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def fence(text: str) -> str:
    """A block of text as it is, after an empty line. Its fence is longer than any in the text."""
    shown, rest = in_short(text)
    longest = max((len(run) for run in _RUN.findall(shown)), default=0)
    ticks = "`" * max(3, longest + 1)
    kind = "diff" if parts.is_diff(shown) else "text"
    body = shown if shown.endswith("\n") else f"{shown}\n"
    return f"\n{ticks}{kind}\n{body}{ticks}\n" + (f"\n*{plain(rest)}*\n" if rest else "")


def code(text: str) -> str:
    """A code span on one line."""
    shown = one_line(text) or " "
    ticks = "`" * (max((len(run) for run in _RUN.findall(shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def plain(text: str) -> str:
    """Text on one line that no Markdown is read in."""
    return _SPECIAL.sub(r"\\\1", one_line(text))
