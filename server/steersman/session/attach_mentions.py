"""Attaches to a message what it mentions: texts of files, listings of directories, images.

Files are read as tools read them, through the session's workspace: the editor's text counts, deny rules hold, pages are
as long as those of `read`. Nothing outside the workspace is attached. A mention of nothing that is there stays text.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from steersman.agent.abort import AbortController
from steersman.agent.tool import ToolContext, ToolError
from steersman.session.attach_pointed import attach_diagnostics
from steersman.session.attachments import Attachments, fenced
from steersman.session.mentions import Mention, Target, mentions
from steersman.session.pointing import Diagnostic, Pointed
from steersman.tools.images import ImageError, described, image_of, image_type
from steersman.tools.ls import LsTool
from steersman.tools.paging import MAX_LINES
from steersman.tools.read import note_seen, notes_on, page_of_snapshot
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.ports import Snapshot
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.suggest import near_misses

MAX_LOOKED_UP = 200
"""Different mentions that are looked up on the disk. A pasted text may have many more that mean nothing."""
MAX_DIAGNOSTICS = 100
"""Diagnostics of the editor that one `@diagnostics` attaches."""
_MAX_SUGGESTED = 3
"""Mentions for which similar names are suggested."""
_INLINE = 100_000
"""Characters of a text that is searched for mentions on the event loop."""
_SPECIAL = ("selection", "diagnostics")


class Mentions:
    """Those of one message."""

    def __init__(
        self, to: Attachments, pointed: Pointed, diagnostics: Callable[[], Sequence[Diagnostic]]
    ) -> None:
        """`diagnostics()`: those of the editor, for `@diagnostics`."""
        self._to, self._pointed, self._diagnostics = to, pointed, diagnostics
        self._done: set[tuple[Path, Target]] = set()
        self._suggested = 0

    async def attach(self, text: str) -> None:
        """Attaches everything that `text` mentions, as far as it exists.

        Raises:
            Refused: denied, a deny rule covers a file.
        """
        known: set[tuple[str, bool]] = set()
        inline = len(text) <= _INLINE
        for found in list(mentions(text)) if inline else await asyncio.to_thread(list, mentions(text)):
            if (found.text, found.quoted) in known:
                continue
            known.add((found.text, found.quoted))
            if len(known) > MAX_LOOKED_UP:
                self._to.notices.append(f"Only the first {MAX_LOOKED_UP} mentions were looked up.")
                return
            await self._mention(found)

    async def _mention(self, found: Mention) -> None:
        if not found.quoted and found.targets[-1].path in _SPECIAL:
            self._special(found.targets[-1].path)
            return
        for target in found.targets:
            path = self._to.resolved(target.path)
            if path is not None and await self._to.workspace.exists(path):
                await self._attach(path, target)
                return
        if found.evident and self._suggested < _MAX_SUGGESTED:
            self._suggested += 1
            await self._suggest(found.targets[-1].path)

    def _special(self, name: str) -> None:
        """What came with the message is attached anyway."""
        if name == "selection" and not self._pointed.selections:
            self._to.notices.append("@selection: the editor has sent none; the message was sent as it is.")
        if name == "diagnostics" and not self._pointed.diagnostics:
            found = [item for item in self._diagnostics() if self._to.may_tell(self._to.resolved(item.uri))]
            if found:
                attach_diagnostics(self._to, found[:MAX_DIAGNOSTICS], len(found))
            else:
                self._to.notices.append(
                    "@diagnostics: the editor has told of none; the message was sent as it is."
                )

    async def _suggest(self, path: str) -> None:
        resolved = self._to.resolved(path)
        if resolved is None or resolved.root is None:
            return
        root = resolved.root.path
        below = os.path.relpath(resolved.path, root)
        near = await asyncio.to_thread(
            near_misses, root, below, lambda name: not self._to.workspace.rules.denied_name(name)
        )
        if near:
            named = ", ".join(printable(self._to.workspace.roots.relative(root / name)) for name in near)
            self._to.notices.append(
                f"@{printable(path)} is not there and was sent as text. Did you mean {named}?"
            )

    async def _attach(self, path: ResolvedPath, target: Target) -> None:
        if not self._to.workspace.roots.may_read(path):
            self._to.notices.append(
                f"@{printable(target.path)} is outside the workspace and is not attached; the agent can ask to read it."
            )
            return
        self._to.refuse_denied(path)
        key = (path.path, Target("", target.first, target.last))
        if key in self._done:
            return
        self._done.add(key)
        try:
            if path.path.is_dir():
                await self._directory(path)
            else:
                await self._file(path, target)
        except (WorkspaceError, ToolError, ImageError) as error:
            text = str(error)
            self._to.notices.append(
                f"@{printable(target.path)} is not attached: {text[:1].lower()}{text[1:]}"
            )
        else:
            self._to.paths.append(str(path.path))

    async def _directory(self, path: ResolvedPath) -> None:
        tool = LsTool(self._to.workspace)
        context = ToolContext("", AbortController().signal, lambda _: None)
        listing = await tool.execute(tool.arguments.bind({"path": str(path.path)}, tool.name), context)
        name = "." if path.relative == "." else f"{path.display}/"
        self._to.add(f"The directory {name}:\n{fenced(listing.text)}", name)

    async def _file(self, path: ResolvedPath, target: Target) -> None:
        snapshot = await self._to.workspace.read(path)
        if image_type(snapshot.data) is not None:
            image = image_of(snapshot.data)
            self._to.add_image(image, described(image, path.display), path.display)
            return
        await self._lines(snapshot, target)

    async def _lines(self, snapshot: Snapshot, target: Target) -> None:
        first = target.first or 1
        limit = MAX_LINES if target.last is None else min(target.last - first + 1, MAX_LINES)
        page = await page_of_snapshot(snapshot, first, limit)
        name = snapshot.path.display
        notes = notes_on(snapshot, page)
        lines = "" if target.first is None else f"Lines {page.first}-{page.last} of "
        text = f"{lines or 'The file '}{name}:\n{fenced(page.text)}" + "".join(
            f"\n[{note}]" for note in notes
        )
        if self._to.add(text, f"{name}{target.lines}"):
            note_seen(self._to.seen, snapshot, page)
