"""Recorded tapes: what answers a request, what a miss says, and what a file must look like."""

import json

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.messages import AssistantMessage, Text, ToolCall, ToolResultMessage, UserMessage
from steersman.agent.model import BlockDelta, ModelRequest, StreamDone, StreamError, StreamFailure, ToolSpec
from steersman.models.errors import TapeError
from steersman.models.recording import Recording, RecordingModel
from steersman.models.secrets import Redactor
from steersman.models.tape import TapeModel
from steersman.models.tape_format import load_tape, parse_tape
from support.model_server import events_of
from support.scripted_model import ScriptedModel, answer, call, failure
from support.sse import blocks

TOOLS = (ToolSpec("bash", "", {}), ToolSpec("read", "", {}))
SYSTEM = "You work.\nWorkspace folder: /srv/a\nDate: 2026-01-02"


def user(text: str) -> UserMessage:
    return UserMessage(id="u", content=(Text(text),))


def said(text: str, **calls: str) -> AssistantMessage:
    asked = tuple(ToolCall(f"c{name}", name, arguments) for name, arguments in calls.items())
    return AssistantMessage(id="a", content=(Text(text), *asked), model="m", stop_reason="stop")


def result(name: str, text: str) -> ToolResultMessage:
    return ToolResultMessage(f"c{name}", name, (Text(text),))


def request(*messages, system: str = SYSTEM, tools=TOOLS) -> ModelRequest:
    return ModelRequest(system, messages, tools)


READ = (user("fix it"), said("I look.", read='{"path": "a.py"}'), result("read", "def a():\n    return 1\n"))
STORY = [
    (request(READ[0]), answer("I look.", call("read", {"path": "a.py"}))),
    (request(*READ), failure("overloaded", "busy")),
    (request(*READ), answer("Fixed.")),
    (request(*READ, said("Fixed."), user("now the other")), answer("Both.")),
]


async def record(path, story):
    """A tape of these requests and what was answered to each."""
    recording = Recording(path, Redactor(()))
    model = RecordingModel(ScriptedModel(*(steps for _, steps in story)), recording)
    for asked, _ in story:
        await events_of(model, asked)
    recording.close()
    return path


@pytest.fixture
async def path(tmp_path):
    return await record(tmp_path / "story.jsonl", STORY)


async def reply(model: TapeModel, asked: ModelRequest) -> str:
    events = await events_of(model, asked)
    last = events[-1]
    if isinstance(last, StreamError):
        assert last.failure.kind in ("bad_request", "overloaded")
        return last.failure.message
    return "".join(text for _, _, text in blocks(events))


# Answers


async def test_a_request_finds_its_recording_in_whatever_order_it_comes(path):
    model = TapeModel(path)
    assert await reply(model, STORY[3][0]) == "Both."
    assert await reply(model, STORY[0][0]) == 'I look.{"path": "a.py"}'
    assert await reply(TapeModel(path), STORY[3][0]) == "Both.", "after a restart too"


async def test_recordings_of_one_request_take_turns(path):
    model = TapeModel(path)
    assert [await reply(model, STORY[1][0]) for _ in range(4)] == ["busy", "Fixed."] * 2


async def test_many_pieces_at_once_let_the_abort_through(tmp_path):
    path = await record(tmp_path / "long.jsonl", [(request(user("go")), answer("x" * 3000, piece=1))])
    abort = AbortController()
    pieces = 0
    async for event in TapeModel(path).stream(request(user("go")), abort.signal):
        pieces += isinstance(event, BlockDelta)
        if pieces == 10:
            abort.abort()
    assert pieces == 10
    assert event == StreamError(StreamFailure("network", "Operation aborted"))


