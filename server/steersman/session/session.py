"""One conversation: its log, its history, and at most one live run.

The session is the sink of its runs' events. It decides nothing that policy, retry or the kernel decide; it connects
them.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from steersman.agent.abort import AbortSignal
from steersman.agent.config import Budget, LoopConfig
from steersman.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    DurableEvent,
    Input,
    InputKind,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    RunError,
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)
from steersman.agent.hooks import GiveUp, Hooks, Retry
from steersman.agent.inbox import Inbox, InboxClosed
from steersman.agent.loop import run_loop
from steersman.agent.messages import AssistantMessage, CustomMessage, Message, Text, UserMessage
from steersman.agent.model import Model, StreamFailure
from steersman.agent.tasks import Strays
from steersman.session.approvals import Question
from steersman.session.context import read_instructions, system_prompt
from steersman.session.errors import LogError, Refused, SessionError
from steersman.session.fold import Fold
from steersman.session.gate import Gate
from steersman.session.journal import Journal
from steersman.session.policy import Grants, Policy
from steersman.session.run import Run, RunState
from steersman.session.services import Services
from steersman.session.settings import Mode, stricter
from steersman.session.tracking import TrackedWorkspace
from steersman.session.trust import has_instructions
from steersman.session.wire import Data, event_data, input_data
from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied
from steersman.workspace.preimages import BlobStore, PreImageRecord, PreImages
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)


class Session:
    """Made by `SessionManager`. All use is from one event loop."""

    def __init__(
        self, session_id: str, services: Services, roots: Roots, journal: Journal, picture: Fold
    ) -> None:
        self.id = session_id
        self.roots = roots
        self.live: Run | None = None
        self.messages: list[Message] = picture.messages
        self.title = picture.title
        self.model_spec = picture.model
        self.mode: Mode | None = None
        self.last_used = services.now()
        self.last_stop = picture.last_stop
        self.streaming: StreamingMessage | None = None
        """The response that is being streamed, as far as it has come."""
        self.usage = picture.usage
        self._tip = picture.tip
        self._recorded = (picture.model, picture.mode)
        self._services, self._journal = services, journal
        self._inbox = Inbox(closes=True)
        self._inbox.open = False
        self._grants = Grants()
        self._calls: dict[str, ToolExecutionStart] = {}
        self._working: str | None = None
        """The call whose effects are being made."""
        self._asked: str | None = None
        """The user message that the work is for."""
        self._strays = Strays(self._stray_settled)
        self._preimages = PreImages(BlobStore(services.home.preimages), self._record_preimage)
        inner = services.make_workspace(roots, self._preimages.keep)
        self.workspace = TrackedWorkspace(inner, self._record_edit)
        self.tools = list(services.make_tools(self.workspace))
        self._effects = {tool.name for tool in self.tools if tool.execution == "sequential"}

    # What a user can do with a session

    def begin(self, inputs: Sequence[Input], model: Model, mode: Mode, budget: Budget) -> Run:
        """Makes a run, live from now on; it starts when it is released.

        Raises:
            Refused: busy, readOnly.
        """
        self.refuse_if_live()
        if self._journal.broken:
            raise Refused("readOnly", "The session's log could not be written; open the session again.")
        run = Run(self._services.new_id("run"), self.id, tuple(inputs), budget, mode, model.id)
        self.live = run
        self.last_used = self._services.now()
        self._inbox.reopen()
        run.task = asyncio.create_task(self._drive(run, model))
        return run

    def refuse_if_live(self) -> None:
        """Raises:
        Refused: busy.
        """
        if self.live is not None:
            text = "A run is live in this session: steer it, queue a follow-up, or abort it."
            raise Refused("busy", text, session=self.id, run=self.live.id)

    def add(self, kind: InputKind, text: str) -> None:
        """Queues a message for the live run.

        Raises:
            Refused: notRunning, aborting; `data.text` has the text.
        """
        run = self.live
        if run is None:
            raise Refused("notRunning", "No run is live in this session.", text=text, session=self.id)
        if run.aborting:
            raise Refused("aborting", "The run is being aborted.", text=text, run=run.id)
        try:
            self._inbox.add(Input(kind, self.user_message(text)))
        except InboxClosed:
            raise Refused("notRunning", "The run has just ended.", text=text, run=run.id) from None
        self._queue_changed()

    def abort(self, reason: str | None = None) -> bool:
        """Asks the live run to stop. False if there is none, or it has been asked before."""
        run = self.live
        if run is None or not run.controller.abort(reason):
            return False
        self._set_state(run, "aborting")
        return True

    @property
    def queue(self) -> tuple[Input, ...]:
        return self._inbox.items

    def user_message(self, text: str) -> UserMessage:
        return UserMessage(self._services.new_id("msg"), (Text(text),))

    def configure(self, *, model: str | None = None, mode: Mode | None = None) -> None:
        """Sets what the next runs of this session use.

        Raises:
            LogError: it could not be kept.
        """
        self.model_spec, self.mode = model or self.model_spec, mode or self.mode
        self._record_config(self.model_spec, self.mode)

    async def close(self) -> None:
        """Aborts what is live, waits for it (bounded), and releases the log."""
        run = self.live
        if run is not None and run.task is not None:
            run.interrupted = True
            self.abort("the server is closing")
            run.release()
            await asyncio.wait({run.task}, timeout=None)
        await self._strays.close(self._services.clock, self._services.limits.close)
        self._journal.close()

    # The run

    async def _drive(self, run: Run, model: Model) -> None:
        await run.released.wait()
        self._journal.run, self._journal.turn = run.id, None
        self._calls.clear()
        try:
            mode, instructions = await self._settle_trust(run)
            run.mode = mode
            self._record_config(model.id, mode)
            gate = self._gate(run, mode)
            config = self._loop_config(run, model, gate, instructions)
            run.result = await run_loop(run.inputs, self.messages, config, self, run.controller.signal)
        except Exception as error:
            log.exception("run %s failed", run.id)
            run.error = error
            self._never_began(run, error)
        finally:
            if self.live is run:
                self.live = None
            await self._sync_quietly()

    def _never_began(self, run: Run, error: Exception) -> None:
        """Whatever failed before the loop did: the run is told to its end all the same."""
        if self.live is not run:
            return
        if isinstance(error, LogError):
            reason = RunError("logFailed", str(error))
        else:
            reason = RunError("internal", "Steersman failed unexpectedly; the log says how.")
        self.tell(AgentStart())
        self.tell(AgentEnd("error", error=reason, undelivered=(*run.inputs, *self._inbox.hand_back(()))))

    def _gate(self, run: Run, mode: Mode) -> Gate:
        return Gate(
            session=self.id,
            run=run.id,
            policy=Policy(mode, self._services.settings.allow_commands),
            session_grants=self._grants,
            approvals=self._services.approvals,
            facts=run.facts,
            record=self._record_product,
            new_id=self._services.new_id,
        )

    def _loop_config(self, run: Run, model: Model, gate: Gate, instructions: str | None) -> LoopConfig:
        services = self._services

        def take_follow_ups() -> Sequence[Input]:
            taken = self._inbox.take_follow_ups()
            if taken:
                gate.new_task()
                self._queue_changed()
            return taken

        return LoopConfig(
            model=model,
            system=system_prompt(
                [root.path for root in self.roots.folders],
                today=datetime.fromtimestamp(services.now()).date(),
                tools=[tool.name for tool in self.tools],
                instructions=instructions,
            ),
            tools=self.tools,
            hooks=Hooks(
                before_tool_call=gate.before_tool_call,
                should_stop_after_turn=gate.should_stop_after_turn,
                on_stream_failure=self._on_stream_failure,
                get_steering_messages=self._take_steering,
                get_follow_up_messages=take_follow_ups,
                hand_back=self._inbox.hand_back,
            ),
            budget=run.budget,
            limits=services.limits.kernel(),
            clock=services.clock,
            strays=self._strays,
            new_id=services.new_id,
        )

    def _take_steering(self) -> Sequence[Input]:
        taken = self._inbox.take_steering()
        if taken:
            self._queue_changed()
        return taken

    async def _on_stream_failure(
        self, failure: StreamFailure, attempt: int, _: AbortSignal
    ) -> Retry | GiveUp:
        decision = self._services.retry.decide(failure, attempt)
        if isinstance(decision, Retry):
            data = {"attempt": attempt, "afterMs": round(decision.after * 1000), "kind": failure.kind}
            await self._record_product("retry", data | {"message": failure.message})
            if self.live is not None:
                self._set_state(self.live, "retrying")
        return decision

    async def _settle_trust(self, run: Run) -> tuple[Mode, str | None]:
        """The mode that the run may have, and the folder's instructions if they may be followed."""
        root = self.roots.primary
        if root is None:
            return run.mode, None
        loose = stricter(run.mode, "ask") != run.mode
        if not loose and not has_instructions(root.path):
            return run.mode, None
        if await self._is_trusted(root.path, run):
            return run.mode, read_instructions(root.path)
        if loose:
            self._notice(
                f"{root.path} is not a trusted folder: mode {run.mode} is not used, every change is asked about. "
                "Trust it when you are asked, or start with --trust."
            )
        return stricter(run.mode, "ask"), None

    async def _is_trusted(self, folder: Path, run: Run) -> bool:
        services = self._services
        known = True if services.trusts_all else services.trust.answer(folder)
        if known is not None:
            return known
        question = Question(
            id=services.new_id("apr"),
            session=self.id,
            run=run.id,
            tool_call_id="",
            kind="trust",
            title=f"Trust the folder {folder}?",
            reason="Its own instructions (AGENTS.md) would be followed, and modes looser than ask be allowed.",
            digest=str(folder),
            decisions=("accept", "decline"),
        )
        await self._record_product("approval_requested", question.data())
        answer = await services.approvals.ask(question, run.controller.signal)
        decision = "withdrawn" if answer.by == "withdrawn" else answer.decision
        await self._record_product(
            "approval_resolved", {"id": question.id, "toolCallId": "", "decision": decision, "by": answer.by}
        )
        trusted = answer.decision == "accept"
        if answer.by == "user":
            try:
                services.trust.remember(folder, trusted)
            except SessionError as error:
                self._notice(str(error))
        return trusted

    # The sink of the kernel's events

    async def record(self, event: DurableEvent) -> None:
        """See `agent.events.Sink`."""
        data = event_data(event)
        run = self.live
        if isinstance(event, TurnStart):
            self._journal.turn = event.turn
        elif isinstance(event, MessageStart):
            if event.role == "assistant":
                self.streaming = StreamingMessage(event.message_id)
                self._set_state(run, "streaming")
        elif isinstance(event, MessageEnd):
            data["parent"] = self._tip
        elif isinstance(event, ToolExecutionStart):
            self._calls[event.call.id] = event
        elif isinstance(event, AgentEnd) and run is not None:
            if run.interrupted and event.stop_reason == "aborted":
                event = replace(event, stop_reason="interrupted")
                data["stopReason"] = "interrupted"
            data |= run.facts.data(event)
        self._journal.record(event.type, data)
        await self._follow_up_on(event, run)

    async def _follow_up_on(self, event: DurableEvent, run: Run | None) -> None:
        """What follows from an event that is in the log now."""
        if isinstance(event, MessageEnd):
            self._committed(event.message, run)
        elif isinstance(event, ToolExecutionRunning):
            started = self._calls[event.call_id]
            self._set_state(run, "tool")
            if started.call.name in self._effects:
                self._working = event.call_id
                await self._journal.sync()  # a crash after this must find it in the log
        elif isinstance(event, ToolExecutionEnd):
            started = self._calls.pop(event.result.tool_call_id)
            self._ran(started, run)
        elif isinstance(event, TurnEnd):
            self._journal.turn = None
            await self._journal.sync()
        elif isinstance(event, AgentEnd):
            self.last_stop = event.stop_reason
            self.usage += event.usage
            self.live = None
            self.streaming = None
            self._journal.run = None
            if run is not None:
                run.state = "idle"

    def _committed(self, message: UserMessage | AssistantMessage | CustomMessage, run: Run | None) -> None:
        self._tip = message.id
        self.streaming = None
        if isinstance(message, AssistantMessage):
            if run is not None and message.text:
                run.facts.text = message.text
        elif isinstance(message, UserMessage):
            self._preimages.begin()
            self._asked = message.id
            self.title = self.title or _first_line(message)

    def _ran(self, started: ToolExecutionStart, run: Run | None) -> None:
        if self._working == started.call.id:
            self._working = None
            command = (started.arguments or {}).get("command")
            if run is not None and isinstance(command, str):
                run.facts.commands.append(command)

    def tell(self, event: AgentEvent) -> None:
        """See `agent.events.Sink`."""
        data = event_data(event)
        run = self.live
        if isinstance(event, MessageUpdate):
            if self.streaming is not None:
                self.streaming.add(event)
        elif isinstance(event, AgentEnd) and run is not None:  # the log has failed
            data |= run.facts.data(event)
            self.live = None
            self.last_stop = event.stop_reason
        self._journal.tell(event.type, data)

    # The product's own events

    async def _record_product(self, kind: str, data: Data) -> None:
        self._journal.record(kind, data)
        if kind == "approval_requested":
            self._set_state(self.live, "waitingApproval")

    def _record_config(self, model: str | None, mode: Mode | None) -> None:
        """Model and mode are nodes of the tree; only a change makes a new one."""
        if (model, mode) == self._recorded:
            return
        node = self._services.new_id("cfg")
        self._journal.record("config", {"id": node, "parent": self._tip, "model": model, "mode": mode})
        self._tip = node
        self._recorded = (model, mode)

    async def _record_preimage(self, record: PreImageRecord) -> None:
        self._journal.record("checkpoint", {"checkpoint": self._asked, **record.to_json()})
        await self._journal.sync()

    async def _record_edit(self, change: FileChange, applied: Applied) -> None:
        uri = change.path.path.as_uri()
        run = self.live
        if run is not None:
            run.facts.changed(uri, change.added, change.removed)
        data: Data = {
            "toolCallId": self._working,
            "uri": uri,
            "kind": change.kind,
            "added": change.added,
            "removed": change.removed,
            "sha256": applied.sha256,
            "via": "editor" if applied.source == "buffer" else "disk",
            "unsaved": applied.unsaved,
        }
        if change.target is not None:
            data["target"] = change.target.path.as_uri()
        self._journal.record("edit_applied", data)

    def _notice(self, message: str) -> None:
        self._record_quietly("notice", {"message": message})

    def _queue_changed(self) -> None:
        self._record_quietly("queue_update", {"items": [input_data(item) for item in self._inbox.items]})

    def _record_quietly(self, kind: str, data: Data) -> None:
        """For events that nothing hangs on: a log that fails here ends the run at its next record."""
        try:
            self._journal.record(kind, data)
        except LogError:
            log.exception("%s could not be kept", kind)

    async def _sync_quietly(self) -> None:
        try:
            await self._journal.sync()
        except LogError:
            log.exception("the log of %s could not be synced", self.id)

    def _stray_settled(self, what: str, how: str) -> None:
        self._notice(f"{what}, left running after an abort, {how}.")

    def _set_state(self, run: Run | None, state: RunState) -> None:
        """Tells a new state. Aborting is left only by the end."""
        if run is None or run.state == state or (run.state == "aborting" and state != "idle"):
            return
        run.state = state
        self._journal.tell("state", {"state": state})


class StreamingMessage:
    """A response while it is being streamed."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self._blocks: dict[int, tuple[str, list[str]]] = {}

    def add(self, update: MessageUpdate) -> None:
        self._blocks.setdefault(update.index, (update.kind, []))[1].append(update.text)

    def data(self) -> Data:
        """`{messageId, blocks: [{index, kind, text}]}`."""
        blocks = [
            {"index": index, "kind": kind, "text": "".join(pieces)}
            for index, (kind, pieces) in sorted(self._blocks.items())
        ]
        return {"messageId": self.message_id, "blocks": blocks}


def _first_line(message: UserMessage) -> str:
    text = "".join(block.text for block in message.content if isinstance(block, Text)).strip()
    return text.splitlines()[0][:80] if text else ""
