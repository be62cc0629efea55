"""A copy of one branch of a session's log: whole turns, renumbered, closed. The original is only read."""

from collections.abc import Collection, Iterable, Iterator

from steersman.session.fold import Fold
from steersman.session.log_lines import Record

_OUTSIDE_RUNS = ("edit_start", "edit_applied", "checkpoint", "revert_start", "revert_end")
"""What belongs to files, which have no branches."""


def forked(records: Iterable[Record], header: Record, path: Collection[str]) -> Iterator[Record]:
    """The records of the copy, with their numbers.

    `header`: its first record, without a number; `path`: the ids of the nodes to copy. A run that leaves the path is
    copied up to that point and closed as interrupted. A title that the user gave is kept.
    """
    copy = _Copy(path)
    yield copy.numbered(header)
    title: Record | None = None
    for record in records:
        if record["type"] == "session_renamed":
            title = record
        else:
            yield from copy.take(record)
    yield from copy.close()
    if title is not None:
        yield copy.numbered(title)


class _Copy:
    def __init__(self, path: Collection[str]) -> None:
        self._path = set(path)
        self._left = len(self._path)
        self._made = Fold()
        self._turn: list[Record] = []
        """Of the turn that is being read; it is copied when it is whole."""
        self._held: Record | None = None
        """The start of a compaction, which is copied with its end."""
        self._passing: str | None = None
        """A run that has left the path, or has no part in it."""

    def take(self, record: Record) -> Iterator[Record]:
        kind, run = record["type"], record.get("run")
        if kind in ("session", "head", "notice"):
            return
        if run is None:
            yield from self._outside(record)
            return
        if kind == "agent_start":
            yield from self.close()
            self._passing = None
        if run == self._passing:
            return
        self._turn.append(record)
        node = _node_of(record)
        if node is not None and node not in self._path:
            self._passing = run
            yield from self.close()
        elif kind == "turn_end":
            yield from self._flush()
        elif kind == "agent_end":
            if self._made.run is not None or any(_node_of(each) for each in self._turn):
                record["data"] |= {"session": self._made.totals()}
                yield from self._flush()
            self._turn = []

    def close(self) -> Iterator[Record]:
        """Ends the run that is open, if one is: what there is of its turn is copied up to its last node."""
        on_path = [i for i, record in enumerate(self._turn) if _node_of(record) in self._path]
        if self._made.run is None and all(self._turn[i]["type"] == "config" for i in on_path):
            # Nothing of the run was said before it left the path: what it set is kept, not that it ran.
            for i in on_path:
                yield self._copied(
                    {key: value for key, value in self._turn[i].items() if key not in ("run", "turn")}
                )
            self._turn = []
        self._turn = self._turn[: on_path[-1] + 1] if on_path and self._turn else []
        yield from self._flush()
        for closer in self._made.closers():
            yield self.numbered(closer)

    def numbered(self, record: Record) -> Record:
        """The record as the copy's next."""
        made = {"seq": self._made.seq + 1, **{key: value for key, value in record.items() if key != "seq"}}
        made.setdefault("ts", self._made.last_ts)
        self._made.feed(made)
        return made

    def _outside(self, record: Record) -> Iterator[Record]:
        kind, node = record["type"], _node_of(record)
        if kind == "compaction_start":
            self._held = record
        elif node in self._path or (kind in _OUTSIDE_RUNS and self._left):
            if kind == "compaction_end" and self._held is not None:
                yield self._copied(self._held)
            yield self._copied(record)

    def _flush(self) -> Iterator[Record]:
        for record in self._turn:
            yield self._copied(record)
        self._turn = []

    def _copied(self, record: Record) -> Record:
        if _node_of(record) in self._path:
            self._left -= 1
        return self.numbered(record)


def _node_of(record: Record) -> str | None:
    """The id of the node that a record is, if it is one."""
    data = record["data"]
    match record["type"]:
        case "message_end" if "discarded" not in data:
            return str(data["messageId"])
        case "config":
            return str(data["id"])
        case "compaction_end" if "summary" in data:
            return str(data["id"])
    return None
