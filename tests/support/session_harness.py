"""Sessions with a scripted model, a real workspace folder and their own home. Besides what a test asserts, `verify`
checks that the log has what was sent, that memory agrees with the log, and that every event fits the schema.
"""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steersman.agent.config import Budget
from steersman.agent.messages import Message
from steersman.extensions import Extension
from steersman.session.approvals import Answer, Approvals, Question
from steersman.session.errors import LogError, Refused
from steersman.session.extensions import Extensions, LoadedExtension
from steersman.session.fold import Fold
from steersman.session.home import Home
from steersman.session.journal import Emitted
from steersman.session.limits import Limits
from steersman.session.log import SessionLog
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from steersman.session.manager import SessionManager
from steersman.session.retry import RetryPolicy
from steersman.session.run import Run
from steersman.session.schema import validate
from steersman.session.services import Services, ToolSetting
from steersman.session.session import Session
from steersman.session.settings import Mode, Settings
from steersman.session.starting import StartRequest
from steersman.session.trust import TrustStore
from steersman.tools.bash import CommandSettings
from steersman.tools.registry import standard_tools
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.guard import Guard
from steersman.workspace.locks import LockTable
from steersman.workspace.ports import KeepPreImage, Workspace
from steersman.workspace.roots import Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.search import find_ripgrep
from support.event_checker import check, check_conversation
from support.fake_tools import FakeTool
from support.manual_clock import ManualClock, settle
from support.scripted_model import ScriptedModel, Step, Stream

Reply = Answer | str | None | BaseException | Callable[[Question], Awaitable[Answer | None]]
"""What a person says to a question: an answer or its decision, nothing at all, or something that takes its time."""


class Person:
    """An approver that says what the test wrote down, then `otherwise`."""

    def __init__(self, *replies: Reply, otherwise: Reply = "decline") -> None:
        self._replies, self._otherwise = list(replies), otherwise
        self.asked: list[Question] = []
        self.taken_away: list[str] = []
        """Questions that were withdrawn, or answered elsewhere, while they were shown."""
        self.shown = asyncio.Event()
        """Something was asked."""

    async def ask(self, question: Question) -> Answer | None:
        self.asked.append(question)
        self.shown.set()
        reply = self._replies.pop(0) if self._replies else self._otherwise
        if isinstance(reply, BaseException):
            raise reply
        if callable(reply):
            try:
                return await reply(question)
            except asyncio.CancelledError:
                self.taken_away.append(question.id)
                raise
        return Answer(reply) if isinstance(reply, str) else reply

    @property
    def titles(self) -> list[str]:
        return [question.title for question in self.asked]

    @property
    def kinds(self) -> list[str]:
        return [question.kind for question in self.asked]


async def silence(_: Question) -> Answer | None:
    """A person who never answers."""
    await asyncio.Event().wait()
    return None


def failing_log(fails: Callable[[dict[str, Any]], bool], *, sync: bool = False) -> type[SessionLog]:
    """A log on a disk that is full from the first record on for which `fails` holds; with `sync` it can't be synced
    after that record, though it was written."""

    class FailingLog(SessionLog):
        full = False
        """Of the disk, not of one file."""

        def append(self, line: bytes) -> None:
            if not FailingLog.full and fails(json.loads(line)):
                FailingLog.full = True
            if FailingLog.full and not sync:
                raise LogError("The session log can't be written: no space left on device")
            super().append(line)

        async def sync(self) -> None:
            if FailingLog.full:
                raise LogError("The session log can't be synced: input/output error")
            await super().sync()

    return FailingLog


