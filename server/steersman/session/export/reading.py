"""Turns the records of a log, one at a time, into the entries of its transcript: of the branch at the tip, or of all.

It holds the calls of one answer at most. Reverts are in every transcript: they concern files, which have no branches.
"""

from collections.abc import Iterable, Iterator

from steersman.session.export.entries import Asked, Call, Entry, Message, Note, Reverted, RunEnd, Summary
from steersman.session.export.outline import Outline, malformed
from steersman.session.facts import describe
from steersman.session.log_lines import MALFORMED, Record
from steersman.session.retry import sentence
from steersman.session.wire import Data, usage_from


def entries(records: Iterable[Record], outline: Outline, *, all_branches: bool = False) -> Iterator[Entry]:
    """The entries of a log. `outline` is that of the same records.

    Raises:
        LogCorrupt: a record is none of a session's.
        LogError: the log can't be read.
    """
    reader = EntryReader(outline, all_branches=all_branches)
    for record in records:
        try:
            told = list(reader.feed(record))
        except MALFORMED as error:
            raise malformed(record, error) from error
        yield from told
    yield from reader.rest()


class EntryReader:
    """Feed it the records of a log in order."""

    def __init__(self, outline: Outline, *, all_branches: bool = False) -> None:
        """`outline` is that of all records, or is fed each record as it comes, as long as none goes back."""
        self._outline, self._all = outline, all_branches
        self._path = {node.id for node in outline.path}
        self._on = True
        """Whether what is read now belongs to a branch that is shown."""
        self._calls: dict[str, Call] = {}
        """Of the last answer, in declared order, that are not told yet."""
        self._questions: dict[str, Asked] = {}
        self._revert: str | None = None
        self._setting: tuple[object, object, object] | None = None
        self._thinking = "off"
        self._last: str | None = None
        """The node that was told last."""

    def feed(self, record: Record) -> Iterator[Entry]:
        """The entries that this record completes.

        Raises:
            One of `MALFORMED`: the record is none of a session's.
        """
        data: Data = record.get("data", {})
        kind, ts = record["type"], record.get("ts", 0)
        match kind:
            case "agent_start":
                self._on = self._tells(self._outline.runs.get(record["run"]))
            case "config":
                self._on = self._tells(data["id"])
                if self._on:
                    yield from self._left(data["id"], data.get("parent"), ts)
                    yield from self._config(data, ts)
            case "message_end":
                yield from self._message(data, ts)
            case "compaction_end":
                yield from self._compaction(data, ts)
            case "revert_start":
                self._revert = data["title"]
            case "revert_end":
                files = [(each["uri"], each["outcome"]) for each in data["files"]]
                yield Reverted(ts, self._revert or "Revert", files, bool(data.get("cut")))
            case _ if self._on:
                yield from self._of_run(kind, data, ts)

    def follow(self, node: str) -> None:
        """The branch that is shown goes on to this node."""
        self._path.add(node)

    @property
    def under_way(self) -> list[Call]:
        """Calls that are begun, or will be, and not told yet."""
        return list(self._calls.values())

    @property
    def waiting(self) -> list[Asked]:
        """Questions without an answer."""
        return list(self._questions.values())

    def rest(self) -> Iterator[Entry]:
        """The calls that the log ends in the middle of."""
        calls, self._calls = self._calls, {}
        yield from calls.values()

    def _tells(self, node: str | None) -> bool:
        return self._all or node is None or node in self._path

    def _left(self, node: str, parent: str | None, ts: int) -> Iterator[Entry]:
        """A note where the next node does not follow the one before it."""
        if self._all and parent != self._last:
            title = self._outline.said_before(parent)
            where = "from the beginning" if title is None else f"after the answers to “{title}”"
            yield Note("branch", f"Another branch: it goes on {where}.", ts)
        self._last = node

    def _config(self, data: Data, ts: int) -> Iterator[Entry]:
        self._thinking = data.get("thinking", self._thinking)
        setting = data.get("model"), data.get("mode"), self._thinking
        if setting != self._setting:
            self._setting = setting
            thinking = "" if self._thinking == "off" else f", thinking {self._thinking}"
            yield Note("config", f"Model {setting[0] or 'none'}, mode {setting[1] or 'ask'}{thinking}", ts)

    def _message(self, data: Data, ts: int) -> Iterator[Entry]:
        node = data["messageId"]
        if "discarded" in data:
            if self._on:
                yield from self.rest()
                failure = data.get("failure") or {}
                reason, why = data["discarded"], failure.get("message")
                yield Message(node, "assistant", ts, data["partial"], discarded=reason, failure=why)
            return
        self._on = self._tells(node)
        if not self._on:
            self._calls = {}
            return
        yield from self.rest()
        yield from self._left(node, data.get("parent"), ts)
        content = data["content"]
        yield Message(node, data["role"], ts, content, data.get("kind"), data.get("source"))
        self._calls = {
            block["id"]: Call(block["id"], block["name"], block["name"], {}, block["arguments"], ts=ts)
            for block in content
            if block["type"] == "toolCall"
        }

    def _compaction(self, data: Data, ts: int) -> Iterator[Entry]:
        if "summary" not in data:
            if self._on:
                yield Note("compaction", f"The conversation was not shortened: {data.get('failed', '')}", ts)
            return
        self._on = self._tells(data["id"])
        if self._on:
            yield from self.rest()
            yield from self._left(data["id"], data.get("parent"), ts)
            yield Summary(
                data["id"],
                ts,
                data["summary"],
                data.get("replaced", 0),
                data.get("tokensBefore", 0),
                data.get("tokensAfter", 0),
            )

    # What has no node of its own

    def _of_run(self, kind: str, data: Data, ts: int) -> Iterator[Entry]:
        match kind:
            case "tool_execution_start" if (call := self._calls.get(data["toolCallId"])) is not None:
                call.args, call.args_text = data["args"], data.get("argsText")
                call.title = describe(data["name"], data["args"])
            case "tool_execution_end":
                yield from self._result(data, ts)
            case "approval_requested":
                diffs = tuple(change["diff"] for change in data["changes"] if change["diff"])
                asked = self._questions[data["id"]] = Asked(data["title"], diffs)
                if (call := self._calls.get(data["toolCallId"])) is not None:
                    call.asked.append(asked)
            case "approval_resolved":
                yield from self._answer(data, ts)
            case "retry":
                wait = f"Asked again after {data['afterMs'] / 1000:.1f} s."
                yield Note("retry", f"{sentence(data['message'])} {wait}", ts)
            case "notice":
                yield Note("notice", data["message"], ts)
            case "agent_end":
                yield from self.rest()
                self._questions = {}
                yield _run_end(data, ts)

    def _result(self, data: Data, ts: int) -> Iterator[Entry]:
        call = self._calls.get(data["toolCallId"])
        if call is None:
            return
        call.outcome, call.is_error = data["outcome"], data["isError"]
        call.content, call.duration_ms, call.ts = data["content"], data["durationMs"], ts
        while self._calls and (first := next(iter(self._calls.values()))).outcome is not None:
            yield self._calls.pop(first.id)

    def _answer(self, data: Data, ts: int) -> Iterator[Entry]:
        asked = self._questions.pop(data["id"], None)
        if asked is None:
            return
        asked.decision, asked.by, asked.feedback = data["decision"], data["by"], data.get("feedback")
        if not data["toolCallId"]:
            yield Note("asked", asked.text, ts)


def _run_end(data: Data, ts: int) -> RunEnd:
    return RunEnd(
        ts,
        data["stopReason"],
        data["message"],
        data["turns"],
        usage_from(data["usage"]),
        [(each["uri"], each["added"], each["removed"]) for each in data["files"]],
        [each["text"] for each in data["undelivered"]],
    )
