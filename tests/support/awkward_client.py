"""A client that has any of the habits that real editors were seen to have, in any combination.

It shares no code with the server. What it does late, it does when the test says so.
"""

import asyncio
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from support.editor_client import EditorClient, operation_of
from support.habits import BLIND, Habits
from support.lsp_client import NO_ANSWER, AnsweredWithError, LspClient


@dataclass(eq=False)
class Prompt:
    """A question on the screen."""

    params: dict[str, Any]
    answer: "asyncio.Future[Any]"
    withdrawn: bool = False

    @property
    def id(self) -> str | None:
        """Known to a client that has negotiated questions."""
        return self.params.get("id")

    @property
    def titles(self) -> list[str]:
        return [action["title"] for action in self.params.get("actions", [])]


class AwkwardEditor(EditorClient):
    """Keeps what it has saved, and tells of changes when its habits say so."""

    def __init__(self, client: LspClient, habits: Habits) -> None:
        super().__init__(
            client, encoding=habits.encoding, versioned=habits.versions in ("counted", "from zero")
        )
        self.habits = habits
        self.saved: dict[str, str | None] = {}
        self.untold: set[str] = set()
        """Documents of which the server has an older text."""
        self._snapshots: dict[str, dict[int, str]] = {}

    def open(self, path: Path, text: str | None = None, *, uri: str | None = None, version: int = 1) -> str:
        version = 0 if self.habits.versions == "from zero" else version
        opened = super().open(path, text, uri=uri, version=version)
        self.saved[opened] = _read(path)
        self._snapshots[opened] = {version: self.buffers[opened].text}
        return opened

    def step(self, uri: str, text: str) -> None:
        super().step(uri, text)
        self._snapshots[uri][self.buffers[uri].version] = text

    def type(self, uri: str, text: str) -> None:
        """The user changes the text."""
        self.step(uri, text)
        self.untold.add(uri)
        if not self.habits.debounces:
            self.catch_up(uri)

    def undo(self, uri: str) -> None:
        buffer = self.buffers[uri]
        if buffer.undo:
            self.type(uri, buffer.undo.pop())
            buffer.undo.pop()  # the step that this was itself

    def catch_up(self, uri: str) -> None:
        """Tells of what has not been told."""
        if uri in self.untold and uri in self.buffers:
            self.untold.discard(uri)
            self.tell(uri, [{"text": self.buffers[uri].text}])

    def save(self, uri: str) -> None:
        self.catch_up(uri)
        self.saved[uri] = self.buffers[uri].text
        self.buffers[uri].path.parent.mkdir(parents=True, exist_ok=True)
        super().save(uri)

    def close(self, uri: str) -> None:
        self.untold.discard(uri)
        super().close(uri)

    def is_dirty(self, uri: str) -> bool:
        return self.buffers[uri].text != self.saved[uri]

    def in_conflict(self, uri: str) -> bool:
        """The file is not what the editor has saved or loaded, nor what it shows, which is something else again."""
        disk = _read(self.buffers[uri].path)
        return self.is_dirty(uri) and disk not in (None, self.saved[uri], self.buffers[uri].text)

    def reload_changed(self) -> Iterator[str]:
        """Loads clean files again that have changed on the disk; the documents of which it does."""
        for uri, buffer in list(self.buffers.items()):
            text = _read(buffer.path)
            if text is not None and text != buffer.text and not self.is_dirty(uri):
                self.saved[uri] = text
                self.type(uri, text)
                yield uri

    def snapshot(self, uri: str, version: int) -> str:
        return self._snapshots[uri].get(version, self.buffers[uri].text)

    def _document(self, document: dict[str, Any]) -> dict[str, Any]:
        if self.habits.versions == "missing":
            document.pop("version", None)
        return document

    def tell(self, uri: str, changes: list[dict[str, Any]]) -> None:
        document = self._document({"uri": uri, "version": self._version(uri)})
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


