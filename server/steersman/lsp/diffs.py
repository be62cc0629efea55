"""The documents that show a question's diff, command or arguments. They are deleted with the question.

They are virtual documents if the client supports them, else files in a private folder.
"""

import asyncio
import hashlib
import json
import logging
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from steersman.agent.clock import Clock
from steersman.lsp.client import path_of, real_path_of
from steersman.lsp.virtual_documents import VirtualDocuments, path_in, uri_of
from steersman.lsp.waits import set_within
from steersman.session.approvals import Question
from steersman.session.journal import Emitted
from steersman.workspace.roots import printable

log = logging.getLogger(__name__)

FOLDER: Final = "questions"
"""The folder of the virtual ones."""
_OVER: Final = "This question is closed: it was answered or withdrawn.\n"
_MAX_NAME: Final = 60


@dataclass(slots=True)
class _Shown:
    question: Question
    uri: str
    text: str = ""
    """The text of a virtual document."""
    read: bool = False
    """The client has asked for the text."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class DiffDocuments:
    """Implements `documents.DocumentListener`. A document is recognised however the client spells its URI."""

    def __init__(self, folder: Path, clock: Clock, virtual: VirtualDocuments) -> None:
        self.folder = folder
        self._clock, self._virtual = clock, virtual
        self._shown: dict[str, _Shown] = {}
        """By `_key`."""
        virtual.serve(FOLDER, self._text)

    def make(self, question: Question, *, as_file: bool = False) -> str:
        """Makes the document of a question, unless it exists. Returns its URI. `as_file`: make a file even if the
        client supports virtual documents.

        Raises:
            OSError: the file can't be written.
        """
        text, suffix = document_of(question), _suffix(question)
        digest = hashlib.sha256(question.id.encode()).hexdigest()[:12]
        if self._virtual.supported and not as_file:
            uri = uri_of(f"{FOLDER}/{digest}/{_name(question)}.{suffix}")
            return self._known(question, uri, text)
        path = Path(os.path.realpath(self.folder)) / f"{digest}.{suffix}"
        if str(path) not in self._shown:
            self._write(path, text)
        return self._known(question, path.as_uri(), "")

    def _known(self, question: Question, uri: str, text: str) -> str:
        key = path_in(uri) or str(path_of(uri))
        return self._shown.setdefault(key, _Shown(question, uri, text)).uri

    def _write(self, path: Path, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        path.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError:
            path.unlink(missing_ok=True)
            raise

    def remove_of(self, question_id: str) -> None:
        """Deletes the documents of a question. An editor that shows a virtual one is told to load it again, and then
        shows that the question is closed."""
        for key, shown in list(self._shown.items()):
            if shown.question.id != question_id:
                continue
            del self._shown[key]
            path = path_of(shown.uri)
            if path is not None:
                remove_file(path)
            elif shown.read:
                self._virtual.changed(shown.uri)

    async def _text(self, name: str) -> str:
        shown = self._shown.get(f"{FOLDER}/{name}")
        if shown is None:
            return _OVER
        shown.read = True
        return shown.text

    def was_read(self, uri: str) -> bool:
        """Whether the client has asked for the text of the (virtual) document."""
        shown = self._of(uri)
        return shown is not None and shown.read

    def question_in(self, uri: str) -> str | None:
        """The id of the question that the document shows; None if it shows none."""
        shown = self._of(uri)
        return None if shown is None else shown.question.id

    def is_open(self, uri: str) -> bool:
        shown = self._of(uri)
        return shown is not None and shown.opened.is_set()

    async def until_opened(self, uri: str, patience: float | None) -> bool:
        """Waits at most `patience` seconds (None: for ever) until the client reports the document as open. Returns
        whether it did."""
        shown = self._of(uri)
        if shown is None:
            return False
        if patience is None:
            return await shown.opened.wait()
        return await set_within(self._clock, patience, shown.opened)

    async def until_closed(self, uri: str) -> None:
        shown = self._of(uri)
        if shown is not None:
            await shown.closed.wait()

    def on_event(self, event: Emitted) -> None:
        """Deletes the documents of a question that was answered."""
        if event.type == "approval_resolved":
            self.remove_of(event.data["id"])

    def on_open(self, uri: str) -> None:
        if shown := self._of(uri):
            shown.opened.set()
            shown.closed.clear()

    def on_change(self, uri: str) -> None:
        """Nothing depends on the text."""

    def on_save(self, uri: str) -> None:
        """Nothing depends on the text."""

    def on_close(self, uri: str) -> None:
        if shown := self._of(uri):
            shown.closed.set()
            shown.opened.clear()

    def _of(self, uri: str) -> _Shown | None:
        if not self._shown:
            return None
        key = _key(uri)
        return None if key is None else self._shown.get(key)


def remove_file(path: Path) -> None:
    """Deletes a file of our own. If that fails it is only logged: housekeeping deletes it later."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s could not be deleted: %s", path, error)


def _key(uri: str) -> str | None:
    """The same for every spelling of a document's URI. Names of virtual documents are relative, so they differ from
    all paths of files."""
    name = path_in(uri)
    if name is not None:
        return name
    path = real_path_of(uri)
    return None if path is None else str(path)


def _name(question: Question) -> str:
    """The document's name, which editors show: that of the changed file, or of the first of several."""
    said = Path(question.changes[0].display).name if question.changes else question.kind
    if len(question.changes) > 1:
        said = f"{len(question.changes)} files, {said}"
    return re.sub(r"[^A-Za-z0-9._-]+", "-", said)[:_MAX_NAME].strip(".-") or "question"


def _suffix(question: Question) -> str:
    return "sh" if question.command is not None else "json" if question.tool is not None else "diff"


def document_of(question: Question) -> str:
    """The text that shows all of what a question is about."""
    if question.command is not None:
        lines = [
            f"# {question.title}",
            f"# in {printable(question.cwd or '')}",
            *question.command.split("\n"),
        ]
        return "".join(f"{_seen(line)}\n" for line in lines)
    if question.tool is not None:
        text = json.dumps(question.tool.arguments, ensure_ascii=False, indent=2)
        return "".join(f"{printable(line)}\n" for line in text.split("\n"))
    parts = [question.title, *([] if question.changes else [question.reason])]
    parts += ["\n".join(map(_seen, view.diff.split("\n"))) for view in question.changes]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _seen(line: str) -> str:
    """A line with invisible characters escaped, except for tabs and the CR of a CRLF line end."""
    end = "\r" if line.endswith("\r") else ""
    return "\t".join(map(printable, line.removesuffix("\r").split("\t"))) + end
