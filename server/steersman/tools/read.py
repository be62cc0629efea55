"""read: reads a page of a text file, or an image.

The text is given as it is, without line numbers: what the model sees is exactly what `edit` has to match, and it can
quote a line without removing anything. Notes and grep give line numbers.
"""

import asyncio
import shlex
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Text
from steersman.agent.tool import Proposal, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import BaseTool, count, with_notes
from steersman.tools.images import ImageError, described, image_of, image_type
from steersman.tools.ledger import ReadLedger
from steersman.tools.paging import MAX_BYTES, MAX_LINE, MAX_LINES, Page, page_of
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import FILE_NAMES, Arguments
from steersman.workspace.ports import Snapshot, Workspace
from steersman.workspace.text import TextError

_LISTED = 5
_INLINE = 1_000_000
"""Characters of a text up to which a page is made on the event loop."""


class ReadArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys((*FILE_NAMES, "filepath", "absolute_path"), "path"),
        "start_line": "offset",
        "startLine": "offset",
        "line": "offset",
        "max_lines": "limit",
        "n_lines": "limit",
    }
    path: str = Field(description="File to read, relative to the workspace folder or absolute.")
    offset: int | None = Field(None, ge=0, description="Line to start from, counting from 1.")
    limit: int | None = Field(None, ge=1, description=f"Maximum number of lines, up to {MAX_LINES}.")


class ReadTool(BaseTool[ReadArguments]):
    name = "read"
    description = (
        "Read a file: text as it is, or an image (png, jpeg, gif, webp). Long files come in pages of up to "
        f"{MAX_LINES} lines or {MAX_BYTES // 1024} KB; use `offset` to continue. Prefer this tool to cat or sed, and "
        "read several files at once if you need them."
    )
    arguments = ReadArguments
    execution = "parallel"

    def __init__(self, workspace: Workspace, ledger: ReadLedger) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger

    async def propose(self, args: ReadArguments, signal: AbortSignal) -> Proposal | None:
        return access_needed(self._workspace, self.name, self._workspace.resolve(args.path))

    async def execute(self, args: ReadArguments, context: ToolContext) -> ToolResult:
        path = self._workspace.resolve(args.path)
        require_access(self._workspace, self.name, path, context)
        snapshot = await self._workspace.read(path)
        if image_type(snapshot.data) is not None:
            return _image(snapshot)
        return await self._text(snapshot, args)

    async def _text(self, snapshot: Snapshot, args: ReadArguments) -> ToolResult:
        offset = max(args.offset or 1, 1)
        page = await page_of_snapshot(snapshot, offset, min(args.limit or MAX_LINES, MAX_LINES))
        note_seen(self._ledger, snapshot, page)
        return text_result(
            with_notes(page.text, notes_on(snapshot, page)),
            details={"firstLine": page.first, "lastLine": page.last, "totalLines": page.total},
        )


async def page_of_snapshot(snapshot: Snapshot, offset: int, limit: int) -> Page:
    """Lines of a text file from line `offset` (from 1) on.

    Raises:
        ToolError: it is not text, or ends before that line.
    """
    name = snapshot.path.display
    try:
        text = snapshot.as_text().text
    except TextError as error:
        raise ToolError(f"{name}: {error}") from error
    if len(text) <= _INLINE:
        page = page_of(text, offset, limit)
    else:
        page = await asyncio.to_thread(page_of, text, offset, limit)
    if page.last < offset and offset > 1:
        raise ToolError(
            f"offset {offset} is beyond the end of {name}, which has {count(page.total, 'line')}."
        )
    return page


def note_seen(ledger: ReadLedger, snapshot: Snapshot, page: Page) -> None:
    """Notes that the model was given the page, except for lines that were cut."""
    first = page.first
    for line in page.cut:
        ledger.saw(snapshot, first, line - 1, page.total)
        first = line + 1
    ledger.saw(snapshot, first, page.last, page.total)


def notes_on(snapshot: Snapshot, page: Page) -> list[str]:
    """What there is to say about a page besides its text."""
    notes: list[str] = []
    if not snapshot.data:
        notes.append("The file is empty")
    elif not page.total:
        notes.append("The file is empty except for its byte order mark")
    elif page.next_offset is not None:
        notes.append(
            f"Lines {page.first}-{page.last} of {page.total}. Use offset={page.next_offset} to continue"
        )
    elif page.first > 1:
        notes.append(f"Lines {page.first}-{page.last} of {page.total}: the end of the file")
    if page.cut:
        listed = ", ".join(map(str, page.cut[:_LISTED])) + (" …" if len(page.cut) > _LISTED else "")
        which = "Line" if len(page.cut) == 1 else "Lines"
        notes.append(
            f"{which} {listed}: only the first {MAX_LINE} characters are shown. For the rest use grep, or bash: "
            f"sed -n '{page.cut[0]}p' {_quoted(snapshot)} | cut -c {MAX_LINE + 1}-"
        )
    if snapshot.dirty:
        notes.append("This is the editor's text, which is not saved yet")
    text = snapshot.as_text()
    if not text.certain:
        notes.append(
            f"Shown as {text.encoding}: the file is not UTF-8 and declares no encoding; only ASCII can be added"
        )
    return notes


def _quoted(snapshot: Snapshot) -> str:
    """The path quoted for a shell, if it can be shown as it is; otherwise a placeholder."""
    path = snapshot.path
    return shlex.quote(path.relative) if path.relative == path.display else "FILE"


def _image(snapshot: Snapshot) -> ToolResult:
    name = snapshot.path.display
    try:
        image = image_of(snapshot.data)
    except ImageError as error:
        raise ToolError(f"{name} {error}") from None
    return ToolResult((Text(described(image, name)), image))
