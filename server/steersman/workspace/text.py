"""How the bytes of a file become the text that a model sees, and how an edited text becomes bytes again.

The model sees LF line ends and no byte order mark. What it does not touch keeps its bytes: the byte order mark,
the end of each line, the final line end or its absence, and characters in an undeclared encoding.
Knows no files, and edits only by offset: finding old text is the job of matching.py.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from steersman.workspace.charset import declared, likely, round_trip, safe_codec, whole_characters
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.line_ends import crlf_at, dominant, line_end_near, to_lf, with_line_end
from steersman.workspace.text_edits import TextChange, minimal_edits, splice

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNUSUAL = re.compile(r"[^\x01-\x7f]")
_PIECE = 1 << 16
"""Characters encoded at a time."""


class TextError(WorkspaceError):
    """Bytes or text that can't be converted without loss. The message says what to do."""


class BinaryFile(TextError):
    """The bytes are not text."""


class UndecodableText(TextError):
    """The bytes begin with the byte order mark of an encoding, but are not valid in it."""


class UnencodableText(TextError):
    """A change can't be written in this file's encoding; nothing was written."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file or buffer, with what is needed to write it back.

    `text` is what the model sees: LF only, no byte order mark. `raw` is the same with the original line ends.
    `newline` is the most frequent line end (the first of equals; LF if there is none). `certain` is False for 8-bit
    text in an undeclared encoding: `encoding` is then only how it is shown.
    """

    text: str
    raw: str
    encoding: str
    bom: bytes
    newline: str
    certain: bool = True

    def data(self) -> bytes:
        """The bytes: byte order mark and text.

        Raises:
            UnencodableText: the encoding lacks one of the characters (only possible for a Text made by `view`).
        """
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """The same bytes in pieces, so that a long text is not held in memory twice.

        Raises:
            UnencodableText: as `data`.
        """
        yield self.bom
        for at in range(0, len(self.raw), _PIECE):
            try:
                yield self.raw[at : at + _PIECE].encode(self.encoding)
            except UnicodeEncodeError as error:
                raise _unencodable(error.object[error.start], self.encoding) from None

    def encode(self, new_text: str) -> bytes:
        """The bytes of the file with `new_text` as its text; lines that stay keep their ends.

        Raises:
            UnencodableText: as `apply`.
        """
        return self.rewrite(new_text).data()

    def rewrite(self, new_text: str) -> Text:
        """As `apply`, with the changes found by comparing `text` and `new_text`.

        Raises:
            UnencodableText: as `apply`.
        """
        return self.apply([TextChange(0, len(self.text), new_text)])

    def apply(self, changes: Sequence[TextChange]) -> Text:
        """This text with disjoint changes made, given as offsets in `text`. The bytes outside them stay the same.

        Within a change, too, what the old and the new text share is left alone. A new line end takes the form of
        those around it; in a file without line ends it stays as written. A byte order mark before the new text is
        dropped if the file has one.

        Raises:
            ValueError: changes overlap or lie outside the text.
            UnencodableText: a character that the encoding lacks, that is not text (NUL, a lone surrogate, U+FFFD
                where the file has none), or whose bytes would be a guess in an undeclared encoding.
        """
        small = [part for change in _ordered(changes, len(self.text)) for part in self._parts(change)]
        self._check(small)
        raw = self._spliced_raw(small)
        text = to_lf(raw)
        if "\r" in self.raw and text != to_lf(splice(self.text, small)):
            raise UnencodableText(
                "This change would join a bare carriage return and the line feed after it into one line end. "
                "Replace the line together with its line end."
            )
        return replace(self, text=text, raw=raw, newline=dominant(raw))

    def _parts(self, change: TextChange) -> list[TextChange]:
        new = change.new_text
        if self.bom and change.start == 0:
            new = new.removeprefix("\ufeff")
        if "\n" in self.text:
            new = to_lf(new)
        inner = minimal_edits(self.text[change.start : change.end], new)
        return [TextChange(change.start + c.start, change.start + c.end, c.new_text) for c in inner]

    def _check(self, changes: Sequence[TextChange]) -> None:
        for change in changes:
            for char in _UNUSUAL.findall(change.new_text):
                self._check_char(char)
        if not self.certain and self.encoding == "latin-1":
            crlf = crlf_at(self.raw)
            for offset in (offset for change in changes for offset in (change.start, change.end)):
                self._check_cut(offset + bisect_left(crlf, offset))

    def _check_char(self, char: str) -> None:
        if char == "\0":
            raise UnencodableText("The new text contains a NUL character, which would make the file binary.")
        if char == "\ufffd" and char not in self.raw:
            raise UnencodableText(
                "The new text contains U+FFFD, which stands for text lost in a conversion. Write the character that "
                "was meant, or an escape sequence for U+FFFD itself."
            )
        try:
            char.encode(self.encoding)
        except UnicodeEncodeError:
            raise _unencodable(char, self.encoding) from None
        if not self.certain and (char not in self.raw or self.encoding == "latin-1"):
            raise UnencodableText(
                f"{_named(char)} cannot be written: the file is not UTF-8 and does not declare its encoding, "
                "so its bytes would be a guess. Use ASCII (an escape sequence), or ask the user to declare "
                "the encoding or convert the file to UTF-8. ASCII edits are safe."
            )

    def _check_cut(self, at: int) -> None:
        if not whole_characters(self.raw, at):
            raise UnencodableText(
                "The change begins or ends next to a non-ASCII byte of an undeclared encoding, where it could "
                "cut a character in half. Replace more, up to ASCII text on both sides, or ask the user to "
                "declare the encoding or convert the file to UTF-8."
            )

    def _spliced_raw(self, changes: Sequence[TextChange]) -> str:
        if "\r" not in self.raw:
            return splice(self.text, changes)
        crlf = crlf_at(self.raw)
        pieces: list[str] = []
        at = 0
        for change in changes:
            start = change.start + bisect_left(crlf, change.start)
            end = change.end + bisect_left(crlf, change.end)
            if start > at:
                pieces.append(self.raw[at:start])
            before = pieces[-1][-1:] if pieces else ""
            new = change.new_text
            if "\n" in new:  # not needed otherwise, and slow where lines are long
                new = with_line_end(new, line_end_near(self.raw, start), before, self.raw[end : end + 1])
            if new:
                pieces.append(new)
            at = end
        pieces.append(self.raw[at:])
        return "".join(pieces)


