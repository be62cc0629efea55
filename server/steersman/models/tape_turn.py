"""A recorded turn: what was asked, and what came, piece by piece. How it is written is not known here."""

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
    """Of a delta; None where the block begins, and where it ends."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    fingerprint: Fingerprint
    blocks: tuple[RecordedBlock, ...]
    steps: tuple[Step, ...]
    end: StreamDone | StreamError | None
    """None: the stream was cut by an abort."""
    wait: float = 0.0
    """Seconds between the last step and the end."""
    usage: Usage = field(default_factory=Usage)
    folders: tuple[str, ...] = ()
    """What stands for each workspace folder in the texts of this turn; it stands for nothing else in them."""
    model: str = ""
    """`provider:name` of the model that was recorded."""
    line: int = 0
    number: int = 0
    """Of the turn in its tape, from 1."""

    def text_of(self, block: int) -> str:
        return "".join(self.pieces_of(block))

    def pieces_of(self, block: int) -> list[str]:
        """The texts of a block's deltas."""
        return [step.text for step in self.steps if step.block == block and step.text is not None]

    def with_pieces(self, pieces: Sequence[Sequence[str]]) -> "RecordedTurn":
        """With other texts of the deltas of each block, as many as there are."""
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
        """Everything but the end, each with the seconds that passed before it."""
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
        """With `folders` in its texts, in the place of what stands for them."""
        pieces = [self.pieces_of(number) for number in range(len(self.blocks))]
        for mark, folder in zip(self.folders, folders, strict=False):
            pattern = re.compile(re.escape(mark))
            pieces = [
                replaced(texts, pattern, folder_in(block.kind, folder))
                for block, texts in zip(self.blocks, pieces, strict=True)
            ]
        return replace(self.with_pieces(pieces), folders=()) if self.folders else self


def folder_in(kind: BlockKind, folder: str) -> str:
    """A folder as the text of a block writes it: within a JSON string in a call's arguments."""
    return json.dumps(folder, ensure_ascii=False)[1:-1] if kind == "toolCall" else folder


def replaced(pieces: Sequence[str], pattern: re.Pattern[str], new: str) -> list[str]:
    """The pieces of a text with `new` for each match of `pattern` in the whole: it stands where the match begins."""
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
    """`text` in as many pieces as there are, of the same lengths as far as it goes."""
    places = [0, *accumulate(len(piece) for piece in pieces)]
    cut = [text[start:end] for start, end in pairwise(places)]
    return [*cut[:-1], text[places[-2] :]] if cut else []
