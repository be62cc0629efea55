"""The documents in which a question's diff, command or arguments are shown: files in a private folder, gone with the
question."""

import asyncio
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.clock import Clock
from steersman.lsp.client import real_path_of
from steersman.lsp.waits import set_within
from steersman.session.approvals import Question
from steersman.workspace.roots import printable


@dataclass(slots=True)
class _Shown:
    question: str
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class DiffDocuments:
    """Hears of the client's documents. A file is known by its path, however the client spells its URI."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self._clock = clock
        self._shown: dict[Path, _Shown] = {}

    def write(self, question: Question) -> Path:
        """Makes the document.

        Raises:
            OSError: it can't be written.
        """
        suffix = "sh" if question.command is not None else "json" if question.tool is not None else "diff"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        name = f"{hashlib.sha256(question.id.encode()).hexdigest()[:12]}.{suffix}"
        path = Path(os.path.realpath(self.folder)) / name
        path.unlink(missing_ok=True)
        self._shown[path] = _Shown(question.id)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_document(question).encode("utf-8", "replace"))
        return path

    def remove(self, path: Path) -> None:
        self._shown.pop(path, None)
        path.unlink(missing_ok=True)

    def question_in(self, uri: str) -> str | None:
        """The question that this document shows."""
        shown = self._of(uri)
        return None if shown is None else shown.question

    def is_open(self, path: Path) -> bool:
        return self._shown[path].opened.is_set()

    async def until_opened(self, path: Path, patience: float | None) -> bool:
        """Whether the client told us that it has opened the document; None waits for as long as it takes."""
        opened = self._shown[path].opened
        if patience is None:
            return await opened.wait()
        return await set_within(self._clock, patience, opened)

    async def until_closed(self, path: Path) -> None:
        await self._shown[path].closed.wait()

    def on_open(self, uri: str) -> None:
        if shown := self._of(uri):
            shown.opened.set()
            shown.closed.clear()

    def on_close(self, uri: str) -> None:
        if shown := self._of(uri):
            shown.closed.set()
            shown.opened.clear()

    def _of(self, uri: str) -> _Shown | None:
        if not self._shown:
            return None
        path = real_path_of(uri)
        return None if path is None else self._shown.get(path)


def _document(question: Question) -> str:
    if question.command is not None:
        return f"# {question.title}\n# in {question.cwd}\n{question.command}\n"
    if question.tool is not None:
        text = json.dumps(question.tool.arguments, ensure_ascii=False, indent=2)
        return "".join(f"{printable(line)}\n" for line in text.split("\n"))
    parts = [question.title, *([] if question.changes else [question.reason])]
    parts += [view.diff for view in question.changes]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)
