"""One approved edit of one open document: asked of the editor, then looked for in its text.

`applied: true` is never trusted. Clients say it though nothing changed, say nothing at all, and bundle the user's own
typing with the edit; so the text is looked at after every single change that the client tells of.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from steersman.agent.clock import Clock
from steersman.lsp.buffers import Buffer, Buffers
from steersman.lsp.client import Client
from steersman.lsp.errors import ClientGone, ClientRequestError, RequestTimeout
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within, set_within
from steersman.session.limits import Limits
from steersman.workspace.align import LineChange, line_changes, split_lines
from steersman.workspace.diff import minimal_edits
from steersman.workspace.merge import survives
from steersman.workspace.positions import LineIndex, PositionEncoding
from steersman.workspace.text import to_lf, view

Said = Literal["applied", "refused", "nothing"]
INLINE_CHARACTERS = 50_000
"""Texts up to here are compared after every change; of longer ones the last of those that came together."""


@dataclass(frozen=True, slots=True)
class Editor:
    """One connection, as far as files go."""

    server: RpcServer
    client: Client
    buffers: Buffers
    limits: Limits
    clock: Clock


@dataclass(frozen=True, slots=True)
class EditOutcome:
    there: bool
    """Every line of the edit is in the text, or was when the editor told of it."""
    said: Said
    """What the editor said of it."""
    reason: str
    """Why it did not make the edit, or did not say."""


async def make_edit(editor: Editor, buffer: Buffer, raw: str, new: str, label: str) -> EditOutcome:
    """Turns the document's text `raw` into one that has the lines of `new` (LF line ends), by one
    `workspace/applyEdit`, which is one step of the editor's undo.

    The document's version is read at once: the caller has just seen that `raw` is its text. Cancelled, it leaves the
    buffer frozen: the edit may be made or not.
    """
    old = to_lf(raw)
    params = _params(editor, buffer, minimal_ranges(raw, new, editor.server.documents.encoding), label)
    seen = asyncio.Event()
    loop, comparing = asyncio.get_running_loop(), False

    def compare() -> None:
        nonlocal comparing
        comparing = False
        if buffer.text is not None and survives(old, new, buffer.text):
            seen.set()

    def look() -> None:
        nonlocal comparing
        if buffer.text == new:
            seen.set()
        elif len(old) <= INLINE_CHARACTERS:
            compare()
        elif not comparing:
            comparing = True
            loop.call_soon(compare)

    with editor.buffers.watch(buffer.path, look):
        try:
            said, reason = await _ask(editor, params)
            if said == "applied":
                await set_within(editor.clock, editor.limits.verify, seen)
        except asyncio.CancelledError:
            buffer.frozen = True
            raise
    return EditOutcome(seen.is_set(), said, reason)


def minimal_ranges(raw: str, new: str, encoding: PositionEncoding) -> list[dict[str, Any]]:
    """The text edits of LSP that turn `raw` into `new`, which takes on the line ends of `raw`."""
    index = LineIndex(raw)
    edits = []
    for edit in minimal_edits(raw, view(raw).rewrite(new).raw):
        span = index.range(edit.start, edit.end, encoding)
        start = {"line": span.start.line, "character": span.start.character}
        end = {"line": span.end.line, "character": span.end.character}
        edits.append({"range": {"start": start, "end": end}, "newText": edit.new_text})
    return edits


def shares_nothing(old: str, new: str, now: str) -> bool:
    """Whether nothing of the edit from `old` to `new` is in `now`: what has changed is somebody else's, elsewhere."""
    a, p, n = split_lines(old), split_lines(new), split_lines(now)
    ours, theirs = line_changes(a, p), line_changes(a, n)
    if any(t.old_start <= o.old_end and o.old_start <= t.old_end for o in ours for t in theirs):
        return False
    return not _put_in(ours, p) & _put_in(theirs, n)


def _put_in(changes: list[LineChange], lines: list[str]) -> set[str]:
    return {line for change in changes for line in lines[change.new_start : change.new_end]} - {"\n"}


def _params(editor: Editor, buffer: Buffer, edits: list[dict[str, Any]], label: str) -> dict[str, Any]:
    document, client = buffer.document, editor.client
    if not client.document_changes:
        return {"label": label, "edit": {"changes": {document.uri: edits}}}
    version = document.version
    if version is not None:
        version = max(client.quirks.least_version, version)
    changed = {"textDocument": {"uri": document.uri, "version": version}, "edits": edits}
    return {"label": label, "edit": {"documentChanges": [changed]}}


async def _ask(editor: Editor, params: dict[str, Any]) -> tuple[Said, str]:
    request = editor.server.request("workspace/applyEdit", params, timeout=None)
    try:
        answer = await answered_within(editor.clock, editor.limits.apply_edit, request)
    except (RequestTimeout, ClientGone) as error:
        return "nothing", str(error)
    except ClientRequestError as error:
        return "refused", str(error)
    if not isinstance(answer, dict) or not isinstance(answer.get("applied"), bool):
        return "nothing", "its answer says neither that it did nor that it didn't"
    if answer["applied"]:
        return "applied", ""
    reason = answer.get("failureReason")
    return "refused", reason if isinstance(reason, str) and reason else "it gave no reason"
