"""Checks what must hold at the end, whatever the person did: compares the sessions' logs, what the client heard, and
what the person remembers. The assertion that fails says what is unexplained.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from support.any_memory import Started
from support.any_person import YES, Person
from support.any_workspace import OF_A_CALL, World, words
from support.event_checker import check
from support.lsp_workspace import is_progress

Event = dict[str, Any]
EFFECTS = {"edit": "edit", "write": "edit", "move": "move", "delete": "delete", "bash": "command"}
NOT_DONE = re.compile(
    r"[Nn]othing (of the edit is in the text|was (changed|moved|written))"
    r"|^Not executed|^Declined|declined this|^Refused"
)
OUTCOMES = {
    "verified": r"^(Changed|Created)",
    "verified with typing": r"^Changed[^?]*The user changed the file meanwhile",
    "accepted as rewritten": r"The user changed your text before",
    "deleted": r"^Deleted",
    "moved": r"^Moved",
    "not applied": r"did not make the edit",
    "tried again": r" tries\.",
    "misplaced and taken out": r"wrong place. It was undone there",
    "misplaced and left": r"wrong place, and it is not known",
    "unobserved": r"It is not known (whether|what)",
    "differs": r"is not what was approved",
    "frozen": r"did not come out as approved",
    "closed meanwhile": r"was closed in the editor",
    "never reloaded": r"still shows its old text",
    "not saved": r"unsaved changes in the editor",
    "base moved": r"by somebody else meanwhile|is gone: it was",
    "not there": r"not found|nowhere|does not occur|No such|no file",
}
"""What a model can be told of its call, by what it says."""


@dataclass
class Done:
    """One call of the model, as the log has it."""

    id: str
    session: str
    run: str
    name: str
    args: dict[str, Any]
    asked: list[Event] = field(default_factory=list)
    decisions: list[Event] = field(default_factory=list)
    granted: bool = False
    """Something that was said before it covers it."""
    ran: bool = False
    unasked: bool = False
    """Its work began before anything was asked about it; a question that came up later was about the rest."""
    result: Event | None = None

    @property
    def group(self) -> str | None:
        """The number that its words have."""
        written = [self.args.get("content", ""), self.args.get("command", "")]
        written += [edit["newText"] for edit in self.args.get("edits", [])]
        found = [int(number) for number in OF_A_CALL.findall(" ".join(written))]
        return str(max(found)) if found else None

    @property
    def words(self) -> frozenset[str]:
        group = self.group
        return frozenset() if group is None else frozenset(f"m{group}x{number}" for number in (1, 2))

    @property
    def files(self) -> list[str]:
        named = [self.args[key] for key in ("path", "from", "to") if key in self.args]
        return ["log.txt"] if self.name == "bash" else named

    @property
    def text(self) -> str:
        assert self.result is not None
        return "".join(block["text"] for block in self.result["content"])

    @property
    def accepted(self) -> bool:
        return any(event["decision"] in YES for event in self.decisions)


@dataclass
class Story:
    person: Person
    records: dict[str, list[Event]] = field(default_factory=dict)
    calls: dict[str, Done] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for page in sorted(self.person.desk.home.sessions.glob("*.jsonl")):
            self.records[page.stem] = [json.loads(line) for line in page.read_bytes().splitlines()]
            self._read(self.records[page.stem])

    def verify(self) -> None:
        self._told_as_logged()
        self._runs_are_whole()
        self._texts_are_delivered_or_handed_back()
        self._progress_is_closed()
        self._answers_are_the_persons()
        self._nothing_is_unasked()
        self._what_was_told_is_true()
        self._nothing_is_lost()

    def outcomes(self) -> Counter[str]:
        """How often what happened."""
        found: Counter[str] = Counter()
        for call in self.calls.values():
            found.update(f"question: {event['decision']}" for event in call.decisions)
            found.update("question: superseded" for asked in call.asked if asked.get("supersedes"))
            if call.result is not None:
                found[f"call: {call.result['outcome']}"] += 1
                found.update(f"told: {name}" for name, said in OUTCOMES.items() if re.search(said, call.text))
        for event in self._all():
            if event["type"] == "agent_end":
                found[f"run: {event['data']['stopReason']}"] += 1
        return found

    def _all(self) -> list[Event]:
        return [event for records in self.records.values() for event in records]

    def _read(self, records: list[Event]) -> None:
        of_run: dict[str, set[str]] = defaultdict(set)
        of_session: set[str] = set()
        for event in records:
            data, run = event["data"], event.get("run") or ""
            match event["type"]:
                case "message_end" if _text_of(data) in self.person.follow_ups:
                    of_run[run].clear()
                case "tool_execution_start":
                    call = Done(
                        data["toolCallId"], event["session"], run, data["name"], data.get("args") or {}
                    )
                    self.calls[call.id] = call
                    call.granted = _covered_by(call) in of_run[run] | of_session
                case "approval_requested":
                    self.calls[data["toolCallId"]].asked.append(data)
                case "approval_resolved":
                    call = self.calls[data["toolCallId"]]
                    call.decisions.append(data)
                    grants = {"acceptForRun": of_run[run], "acceptForSession": of_session}
                    if data["decision"] in grants:
                        grants[data["decision"]].add(_covered_by(call))
                case "tool_execution_running":
                    call = self.calls[data["toolCallId"]]
                    call.ran, call.unasked = True, not call.asked
                case "tool_execution_end":
                    call = self.calls[data["toolCallId"]]
                    assert call.result is None, f"two results: {call}"
                    call.result = data

    # Events

    def _told_as_logged(self) -> None:
        told = defaultdict(list)
        for event in self.person.desk.events():
            if "seq" in event:
                told[event["session"]].append(event)
        for session, records in self.records.items():
            assert [event["seq"] for event in records] == list(range(1, len(records) + 1))
            if self.person.hears_events:
                assert told[session] == records

    def _runs_are_whole(self) -> None:
        by_run = defaultdict(list)
        events = self.person.desk.events() if self.person.hears_events else self._all()
        for event in events:
            if event.get("run") and event["type"] != "config":
                by_run[event["run"]].append(event)
        assert set(by_run) == {run.id for run in self.person.runs}
        for each in by_run.values():
            check(each, whole=False)
        assert all(call.result is not None for call in self.calls.values())

    def _texts_are_delivered_or_handed_back(self) -> None:
        found: Counter[str] = Counter()
        for event in self._all():
            data = event["data"]
            if event["type"] == "message_end" and data.get("role") == "user":
                found[_text_of(data)] += 1
            elif event["type"] == "agent_end":
                found.update(item["text"] for item in data["undelivered"])
        said = Counter({text: count for text, count in found.items() if text.startswith("say ")})
        assert said == +self.person.taken

    def _progress_is_closed(self) -> None:
        """The answer, then one begin, then one end."""
        received = self.person.desk.client.received
        for run in self.person.runs:
            values = [m["params"]["value"]["kind"] for m in received if is_progress(m, f"steersman/{run.id}")]
            if values:
                assert (values[0], values[-1]) == ("begin", "end"), values
                assert (values.count("begin"), values.count("end")) == (1, 1), values
            first = next(m for m in received if _names(m, run.id))
            assert "result" in first, first

    # Files

    def _answers_are_the_persons(self) -> None:
        """Nobody else has said yes."""
        for call in self.calls.values():
            titles = {asked["id"]: f"Steersman: {asked['title']}" for asked in call.asked}
            for event in call.decisions:
                if event["decision"] in YES:
                    assert event["by"] == "user", event
                    assert self.person.said_yes & {event["id"], titles[event["id"]]}, (event, titles)

    def _permitted(self, call: Done) -> bool:
        """Whether it may have changed something."""
        if not call.ran:
            return False
        if call.asked and not call.unasked:
            return call.accepted
        (run,) = (run for run in self.person.runs if run.id == call.run)
        return call.granted or _allowed_unasked(run, EFFECTS.get(call.name, ""))

    def _nothing_is_unasked(self) -> None:
        """Every byte is as the user left it, but for the files of calls that were permitted; in those every word of
        the model is one of such a call."""
        permitted = [call for call in self.calls.values() if self._permitted(call)]
        touched = {name for call in permitted for name in call.files}
        last = self.person.states[-1]
        for name in {*last.names, *self.person.left} - touched:
            now = last.disk.get(name), last.buffers.get(name)
            assert now == self.person.left.get(name, (None, None)), f"{name} was changed: {now}"
        for path in self.person.client.over_conflicts:
            name = str(path.relative_to(self.person.desk.root))
            asked = [
                q["kind"] for call in permitted if name in call.files for q in call.asked if call.accepted
            ]
            assert "conflict" in asked, f"{name} was edited over a conflict: {asked}"
        known = {word for call in permitted for word in call.words} | self.person.edited_in
        proposed = {word for call in self.calls.values() for word in call.words}
        known |= words(" ".join(self.person.client.garbled)) - proposed
        for state in self.person.states:
            unknown = {word for word in state.words - known if word[0] in "me"}
            assert not unknown, f"{unknown} of {[c for c in self.calls.values() if c.words & unknown]}"

    def _what_was_told_is_true(self) -> None:
        for call in self.calls.values():
            if call.name not in EFFECTS or call.result is None:
                continue
            not_done = call.result["outcome"] != "ok" and NOT_DONE.search(call.text)
            if not call.ran:
                there = [s for s in self.person.states if s.words & call.words]
                assert not there, f"it is there: {call.text!r}\n{there[0]}"
            elif not_done:
                # It may have been there for a while: taken out again by the server, or by the user.
                last, known = self.person.states[-1], call.words - self.person.brought_back
                still = [name for name in call.files if last.of(name) & known]
                assert not still, f"it is in {still}: {call.text!r}\n{last}"
            elif call.result["outcome"] == "ok" and call.name in ("edit", "write"):
                self._is_there(call)
            elif call.result["outcome"] == "ok" and call.name in ("delete", "move"):
                (name, *_) = call.files
                gone = any(name not in state.disk for state in self.person.states)
                assert gone, f"{name} was never gone: {call.text!r}"

    def _is_there(self, call: Done) -> None:
        """At some time the file had all that was asked for, but for what the user left out; and at some time it was
        what is said of it."""
        asked_for = call.words & words(str(call.args))
        new, old = asked_for, frozenset[str]()
        if call.text.startswith("Changed"):
            new, old = changed_words(call.text)
            if any("hunks" in event or "edited" in event for event in call.decisions):
                asked_for = new
        elif not call.text.startswith("Created"):
            return
        (name,) = call.files
        seen = [there for state in self.person.states for there in (state.of(name), state.on_disk(name))]
        true = any(new <= there and not old & there for there in seen)
        assert true and any(asked_for <= there for there in seen), (
            f"never there: {call.text}\n{[s for s in self.person.states if s.words & call.words]}"
        )

    def _nothing_is_lost(self) -> None:
        """What the user typed is there, unless an accepted change took it out before their eyes."""
        last = self.person.states[-1]
        missing = self.person.owed - last.words
        if not missing:
            return
        taken_out: set[str] = {word for text in self.person.client.lost for word in words(text)}
        for call in self.calls.values():
            if self._permitted(call):
                taken_out |= self._taken_out_by(call)
        for word in missing - taken_out:
            assert self._was_deleted(word), f"{word} is lost\n{self._last_with(word)}\n{last}"

    def _taken_out_by(self, call: Done) -> frozenset[str]:
        """What was to be seen to go when it was permitted: by the user in the question, or else by the model."""
        if call.asked:
            gone = [changed_words(change["diff"])[1] for asked in call.asked for change in asked["changes"]]
        elif call.name == "edit":
            gone = [words(edit["oldText"]) for edit in call.args["edits"]]
        else:
            told = [each for each in self.calls.values() if set(each.files) & set(call.files)]
            gone = [words(each.text) for each in told if each.session == call.session]
        return frozenset().union(*gone)

    def _was_deleted(self, word: str) -> bool:
        """Whether it was saved, in a file that was deleted with a yes."""
        state = self._last_with(word)
        names = {name for name in state.disk if word in state.on_disk(name)}
        deleted = {
            name
            for call in self.calls.values()
            if call.name == "delete" and self._permitted(call)
            for name in call.files
        }
        return bool(names) and names <= deleted

    def _last_with(self, word: str) -> World:
        return next(state for state in reversed(self.person.states) if word in state.words)


def _names(message: Event, run: str) -> bool:
    """Whether a message that was received is about a run."""
    about = message.get("result") or message.get("params")
    if not isinstance(about, dict):
        return False
    value = about.get("value")
    names = [about.get("run"), about.get("token"), *([value.get("run")] if isinstance(value, dict) else [])]
    return run in names or f"steersman/{run}" in names


def _text_of(data: Event) -> str:
    """Of a message."""
    return "".join(block.get("text", "") for block in data.get("content", []))


def _covered_by(call: Done) -> str:
    """What a yes for longer covers: edits of all kinds, or one command."""
    if call.name == "bash":
        return f"bash {call.args.get('command')}"
    return "edits" if call.name in ("edit", "write", "move") else call.id


def _allowed_unasked(run: Started, effect: str) -> bool:
    if "full-auto" in run.modes:
        return True
    return "auto-edit" in run.modes and effect in ("edit", "move")


def changed_words(diff: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of a unified diff, the first in a text: the words that come in, and those that go."""
    diff = diff.split("\nThe user changed your text before", maxsplit=1)[0]
    lines = [line for line in diff.splitlines() if not line.startswith(("+++", "---"))]
    new, old = (words("\n".join(line[1:] for line in lines if line.startswith(sign))) for sign in ("+", "-"))
    return new - old, old - new
