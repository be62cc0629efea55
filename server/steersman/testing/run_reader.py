"""Reads the records of one run: the model's answers, what the user said, what the calls did, how it ended."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from steersman.agent.messages import ModelStop
from steersman.agent.model import FailureKind
from steersman.session.facts import describe
from steersman.session.named_paths import named_paths
from steersman.session.retry import ATTEMPTS, POLICIES
from steersman.testing.commands import Ran
from steersman.testing.known_files import KnownFiles
from steersman.testing.moments import Moment
from steersman.testing.places import Places
from steersman.testing.questions import Questions
from steersman.testing.story import CallStory, CannotRepeat, RunStory
from steersman.testing.turns import Call, Turn, failure, turn

_CHANGING: Final = ("edit", "write", "delete", "move")
_A_NO: Final = 3600.0
"""Seconds of a `retry-after` that are too many for another attempt."""


class RunReader:
    """The records of one run."""

    def __init__(self, story: RunStory, places: Places, files: KnownFiles, questions: Questions) -> None:
        self.story = story
        self._places, self._files, self._questions = places, files, questions
        self._seen: dict[str, int] = {}
        """Events of each type so far."""
        self._prompt_is_due = story.prompt is not None
        self._queue: dict[str, str] = {}
        """The kind of each message in the queue, by its text."""
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self._running: dict[str, int] = {}
        """Calls whose work has begun, numbered from 1."""
        self._told: dict[str, CallStory] = {}
        self._last = Moment("agent_start")
        """The last event that the run produced by itself. An abort that cut nothing short came after it."""
        self._is_cut = False
        self._attempts = 0
        self._abort: Moment | None = None
        self._is_stopped = False

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        self._seen[kind] = self._seen.get(kind, 0) + 1
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, data)

    def _came(self, kind: str) -> None:
        if not self._is_cut:
            self._last = Moment(kind, self._seen[kind])

    def queue(self, data: Mapping[str, Any]) -> None:
        self._queue |= {item["text"]: item["kind"] for item in data["items"]}

    def message(self, data: Mapping[str, Any]) -> None:
        if "discarded" in data:
            self._discarded(data)
        elif data["role"] == "assistant":
            self._came("message_end")
            self._attempts = 0
            self.story.turns.append(self._turn(data["content"], data["stopReason"]))
        elif data["role"] == "custom":
            self.story.notes.append(f"A message of kind {data.get('kind')} was added by an extension.")
        else:
            self._heard(data["content"])

    def _heard(self, content: Sequence[Mapping[str, Any]]) -> None:
        """A message of the user's."""
        attached = [str(block["attached"]) for block in content if block.get("attached")]
        if attached:
            self.story.notes.append(f"The user attached: {', '.join(attached)}.")
        if self._prompt_is_due:
            self._prompt_is_due = False
        else:
            self._said(_text(block for block in content if not block.get("attached")))

    def _said(self, text: str) -> None:
        """The user said something during the run. At the latest, it was queued at the start of the turn before."""
        turns = self._seen.get("turn_start", 0) - 1  # the turn that it begins has started
        moment = Moment("turn_start", turns) if turns > 0 else Moment("agent_start")
        act = moment.follow_up if self._queue.get(text) == "followUp" else moment.steer
        self.story.during.append(act(text))

    def _discarded(self, data: Mapping[str, Any]) -> None:
        self._attempts += 1
        partial = "".join(block["text"] for block in data["partial"] if block["type"] == "text")
        if data["discarded"] == "aborted":
            self._abort = Moment("message_start", self._seen["message_start"])
            self.story.turns.append(turn(partial, hang=True))
            return
        failed = data.get("failure")
        if failed is None:
            raise CannotRepeat(f"An answer of the session was {data['discarded']}: a test can't repeat that.")
        kind: FailureKind = failed["kind"]
        retry_after: float | None = None
        if data["discarded"] == "failed" and self._attempts < ATTEMPTS.get(kind, 0):
            retry_after = _A_NO
        elif data["discarded"] == "retried" and POLICIES[kind].if_told:
            retry_after = 0.0
        self.story.turns.append(failure(kind, failed["message"], after=partial, retry_after=retry_after))
        self._came("message_end")
        if data["discarded"] == "failed":
            self._attempts = 0

    def _turn(self, content: Iterable[Mapping[str, Any]], stop: ModelStop) -> Turn:
        said: dict[str, str] = {}
        calls = []
        for block in content:
            if block["type"] == "toolCall":
                calls.append(self._call(block["name"], block["arguments"]))
            elif block["type"] != "image":
                said[block["type"]] = said.get(block["type"], "") + block["text"]
        return Turn(
            line=0,
            text=said.get("text", ""),
            thinking=said.get("thinking", ""),
            refusal=said.get("refusal", ""),
            tool_calls=tuple(calls),
            stop_reason=stop,
        )

    def _call(self, name: str, arguments: str) -> Call:
        try:
            value = json.loads(arguments)
        except ValueError:
            return Call(name, self._places.portable(arguments), "")
        return Call(name, json.dumps(self._places.arguments(value), ensure_ascii=False), "")

    def started(self, data: Mapping[str, Any]) -> None:
        call, name, args = data["toolCallId"], data["name"], data["args"]
        self._calls[call] = (name, args)
        self._told[call] = CallStory(describe(name, self._places.arguments(args)))
        self.story.calls.append(self._told[call])

    def running(self, data: Mapping[str, Any]) -> None:
        call = data["toolCallId"]
        self._running[call] = self._seen["tool_execution_running"]
        self._refuse_outside(call)

    def _refuse_outside(self, call: str) -> None:
        """Raises:
        CannotRepeat: the call would change something outside the workspace.
        """
        name, args = self._calls[call]
        paths = named_paths(args) if name in _CHANGING else []
        outside = next((path for path in paths if self._places.inside(path) is None), None)
        if outside is not None:
            raise CannotRepeat(
                f"The session changed {outside}, outside its workspace: a test must not do that again."
            )

    def ended(self, data: Mapping[str, Any]) -> None:
        call, outcome = data["toolCallId"], data["outcome"]
        name, args = self._calls[call]
        self._told[call].outcome = outcome
        self._is_cut = self._is_cut or outcome in ("aborted", "notExecuted")
        self._came("tool_execution_end")
        if call not in self._running:
            self._not_begun(call, data)
            return
        if outcome == "aborted" or (outcome != "ok" and _text(data["content"]).endswith("Operation aborted")):
            self._abort = Moment("tool_execution_running", self._running[call])
        if name == "bash":
            self._ran(call, str(args.get("command", "")), data)
        elif name == "read" and outcome == "ok":
            self._read(call, str(args.get("path", "")), data)

    def _not_begun(self, call: str, data: Mapping[str, Any]) -> None:
        """A call that was refused or failed. Its text tells whether its files were there."""
        name, args = self._calls[call]
        if name not in _CHANGING or call in self._questions.asked_about:
            return
        if name != "edit":  # which needs files that were read
            self._refuse_outside(call)
        said = _text(data["content"])
        if "exists" in said or (data["outcome"] == "failed" and "not found" not in said):
            for named in named_paths(args):
                if (path := self._places.inside(named)) is not None:
                    self._files.exists(path)

    def _ran(self, call: str, command: str, data: Mapping[str, Any]) -> None:
        command = self._places.portable(command)
        ran = Ran(self._places.portable(_text(data["content"])), data["isError"])
        self.story.commands.setdefault(command, []).append(ran)
        if call not in self._questions.asked_about:
            self._questions.unasked(self.story, command)

    def _read(self, call: str, path: str, data: Mapping[str, Any]) -> None:
        inside = self._places.inside(path)
        if inside is None and call not in self._questions.asked_about:
            inside = self._places.bring_in(path)
            self.story.turns[-1] = self._moved(self.story.turns[-1])
        if inside is not None:
            self._files.read(inside, data)

    def _moved(self, written: Turn) -> Turn:
        calls = [self._call(each.name, each.arguments) for each in written.tool_calls]
        return replace(written, tool_calls=tuple(calls))

    def asked(self, data: Mapping[str, Any]) -> None:
        self._questions.asked(self.story, data)

    def answered(self, data: Mapping[str, Any]) -> None:
        if data["decision"] == "withdrawn":
            self._abort = Moment("approval_requested", self._seen["approval_requested"])
        elif data["decision"] == "cancel":
            self._is_stopped = True
        else:
            self._came("approval_resolved")
        self._questions.answered(self.story, data)

    def end(self, data: Mapping[str, Any]) -> None:
        """Raises:
        CannotRepeat: a test can't end a run like this.
        """
        story = self.story
        story.stop_reason = data["stopReason"]
        if story.stop_reason == "interrupted":
            raise CannotRepeat("A run of the session was interrupted: a test can't repeat that.")
        code = (data.get("error") or {}).get("code")
        if code is not None and code not in get_args(FailureKind):
            raise CannotRepeat(f"A run of the session failed with {code}: a test can't repeat that.")
        if story.stop_reason == "budget":
            raise CannotRepeat(
                f"A run of the session has stopped at its limit of {data.get('limit')}: a test can't repeat that."
            )
        if story.stop_reason == "max_turns":
            story.max_turns = data["turns"]
        for item in data["undelivered"] if story.stop_reason != "complete" else ():
            story.notes.append(f"The user said this, and the model never got it: {item['text']!r}.")
        if story.stop_reason == "aborted" and not self._is_stopped:
            story.during.append((self._abort or self._last).abort())


def _text(content: Iterable[Mapping[str, Any]]) -> str:
    return "".join(block.get("text", "") for block in content if block["type"] == "text")


_HANDLERS: Final = {
    "queue_update": RunReader.queue,
    "message_end": RunReader.message,
    "tool_execution_start": RunReader.started,
    "tool_execution_running": RunReader.running,
    "tool_execution_end": RunReader.ended,
    "approval_requested": RunReader.asked,
    "approval_resolved": RunReader.answered,
    "agent_end": RunReader.end,
}