# Misses


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        (
            request(*READ[:2], result("read", "def a():\n    return 2\n")),
            "turn 2 (line 3): message 3, the result of read, differs in line 2: recorded '    return 1', "
            "now '    return 2'.",
        ),
        (
            request(*READ[:2], result("read", "def a():")),
            "turn 2 (line 3): message 3, the result of read, differs in line 2: recorded '    return 1', now the "
            "text ends before it.",
        ),
        (
            request(user("fix this")),
            "turn 1 (line 2): message 1, what the user says, differs in line 1: recorded 'fix it', now 'fix this'.",
        ),
        (
            request(READ[0], said("I look.", read='{"path": "b.py"}'), READ[2]),
            'turn 2 (line 3): message 2, the model\'s answer, call 1 (read): recorded \'{"path": "a.py"}\', '
            'now \'{"path": "b.py"}\'.',
        ),
        (
            request(READ[0], said("I look.", bash="{}")),
            "turn 2 (line 3): message 2, the model's answer, call 1: recorded 'read', now 'bash'.",
        ),
        (
            request(READ[0], said("I look.")),
            "turn 2 (line 3): message 2, the model's answer, has 0 tool calls, not 1.",
        ),
        (
            request(*READ[:2], user("stop")),
            "turn 2 (line 3): message 3, what the user says, is 'stop', where there was the result of read, "
            "'def a():\\n    return 1\\n'.",
        ),
        (
            request(*READ, user("hurry")),
            "turn 2 (line 3): message 4 is new: what the user says, 'hurry'.",
        ),
        (
            request(*READ[:2]),
            "turn 2 (line 3): message 3 of the recording is missing: the result of read, "
            "'def a():\\n    return 1\\n'.",
        ),
        (
            request(*READ, tools=TOOLS[:1]),
            "turn 2 (line 3): other tools are offered (not now: read).",
        ),
        (
            request(*READ, tools=[*TOOLS, ToolSpec("jump", "", {})]),
            "turn 2 (line 3): other tools are offered (new: jump).",
        ),
        (
            request(*READ, system=SYSTEM + "\nBe brief."),
            "turn 2 (line 3): the system prompt differs: that of another version, or with other instructions of the "
            "workspace.",
        ),
    ],
)
async def test_a_miss_names_the_nearest_recording_and_the_first_difference(path, asked, nearest):
    message = await reply(TapeModel(path), asked)
    assert message == (
        f"story.jsonl has no recording of this request. The nearest is {nearest} Record the run anew, or replay by "
        "place alone: tape:story.jsonl?loose"
    )


async def test_a_recording_that_goes_further_is_named_too(path):
    message = await reply(TapeModel(path), request())
    assert "turn 1 (line 2): message 1 of the recording is missing: what the user says, 'fix it'." in message


async def test_a_difference_of_huge_texts_is_shown_around_the_place_where_they_part(tmp_path):
    long = "a" * 100_000
    path = await record(tmp_path / "long.jsonl", [(request(user(f"{long} old {long}")), answer("x"))])
    message = await reply(TapeModel(path), request(user(f"{long} new {long}")))
    assert len(message) < 600
    assert f"…'{'a' * 29} old aaa" in message
    assert f"…'{'a' * 29} new aaa" in message


# Loose


async def test_loose_goes_by_the_prompt_and_the_number_of_answers_after_it(path):
    model = TapeModel(f"{path}?loose")
    assert await reply(model, request(user("fix it"), system="other", tools=())) == 'I look.{"path": "a.py"}'
    other = request(user("fix it"), said("hm", bash="{}"), result("bash", "other"))
    assert [await reply(model, other) for _ in range(2)] == ["busy", "Fixed."]
    assert await reply(model, request(user("now the other"))) == "Both."


async def test_loose_goes_by_the_number_of_answers_where_no_prompt_is_the_same(path):
    model = TapeModel(path, loose=True)
    assert await reply(model, request(user("mend it"))) == 'I look.{"path": "a.py"}'
    assert await reply(model, request(user("mend it"), said("a"), said("b"))) == "Both."


async def test_loose_misses_are_loud_too(path):
    message = await reply(TapeModel(path, loose=True), request(user("x"), *[said("a")] * 9))
    assert message.startswith(
        "story.jsonl has no recording for this place of the conversation. The nearest is turn"
    )


async def test_a_tape_written_by_hand_stays_as_it_is(tmp_path):
    path = tmp_path / "hand.jsonl"
    path.write_text('{"tape": 1, "recorded": false}\n{"text": "a"}')
    for model in (TapeModel(f"{path}?loose"), TapeModel(path, timed=True)):
        last = (await events_of(model, request(user("go"))))[-1]
        assert isinstance(last, StreamDone)
        assert last.usage.total > 0


async def test_options_are_those_there_are_and_a_file_may_have_a_question_mark(path):
    assert TapeModel(f"{path}?loose&timed").id == "tape:story.jsonl"
    with pytest.raises(TapeError, match=r"unknown option 'lose'; there are \?loose, \?timed"):
        TapeModel(f"{path}?lose")
    path.rename(path.parent / "really?loose")
    model = TapeModel(str(path.parent / "really?loose"))
    assert "no recording of this request" in await reply(model, request())