def decode(data: bytes, encoding: str | None = None) -> Text:
    """The text of a file.

    A byte order mark decides. Without one, the first of these that fits the bytes: `encoding`, which a setting or the
    editor claims; a declaration in the file (coding comment, XML, HTML, CSS), unless the bytes are UTF-8 beyond ASCII;
    UTF-8. Other 8-bit text is shown in the most likely encoding, and only ASCII can be added to it.

    Raises:
        BinaryFile: it contains a NUL.
        UndecodableText: the bytes after a byte order mark are not valid in its encoding.
    """
    for bom, marked in _MARKS:
        if data.startswith(bom):
            return _decode_marked(data, bom, marked)
    if b"\0" in data:
        raise BinaryFile("This is a binary file (it contains NUL bytes): it can't be read or edited as text.")
    given = safe_codec(encoding) if encoding else None
    as_utf8 = round_trip(data, "utf-8")
    in_file = declared(data) if as_utf8 is None or as_utf8.isascii() else None
    for codec in (given, in_file, "utf-8"):
        raw = as_utf8 if codec == "utf-8" else round_trip(data, codec) if codec else None
        if codec and raw is not None:
            return _text(raw, codec)
    shown_as = likely(data)
    return _text(data.decode(shown_as), shown_as, certain=False)


def view(raw: str) -> Text:
    """The Text of an editor's buffer, which has no bytes yet. It is written as UTF-8."""
    return _text(raw, "utf-8")


def _decode_marked(data: bytes, bom: bytes, codec: str) -> Text:
    raw = round_trip(data[len(bom) :], codec)
    if raw is None:
        raise UndecodableText(
            f"The file begins with the byte order mark of {codec}, but what follows is not valid {codec}. "
            "It is left as it is."
        )
    if "\0" in raw:
        raise BinaryFile(
            "This is a binary file (it contains NUL characters): it can't be read or edited as text."
        )
    return _text(raw, codec, bom)


def _text(raw: str, encoding: str, bom: bytes = b"", *, certain: bool = True) -> Text:
    return Text(to_lf(raw), raw, encoding, bom, dominant(raw), certain)


def _ordered(changes: Sequence[TextChange], length: int) -> list[TextChange]:
    ordered = sorted(changes, key=lambda change: (change.start, change.end))
    at = 0
    for change in ordered:
        if not at <= change.start <= change.end <= length:
            raise ValueError(f"change {change.start}:{change.end} overlaps another or lies outside the text")
        at = change.end
    return ordered


def _named(char: str) -> str:
    return f"{char!r} (U+{ord(char):04X})"


def _unencodable(char: str, encoding: str) -> UnencodableText:
    if "\ud800" <= char <= "\udfff":
        return UnencodableText(f"The new text contains half a character (U+{ord(char):04X}). Write it whole.")
    return UnencodableText(
        f"{_named(char)} does not exist in this file's encoding, {encoding}. Use ASCII (an escape sequence), or "
        "ask the user to convert the file to UTF-8."
    )