class SessionHarness:
    """`root` is the workspace folder, `home` where logs are. One manager; `restart` makes the next server."""

    def __init__(
        self,
        base: Path,
        *responses: Sequence[Step] | Stream,
        person: Person | None = None,
        mode: Mode = "ask",
        tools: Sequence[FakeTool] | None = None,
        guard: Guard | None = None,
        log_class: type[SessionLog] = SessionLog,
        trusts_all: bool = True,
        keep_logs: bool = True,
        limits: Limits | None = None,
        folders: Sequence[str] = ("ws",),
        extensions: Mapping[str, type[Extension]] | None = None,
        **settings: Any,
    ) -> None:
        self.base = base
        paths = [base / name for name in folders]
        for path in paths:
            path.mkdir(exist_ok=True)
        self.root, self.home = paths[0].resolve(), Home(base / "home")
        self.roots = Roots(paths)
        self.person = person
        self.clock = ManualClock()
        self.model = ScriptedModel(*responses)
        self.models: dict[str, ScriptedModel] = {"test:scripted": self.model}
        self.specs: list[str] = []
        """What models were asked for by."""
        self.killed = 0
        """How often commands were to be killed."""
        self._tools, self._guard = tools, guard
        self._numbers = itertools.count(1)
        self._millis = itertools.count()
        self.events: list[Emitted] = []
        self.settings = Settings(model="test:scripted", mode=mode, **settings)
        self.services = Services(
            home=self.home,
            settings=self.settings,
            approvals=Approvals(person),
            trust=TrustStore(self.home),
            make_model=self._make_model,
            make_workspace=self._make_workspace,
            make_tools=self._make_tools,
            extensions=Extensions.of(LoadedExtension(*item) for item in (extensions or {}).items()),
            trusts_all=trusts_all,
            kill_commands=self._kill,
            log_class=log_class,
            keep_logs=keep_logs,
            limits=limits or Limits(),
            retry=RetryPolicy(jitter=lambda: 1.0),
            clock=self.clock,
            now=lambda: 1_700_000_000 + next(self._millis) / 1000,
            new_id=lambda prefix: f"{prefix}_{next(self._numbers)}",
        )
        self._locks = LockTable()
        self.manager = SessionManager(self.services)
        self.services.bus.listen(self.events.append)

    # What the services make

    def _make_model(self, spec: str) -> ScriptedModel:
        self.specs.append(spec)
        if spec not in self.models:
            raise Refused("unknownModel", f"There is no model {spec}.")
        return self.models[spec]

    def _make_workspace(self, roots: Roots, keep: KeepPreImage) -> Workspace:
        rules = PathRules.of(deny=self.settings.deny, protect=self.settings.protect)
        return DiskWorkspace(roots, rules, locks=self._locks, keep_preimage=keep)

    def _make_tools(self, setting: ToolSetting) -> Sequence[Any]:
        if self._tools is not None:
            return self._tools
        tools = standard_tools(
            setting.workspace,
            ledger=setting.ledger,
            commands=CommandSettings(
                self._guard or Guard(), None if setting.withholds_output else self.home.outputs
            ),
            ripgrep=find_ripgrep(),
        )
        return tools if self._guard else [tool for tool in tools if tool.name != "bash"]

    def _kill(self) -> None:
        self.killed += 1

    # Driving

    def request(self, prompt: str | None = "go", **options: Any) -> StartRequest:
        return StartRequest(prompt, options.pop("roots", self.roots), **options)

    async def start(self, prompt: str | None = "go", **options: Any) -> Run:
        """A run that goes on by itself."""
        run = await self.manager.start(self.request(prompt, **options))
        run.release()
        return run

    async def run(self, prompt: str | None = "go", **options: Any) -> Run:
        """A run from its start to its end."""
        run = await self.start(prompt, **options)
        await run.wait()
        return run

    async def elapsed(self, run: Run) -> Run:
        """Returns at the run's end; its waits take no time."""
        assert run.task is not None
        await elapse(self.clock, run.task)
        return run

    async def close(self) -> None:
        await self.manager.close()

    def restart(self, *responses: Sequence[Step] | Stream, log_class: type[SessionLog] = SessionLog) -> None:
        """The next server on the same home. The one before was closed, or died."""
        self.model = ScriptedModel(*responses)
        self.models["test:scripted"] = self.model
        self.services = replace(
            self.services, approvals=Approvals(self.person), trust=TrustStore(self.home), log_class=log_class
        )
        self.manager = SessionManager(self.services)

    # Looking

    @property
    def session(self) -> Session:
        """The only one."""
        (session,) = self.manager._sessions.all()
        return session

    def path(self, session: str | None = None) -> Path:
        return self.services.log_path(session or self.session.id)

    def records(self, session: str | None = None) -> list[dict[str, Any]]:
        return list(read_records(self.path(session)))

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The data of all events of a type, as they were told."""
        return [event.data for event in self.events if event.type == kind]

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def end(self) -> dict[str, Any]:
        return self.of("agent_end")[-1]

    def _ends(self) -> list[dict[str, Any]]:
        """The ends of all calls, in the order in which the model made the calls: parallel ones end in any order."""
        blocks = [block for data in self.of("message_end") for block in data.get("content", ())]
        order = {block["id"]: number for number, block in enumerate(blocks) if block["type"] == "toolCall"}
        return sorted(self.of("tool_execution_end"), key=lambda data: order[data["toolCallId"]])

    @property
    def outcomes(self) -> list[str]:
        return [data["outcome"] for data in self._ends()]

    def results(self) -> list[str]:
        """The texts of all tool results."""
        return ["".join(b.get("text", "") for b in data["content"]) for data in self._ends()]

    def put(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def text(self, name: str) -> str:
        return (self.root / name).read_text()

    def verify(self) -> None:
        """Checks what must hold of every session, however its runs went."""
        told = [json.loads(event.line) for event in self.events]
        for event in told:
            validate(event)
        for session in {event["session"] for event in told}:
            mine = [event for event in told if event["session"] == session]
            check_wire(mine)
            numbered = [event for event in mine if "seq" in event]
            if self.services.log_path(session).exists():
                seqs = {event["seq"] for event in numbered}
                records = read_records(self.services.log_path(session))
                assert numbered == [record for record in records if record["seq"] in seqs]
                assert len(seqs) == len(numbered)
                check_picture(read_picture(self.services.log_path(session)))
        for session in self.manager._sessions.all():
            if self.path(session.id).exists() and not session.live and not session.broken:
                assert keys(session.picture.messages) == keys(read_picture(self.path(session.id)).messages)
        for model in self.models.values():
            for request in model.requests:
                check_conversation(request.messages)


def check_wire(events: Sequence[dict[str, Any]]) -> None:
    """The rules of the kernel's events, on the events of one session; runs that are still open are left out."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if "run" in event and event["type"] != "config":
            runs.setdefault(event["run"], []).append(_for_checker(event))
    for run in runs.values():
        if lost := next((i for i, e in enumerate(run) if e["type"] == "agent_end" and "seq" not in e), None):
            del run[lost + 1 :]  # the log had failed; what was mended later is told as well
        if run[-1]["type"] == "agent_end":
            check(run)
            ends = Counter(event["type"] for event in run)
            assert ends["approval_requested"] == ends["approval_resolved"]


