"""What a log says of itself as a whole, without its texts: the tree, the titles, the totals. Small for any log."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.messages import NO_USAGE, Usage, UserMessage
from steersman.session.errors import LogCorrupt
from steersman.session.fold import title_of
from steersman.session.log_lines import MALFORMED, Record
from steersman.session.log_picture import FORMAT
from steersman.session.tree import Node, NodeKind, Tree
from steersman.session.wire import Data, message_from, usage_from


@dataclass(slots=True)
class OtherBranch:
    """A branch that was left: it is not on the path to the tip."""

    after: str | None
    """The node that it follows; None: it has its own beginning."""
    title: str | None = None
    """Of its first message of the user."""
    messages: int = 0


@dataclass(slots=True)
class Outline:
    """Feed it the records of a log in order."""

    header: Data = field(default_factory=dict)
    """The data of the `session` record."""
    tree: Tree = field(default_factory=Tree)
    asked: dict[str, str] = field(default_factory=dict)
    """The first line of each message of the user, by its node."""
    runs: dict[str, str | None] = field(default_factory=dict)
    """The first node of each run; for a run that has none, the tip where it began."""
    title: str | None = None
    model: str | None = None
    mode: str | None = None
    usage: Usage = NO_USAGE
    last_ts: int = 0
    stop: str | None = None
    """How the last run ended; None while one is open."""
    seq: int = 0
    """Of the last record."""
    _started: str | None = None
    """The run that is open and has no node yet."""

    @property
    def path(self) -> list[Node]:
        """From the first node to the tip."""
        return self.tree.path(self.tree.tip)

    def feed(self, record: Record) -> None:
        """Takes the next record."""
        data: Data = record.get("data", {})
        self.last_ts, self.seq = record.get("ts", self.last_ts), record["seq"]
        match record["type"]:
            case "session":
                self.header = data
            case "config":
                self.model, self.mode = data.get("model"), data.get("mode")
                self._grow(data["id"], data.get("parent"), "config")
            case "head":
                self.tree.tip = data["tip"]
            case "session_renamed":
                self.title = data["title"]
            case "agent_start":
                self._started, self.stop = record["run"], None
                self.runs[record["run"]] = self.tree.tip
                self.model, self.mode = data.get("model", self.model), data.get("mode", self.mode)
            case "agent_end":
                self._started, self.stop = None, data.get("stopReason")
            case "message_end":
                self._message(data)
            case "compaction_end":
                self.usage += usage_from(data.get("usage"))
                if "summary" in data:
                    self._grow(data["id"], data.get("parent"), "compaction")

    def _message(self, data: Data) -> None:
        self.usage += usage_from(data.get("usage"))
        if "discarded" in data:
            return
        node, role = data["messageId"], data["role"]
        self._grow(node, data.get("parent"), role)
        if role == "user":
            message = message_from(data)
            title = title_of(message) if isinstance(message, UserMessage) else None
            self.asked[node] = title or ""
            self.title = self.title or title

    def _grow(self, node: str, parent: str | None, kind: NodeKind) -> None:
        self.tree.add(Node(node, parent, self.seq, kind))
        if self._started is not None:
            self.runs[self._started], self._started = node, None

    def others(self) -> list[OtherBranch]:
        """The branches that were left, in the order in which they began."""
        kept = {node.id for node in self.path}
        found: dict[str, OtherBranch] = {}
        branch_of: dict[str, OtherBranch] = {}
        for node in self.tree.nodes.values():
            if node.id in kept:
                continue
            branch = branch_of.get(node.parent or "")
            if branch is None:
                branch = found[node.id] = OtherBranch(node.parent)
            branch_of[node.id] = branch
            branch.messages += node.kind in ("user", "assistant", "custom")
            branch.title = branch.title or self.asked.get(node.id)
        return [branch for branch in found.values() if branch.messages]

    def said_before(self, node: str | None) -> str | None:
        """The first line of the user's last message up to a node."""
        seen: set[str] = set()
        while node is not None and node in self.tree.nodes and node not in seen:
            seen.add(node)
            if node in self.asked:
                return self.asked[node]
            node = self.tree.nodes[node].parent
        return None


def outline_of(records: Iterable[Record]) -> Outline:
    """Reads the records of a log, one at a time.

    Raises:
        LogCorrupt: a record is none of a session's.
        LogError: the log can't be read.
    """
    outline = Outline()
    for record in records:
        try:
            outline.feed(record)
        except MALFORMED as error:
            raise malformed(record, error) from error
    return outline


def require_format(outline: Outline, log: Path) -> None:
    """Raises:
    LogCorrupt: it is no session's log, or one that this version doesn't read.
    """
    if outline.header.get("format") != FORMAT:
        raise LogCorrupt(f"{log} is no session's log, or one of a version that this one doesn't read.")


def malformed(record: Record, error: Exception) -> LogCorrupt:
    """The error for a record that is not as it should be."""
    name = type(error).__name__
    return LogCorrupt(f"Record {record.get('seq')} of the session's log is malformed ({name}: {error}).")
