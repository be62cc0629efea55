"""What a session changed since each message of the user, read from its log: what can be reverted.

Files have no branches, so checkpoints follow each other by their numbers in the log, whatever the tree looks like.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from steersman.agent.messages import UserMessage
from steersman.session.fold import title_of
from steersman.session.log_lines import Record
from steersman.session.wire import Data, message_from
from steersman.workspace.preimages import PreImageRecord


@dataclass(frozen=True, slots=True)
class Image:
    """A pre-image, and the number of its record."""

    seq: int
    record: PreImageRecord
    others: frozenset[int] = frozenset()
    """The changes of others that are in it: see `History.others`."""


@dataclass(slots=True)
class Checkpoint:
    """A message of the user, or a revert. What was changed after it can be reverted."""

    id: str
    seq: int
    ts: int
    """Milliseconds since 1970, UTC."""
    title: str
    run: str | None
    files: set[str] = field(default_factory=set)
    """URIs of what was changed before the next one."""

    def data(self) -> Data:
        return {"checkpoint": self.id, "title": self.title, "ts": self.ts, "files": sorted(self.files)}


@dataclass(frozen=True, slots=True)
class RanCommand:
    """A command that was run. What it changed is not known."""

    seq: int
    command: str
    began: int
    """Milliseconds since 1970, UTC, as `ended`."""
    ended: int


@dataclass(slots=True)
class History:
    checkpoints: list[Checkpoint] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    left: dict[str, str | None] = field(default_factory=dict)
    """By URI, the SHA-256 of what our last change left there; None: no file."""
    begun: dict[str, str | None] = field(default_factory=dict)
    """By URI, the SHA-256 of what a change was about to leave there when a crash cut it off. It may have been made."""
    others: dict[str, frozenset[int]] = field(default_factory=dict)
    """By URI, the changes that others have made between ours, or with one of ours, and that ours have kept: each by the
    number of the record that showed it."""
    commands: list[RanCommand] = field(default_factory=list)
    _found: tuple[str, frozenset[int]] = ("", frozenset())
    """The file whose change has begun, and the changes of others that were in it."""
    _reverting: Checkpoint | None = None
    """What a revert that is under way goes back to."""
    _changing: str | None = None
    """The call that the last change belongs to."""
    _running: dict[str, tuple[str, int]] = field(default_factory=dict)
    _commands_of: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Checkpoint | None:
        """The checkpoint with this id, or the one at the start of the run with this id."""
        return next((each for each in self.checkpoints if name in (each.id, each.run)), None)

    def wanted(self, since: Checkpoint) -> dict[str, Image]:
        """By URI, what was there before the first change after the checkpoint."""
        found: dict[str, Image] = {}
        for image in self.images:
            if image.seq > since.seq:
                found.setdefault(image.record.uri, image)
        return found

    def feed(self, record: Record) -> None:
        """Takes the next record of the log."""
        data: Data = record.get("data", {})
        seq, ts = record["seq"], record.get("ts", 0)
        match record["type"]:
            case "message_end" if data.get("role") == "user" and "discarded" not in data:
                self._message(record, data)
            case "revert_start":
                self._reverting = self.find(data["checkpoint"])
                self.checkpoints.append(Checkpoint(data["id"], seq, ts, data["title"], None))
            case "revert_end":
                self._reverting = None
                if not data.get("cut"):
                    self.begun = {}
            case "checkpoint":
                self.images.append(Image(seq, image_from(data), self._others_in(data["uri"])))
                if self.checkpoints:
                    self.checkpoints[-1].files.add(data["uri"])
            case "edit_start":
                self._starting(seq, data)
            case "edit_applied":
                self._applied(seq, data)
            case "tool_execution_start":
                command = data.get("args", {}).get("command")
                if isinstance(command, str):
                    self._commands_of[data["toolCallId"]] = command
            case "tool_execution_running" if data["toolCallId"] in self._commands_of:
                self._running[data["toolCallId"]] = (self._commands_of.pop(data["toolCallId"]), ts)
            case "tool_execution_end":
                if data["toolCallId"] == self._changing and data["outcome"] != "aborted":
                    self.begun = {}  # it was told that nothing was changed
                if data["toolCallId"] in self._running:
                    command, began = self._running.pop(data["toolCallId"])
                    self.commands.append(RanCommand(seq, command, began, ts))

    def _message(self, record: Record, data: Data) -> None:
        message = message_from(data)
        assert isinstance(message, UserMessage)
        run = record.get("run")
        known = any(each.run == run for each in self.checkpoints) if run is not None else True
        self.checkpoints.append(
            Checkpoint(
                message.id,
                record["seq"],
                record.get("ts", 0),
                title_of(message) or "",
                None if known else run,
            )
        )

    def is_ours(self, uri: str, sha256: str | None) -> bool:
        """Whether our last change, or the one that was cut off, left a file with this SHA-256 there; None: no file."""
        known = [changes[uri] for changes in (self.left, self.begun) if uri in changes]
        return sha256 in known

    def _others_in(self, uri: str) -> frozenset[int]:
        """The changes of others that are in a file now, or were in it when its change began."""
        name, found = self._found
        return found if name == uri else self.others.get(uri, frozenset())

    def _starting(self, seq: int, data: Data) -> None:
        self._changing = data["toolCallId"]
        uri, base = data["uri"], data.get("base")
        found = self.others.get(uri, frozenset())
        if base is not None and uri in self.left and not self.is_ours(uri, base):
            found |= {seq}
        self._found = uri, found
        if "target" in data:
            self.begun[data["uri"]], self.begun[data["target"]] = None, data["sha256"]
        else:
            self.begun[data["uri"]] = data["sha256"]

    def _applied(self, seq: int, data: Data) -> None:
        self._note_others(seq, data)
        for uri in {data["uri"], data.get("target", data["uri"])}:
            self.begun.pop(uri, None)
        if "target" in data:
            self.left[data["uri"]], self.left[data["target"]] = None, data["sha256"]
        else:
            self.left[data["uri"]] = data["sha256"]

    def _note_others(self, seq: int, data: Data) -> None:
        """What our change leaves has the changes of others that were there before it, or came with it; what a revert
        brings back has those that were there at that time."""
        uri: str = data["uri"]
        back = None if self._reverting is None else self.wanted(self._reverting).get(uri)
        others = self._others_in(uri) if back is None else back.others
        if data.get("others"):
            others |= {seq}
        for each in {uri, data.get("target", uri)}:
            self.others[each] = others
        self._found = "", frozenset()


def history_of(records: Iterable[Record]) -> History:
    """Reads the records of a log, one at a time."""
    history = History()
    for record in records:
        history.feed(record)
    return history


def image_from(data: Data) -> PreImageRecord:
    """The pre-image of a `checkpoint` record."""
    return PreImageRecord(
        data["uri"], data["kind"], data.get("sha256"), data.get("mode"), data.get("bufferSha256")
    )
