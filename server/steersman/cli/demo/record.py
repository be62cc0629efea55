"""The record of a scene: its events, the requests to the model, the tree before and after, and what they show."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from steersman.agent.abort import AbortSignal
from steersman.agent.endings import FAILED
from steersman.agent.messages import AssistantMessage, ToolResultMessage, UserMessage, plain_text
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.cli.demo.client import Json
from steersman.cli.demo.scenes import Scene
from steersman.cli.demo.tree import Tree
from steersman.models.tape import TapeModel
from steersman.models.tape_format import Tape
from steersman.session.facts import describe

_SHOWN = 50
"""Most characters that are shown of arguments that are not JSON."""


class RecordingTape(TapeModel):
    """A tape that keeps the requests it gets, and can be replaced by another tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.requests: list[ModelRequest] = []

    def insert(self, tape: Tape) -> None:
        self.tape, self.requests = tape, []

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        async for event in super().stream(request, signal):
            yield event


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that was not done, or not as the model wanted it."""

    call: str
    who: str
    request: int | None
    """Number of the request (from 1) that told the model; None if none did."""


@dataclass(slots=True)
class Record:
    scene: Scene
    before: Tree
    after: Tree = field(default_factory=lambda: Tree({}))
    events: list[Json] = field(default_factory=list)
    requests: Sequence[ModelRequest] = ()
    problems: list[str] = field(default_factory=list)
    """What was not as the scene says."""
    notes: list[str] = field(default_factory=list)
    """What else was seen."""

    @property
    def ends(self) -> list[Json]:
        """The data of each `agent_end`."""
        return self.data_of("agent_end")

    def data_of(self, kind: str) -> list[Json]:
        return [event["data"] for event in self.events if event["type"] == kind]

    def refusals(self) -> list[Refusal]:
        """Refused calls, in the order in which they ended; at the end, a limit that was reached."""
        titles = {data["toolCallId"]: title_of(data) for data in self.data_of("tool_execution_start")}
        refused = [
            Refusal(titles[end["toolCallId"]], self._who(end), self._told_in(text_of(end)))
            for end in self.data_of("tool_execution_end")
            if end["isError"]
        ]
        for end in self.ends:
            if end["stopReason"] == "max_turns":
                who = f"the kernel: the run's budget of {end['turns']} turns, set when it was started"
                refused.append(Refusal(f"turn {end['turns'] + 1}", who, None))
        return refused

    def check(self) -> list[str]:
        """How the record differs from what the scene says."""
        scene = self.scene
        ends = [(end["name"], end["outcome"]) for turn in self._turns() for end in turn]
        stops = [end["stopReason"] for end in self.ends]
        changed = self.before.changed(self.after)
        problems = list(self.problems)
        if ends != list(scene.ends):
            problems.append(f"the calls ended as {ends}, not as {list(scene.ends)}")
        if stops != list(scene.stops):
            told = " ".join(end["message"] for end in self.ends)
            problems.append(f"the runs ended as {stops}, not as {list(scene.stops)}: {told}")
        if scene.answer not in (self.ends[-1]["text"] if self.ends else ""):
            problems.append(f"the answer does not say {scene.answer!r}")
        if changed != list(scene.changed):
            problems.append(f"changed files: {changed}, not {list(scene.changed)}")
        for number, text in scene.told:
            if not any(text in part for part in self._new_texts(number)):
                problems.append(f"request {number} does not say {text!r}")
        for wanted, pairs in ((True, scene.holds), (False, scene.lacks)):
            for number, text in pairs:
                said = (
                    "\n".join(texts_of(self.requests[number - 1])) if number <= len(self.requests) else None
                )
                if said is None or (text in said) != wanted:
                    problems.append(f"request {number} {'lacks' if wanted else 'holds'} {text!r}")
        if scene.summarised != any("summary" in end for end in self.data_of("compaction_end")):
            problems.append(f"summarised: {not scene.summarised}")
        if self.most_together() < scene.together:
            problems.append(f"only {self.most_together()} calls ran at the same time")
        return problems + self._misplaced_results()

    def _turns(self) -> list[list[Json]]:
        """The ends of the calls of each turn, in declared order."""
        by_id = {data["toolCallId"]: data for data in self.data_of("tool_execution_end")}
        return [[by_id[call] for call in turn["toolCallIds"]] for turn in self.data_of("turn_end")]

    def _misplaced_results(self) -> list[str]:
        """Checks that the results of each turn are in the next request, whole and in declared order."""
        problems = []
        for number, (turn, request) in enumerate(zip(self._turns(), self.requests[1:], strict=False), 2):
            sent = [
                message.text
                for message in _after_last_answer(request)
                if isinstance(message, ToolResultMessage)
            ]
            if sent != [text_of(end) for end in turn]:
                problems.append(
                    f"request {number} does not have the results of the turn before it in their order"
                )
        return problems

    def most_together(self) -> int:
        """The most calls that were running at one time."""
        most, running = 0, set[Any]()
        for event in self.events:
            call = event["data"].get("toolCallId")
            if event["type"] == "tool_execution_running":
                running.add(call)
            elif event["type"] == "tool_execution_end":
                running.discard(call)
            most = max(most, len(running))
        return most

    def _who(self, end: Json) -> str:
        """The layer and the rule that refused a call."""
        match end["outcome"]:
            case "unknownTool":
                return "the kernel: there is no tool of this name"
            case "badArguments":
                return "the tool's schema: the arguments don't fit"
            case "truncated":
                return "the kernel: calls of an answer that was cut are not executed"
            case "aborted":
                return "the kernel: the run was aborted"
            case "denied":
                return _DENIED_BY[self._denied_by(end["toolCallId"])]
        if text_of(end) == FAILED:
            return "the kernel: the tool raised something unexpected"
        return f"the tool {end['name']}: an expected failure, whose text says what is wrong"

    def _denied_by(self, call: str) -> str:
        denials = [denial for end in self.ends for denial in end["denied"]]
        return next((denial["by"] for denial in denials if denial["toolCallId"] == call), "rule")

    def _told_in(self, text: str) -> int | None:
        """The first request in which the text is the new result of a call."""
        for number, request in enumerate(self.requests, 1):
            for message in _after_last_answer(request):
                if isinstance(message, ToolResultMessage) and message.text == text:
                    return number
        return None

    def _new_texts(self, number: int) -> list[str]:
        """What is new in a request, compared to the ones before."""
        if number > len(self.requests):
            return []
        return [
            message.text if isinstance(message, ToolResultMessage) else plain_text(message.content)
            for message in _after_last_answer(self.requests[number - 1])
        ]


def texts_of(request: ModelRequest) -> list[str]:
    """All that a request says, message by message."""
    return [
        message.text if isinstance(message, ToolResultMessage) else plain_text(message.content)
        for message in request.messages
    ]


def _after_last_answer(request: ModelRequest) -> list[ToolResultMessage | UserMessage]:
    new: list[ToolResultMessage | UserMessage] = []
    for message in reversed(request.messages):
        if isinstance(message, AssistantMessage):
            break
        new.append(message)
    return new[::-1]


_DENIED_BY = {
    "user": "the user, who was asked (session: approvals)",
    "nobody": "the session: there was nobody to ask",
    "mode": "the session: the mode forbids it",
    "rule": "the session: a rule forbids it",
    "repeated": "the session: it was declined before",
    "extension": "an extension, whatever the mode",
}


def title_of(data: Json) -> str:
    """A call in a few words, from the data of its start. Arguments that are not JSON are shown as they are."""
    if "argsText" in data:
        return f"{data['name']} {data['argsText'][:_SHOWN]}…"
    return describe(data["name"], data["args"])


def text_of(data: Json) -> str:
    """The text of a result or a message."""
    return "".join(block.get("text", "") for block in data["content"])


def said_in(data: Json) -> str:
    """The text of a message, and the names of what is attached to it."""
    said = [block["text"] for block in data["content"] if "text" in block and "attached" not in block]
    names = [block["attached"] for block in data["content"] if "attached" in block]
    return "".join(said) + (f" (attached: {', '.join(names)})" if names else "")