# The format


def changed(path, line: int, change) -> str:
    lines = path.read_text().splitlines()
    fields = json.loads(lines[line - 1])
    change(fields)
    lines[line - 1] = json.dumps(fields)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda turn: turn.pop("request"), "a recorded turn needs a `request`"),
        (lambda turn: turn.update(request=7), "`request` must be an object"),
        (lambda turn: turn["request"].update(keep=9), "request: `keep` must be at most 1"),
        (lambda turn: turn["request"].update(keep=-1), "request: `keep` must be a whole number"),
        (lambda turn: turn["request"].update(system="x"), "request: `digest` must be"),
        (
            lambda turn: turn["request"]["messages"][0].update(role="x"),
            "request: messages[0]: `role` must be one of",
        ),
        (lambda turn: turn["request"]["messages"][0].update(x=1), "request: messages[0]: unknown field `x`"),
        (
            lambda turn: turn["request"]["messages"][0]["toolCalls"].append(1),
            "messages[0]: `toolCalls[1]` must be an object",
        ),
        (lambda turn: turn.update(text="a"), "unknown field `text`"),
        (lambda turn: turn.update(blocks=[7]), "`blocks[0]` must be an object"),
        (lambda turn: turn.update(blocks=[{"kind": "x"}]), "blocks[0]: `kind` must be one of text"),
        (
            lambda turn: turn.update(blocks=[{"kind": "text"}] * 2),
            "`blocks` has 2, but only 1 of them begin",
        ),
        (lambda turn: turn.update(stream=[]), "`stream` must end with [ms]"),
        (lambda turn: turn.update(stream=[[0, 0], [0, 0, "a"]]), "`stream` must end with [ms]"),
        (
            lambda turn: turn.update(stream=[[0, 1], [0]]),
            "`stream[0]` names block 1, but `blocks` has only 1",
        ),
        (
            lambda turn: turn.update(stream=[[0, 0, "a"], [0]]),
            "`stream[0]`: block 0 has not begun",
        ),
        (
            lambda turn: turn.update(stream=[[0, 0]] * 3 + [[0]]),
            "`stream[2]`: block 0 has not begun, or has already ended",
        ),
        (lambda turn: turn.update(stream=[[-1]]), "`stream[0]` must be [ms], [ms, block] or"),
        (lambda turn: turn.update(stream=[[0, None]]), "`stream[0]` must be [ms], [ms, block] or"),
        (lambda turn: turn.update(stream=[[0, 0, 7]]), "`stream[0]` must be [ms], [ms, block] or"),
        (lambda turn: turn.update(stream=["x"]), "`stream[0]` must be [ms], [ms, block] or"),
        (lambda turn: turn.pop("stopReason"), "exactly one of `stopReason`, `error` and `aborted`"),
        (lambda turn: turn.update(aborted=True), "exactly one of `stopReason`, `error` and `aborted`"),
        (lambda turn: turn.update(stopReason="x"), "`stopReason` must be one of stop"),
        (lambda turn: turn.update(error={"kind": "x"}), "error: `kind` must be one of auth"),
        (lambda turn: turn.update(error={"kind": "auth", "after": "x"}), "error: unknown field `after`"),
        (lambda turn: turn.update(usage={"input": 1.5}), "usage: `input` must be a whole number"),
    ],
)
async def test_an_error_names_the_line_and_the_field(tmp_path, change, message):
    path = await record(tmp_path / "two.jsonl", [STORY[0], STORY[2]])
    with pytest.raises(TapeError) as error:
        parse_tape(changed(path, 3, change), "story.jsonl")
    assert str(error.value).startswith("story.jsonl, line 3: ")
    assert message in str(error.value)


def test_a_recording_without_a_turn_is_said_to_be_one():
    with pytest.raises(TapeError, match=r"x\.jsonl has no turns: its recorder ended"):
        parse_tape('{"tape": 1, "recorded": true}\n', "x.jsonl")


async def test_a_torn_last_line_is_left_out_whatever_it_holds(path):
    whole = path.read_text()
    for torn in ('{"request": {"dig', "[" * 100_000, "9" * 5000):
        assert len(parse_tape(whole + torn, "x.jsonl").recorded) == len(load_tape(path).recorded)


async def test_a_tape_whose_line_was_taken_out_says_so(path):
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:1], *lines[2:]]))
    with pytest.raises(TapeError, match=r"line 2: request: `keep` must be at most 0"):
        load_tape(path)
