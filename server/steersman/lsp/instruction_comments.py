"""Finds instruction comments in the documents that the client has open."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steersman.lsp.client import real_path_of
from steersman.lsp.documents import Document, Documents
from steersman.lsp.ranges import range_json
from steersman.lsp.wire import JsonObject
from steersman.session.errors import Refused
from steersman.session.pointing import InstructionComment
from steersman.workspace.comments import Instruction, instructions
from steersman.workspace.positions import LineIndex, PositionEncoding
from steersman.workspace.positions import Range as TextRange

MAX_AROUND: Final = 6_000
"""Characters of the lines around a comment that the model is shown."""
_LINES_BEFORE: Final = 15
_LINES_AFTER: Final = 40


@dataclass(frozen=True, slots=True)
class Written:
    """An instruction in a document."""

    comment: InstructionComment
    range: JsonObject
    """LSP's range of its text."""


def written_in(document: Document, lines: tuple[int, int], encoding: PositionEncoding) -> list[Written]:
    """The instructions in comments that overlap `lines` (first and last, from 0). There are none if the document is not
    a file or its text isn't known."""
    found = [] if document.text is None else instructions(document.text, document.language_id)
    path = real_path_of(document.uri) if found else None
    if document.text is None or path is None:
        return []
    index, told, seen = index_of(document.text), Counter(each.text for each in found), Counter[str]()
    written: list[Written] = []
    for each in found:
        if each.first <= lines[1] and each.last >= lines[0]:
            comment = InstructionComment(
                path,
                document.language_id,
                each.text,
                each.first + 1,
                each.last + 1,
                nth=seen[each.text],
                of=told[each.text],
                around=_around(index, each),
            )
            span = index.range(each.start, each.end, encoding)
            written.append(Written(comment, range_json(span.start, span.end)))
        seen[each.text] += 1
    return written


def meant_by(
    documents: Documents, uri: str, span: TextRange, text: str | None
) -> Sequence[InstructionComment]:
    """The instructions in a range of a document. With `text`, the nearest one with this text, even outside the range.

    Raises:
        Refused: unsyncedDocument, unsupported (the document is not a file), unknownComment.
    """
    document = documents.get(uri)
    if document is None or document.text is None:
        raise Refused("unsyncedDocument", "The text of the document is not known: open it again.", uri=uri)
    if real_path_of(uri) is None:
        raise Refused("unsupported", "Save the document first: only files can be worked on.", uri=uri)
    first = span.start.line
    if text is None:
        found = written_in(document, lines_of(span), documents.encoding)
    else:
        everywhere = written_in(document, (0, len(document.text)), documents.encoding)
        same = [each for each in everywhere if each.comment.text == text]
        found = sorted(same, key=lambda each: abs(each.comment.first - 1 - first))[:1]
    if not found:
        raise Refused("unknownComment", "There is no instruction for Steersman here (any more).", uri=uri)
    return [each.comment for each in found]


@lru_cache(maxsize=2)
def index_of(text: str) -> LineIndex:
    """Cached, since editors ask for code actions at every movement of the cursor."""
    return LineIndex(text)


def lines_of(span: TextRange) -> tuple[int, int]:
    """The first and the last line of a range, from 0. A selection of whole lines ends at the start of the next line."""
    first, last = sorted((span.start, span.end))
    if last.character == 0 and last.line > first.line:
        return first.line, last.line - 1
    return first.line, last.line


def prompt_of(comments: Sequence[InstructionComment]) -> str:
    """The prompt that the comments stand for."""
    return "\n\n".join(comment.text for comment in comments)


def _around(index: LineIndex, instruction: Instruction) -> str:
    first = max(0, instruction.first - _LINES_BEFORE)
    last = min(index.line_count, instruction.last + 1 + _LINES_AFTER)
    return "\n".join(index.line(number) for number in range(first, last))[:MAX_AROUND]