def _for_checker(event: dict[str, Any]) -> dict[str, Any]:
    """The checker counts all that was streamed of a block as its text, a call's arguments too."""
    data = event["data"]
    if event["type"] != "message_end" or "content" not in data:
        return event
    blocks = [block | {"text": block.get("text") or block.get("arguments", "")} for block in data["content"]]
    return event | {"data": data | {"content": blocks}}


def check_picture(picture: Fold) -> None:
    """What a model would get of a session that has ended is a valid conversation."""
    if picture.run is None:
        check_conversation(picture.messages)


def keys(messages: Sequence[Message]) -> list[str]:
    return [message.tool_call_id if message.role == "tool" else message.id for message in messages]


async def elapse(clock: ManualClock, task: "asyncio.Future[Any]") -> None:
    """Lets the clock's time pass, from one sleeper to the next, until `task` is done. For waits on nothing else: what
    threads and processes do takes no time on this clock."""
    while not task.done():
        await settle()
        waiting = [due for due, sleeper in clock._sleepers if not sleeper.done()]
        if waiting and not task.done():
            clock.advance(max(0.0, min(waiting) - clock.now))
        else:
            await asyncio.wait({task}, timeout=0.001)  # a thread is at work


def budget(**ceilings: float) -> Budget:
    return Budget(**ceilings)
