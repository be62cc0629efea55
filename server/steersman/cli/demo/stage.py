"""Plays scenes, one after the other, against one language server, and reports what each did.

The tape server is in this process, so that it can be seen what the model was sent; the language server is a process.
"""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steersman.cli.demo import afterwards
from steersman.cli.demo.client import PATIENCE, Json, ServerError, ServerGone
from steersman.cli.demo.editor import Asked, Editor, Handlers
from steersman.cli.demo.installed import install
from steersman.cli.demo.processes import (
    STEERSMAN,
    DemoFailed,
    Place,
    copy_sample,
    environment,
    tape,
    temporary_place,
)
from steersman.cli.demo.raising import play_raising
from steersman.cli.demo.record import Record, RecordingTape
from steersman.cli.demo.report import report
from steersman.cli.demo.scenes import Scene
from steersman.cli.demo.screen import Screen
from steersman.cli.demo.tree import Tree
from steersman.models.tape_format import load_tape
from steersman.models.tape_server import TapeServer

_SAMPLE = "maths"
_PROCESSES = re.compile(r"\[(\d+)\]")


async def play_scenes(screen: Screen, scenes: Sequence[Scene]) -> int:
    """Plays the scenes. Returns 0 if each went as described, else 1."""
    with temporary_place(_SAMPLE) as place:
        model = RecordingTape(load_tape(tape(scenes[0].name)))
        through_server = any(scene.secret is None and scene.extension is None for scene in scenes)
        async with _served(place, model, wanted=through_server) as editor:
            failed = 0
            for scene in scenes:
                record = await _play(scene, place, model, editor)
                failed += not report(screen, record)
    return 1 if failed else 0


async def _play(scene: Scene, place: Place, model: RecordingTape, editor: Editor | None) -> Record:
    shutil.rmtree(place.workspace)
    copy_sample(_SAMPLE, place.workspace)
    model.insert(load_tape(tape(scene.name)))
    record = Record(scene, Tree.of(place.workspace))
    try:
        if scene.secret is not None:
            await play_raising(record, place, model)
        elif scene.extension is not None:
            async with _served(place, model, wanted=True, example=scene.extension) as own:
                assert own is not None  # it is wanted
                await _Performance(record, own).play()
        elif editor is not None:
            await _Performance(record, editor).play()
    except (ServerGone, ServerError) as error:
        raise DemoFailed(f"{scene.name}: {error}{place.log_tail()}") from error
    record.requests = model.requests
    record.after = Tree.of(place.workspace)
    return record


@asynccontextmanager
async def _served(
    place: Place, model: RecordingTape, *, wanted: bool, example: str | None = None
) -> AsyncIterator[Editor | None]:
    """The language server, with the tape as its model; and the extension of an example, beside the server."""
    if not wanted:
        yield None
        return
    tapes = TapeServer(model)
    editor = Editor(place.workspace, _silent())
    try:
        env = environment(place, await tapes.start()) | (_with_extension(place, example) if example else {})
        with place.log.open("wb") as log:
            await editor.start((*STEERSMAN, "serve"), cwd=place.root, env=env, log=log)
            yield editor
    except (ServerGone, ServerError) as error:
        raise DemoFailed(f"{error}{place.log_tail()}") from error
    finally:
        await editor.stop()
        await tapes.close()


def _with_extension(place: Place, example: str) -> dict[str, str]:
    """Variables of a server that has the extension of an example, installed and enabled."""
    packages, home = place.root / "packages", place.root / "home-with-extension"
    home.mkdir(mode=0o700)
    name = install(example, packages)
    (home / "config.toml").write_text(f'extensions = ["{name}"]\n', "utf-8")
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    return {"STEERSMAN_HOME": str(home), "PYTHONPATH": path}


@dataclass(slots=True)
class _Performance:
    """Plays one scene as its user."""

    record: Record
    editor: Editor
    _first_delta: asyncio.Event = field(default_factory=asyncio.Event)
    _processes: list[int] = field(default_factory=list)
    _building: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _said: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the user has said everything; questions are answered after that."""

    async def play(self) -> None:
        scene, editor = self.record.scene, self.editor
        editor.handlers = Handlers(self._on_event, lambda _: None, self._ask, lambda _: None)
        if scene.says is None:
            self._said.set()
        budget = {"budget": {"turns": scene.max_turns}} if scene.max_turns else {}
        started = await editor.command("start", prompt=scene.prompt, **budget)
        if scene.says is not None:
            await self._say(*scene.says)
        if scene.aborts:
            await self._abort()
        await editor.end_of(started["run"])
        if scene.aborts:
            self._look_for_processes()
        if scene.then is not None:
            started = await editor.command("start", prompt=scene.then, session=started["session"])
            await editor.end_of(started["run"])
        if scene.elsewhere is not None:
            await afterwards.revert(self.record, editor, started["session"], self._heard)
        if scene.instead is not None:
            await afterwards.fork(self.record, editor, started["session"])
        editor.handlers = _silent()

    async def _say(self, command: str, text: str) -> None:
        async with _patience("the first words of the answer"):
            await self._first_delta.wait()
        self.record.events.append({"type": "said", "data": {"command": command, "text": text}})
        await self.editor.command(command, text=text)
        self._said.set()

    async def _abort(self) -> None:
        async with _patience("the command"):
            await self._building.wait()
        self.record.events.append({"type": "said", "data": {"command": "abort", "text": ""}})
        await self.editor.command("abort")

    def _look_for_processes(self) -> None:
        left = [process for process in self._processes if _lives(process)]
        if left:
            self.record.problems.append(f"still running: {left}")
        else:
            gone = " and ".join(map(str, self._processes))
            self.record.notes.append(f"the processes {gone} were gone when the run ended")

    async def _heard(self, kind: str) -> Json:
        """The data of the last event of a type, once there is one."""
        async with _patience(kind):
            while not self.record.data_of(kind):
                self._news.clear()
                await self._news.wait()
        return self.record.data_of(kind)[-1]

    def _on_event(self, event: Json) -> None:
        self.record.events.append(event)
        self._news.set()
        if event["type"] == "message_update":
            self._first_delta.set()
        elif event["type"] == "tool_execution_update" and not self._processes:
            self._processes = [int(number) for number in _PROCESSES.findall(event["data"]["text"])]
            if self._processes:
                self._building.set()

    async def _ask(self, _: Asked) -> str:
        async with _patience("the user"):
            await self._said.wait()
        return self.record.scene.decision


@asynccontextmanager
async def _patience(what: str) -> AsyncIterator[None]:
    """Raises ServerGone if it takes too long."""
    try:
        async with asyncio.timeout(PATIENCE):
            yield
    except TimeoutError:
        raise ServerGone(f"Waited {PATIENCE:g} s for {what}.") from None


def _lives(process: int) -> bool:
    """Whether a process still runs. A zombie doesn't."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat").read_text("ascii", "replace")
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()  # macOS has no /proc; there it was answered above
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def _silent() -> Handlers:
    """Handlers between two scenes: they ignore events and close every question."""

    async def close(_: Asked) -> None:
        return None

    return Handlers(lambda _: None, lambda _: None, close, lambda _: None)
