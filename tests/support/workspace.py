"""A real workspace in a temporary folder, and its tools driven as the kernel drives them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.messages import Json
from steersman.agent.tool import Proposal, Tool, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.bash import CommandSettings
from steersman.tools.ledger import ReadLedger
from steersman.tools.registry import standard_tools
from steersman.workspace.changes import FileChange
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.guard import Guard
from steersman.workspace.locks import LockTable
from steersman.workspace.ports import Applied, BaseMoved, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath, Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.search import find_ripgrep
from steersman.workspace.snapshots import buffer_snapshot


class BufferedWorkspace(DiskWorkspace):
    """A disk workspace with editor buffers before it: what is in `buffers` is the truth, and not saved."""

    __slots__ = ("buffers",)

    def __init__(self, roots: Roots, rules: PathRules | None = None) -> None:
        super().__init__(roots, rules)
        self.buffers: dict[Path, str] = {}

    async def read(self, path: ResolvedPath) -> Snapshot:
        if path.path not in self.buffers:
            return await super().read(path)
        return buffer_snapshot(path, self.buffers[path.path], dirty=True, version=1)

    async def apply_locked(self, change: FileChange) -> Applied:
        if change.path.path not in self.buffers:
            return await super().apply_locked(change)
        current = await self.read(change.path)
        if change.base_sha256 != current.sha256:
            raise BaseMoved(change.path, current)
        assert change.new is not None
        self.buffers[change.path.path] = change.new.raw
        return Applied((await self.read(change.path)).sha256, source="buffer", unsaved=True)

    async def unsaved_files(self) -> Sequence[str]:
        return [self.roots.relative(path) for path in self.buffers]


@dataclass
class Called:
    """One call as the kernel would see it."""

    result: ToolResult
    proposal: Proposal | None
    updates: list[str]

    @property
    def text(self) -> str:
        return self.result.text

    @property
    def is_error(self) -> bool:
        return self.result.is_error


def approve(proposal: Proposal) -> Proposal:
    return proposal


@dataclass
class Bench:
    """A workspace folder with the standard tools of one session."""

    root: Path
    workspace: DiskWorkspace
    tools: Mapping[str, Tool]
    ledger: ReadLedger
    images: list[PreImage] = field(default_factory=list)

    def put(self, name: str, content: str | bytes = "") -> Path:
        """Writes a file, with the directories on the way."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def bytes(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Json] | None = None,
        *,
        answer: Callable[[Proposal], Proposal] = approve,
        signal: AbortSignal | None = None,
        **fields: Json,
    ) -> Called:
        """Binds, proposes, has the proposal answered, executes; an expected failure is an error result."""
        updates: list[str] = []
        signal = signal or AbortController().signal
        proposal: Proposal | None = None
        try:
            bound = self.tools[name].bind(fields if arguments is None else arguments)
            proposal = await bound.propose(signal)
            if proposal is not None:
                proposal = answer(proposal)
            result = await bound.execute(ToolContext("call-1", signal, updates.append, proposal))
        except ToolError as error:
            result = text_result(str(error), is_error=True)
        return Called(result, proposal, updates)

    async def ok(self, name: str, **fields: Json) -> str:
        called = await self.call(name, **fields)
        assert not called.is_error, called.text
        return called.text

    async def error(self, name: str, **fields: Json) -> str:
        called = await self.call(name, **fields)
        assert called.is_error, called.text
        return called.text


def make_bench(
    base: Path,
    guard: Guard,
    *,
    folders: Sequence[str] = ("ws",),
    rules: PathRules | None = None,
    buffered: bool = False,
    locks: LockTable | None = None,
    make_workspace: Callable[[DiskWorkspace], DiskWorkspace] = lambda workspace: workspace,
) -> Bench:
    """Below `base`: the workspace folders, and `outputs` for long outputs of commands. `make_workspace` makes another
    of the session's."""
    paths = [base / name for name in folders]
    for path in paths:
        path.mkdir(parents=True, exist_ok=True)
    roots = Roots(paths, readable=[base / "outputs"])
    images: list[PreImage] = []

    async def keep(image: PreImage) -> None:
        images.append(image)

    workspace = (
        BufferedWorkspace(roots, rules)
        if buffered
        else DiskWorkspace(roots, rules, locks=locks, keep_preimage=keep)
    )
    workspace = make_workspace(workspace)
    ledger = ReadLedger()
    commands = CommandSettings(guard, base / "outputs")
    tools = standard_tools(workspace, ledger=ledger, commands=commands, ripgrep=find_ripgrep())
    return Bench(paths[0].resolve(), workspace, {tool.name: tool for tool in tools}, ledger, images)
