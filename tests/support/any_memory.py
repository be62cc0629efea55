"""What the person at an awkward client remembers: what they typed, said and accepted, and what was in the files at each
time.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from support.any_workspace import AnyModel, World
from support.awkward_client import AwkwardClient
from support.in_memory import quiet
from support.lsp_client import AnsweredWithError, Request
from support.lsp_workspace import EVENTS, Desk, is_progress


@dataclass
class Started:
    """A run, as the client knows it."""

    id: str
    session: str
    modes: frozenset[str]
    """One of these it has."""


@dataclass
class Memory:
    """What one person at one client has done and seen, and may expect."""

    desk: Desk
    client: AwkwardClient
    model: AnyModel
    mode: str
    """Of the server."""
    runs: list[Started] = field(default_factory=list)
    taken: Counter[str] = field(default_factory=Counter)
    """Texts that the server has taken."""
    edited: dict[str, str] = field(default_factory=dict)
    """By its id the text that an item of the queue was last given."""
    follow_ups: set[str] = field(default_factory=set)
    """Texts that began a new task, or waited for it."""
    said_yes: set[str] = field(default_factory=set)
    """Ids of questions, where the client knows them, and titles where it does not."""
    edited_in: set[str] = field(default_factory=set)
    """Words that the user has put into proposals."""
    brought_back: set[str] = field(default_factory=set)
    """Words that were gone, and that undoing has brought back."""
    owed: set[str] = field(default_factory=set)
    """Words of the user, and of other programs, that must not get lost."""
    left: dict[str, tuple[bytes | None, str | None]] = field(default_factory=dict)
    """By name, what the user has left of each file: on the disk, and in the editor."""
    states: list[World] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    _open: list[tuple[Request, Callable[[Any], None], str | None]] = field(default_factory=list)
    _words: int = 0
    _heard: int = 0
    _pending: set[str] = field(default_factory=set)
    _live: set[str] = field(default_factory=set)
    _modes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.editor = self.client.editor
        self.hears_events = self.client.habits.rich
        self._modes.add(self.mode)

    async def settle(self) -> None:
        """Until nothing more happens by itself."""
        await quiet()
        self.client.take_back()
        while self._open:
            self._collect()
            await quiet()
        with self.acting():
            reloaded = list(self.editor.reload_changed()) if self.client.habits.reloads else []
        if reloaded:
            await quiet()
        if self.hears_events:
            await self._compare_status()

    async def _compare_status(self) -> None:
        """What `steersman.status` says is what the events have told."""
        status = await self.desk.command("status")
        received = self.desk.client.received
        for message in received[self._heard :]:
            if is_progress(message, EVENTS):
                self._take_in(message["params"]["value"])
        self._heard = len(received)
        assert {question["id"] for question in status["approvals"]} == self._pending
        sessions = [each for each in status["sessions"] if "run" in each]
        assert {each["run"] for each in sessions} == self._live
        waiting = {question["run"] for question in status["approvals"]}
        said = {each["run"] for each in sessions if each["state"] == "waitingApproval"}
        assert said == waiting, status

    def _take_in(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "approval_requested":
                self._pending.add(event["data"]["id"])
            case "approval_resolved":
                self._pending.remove(event["data"]["id"])
            case "agent_start":
                self._live.add(event["run"])
            case "agent_end":
                self._live.remove(event["run"])

    def world(self) -> World:
        return World.now(self.desk.root, self.editor)

    def look(self) -> None:
        """Remembers what is there."""
        world = self.world()
        if not self.states or self.states[-1] != world:
            self.states.append(world)

    @contextmanager
    def acting(self) -> Iterator[None]:
        """What is done in it is the user's, or another program's, doing."""
        self.look()
        before = self.states[-1]
        yield
        self.look()
        after = self.states[-1]
        self.owed -= before.words - after.words
        self.owed |= {word for word in after.words - before.words if word[0] in "ud"}
        for name in {*before.names, *after.names}:
            was, now = ((world.disk.get(name), world.buffers.get(name)) for world in (before, after))
            if was != now:
                self.left[name] = now

    def word(self, kind: str) -> str:
        self._words += 1
        return f"{kind}{self._words}"

    # Commands

    def command(
        self,
        name: str,
        argument: Any,
        then: Callable[[Any], None] = lambda result: None,
        text: str | None = None,
    ) -> None:
        """`text` is handed back if it is refused."""
        self._open.append((self.desk.client.command(f"steersman.{name}", argument), then, text))

    def _collect(self) -> None:
        """Every command has been answered by now."""
        requests, self._open = self._open, []
        for request, then, text in requests:
            message = request.arrived()
            assert message is not None, f"request {request.id} has no answer"
            if "error" not in message:
                then(message["result"])
                continue
            error = AnsweredWithError(message["error"])
            assert error.code == -32803, error
            if text is not None:
                assert error.data["text"] == text
            self.done[f"refused: {error.data['code']}"] += 1
