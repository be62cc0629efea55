"""A few files in which each line has a unique word, which shows where the line came from; and a model that reads,
edits, writes, deletes and moves them.

Words of the user begin with `u`, words of another program with `d`, and words of the model with `m`, the number of its
call, and `x`.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from support.awkward_client import AwkwardEditor
from support.scripted_model import Step, answer, call, failure

FILES = {
    "a.txt": "a1 é\na2\na3 😀\na4\na5\na6\n",
    "b.txt": "b1\r\nb2\r\nb3 😀\r\nb4\r\nb5\r\n",
    "sub/c.txt": "c1\nc2\nc3\nc4",
}
WORD = re.compile(r"\b(?:[abcdeu]\d+|m\d+x[12])\b")
OF_A_CALL = re.compile(r"\bm(\d+)x[12]\b")


def words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text))


@dataclass(frozen=True)
class World:
    """What is on the disk and in the editor, at one instant. Names are relative to the workspace."""

    disk: dict[str, bytes]
    buffers: dict[str, str]

    @classmethod
    def now(cls, root: Path, editor: AwkwardEditor) -> "World":
        disk = dict(_files(os.fspath(root), ""))
        buffers = {
            str(buffer.path.relative_to(root)): buffer.text
            for buffer in editor.buffers.values()
            if buffer.path.is_relative_to(root)
        }
        return cls(disk, buffers)

    def of(self, name: str) -> frozenset[str]:
        """The words of a file: of its buffer if it is open, else of the disk."""
        if name in self.buffers:
            return words(self.buffers[name])
        return self.on_disk(name)

    def on_disk(self, name: str) -> frozenset[str]:
        return words(self.disk.get(name, b"").decode())

    @property
    def names(self) -> list[str]:
        return sorted({*self.disk, *self.buffers})

    @property
    def words(self) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        return found.union(*(self.on_disk(name) for name in self.disk), *map(words, self.buffers.values()))


def _files(folder: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name, Path(entry.path).read_bytes()


OF_TEN_OPEN = 7
"""How many of ten calls are about files that are open, if there are any."""
Wish = tuple[str, int, int]
"""What the model is to do: the kind of call, which file, which line."""


@dataclass
class AnyModel:
    """Says its turns in order, whichever run asks, and at the end that it is done. A turn is a list of wishes; its
    file and line are taken from what is there when it is asked."""

    see: Callable[[], World]
    turns: list[list[Wish]]
    holds: list[asyncio.Event] = field(default_factory=list)
    """Answers that wait to go on."""
    over: bool = False
    """Nothing is wished for any more."""
    seen: Callable[[], None] = lambda: None
    """Called whenever it is asked."""
    _calls: int = 0

    async def respond(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        self.seen()
        wishes = self.turns.pop(0) if self.turns and not self.over else []
        for step in self._steps(wishes):
            if callable(step):
                await step(signal)
            else:
                assert not isinstance(step, BaseException)
                yield step

    def go_on(self) -> None:
        for hold in self.holds:
            hold.set()

    def _steps(self, wishes: list[Wish]) -> list[Step]:
        kinds = [kind for kind, _, _ in wishes]
        if "fail" in kinds:
            return failure("overloaded", after="half")
        if "give up" in kinds:
            return failure("auth")
        calls = [made for wish in wishes if (made := self._call(*wish)) is not None]
        steps = answer("let me see" if calls else "done", *calls, piece=10)
        return [*steps[:2], self._hold, *steps[2:]] if "hold" in kinds else steps

    async def _hold(self, signal: AbortSignal) -> None:
        hold = asyncio.Event()
        self.holds.append(hold)
        withdraw = signal.on_abort(hold.set)
        try:
            await hold.wait()
        finally:
            withdraw()
            self.holds.remove(hold)

    def _call(self, kind: str, file: int, line: int) -> call | None:
        world = self.see()
        names = (sorted(world.buffers) if file < OF_TEN_OPEN else []) or world.names or ["a.txt"]
        name = names[file % len(names)]
        lines = self._lines(world, name)
        self._calls += 1
        new = [f"m{self._calls}x{number} 😀" for number in (1, 2)]
        match kind:
            case "read":
                return call("read", {"path": name})
            case "edit" | "two edits" | "insert" if lines:
                return call("edit", {"path": name, "edits": self._edits(kind, lines, line, new)})
            case "edit" | "two edits" | "insert" | "nonsense":
                return call("edit", {"path": name, "edits": [{"oldText": "nowhere", "newText": new[0]}]})
            case "rewrite":
                self.turns.insert(0, [("write", file, line)])
                return call("read", {"path": name})
            case "write":
                kept = lines[line % len(lines) :][:2] if lines else []
                return call("write", {"path": name, "content": "\n".join([new[0], *kept, new[1], ""])})
            case "create":
                return call("write", {"path": f"new/n{self._calls}.txt", "content": f"{new[0]}\n{new[1]}\n"})
            case "delete":
                return call("delete", {"path": name})
            case "move":
                return call("move", {"from": name, "to": f"moved/n{self._calls}.txt"})
            case "bash":
                return call("bash", {"command": f"echo {new[0]} >> log.txt"})
            case "unknown":
                return call("nothing", {})
            case "bad":
                return call("edit", '{"path": "a')
        return None

    def _edits(self, kind: str, lines: list[str], line: int, new: list[str]) -> list[dict[str, str]]:
        first = lines[line % len(lines)]
        if kind == "insert":
            return [{"oldText": first, "newText": f"{first}\n{new[0]}"}]
        edits = [{"oldText": first, "newText": new[0]}]
        second = lines[(line + 3) % len(lines)]
        if kind == "two edits" and second != first:
            edits.append({"oldText": second, "newText": new[1]})
        return edits

    def _lines(self, world: World, name: str) -> list[str]:
        """Those that stand there once."""
        text = world.buffers.get(name)
        if text is None:
            text = world.disk.get(name, b"").decode()
        lines = text.splitlines()
        return [line for line in lines if words(line) and text.count(line) == 1]
