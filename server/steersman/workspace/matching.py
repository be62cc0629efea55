"""Where the old text of edits is, and what to write there. Works on text with LF line ends; knows no files.

Every edit is matched against the original text. Exact matches come first: a single one is the place, several are
ambiguous. Only if there is none is the old text looked for with folding (quotes, dashes, spaces, trailing blanks, one
shift of the indentation), and that, too, must find a single place. New text is written code point for code point, with
three exceptions that preserve what the edit is not about:

- After folding, lines that the new text only repeats from the old text stay as they are in the file.
- If the place is indented differently from the old text, the new lines are as well.
- The final line end stays: old text `b\\n` and new text `b\\nc` at the end of `a\\nb\\n` give `a\\nb\\nc\\n`,
  since models leave it out without meaning to. Nothing is added elsewhere. An edit that only removes the
  final line end (`b\\n` to `b`) does so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from steersman.workspace.errors import ChangeRefused
from steersman.workspace.folding import FoldedText, Found, fold, occurrences, rebuilt
from steersman.workspace.line_ends import to_lf
from steersman.workspace.nearest import nearest
from steersman.workspace.text_edits import TextChange

_LISTED = 10  # places named in an error
_EXPLAINED = 5  # edits that can't be placed; explaining one takes a search for the closest place
_SHOWN_LINES = 12
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Replacement:
    """One edit: `old`, which must occur once in the text, becomes `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Span:
    """The place of edit number `edit` (zero-based) and what to write there. `exact`: nothing was folded."""

    start: int
    end: int
    new_text: str
    edit: int
    exact: bool

    @property
    def change(self) -> TextChange:
        """The span as a change of the text."""
        return TextChange(self.start, self.end, self.new_text)


class MatchError(ChangeRefused):
    """An edit that can't be placed. The message tells the model how to fix it. `edit` is zero-based."""

    def __init__(self, edit: int, message: str) -> None:
        super().__init__(message)
        self.edit = edit


class EmptyOldText(MatchError):
    """Old text is empty."""


class NoChange(MatchError):
    """Old and new text are the same."""


class NotFound(MatchError):
    """The old text is not in the file. `line` is the closest place, one-based, or None."""

    def __init__(self, edit: int, message: str, line: int | None) -> None:
        super().__init__(edit, message)
        self.line = line


class Ambiguous(MatchError):
    """The old text occurs more than once. `lines` are the first places, one-based."""

    def __init__(self, edit: int, message: str, lines: tuple[int, ...]) -> None:
        super().__init__(edit, message)
        self.lines = lines


class AlreadyApplied(MatchError):
    """The old text is gone and the new text is there, at `line` (one-based)."""

    def __init__(self, edit: int, message: str, line: int) -> None:
        super().__init__(edit, message)
        self.line = line


class OverlappingEdits(MatchError):
    """Two edits replace some of the same text."""

    def __init__(self, edit: int, message: str, other: int) -> None:
        super().__init__(edit, message)
        self.other = other


class SeveralErrors(MatchError):
    """More than one edit can't be placed. `unseen` further ones have not been tried."""

    def __init__(self, errors: tuple[MatchError, ...], unseen: int = 0) -> None:
        said = [str(error) for error in errors]
        if unseen:
            said.append(f"The {unseen} edits after these were not tried.")
        super().__init__(errors[0].edit, "\n\n".join(said))
        self.errors = errors


def locate(text: str, edits: Sequence[Replacement], numbers: Sequence[int] | None = None) -> list[Span]:
    """The spans of all edits, in the order of the edits; none overlap. `text` has LF line ends only.

    `numbers`, ascending, are the numbers that spans and errors give the edits, where they are only some of a call's.

    Raises:
        EmptyOldText, NoChange, NotFound, Ambiguous, AlreadyApplied: one edit is at fault.
        SeveralErrors: several are.
        OverlappingEdits: all can be placed, but two of them overlap.
    """
    search = _Search(text, alone=numbers is None and len(edits) == 1)
    spans: list[Span] = []
    errors: list[MatchError] = []
    for tried, (number, edit) in enumerate(zip(numbers or range(len(edits)), edits, strict=True), start=1):
        try:
            spans.append(search.place(number, edit))
        except MatchError as error:
            errors.append(error)
            if len(errors) == _EXPLAINED and tried < len(edits):
                raise SeveralErrors(tuple(errors), unseen=len(edits) - tried) from None
    if len(errors) > 1:
        raise SeveralErrors(tuple(errors))
    if errors:
        raise errors[0]
    _check_disjoint(text, spans)
    return spans


class _Search:
    """A text, and its folded form once that is needed."""

    def __init__(self, text: str, *, alone: bool) -> None:
        """`alone`: the call has only one edit."""
        self._text = text
        self._alone = alone
        self._folded: FoldedText | None = None

    def place(self, number: int, edit: Replacement) -> Span:
        old = to_lf(edit.old)
        new = to_lf(edit.new) if "\n" in self._text else edit.new
        name = self._name(number)
        if not old:
            raise EmptyOldText(number, f"{name} is empty. Give the text to replace, or write the whole file.")
        if old == to_lf(edit.new):
            raise NoChange(number, f"{name} and its newText are the same: there is nothing to change.")
        exact = list(islice(occurrences(self._text, old), _LISTED + 1))
        if len(exact) > 1:
            total = max(len(exact), self._text.count(old))
            raise self._ambiguous(number, exact, f"occurs {total} times")
        if exact:
            end = exact[0] + len(old)
            return Span(exact[0], end, self._final(end, old, new), number, exact=True)
        return self._place_folded(number, old, new)

    def _place_folded(self, number: int, old: str, new: str) -> Span:
        if self._folded is None:
            self._folded = FoldedText(self._text)
        found = self._folded.find(old, _LISTED + 1)
        if len(found) > 1:
            how = "is not in the file exactly as given; apart from blanks, quotes or indentation it is there"
            count = f"more than {_LISTED}" if len(found) > _LISTED else str(len(found))
            raise self._ambiguous(number, [place.start for place in found], f"{how} {count} times")
        if found:
            return self._fitted(number, old, new, found[0])
        raise self._missing(number, old, new)

    def _fitted(self, number: int, old: str, new: str, found: Found) -> Span:
        if found.open_end:
            old, new = old.removesuffix("\n"), new.removesuffix("\n")
        actual = self._text[found.start : found.end]
        written = rebuilt(old, self._final(found.end, old, new), actual, found.indent)
        if written == actual:
            raise self._applied(number, found.start)
        return Span(found.start, found.end, written, number, exact=False)

    def _final(self, end: int, old: str, new: str) -> str:
        """`new`, with the file's final line end added if the edit would lose it by accident."""
        at_end = end == len(self._text) and self._text.endswith("\n") and old.endswith("\n")
        if at_end and new and not new.endswith("\n") and new + "\n" != old:
            return new + "\n"
        return new

    def _name(self, number: int) -> str:
        return "oldText" if self._alone else f"edits[{number}].oldText"

    def _line(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1

    def _ambiguous(self, number: int, places: Sequence[int], how: str) -> Ambiguous:
        lines = tuple(self._line(place) for place in places[:_LISTED])
        listed = ", ".join(map(str, lines)) + (", …" if len(places) > _LISTED else "")
        return Ambiguous(
            number,
            f"{self._name(number)} {how}, at lines {listed}. It must be unique: add lines around it.",
            lines,
        )

    def _applied(self, number: int, place: int) -> AlreadyApplied:
        line = self._line(place)
        return AlreadyApplied(
            number,
            f"{self._name(number)} is not in the file, but its newText is, at line {line}: the change "
            "seems to have been made already. Read that part of the file before you try again.",
            line,
        )

    def _missing(self, number: int, old: str, new: str) -> MatchError:
        if len(new.strip()) > 2 and self._text.count(new) == 1:
            return self._applied(number, self._text.index(new))
        folded = self._folded or FoldedText(self._text)
        wanted = [line.strip() for line in fold(old).split("\n")]
        start = nearest(folded.cores(), wanted)
        name = self._name(number)
        if start is None:
            return NotFound(
                number, f"{name} is not in the file, and nothing like it is. Read the file again.", None
            )
        return NotFound(number, f"{name} is not in the file. {_closest(self._text, old, start)}", start + 1)


def _closest(text: str, old: str, start: int) -> str:
    wanted = old.removesuffix("\n").split("\n")
    lines = text.removesuffix("\n").split("\n")
    there = lines[start : start + len(wanted)]
    shown = [f"{start + i + 1:>6} | {_short(line)}" for i, line in enumerate(there[:_SHOWN_LINES])]
    if len(there) > _SHOWN_LINES:
        shown.append(f"       … {len(there) - _SHOWN_LINES} more lines")
    parts = ["The closest place is:", *shown]
    differing = next((i for i, (a, b) in enumerate(zip(there, wanted, strict=False)) if a != b), None)
    if differing is not None:
        parts.append(f"Line {start + differing + 1} differs: oldText has there")
        parts.append(f"       | {_short(wanted[differing])}")
    else:
        parts.append("The file ends there. oldText continues with")
        rest = wanted[len(there) :]  # empty if only the final line end is missing
        parts.append(f"       | {_short(rest[0]) if rest else ''}")
    parts.append("Give oldText exactly as the file has it.")
    return "\n".join(parts)


def _short(line: str) -> str:
    return line if len(line) <= _SHOWN_CHARS else f"{line[:_SHOWN_CHARS]}… ({len(line)} characters)"


def _check_disjoint(text: str, spans: Sequence[Span]) -> None:
    for first, second in pairwise(sorted(spans, key=lambda span: (span.start, span.end))):
        if second.start < first.end:
            line = text.count("\n", 0, second.start) + 1
            raise OverlappingEdits(
                second.edit,
                f"edits[{first.edit}] and edits[{second.edit}] overlap at line {line}. Every edit is matched "
                "against the original file: make one edit of the two.",
                first.edit,
            )
