"""A recorded turn: the request, and the answer piece by piece. `tape_lines` reads and writes it."""

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from steersman.agent.messages import Usage
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    Ping,
    StreamDone,
    StreamError,
    StreamEvent,
)
from steersman.models.tape_request import Fingerprint


@dataclass(frozen=True, slots=True)
class RecordedBlock:
    kind: BlockKind
    name: str = ""
    provider_id: str | None = None
    end_name: str | None = None
    """A name that came with the block's end."""
    signature: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a stream."""

    wait: float
    """Seconds since the step before."""
    block: int | None = None
    """None: a ping."""
    text: str | None = None
    """The text of a delta; None: the block begins or ends."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    fingerprint: Fingerprint
    blocks: tuple[RecordedBlock, ...]
    steps: tuple[Step, ...]
    end: StreamDone | StreamError | None
    """None: the stream was aborted."""
    wait: float = 0.0
    """Seconds between the last step and the end."""
    usage: Usage = field(default_factory=Usage)
    folders: tuple[str, ...] = ()
    """The placeholder for each workspace folder in this turn's texts, where it means nothing else."""
    model: str = ""
    """`provider:name` of the model that was recorded."""
    line: int = 0
    number: int = 0
    """The turn's number on its tape, from 1."""

    def text_of(self, block: int) -> str:
        return "".join(self.pieces_of(block))

    def pieces_of(self, block: int) -> list[str]:
        """The texts of a block's deltas."""
        return [step.text for step in self.steps if step.block == block and step.text is not None]

    def with_pieces(self, pieces: Sequence[Sequence[str]]) -> "RecordedTurn":
        """The turn with other texts for the deltas of each block. Their number must be the same."""
        if all(list(texts) == self.pieces_of(number) for number, texts in enumerate(pieces)):
            return self
        waiting = [iter(texts) for texts in pieces]
        steps = tuple(
            replace(step, text=next(waiting[step.block]))
            if step.block is not None and step.text is not None
            else step
            for step in self.steps
        )
        return replace(self, steps=steps)

    def events(self) -> Iterator[tuple[float, StreamEvent]]:
        """All events but the last, each with the seconds before it."""
        begun: set[int] = set()
        for step in self.steps:
            if step.block is None:
                yield step.wait, Ping()
            elif step.text is not None:
                yield step.wait, BlockDelta(step.block, step.text)
            elif step.block in begun:
                block = self.blocks[step.block]
                yield step.wait, BlockEnd(step.block, block.end_name, block.signature, block.redacted)
            else:
                begun.add(step.block)
                block = self.blocks[step.block]
                yield step.wait, BlockStart(step.block, block.kind, block.name, block.provider_id)

    def in_folders(self, folders: Sequence[str]) -> "RecordedTurn":
        """The turn with `folders` in its texts instead of their placeholders."""
        pieces = [self.pieces_of(number) for number in range(len(self.blocks))]
        for mark, folder in zip(self.folders, folders, strict=False):
            pattern = re.compile(re.escape(mark))
            pieces = [
                replaced(texts, pattern, folder_in(block.kind, folder))
                for block, texts in zip(self.blocks, pieces, strict=True)
            ]
        return replace(self.with_pieces(pieces), folders=()) if self.folders else self


def folder_in(kind: BlockKind, folder: str) -> str:
    """A folder as it stands in the text of a block: in a call's arguments it is part of a JSON string."""
    return json.dumps(folder, ensure_ascii=False)[1:-1] if kind == "toolCall" else folder


def replaced(pieces: Sequence[str], pattern: re.Pattern[str], new: str) -> list[str]:
    """Replaces the matches of `pattern` in a text that is cut into pieces. `new` is put where a match begins."""
    text = "".join(pieces)
    matches = deque(pattern.finditer(text))
    if not matches:
        return list(pieces)
    result = []
    start = at = 0
    for piece in pieces:
        end = start + len(piece)
        parts = []
        while matches and matches[0].start() < end:
            match = matches[0]
            if match.start() >= start:
                parts += [text[at : match.start()], new]
            at = min(match.end(), end)
            if match.end() > end:
                break
            matches.popleft()
        result.append("".join((*parts, text[at:end])))
        start = at = end
    return result


def recut(text: str, pieces: Sequence[str]) -> list[str]:
    """Cuts `text` into as many pieces, of the same lengths where possible."""
    places = [0, *accumulate(len(piece) for piece in pieces)]
    cut = [text[start:end] for start, end in pairwise(places)]
    return [*cut[:-1], text[places[-2] :]] if cut else []
