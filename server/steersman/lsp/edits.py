"""Makes one approved edit of one open document: asks the editor for it, and looks for it in the document's text.

`applied: true` is never trusted. Some clients say it although nothing changed, some don't answer, and some combine the
edit with the user's typing. So the text is checked after every change that the client reports.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal

from steersman.agent.clock import Clock
from steersman.lsp.buffers import Buffer, Buffers
from steersman.lsp.client import Client
from steersman.lsp.edit_outcomes import (
    Elsewhere,
    Outcome,
    content_changes,
    is_nearer_elsewhere,
    landed_elsewhere,
    shares_nothing,
)
from steersman.lsp.errors import ClientGone, ClientRequestError, RequestTimeout
from steersman.lsp.open_documents import UnattachedDocuments
from steersman.lsp.ranges import range_json
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within, set_within
from steersman.session.limits import Limits
from steersman.workspace.line_ends import to_lf
from steersman.workspace.merge import survives
from steersman.workspace.positions import ContentChange

Said = Literal["applied", "refused", "nothing"]
INLINE_CHARACTERS = 50_000
"""Texts up to this length are compared after every change; longer ones once for several changes that come together."""
MAX_SEEN = 4
"""How many of the texts that come after the request are kept: the editor may have made the edit in any of them."""
NO_REASON = "it gave no reason"
_OF_VERSIONS = ("version", "stale", "outdated", "out of date", "changed", "modified")


@dataclass(frozen=True, slots=True)
class Editor:
    """One connection, as far as files are concerned."""

    server: RpcServer
    client: Client
    buffers: Buffers
    unattached: UnattachedDocuments
    limits: Limits
    clock: Clock


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to `workspace/applyEdit`."""

    said: Said
    reason: str = ""
    """Why the editor refused, or why there is no usable answer."""

    def __str__(self) -> str:
        match self.said:
            case "applied":
                return "The editor said that it did it"
            case "refused":
                return f"The editor said that it did not do it ({self.reason})"
            case "nothing":
                return f"The editor did not say whether it did it ({self.reason})"


@dataclass(frozen=True, slots=True)
class EditOutcome:
    kind: Outcome
    answer: Answer
    heard: bool = False
    """The editor has reported a change since it was asked."""
    undone: str | None = None
    """For a misplaced edit: the text without it, with LF line ends."""


async def make_edit(editor: Editor, buffer: Buffer, raw: str, new: str, label: str) -> EditOutcome:
    """Turns the document's text `raw` into the lines of `new` (LF line ends) by one `workspace/applyEdit`, which is one
    undo step in the editor.

    Call it right after reading `raw`: the edit names the document's current version. If the call is cancelled, the
    buffer is frozen, since it is unknown whether the edit was made.
    """
    changes = content_changes(raw, new, editor.server.documents.encoding)
    version = _version(editor, buffer)
    watcher = _Watcher(buffer, raw, new)
    try:
        with editor.buffers.watch(buffer.path, watcher.look):
            answer = await ask(
                editor, _params(buffer, changes, version, label, editor.client.document_changes)
            )
            if answer.said == "applied":
                await _until_told(editor, watcher, watcher.there)
            elif answer.said == "refused" and _may_be_stale(answer.reason) and not watcher.there.is_set():
                # The typing that made the version stale may be on its way.
                await _until_told(editor, watcher, watcher.changed)
            else:
                await _ask_for_text(editor, watcher)
        if watcher.there.is_set() and not await _nearer_elsewhere(editor, watcher, changes):
            return EditOutcome("verified", answer, heard=True)
        return await _without_it(editor, watcher, changes, answer, versioned=version is not None)
    except asyncio.CancelledError:
        buffer.frozen = True
        raise


async def ask(editor: Editor, params: dict[str, Any]) -> Answer:
    """Sends `workspace/applyEdit`. No answer within the limit is an `Answer` too."""
    request = editor.server.request("workspace/applyEdit", params, timeout=None)
    try:
        answer = await answered_within(editor.clock, editor.limits.apply_edit, request)
    except (RequestTimeout, ClientGone) as error:
        return Answer("nothing", str(error))
    except ClientRequestError as error:
        return Answer("refused", str(error))
    if not isinstance(answer, dict) or not isinstance(answer.get("applied"), bool):
        return Answer("nothing", "its answer says neither that it did nor that it didn't")
    if answer["applied"]:
        return Answer("applied")
    reason = answer.get("failureReason")
    return Answer("refused", reason if isinstance(reason, str) and reason else NO_REASON)