@dataclass
class AwkwardClient:
    """Answers the server's requests by its `habits`."""

    client: LspClient
    habits: Habits
    now: Callable[[], float]
    typing: Callable[[str], None] = lambda uri: None
    """Its user types something into a document, while an edit is made."""
    prompts: list[Prompt] = field(default_factory=list)
    """Those that can be answered, oldest first."""
    postponed: list[Callable[[], None]] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    """Texts of which it has destroyed something that it was not told to."""
    garbled: set[str] = field(default_factory=set)
    """Texts that such an edit has made, in part out of what stood there."""
    over_conflicts: list[Path] = field(default_factory=list)
    """Files that it was told to edit though they had unsaved text and had changed on the disk as well."""
    last_action: float = float("-inf")
    """When its user last chose a code action."""

    def __post_init__(self) -> None:
        self.editor = AwkwardEditor(self.client, self.habits)
        self.editor.behaviour = self._edit
        on = self.client.on_request
        on("workspace/applyEdit", self.editor._apply_edit)
        on("window/showMessageRequest", self._ask)
        on("steersman/requestApproval", self._ask)
        on("window/workDoneProgress/create", self._progress)
        on("window/showDocument", self._show)

    # Questions

    def _ask(self, params: dict[str, Any]) -> Any:
        prompt = Prompt(params, asyncio.get_running_loop().create_future())
        self.prompts.append(prompt)
        return prompt.answer

    def take_back(self) -> None:
        """Looks which of its questions the server has withdrawn."""
        if not self.prompts:
            return
        received = self.client.received
        cancelled = {m["params"]["id"] for m in received if m.get("method") == "$/cancelRequest"}
        ids = {id(m.get("params")): m["id"] for m in received if "id" in m and "method" in m}
        for prompt in list(self.prompts):
            if ids.get(id(prompt.params)) not in cancelled or prompt.withdrawn:
                continue
            prompt.withdrawn = True
            if self.habits.withdrawn != "stays":
                self.prompts.remove(prompt)
            if self.habits.withdrawn == "an error":
                _fail(prompt.answer, -32800)

    def reply(self, prompt: Prompt, result: Any) -> None:
        self.prompts.remove(prompt)
        if not prompt.answer.done():
            prompt.answer.set_result(result)

    def fail(self, prompt: Prompt) -> None:
        self.prompts.remove(prompt)
        _fail(prompt.answer, -32603)

    def item(self, title: str) -> Any:
        return {"title": title} if self.habits.answers == "item" else title

    # Edits

    def _edit(self, _: EditorClient, params: dict[str, Any]) -> Any:
        operation = params["edit"].get("documentChanges", [{}])[0]
        answer = self._operate(params) if "kind" in operation else self._edit_text(params)
        if self.habits.slow == "no":
            return answer
        later: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.postponed.append(lambda: None if later.done() else _settle(later, answer))
        return later

    def _edit_text(self, params: dict[str, Any]) -> Any:
        uri, edits, version = self.editor.edits_of(params)
        buffer = self.editor.buffers.get(uri)
        if buffer is None:
            return {"applied": False, "failureReason": "not open"}
        stale = version is not None and version != buffer.version
        match self.habits.edits:
            case "refuses":
                return {"applied": False, "failureReason": "read-only"}
            case "breaks":
                return _error("no such buffer")
            case "says null":
                return None
            case "is silent":
                return NO_ANSWER
            case "only after an action" if self.now() - self.last_action > 2:
                return {"applied": False}
            case "claims" if version and buffer.version > version:
                return {"applied": True}
            case "fails" if stale:
                return _error("the version is stale")
            case "checks silently" if stale:
                return {"applied": False}
            case "ignores" | "misplaces" | "claims" | "rebases":
                pass
            case _ if stale:
                return {"applied": False, "failureReason": "the version is stale"}
        self._make(uri, edits, version)
        match self.habits.edits:
            case "does it silently":
                return NO_ANSWER
            case "answers nonsense":
                return {"applied": "yes"}
        return {"applied": True}

    def _make(self, uri: str, edits: list[dict[str, Any]], version: int | None) -> None:
        editor, before = self.editor, self.editor.buffers[uri].text
        if uri not in editor.untold and editor.in_conflict(uri) and self.habits.edits not in BLIND:
            self.over_conflicts.append(editor.buffers[uri].path)
        unseen = uri in editor.untold and (version is None or self.habits.edits in BLIND)
        blind = unseen or self.habits.edits == "misplaces"
        editor.unfit_positions = "ignore" if blind else "strict"
        if self.habits.edits == "rebases" and version is not None:
            base = editor.snapshot(uri, version)
            after = _merged(base, editor.edited(base, edits), before)
        else:
            after = editor.edited(before, edits, lines_off=self.habits.edits == "misplaces")
        if blind:
            self.lost |= set(before.split()) - set(after.split())
            self.garbled |= set(after.split()) - set(before.split())
        editor.step(uri, after)
        editor.untold.add(uri)
        match self.habits.tells:
            case "before":
                editor.catch_up(uri)
            case "after":
                asyncio.get_running_loop().call_soon(editor.catch_up, uri)
            case "late":
                self.postponed.append(lambda: editor.catch_up(uri))
            case _:
                self.typing(uri)
                editor.catch_up(uri)

    def _operate(self, params: dict[str, Any]) -> Any:
        operation = operation_of(params)
        uri = operation.get("oldUri") or operation["uri"]
        match self.habits.operations:
            case "refuses":
                return {"applied": False, "failureReason": "not here"}
            case "claims":
                return {"applied": True}
        path, buffer = path_at(uri), self.editor.buffers.get(uri)
        if not path.is_file() or (buffer is not None and self.editor.is_dirty(uri)):
            return {"applied": False, "failureReason": "it is not saved"}
        if operation["kind"] == "delete":
            path.unlink()
        else:
            path.rename(path_at(operation["newUri"]))
        if self.habits.operations == "does" and buffer is not None:
            self.editor.close(uri)
            if operation["kind"] == "rename":
                self.editor.open(path_at(operation["newUri"]))
        return {"applied": True}

    # The rest

    def _progress(self, _: Any) -> Any:
        match self.habits.progress:
            case "takes":
                return None
            case "refuses":
                return _error("no progress")
        return NO_ANSWER

    def _show(self, params: dict[str, Any]) -> Any:
        uri = params["uri"]
        match self.habits.shows:
            case "refuses":
                return {"success": False}
            case "fails":
                return _error("can't")
            case "never":
                return NO_ANSWER
            case "claims":
                return {"success": True}
        if uri not in self.editor.buffers and path_at(uri).is_file():
            self.editor.open(path_at(uri))
        return {"success": True} if self.habits.shows == "tells" else NO_ANSWER

    def catch_up(self) -> None:
        """Does what it had put off, and tells of what it has not told."""
        postponed, self.postponed = self.postponed, []
        for act in reversed(postponed) if self.habits.slow == "backwards" else postponed:
            act()
        for uri in sorted(self.editor.untold):
            self.editor.catch_up(uri)

    def behave(self) -> None:
        """From now on it does all that is asked of it, at once."""
        self.habits = self.editor.habits = Habits(
            encoding=self.habits.encoding, versions=self.habits.versions
        )
        self.catch_up()


def path_at(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None


def _error(message: str) -> Any:
    raise AnsweredWithError({"code": -32603, "message": message})


def _fail(answer: "asyncio.Future[Any]", code: int) -> None:
    if not answer.done():
        answer.set_exception(AnsweredWithError({"code": code, "message": "can't"}))


def _settle(answer: "asyncio.Future[Any]", result: Any) -> None:
    answer.set_result(result)


def _merged(base: str, made: str, now: str) -> str:
    """The lines of `made` in `now`, where that still has those that they replace; else `now`."""
    before, after = base.splitlines(keepends=True), made.splitlines(keepends=True)
    for kind, start, end, new_start, new_end in reversed(
        difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    ):
        old, new = "".join(before[start:end]), "".join(after[new_start:new_end])
        if kind == "insert" and start:
            old = before[start - 1]
            new = old + new
        if kind != "equal" and old and now.count(old) == 1:
            now = now.replace(old, new)
        elif kind == "insert":
            now = new + now
    return now
