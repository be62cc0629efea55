"""The tree of a session: what follows what, where it stands now, and the messages from there back to a compaction.

Nodes are committed messages, compactions, and settings of model, mode and thinking. A tool's result belongs to its
call's node.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Message,
    Text,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import ThinkingLevel
from steersman.session.log_lines import Record
from steersman.session.window import LEAST, characters, cut_to
from steersman.session.wire import Data, message_from, result_from

NodeKind = Literal["user", "assistant", "custom", "config", "compaction"]

MAX_HELD = 32_000_000
"""Characters of one branch that are kept in memory: about ten million tokens, more than any model takes."""
SUMMARY_HEADER = (
    "A summary of the conversation up to here. Its messages are gone; what was done to files stands:\n\n"
)


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    parent: str | None
    """None: it is the first of its branch."""
    seq: int
    """Of its record."""
    kind: NodeKind
    model: str | None = None
    """Of a config."""
    mode: str | None = None
    thinking: ThinkingLevel | None = None
    kept_from: str | None = None
    """Of a compaction: the first node whose message still goes to the model as it is; None: none does."""
    files: Data | None = None
    """Of a compaction: what had been read and changed before it."""


@dataclass(slots=True)
class Tree:
    nodes: dict[str, Node] = field(default_factory=dict)
    tip: str | None = None
    """What the next node follows; None before the first."""

    def add(self, node: Node) -> None:
        """A new node; it is the tip."""
        self.nodes[node.id] = node
        self.tip = node.id

    def path(self, to: str | None) -> list[Node]:
        """The nodes from the first to this one. Ends where a parent is unknown."""
        found: list[Node] = []
        seen: set[str] = set()
        while to is not None and to in self.nodes and to not in seen:
            seen.add(to)
            node = self.nodes[to]
            found.append(node)
            to = node.parent
        found.reverse()
        return found


@dataclass(slots=True)
class Branch:
    """What a model would be told at the tip: a summary, if there was a compaction, and the messages since."""

    messages: list[Message] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    """The node of each message."""
    compaction: str | None = None
    """The node whose summary comes first."""
    carried: int = 0
    """Custom messages right after the summary that are older than it: the last of each kind was carried over."""

    _held: int = 0
    """Characters of the messages."""
    _cut: int = 0
    """Messages before it are cut."""

    def add(self, message: Message, node: str) -> None:
        self.messages.append(message)
        self.nodes.append(node)
        self._held += characters(message)
        self._let_go()

    def _let_go(self) -> None:
        """If there is more than any model takes, only the beginning and end of each old text stay in memory; the log
        has everything."""
        if self._held <= MAX_HELD:
            return
        while self._held > MAX_HELD // 2 and self._cut < len(self.messages) - 1:
            message = self.messages[self._cut]
            self.messages[self._cut] = shorter = cut_to(message, LEAST)
            self._held -= characters(message) - characters(shorter)
            self._cut += 1

    def add_results(self, results: Sequence[ToolResultMessage]) -> None:
        """Of the last answer's calls, in declared order."""
        node = next(
            node
            for node, message in zip(reversed(self.nodes), reversed(self.messages), strict=True)
            if isinstance(message, AssistantMessage)
        )
        for result in results:
            self.add(result, node)

    def compact(self, node: str, summary: str, kept_from: str | None) -> None:
        """Replaces all messages before the first one that is kept by the summary, except the last custom message of
        each kind: a summary says nothing of those, and a plan must outlive it."""
        start = self.nodes.index(kept_from) if kept_from in self.nodes else len(self.nodes)
        last = {each.kind: i for i, each in enumerate(self.messages) if isinstance(each, CustomMessage)}
        carried = [i for i in sorted(last.values()) if i < start]
        self.messages[:start] = [summary_message(node, summary), *(self.messages[i] for i in carried)]
        self.nodes[:start] = [node, *(self.nodes[i] for i in carried)]
        self.compaction, self.carried = node, len(carried)
        self._count()

    def reaches(self, path: Sequence[Node]) -> bool:
        """Whether this branch has all that a model would be told at the end of the path."""
        last = next((node.id for node in reversed(path) if node.kind not in ("config", "compaction")), None)
        compaction = next((node.id for node in reversed(path) if node.kind == "compaction"), None)
        return compaction == self.compaction and (last is None or last in self.nodes)

    def go_back(self, path: Sequence[Node]) -> None:
        """Drops what is not on the path. The branch must reach it (`reaches`)."""
        on_path = {node.id for node in path}
        keep = [i for i, node in enumerate(self.nodes) if node in on_path]
        self.messages[:] = [self.messages[i] for i in keep]
        self.nodes[:] = [self.nodes[i] for i in keep]
        self._count()

    def _count(self) -> None:
        self._held, self._cut = sum(map(characters, self.messages)), 0


def summary_message(node: str, summary: str) -> UserMessage:
    """A compaction as the model gets it."""
    return UserMessage(node, (Text(SUMMARY_HEADER + summary),))


def read_branch(records: Iterable[Record], path: Sequence[Node]) -> Branch:
    """The branch at the end of a path, from all records of the log, one at a time. Holds only what it returns."""
    compaction = next((node for node in reversed(path) if node.kind == "compaction"), None)
    wanted = {node.id for node in path}
    kept: set[str] = set()
    if compaction is not None:
        start = next((i for i, node in enumerate(path) if node.id == compaction.kept_from), len(path))
        kept = {node.id for node in path[start:]}
        wanted = kept | {node.id for node in path if node.kind == "custom"} | {compaction.id}
    branch = Branch()
    summary: str | None = None
    waiting: dict[str, ToolResultMessage | None] = {}
    for record in records:
        data = record.get("data", {})
        match record["type"]:
            case "message_end" if data.get("messageId") in wanted and "discarded" not in data:
                message = message_from(data)
                branch.add(message, data["messageId"])
                calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
                waiting = {call.id: None for call in calls}
            case "tool_execution_end" if data.get("toolCallId") in waiting:
                waiting[data["toolCallId"]] = result_from(data)
                results = [result for result in waiting.values() if result is not None]
                if len(results) == len(waiting):
                    branch.add_results(results)
                    waiting = {}
            case "compaction_end" if compaction is not None and data.get("id") == compaction.id:
                summary = data["summary"]
    if compaction is not None and summary is not None:
        branch.compact(compaction.id, summary, next((node for node in branch.nodes if node in kept), None))
    return branch