@dataclass(slots=True)
class _Watcher:
    """Looks at a buffer's text after every change, for the edit of `raw` to `new`."""

    buffer: Buffer
    raw: str
    new: str
    old: str = field(init=False)
    version: int | None = field(init=False)
    seen: list[str] = field(default_factory=list)
    """The first texts after the request, with their line ends."""
    there: asyncio.Event = field(default_factory=asyncio.Event)
    """The edit was found in the text at some time."""
    with_more: str | None = None
    """The text in which the edit was found, with LF line ends, if that is not exactly what was approved."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _comparing: bool = False

    def __post_init__(self) -> None:
        self.old, self.version = to_lf(self.raw), self.buffer.document.version

    def look(self) -> None:
        raw = self.buffer.document.text
        if raw is None:
            return
        if raw != self.raw or self.buffer.document.version != self.version:
            self.changed.set()
        if len(self.seen) < MAX_SEEN and raw not in self.seen:
            self.seen.append(raw)
        if self.buffer.text == self.new:
            self.there.set()
            self.with_more = None
        elif len(self.old) <= INLINE_CHARACTERS:
            self._compare()
        elif not self._comparing:
            self._comparing = True
            asyncio.get_running_loop().call_soon(self._compare)

    def finish(self) -> None:
        """Makes a comparison that was postponed."""
        if self._comparing:
            self._compare()

    def before(self, now: str) -> list[str]:
        """The texts in which the editor may have made the edit, with their line ends, if the result is `now`."""
        return [self.raw, *(raw for raw in self.seen if to_lf(raw) not in (self.old, now))]

    def _compare(self) -> None:
        self._comparing = False
        now = self.buffer.text
        if now is not None and not self.there.is_set() and survives(self.old, self.new, now):
            self.there.set()
            self.with_more = now


async def _until_told(editor: Editor, watcher: _Watcher, event: asyncio.Event) -> None:
    """Waits until the document's text, reported or asked for, sets the event, or until the time for that is over."""
    if watcher.buffer.attached:
        await set_within(editor.clock, editor.limits.verify, event)
        return
    await _ask_for_text(editor, watcher)
    if not event.is_set():
        await editor.unattached.look_again(watcher.buffer, editor.limits.verify, event.is_set)
        watcher.finish()


async def _ask_for_text(editor: Editor, watcher: _Watcher) -> None:
    await editor.unattached.refresh(watcher.buffer)
    watcher.finish()


async def _without_it(
    editor: Editor, watcher: _Watcher, changes: list[ContentChange], answer: Answer, *, versioned: bool
) -> EditOutcome:
    """The outcome of an edit that was not found in the text as approved."""
    buffer, heard = watcher.buffer, watcher.changed.is_set()
    now = buffer.text
    if now is None or not editor.buffers.is_open(buffer):
        return EditOutcome("unobserved", answer, heard)
    if now != watcher.old:
        elsewhere = await _elsewhere(editor, watcher, changes, now)
        if buffer.text != now:  # typed while we compared
            return EditOutcome("differs", answer, heard)
        if elsewhere is not None and (elsewhere.undone is not None or answer.said == "applied"):
            undone = elsewhere.undone if answer.said == "applied" and versioned else None
            return EditOutcome("differs" if undone is None else "misplaced", answer, heard, undone)
        if not shares_nothing(watcher.old, watcher.new, now, adjoining=answer.said == "refused"):
            return EditOutcome("differs", answer, heard)
    # Without a version, an edit that is still on its way can't be told from one that was dropped.
    dropped = answer.said == "refused" or (answer.said == "applied" and heard and versioned)
    return EditOutcome("notApplied" if dropped else "unobserved", answer, heard)


async def _elsewhere(
    editor: Editor, watcher: _Watcher, changes: list[ContentChange], now: str
) -> Elsewhere | None:
    raws, encoding = watcher.before(now), editor.server.documents.encoding
    if len(now) <= INLINE_CHARACTERS:
        return landed_elsewhere(raws, changes, now, encoding)
    return await asyncio.to_thread(landed_elsewhere, raws, changes, now, encoding)


async def _nearer_elsewhere(editor: Editor, watcher: _Watcher, changes: list[ContentChange]) -> bool:
    """Whether the edit's lines were found only because the edit was made in the wrong place."""
    now, encoding = watcher.with_more, editor.server.documents.encoding
    if now is None:
        return False
    raws = watcher.before(now)
    if len(now) <= INLINE_CHARACTERS:
        return is_nearer_elsewhere(raws, changes, watcher.new, now, encoding)
    return await asyncio.to_thread(is_nearer_elsewhere, raws, changes, watcher.new, now, encoding)


def _may_be_stale(reason: str) -> bool:
    return reason == NO_REASON or any(word in reason.lower() for word in _OF_VERSIONS)


def _version(editor: Editor, buffer: Buffer) -> int | None:
    """The version that the edit names; None if the client doesn't take or send versions."""
    version = buffer.document.version
    if version is None or not editor.client.document_changes:
        return None
    return max(editor.client.quirks.least_version, version)


def _params(
    buffer: Buffer, changes: list[ContentChange], version: int | None, label: str, document_changes: bool
) -> dict[str, Any]:
    edits = [_text_edit(change) for change in changes]
    uri = buffer.document.uri
    if not document_changes:
        return {"label": label, "edit": {"changes": {uri: edits}}}
    changed = {"textDocument": {"uri": uri, "version": version}, "edits": edits}
    return {"label": label, "edit": {"documentChanges": [changed]}}


def _text_edit(change: ContentChange) -> dict[str, Any]:
    if change.range is None:  # `content_changes` gives every change its range
        raise ValueError("A text edit needs a range.")
    return {"range": range_json(change.range.start, change.range.end), "newText": change.text}
