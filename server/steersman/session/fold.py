"""The picture of a session that its records give: the history that a model gets, usage, settings, and the open run.

Everything that is derived from a log is derived here, both while it is written and when it is read again. `closers`
makes the records that close what a crash left open: whoever holds the lock writes them, a mere reader keeps them in
memory.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from steersman.agent.messages import NO_USAGE, Message, Usage, UserMessage
from steersman.agent.model import ThinkingLevel
from steersman.session.log_lines import Record
from steersman.session.open_run import OpenRun
from steersman.session.tree import Branch, Node, NodeKind, Tree
from steersman.session.wire import Data, message_from, typed_text, usage_data, usage_from

MAX_TITLE = 80
"""Characters."""


@dataclass(slots=True)
class Fold:
    """Feed it the records of a log in order."""

    header: Data = field(default_factory=dict)
    """The data of the `session` record."""
    seq: int = 0
    tree: Tree = field(default_factory=Tree)
    branch: Branch = field(default_factory=Branch)
    stale: bool = False
    """The tip was moved to where `branch` does not reach; the branch has to be read from the log (`read_branch`)."""
    usage: Usage = NO_USAGE
    model: str | None = None
    mode: str | None = None
    thinking: ThinkingLevel | None = None
    """None: it was never set, and is off."""
    title: str | None = None
    """The user's title, else the first line of the first message."""
    asked: str | None = None
    """Id of the branch's last user message: what the work is for."""
    last_ts: int = 0
    """Milliseconds since 1970, UTC."""
    last_stop: str | None = None
    """`stopReason` of the last run that ended."""
    compacting: bool = False
    """A compaction has begun, and not ended."""
    reverting: str | None = None
    """The id of a revert that has begun, and not ended."""
    taken_back: list[Data] = field(default_factory=list)
    """What that revert has done so far, as its end would tell it."""
    changing: tuple[str, ...] = ()
    """URIs of files whose change has begun and not ended: temporary files may lie beside them."""
    reverted: list[str] = field(default_factory=list)
    """URIs of files that the user has reverted since the last message: the model doesn't know yet."""
    run: OpenRun | None = None
    """The run that has not ended."""

    @property
    def tip(self) -> str | None:
        """Id of the node that the next one follows; None before the first."""
        return self.tree.tip

    @property
    def messages(self) -> list[Message]:
        """The conversation as a model would be told it."""
        return self.branch.messages

    @property
    def files(self) -> Data:
        """The files read and changed before the branch's last compaction, as that recorded them."""
        compaction = next(
            (node for node in reversed(self.tree.path(self.tip)) if node.files is not None), None
        )
        return {} if compaction is None else compaction.files or {}

    def totals(self) -> Data:
        """The session as it stands, for lists: `agent_end` carries it."""
        return {
            "title": self.title,
            "model": self.model,
            "mode": self.mode,
            "usage": usage_data(self.usage),
        }

    def feed(self, record: Record) -> None:
        """Takes the next record. An unknown type is only counted."""
        self.seq = record["seq"]
        self.last_ts = record.get("ts", self.last_ts)
        handler = _HANDLERS.get(record["type"])
        if handler is not None:
            handler(self, record, record.get("data", {}))

    def closers(self) -> list[Record]:
        """The records, without number and time, that close what is open, in order. Empty if nothing is."""
        run = self.run
        records: list[Record] = []
        if self.compacting:
            cut = {"failed": "It was interrupted.", "usage": usage_data(NO_USAGE)}
            records.append({"run": run and run.id, "type": "compaction_end", "data": cut})
        if self.reverting is not None:
            records.append(
                {
                    "type": "revert_end",
                    "data": {"id": self.reverting, "files": list(self.taken_back), "cut": True},
                }
            )
        if run is not None:
            closers = run.closers()
            closers[-1][1][1]["session"] = self.totals()
            records += [
                {"run": run.id, "turn": turn, "type": kind, "data": data} for turn, (kind, data) in closers
            ]
        return [{key: value for key, value in record.items() if value is not None} for record in records]

    # One method for each type of record that changes the picture

    def _session(self, _: Record, data: Data) -> None:
        self.header = data

    def _config(self, record: Record, data: Data) -> None:
        self.model = data.get("model", self.model)
        self.mode = data.get("mode", self.mode)
        self.thinking = data.get("thinking", self.thinking)
        node, parent = data["id"], data.get("parent", self.tip)
        self.tree.add(Node(node, parent, self.seq, "config", self.model, self.mode, self.thinking))

    def _grow(
        self,
        record: Record,
        node: str,
        kind: NodeKind,
        *,
        kept_from: str | None = None,
        files: Data | None = None,
    ) -> None:
        parent = record["data"].get("parent", self.tip)
        self.tree.add(Node(node, parent, self.seq, kind, kept_from=kept_from, files=files))

    def _head(self, _: Record, data: Data) -> None:
        """The tip is moved: back, or to another branch."""
        self.tree.tip = data["tip"]
        path = self.tree.path(self.tip)
        if self.branch.reaches(path):
            self.branch.go_back(path)
        else:
            self.stale = True
        self.asked = next((node.id for node in reversed(path) if node.kind == "user"), None)
        for node in path:
            if node.kind == "config":
                self.model, self.mode, self.thinking = node.model, node.mode, node.thinking

    def _session_renamed(self, _: Record, data: Data) -> None:
        self.title = data["title"]

    def _revert_start(self, _: Record, data: Data) -> None:
        self.reverting, self.taken_back = data["id"], []

    def _revert_end(self, _: Record, data: Data) -> None:
        self.reverting, self.changing = None, ()
        self.reverted += [each["uri"] for each in data["files"] if each["outcome"] in ("restored", "deleted")]

    def _compaction_start(self, _: Record, __: Data) -> None:
        self.compacting = True

    def _compaction_end(self, record: Record, data: Data) -> None:
        self.compacting = False
        self._spent(data)
        if "summary" not in data:
            return  # it came to nothing
        self._grow(record, data["id"], "compaction", kept_from=data["keptFrom"], files=data.get("files", {}))
        self.branch.compact(data["id"], data["summary"], data["keptFrom"])

    def _extension_request(self, _: Record, data: Data) -> None:
        self._spent(data)

    def _spent(self, data: Data) -> None:
        """Counts a request that has no message."""
        usage = usage_from(data.get("usage"))
        self.usage += usage
        if self.run is not None:
            self.run.usage += usage

    def _agent_start(self, record: Record, data: Data) -> None:
        self.run = OpenRun(record["run"])
        self.run.begin(data.get("inputs", ()))

    def _message_end(self, record: Record, data: Data) -> None:
        self.usage += usage_from(data.get("usage"))
        if "discarded" in data:
            if self.run is not None:
                self.run.discard_message(data)
            return
        message = message_from(data)
        self._grow(record, data["messageId"], data["role"])
        self.branch.add(message, data["messageId"])
        if isinstance(message, UserMessage):
            self.asked = message.id
            self.reverted = self.reverted if message.source is not None else []
            self.title = self.title or title_of(message)
        if self.run is not None:
            self.run.commit(message)

    def _agent_end(self, _: Record, data: Data) -> None:
        self.run = None
        self.last_stop = data.get("stopReason")

    # What only matters to the open run

    def _queue(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.queue_changed(data["items"], data.get("removed", ()))

    def _turn_start(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.begin_turn(data["turn"])

    def _turn_end(self, _: Record, __: Data) -> None:
        if self.run is not None:
            self.run.end_turn()

    def _message_start(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.begin_message(data["messageId"])

    def _execution_start(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.start_call(data)

    def _execution_running(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.run_call(data["toolCallId"])

    def _execution_end(self, _: Record, data: Data) -> None:
        self.changing = ()
        if self.run is not None:
            results = self.run.end_call(data)
            if results:
                self.branch.add_results(results)

    def _approval_requested(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.ask(data)

    def _approval_resolved(self, _: Record, data: Data) -> None:
        if self.run is not None:
            self.run.resolve(data)

    def _edit_start(self, _: Record, data: Data) -> None:
        self.changing = (data["uri"], data["target"]) if "target" in data else (data["uri"],)

    def _edit_applied(self, _: Record, data: Data) -> None:
        self.changing = ()
        if self.reverting is not None:
            outcome = "deleted" if data["kind"] == "delete" else "restored"
            self.taken_back.append({"uri": data["uri"], "outcome": outcome})
        if self.run is not None:
            self.run.facts.changed(data["uri"], data["added"], data["removed"])


_HANDLERS = {
    "session": Fold._session,
    "config": Fold._config,
    "head": Fold._head,
    "session_renamed": Fold._session_renamed,
    "revert_start": Fold._revert_start,
    "revert_end": Fold._revert_end,
    "compaction_start": Fold._compaction_start,
    "compaction_end": Fold._compaction_end,
    "extension_request": Fold._extension_request,
    "agent_start": Fold._agent_start,
    "queue_update": Fold._queue,
    "turn_start": Fold._turn_start,
    "message_start": Fold._message_start,
    "message_end": Fold._message_end,
    "tool_execution_start": Fold._execution_start,
    "tool_execution_running": Fold._execution_running,
    "tool_execution_end": Fold._execution_end,
    "approval_requested": Fold._approval_requested,
    "approval_resolved": Fold._approval_resolved,
    "edit_start": Fold._edit_start,
    "edit_applied": Fold._edit_applied,
    "turn_end": Fold._turn_end,
    "agent_end": Fold._agent_end,
}


def fold(records: Iterable[Record]) -> Fold:
    """The picture that `records` give."""
    picture = Fold()
    for record in records:
        picture.feed(record)
    return picture


def closed(picture: Fold) -> Fold:
    """The picture with what is open closed in memory: for a reader, who may write nothing."""
    for record in picture.closers():
        picture.feed({"seq": picture.seq + 1, "ts": picture.last_ts, **record})
    return picture


def title_of(message: UserMessage) -> str | None:
    """The first line, as a list would show it."""
    text = typed_text(message).strip()
    first = text.splitlines()[0] if text else ""
    return (first if len(first) <= MAX_TITLE else f"{first[: MAX_TITLE - 1]}…") or None
