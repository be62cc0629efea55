"""Records a model's requests and answers on a tape, which `tape` replays.

A tape contains what the model was told: the user's messages, texts of files, outputs of commands. Keys that are known
or look like keys are masked, and the machine's paths, dates and ids are taken out of requests (`tape_normal`). The
user should look through the rest before giving the tape away.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Usage
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockStart,
    Model,
    ModelRequest,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamFailure,
    close_stream,
)
from steersman.models.errors import UNUSABLE_PATH, TapeError, reason_of
from steersman.models.surrogates import whole
from steersman.models.tape_format import VERSION
from steersman.models.tape_lines import encode_line, turn_line
from steersman.models.tape_normal import folders_of
from steersman.models.tape_portable import portable, redacted
from steersman.models.tape_request import Fingerprinter, Said
from steersman.models.tape_turn import RecordedBlock, RecordedTurn, Step

PING_SECONDS: Final = 1.0
"""Pings that come sooner after another event are left out: some providers send one for each token."""

_NO_END: Final = StreamFailure("protocol", "The model's stream ended before its response was complete.")

log = logging.getLogger(__name__)


class Recording:
    """Writes a tape: one file, with one line for each request that has ended.

    If the process is killed, the lines of all requests that had ended are there. If the disk fails, what was recorded
    until then is kept, nothing more is written, and `error` says why. The conversation goes on.

    Args:
        path: of a new file, which only its owner may read.
        redact: masks keys in every text.

    Raises:
        TapeError: the file exists, or can't be made.
    """

    def __init__(self, path: Path, redact: Callable[[str], str]) -> None:
        self.error: str | None = None
        self.turns = 0
        self._redact = redact
        self._before: tuple[Said, ...] = ()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            self.path = path.expanduser()
            self._file: int | None = os.open(self.path, flags, 0o600)
        except FileExistsError:
            raise TapeError(f"{self.path} exists: a recording begins a new file. Name another one.") from None
        except UNUSABLE_PATH as error:
            raise TapeError(f"Can't record to {whole(str(path))}: {reason_of(error)}.") from None
        self._size = 0
        if not self._append(encode_line({"tape": VERSION, "name": self.path.stem, "recorded": True})):
            self.close()
            raise TapeError(f"Can't record to {self.path}: {self.error}.")

    def wrap(self, make_model: Callable[[str], Model]) -> Callable[[str], Model]:
        """Returns `make_model`, but the models that it makes are recorded here."""
        return lambda spec: RecordingModel(make_model(spec), self)

    def add(self, turn: RecordedTurn, folders: tuple[str, ...]) -> None:
        """Writes one turn. `folders`: those of the workspace, since texts may name them."""
        turn = portable(redacted(turn, self._redact), folders)
        if self._append(turn_line(turn, self._before)):
            self._before = turn.fingerprint.messages
            self.turns += 1

    def fingerprinter(self) -> Fingerprinter:
        return Fingerprinter(self._redact)

    def close(self) -> None:
        """Ends the recording. A tape without any turn is deleted: there is nothing to replay."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            os.close(file)
            if not self.turns:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            self.error = self.error or error.strerror or str(error)

    def _append(self, line: bytes) -> bool:
        if self._file is None or self.error is not None:
            return False
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            self.error = error.strerror or str(error)
            self._cut(self._file)
            return False
        self._size += len(line)
        return True

    def _cut(self, file: int) -> None:
        """Removes the part of a line that was written before the disk failed."""
        try:
            os.ftruncate(file, self._size)
        except OSError:
            log.warning("the tape %s ends with half a line, which will be ignored when it is read", self.path)


class RecordingModel:
    """Passes on the streams of `model` unchanged, and records each one when it has ended.

    Args:
        now: a clock in seconds, for the times of events.
    """

    def __init__(
        self, model: Model, recording: Recording, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._model = model
        self._recording = recording
        self._now = now
        self._fingerprints = recording.fingerprinter()

    @property
    def id(self) -> str:
        return self._model.id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """The model's own stream. Its turn is on the tape before the last event is passed on."""
        stream = self._model.stream(request, signal)
        kept = _Kept(self._now)
        cut = False
        try:
            async for event in stream:
                if kept.take(event):
                    self._write(request, kept, cut=signal.aborted and isinstance(event, StreamError))
                yield event
        except (GeneratorExit, asyncio.CancelledError):
            cut = True
            raise
        finally:
            self._write(request, kept, cut=cut or signal.aborted)
            await close_stream(stream)

    def _write(self, request: ModelRequest, kept: "_Kept", *, cut: bool) -> None:
        if kept.written:
            return
        kept.written = True
        turn = RecordedTurn(
            fingerprint=self._fingerprints.take(request),
            blocks=tuple(kept.blocks),
            steps=kept.steps(),
            end=None if cut else kept.end or StreamError(_NO_END),
            wait=kept.since_last(),
            usage=kept.end.usage if kept.end is not None else Usage(),
            model=self.id,
        )
        self._recording.add(turn, folders_of(request.system))


class _Kept:
    """The events of one response, as they will be recorded."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.blocks: list[RecordedBlock] = []
        self.end: StreamDone | StreamError | None = None
        self.written = False
        self._now = now
        self._began = self._last = now()
        self._steps: list[tuple[float, int | None, str | None]] = []
        """The time of each step, its block and its text. `Step`s are only made at the end, when time matters less."""
        self._open: set[int] = set()
        self._broken = False

    def since_last(self) -> float:
        """Seconds since the last step that was kept."""
        return max(0.0, self._now() - self._last)

    def steps(self) -> tuple[Step, ...]:
        times = [self._began, *(when for when, _, _ in self._steps)]
        return tuple(
            Step(max(0.0, when - before), block, text)
            for before, (when, block, text) in zip(times, self._steps, strict=False)
        )

    def take(self, event: StreamEvent) -> bool:
        """Keeps one event. Returns True for the last one."""
        if isinstance(event, StreamDone | StreamError):
            self.end = StreamError(_NO_END, event.usage) if self._broken else event
            return True
        if self._broken:
            return False
        if isinstance(event, BlockDelta):
            if self._knows(event.index):
                self._step(event.index, event.text)
        elif isinstance(event, BlockStart):
            self._begin(event)
        elif isinstance(event, BlockEnd):
            self._end_block(event)
        elif self.since_last() >= PING_SECONDS:
            self._step()
        return False

    def _begin(self, event: BlockStart) -> None:
        # The kernel gives up on a stream that breaks the port's rules. On the tape it is one that never ended.
        if event.index != len(self.blocks):
            self._broken = True
            return
        self.blocks.append(RecordedBlock(event.kind, event.name, event.provider_id))
        self._open.add(event.index)
        self._step(event.index)

    def _end_block(self, event: BlockEnd) -> None:
        if not self._knows(event.index):
            return
        self._open.discard(event.index)
        self.blocks[event.index] = replace(
            self.blocks[event.index],
            end_name=event.name,
            signature=event.signature,
            redacted=event.redacted,
        )
        self._step(event.index)

    def _knows(self, index: int) -> bool:
        self._broken = self._broken or index not in self._open
        return not self._broken

    def _step(self, block: int | None = None, text: str | None = None) -> None:
        self._last = self._now()
        self._steps.append((self._last, block, text))
