"""The instructions that folders hold for agents: AGENTS.md, or CLAUDE.md where there is no AGENTS.md beside it.

Those of the user's home and of the workspace folder are part of the system prompt. Those further down come with the
result of the first tool call that concerns something below them. So the beginning of a request stays the same, and the
conversation itself shows which ones the model has been given.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steersman.agent.abort import AbortSignal
from steersman.agent.hooks import PendingCall
from steersman.agent.messages import AssistantMessage, Message, Text
from steersman.agent.tool import ToolResult
from steersman.session.named_paths import named_paths
from steersman.session.trust import INSTRUCTION_FILES
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.ports import Workspace
from steersman.workspace.regular import NotRegular, read_head
from steersman.workspace.roots import printable

MAX_INSTRUCTIONS = 32 * 1024
"""Bytes of one instruction file; the rest is left out, and the model is told."""
MAX_DEPTH = 32
"""Folders that are searched for instructions, from a file up to its workspace folder."""


@dataclass(frozen=True, slots=True)
class Instructions:
    path: Path
    text: str


class InstructionsRefused(Exception):
    """There is an instruction file that must not or can't be read. The text says why, for the user."""


def read_instructions(folder: Path, *, within: Path | None = None) -> Instructions | None:
    """The folder's instructions, bounded; None if it has none. `within`: where links may lead.

    Raises:
        InstructionsRefused: they lead out of `within`, or can't be read.
    """
    for name in INSTRUCTION_FILES:
        path = folder / name
        if not os.path.lexists(path):
            continue
        real = Path(os.path.realpath(path))
        if within is not None and not real.is_relative_to(within):
            raise InstructionsRefused(
                f"{printable(str(path))} is not followed: it leads to {printable(str(real))}, outside the workspace."
            )
        try:
            data = _read(real)
        except OSError as error:
            raise InstructionsRefused(f"{printable(str(path))} can't be read: {error.strerror}.") from None
        if data is None:
            continue
        text = data[:MAX_INSTRUCTIONS].decode("utf-8-sig", "replace").strip()
        if len(data) > MAX_INSTRUCTIONS:
            text = text.rstrip("\ufffd") + "\n\n(The rest of this file is left out: it is too long.)"
        return Instructions(path, text) if text else None
    return None


def _read(path: Path) -> bytes | None:
    """None if it is no regular file."""
    try:
        return read_head(path, MAX_INSTRUCTIONS + 1)
    except NotRegular:
        return None


class FolderInstructions:
    """Gives one run the instructions below its workspace folders, each once for as long as the model still sees it."""

    def __init__(
        self,
        workspace: Workspace,
        history: Callable[[], Sequence[Message]],
        trusts: Callable[[Path], Awaitable[bool]],
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`history()` is the conversation as the model sees it; `trusts(folder)` may ask the user."""
        self._workspace, self._history, self._trusts, self._notice = workspace, history, trusts, notice
        self._given: set[Text] = set()
        """Given in this turn, so not in the history yet."""
        self._refused: set[Path] = set()
        self._lock = asyncio.Lock()

    def of_folder(self, folder: Path, *, within: Path | None = None) -> Instructions | None:
        """The instructions of one folder. What must not or can't be read is told to the user, once."""
        if folder in self._refused:
            return None
        try:
            found = read_instructions(folder, within=within)
        except InstructionsRefused as error:
            self._refused.add(folder)
            self._notice(str(error))
            return None
        return None if found is None or self._is_denied(found.path) else found

    def _is_denied(self, path: Path) -> bool:
        try:
            self._workspace.resolve(str(path))
        except WorkspaceError:
            return True
        return False

    def turn_over(self) -> None:
        """What was given in the turn is in the history now."""
        self._given.clear()

    async def after_tool_call(
        self, pending: PendingCall, result: ToolResult, _: AbortSignal
    ) -> ToolResult | None:
        """The kernel's hook of this name: adds what holds where the tool has been."""
        if result.is_error:
            return None
        blocks = await self.holding_at(named_paths(pending.arguments))
        return replace(result, content=(*result.content, *blocks)) if blocks else None

    async def holding_at(self, paths: Sequence[str]) -> list[Text]:
        """The instructions for `paths`, as somebody wrote them, that were not given yet; outermost first."""
        folders = {folder: root for path in paths for folder, root in self._folders(path)}
        blocks: list[Text] = []
        async with self._lock:
            for folder, root in sorted(folders.items()):
                found = self._read(folder, root)
                if found is not None and not self._is_given(found) and await self._trusts(root):
                    self._given.add(found)
                    blocks.append(found)
        return blocks

    def _folders(self, path: str) -> Iterator[tuple[Path, Path]]:
        """The folders from a path up to its workspace folder, each with that. The session's own folder, whose
        instructions are in the system prompt, is left out."""
        try:
            resolved = self._workspace.resolve(path)
        except WorkspaceError:
            return
        root, primary = resolved.root, self._workspace.roots.primary
        if root is None:
            return
        at = resolved.path if resolved.path.is_dir() else resolved.path.parent
        for folder in [at, *at.parents][:MAX_DEPTH]:
            if not folder.is_relative_to(root.path) or (primary is not None and folder == primary.path):
                return
            yield folder, root.path

    def _read(self, folder: Path, root: Path) -> Text | None:
        found = self.of_folder(folder, within=root)
        if found is None:
            return None
        name = printable(self._workspace.roots.relative(found.path))
        where = name.rpartition("/")[0]
        return Text(f"[{name} has instructions for all that is below {where}/:]\n\n{found.text}", name)

    def _is_given(self, block: Text) -> bool:
        if block in self._given:
            return True
        return any(
            block in message.content
            for message in self._history()
            if not isinstance(message, AssistantMessage)
        )
