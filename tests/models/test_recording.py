"""Recording a model: what is passed on, what is on the tape, and that the tape gives it back."""

import asyncio
import json
import re
import resource
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.messages import AssistantMessage, Text, ToolCall, ToolResultMessage, Usage, UserMessage
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockStart,
    ModelRequest,
    Ping,
    StreamDone,
    StreamError,
    StreamFailure,
    ToolSpec,
)
from steersman.models.errors import TapeError
from steersman.models.recording import Recording, RecordingModel
from steersman.models.secrets import Redactor
from steersman.models.tape import TapeModel
from steersman.models.tape_format import load_tape
from steersman.models.tape_normal import folder_pattern
from support.manual_clock import ManualClock
from support.model_server import events_of
from support.scripted_model import ScriptedModel, answer, call, failure
from support.sse import blocks, merged

HERE, THERE = "/srv/ann/calculator", '/elsewhere/b "quoted"/calculator'
KEY = "key-of-the-test-0123456789"


def ask(prompt: str = "fix it", *more, folder: str = HERE) -> ModelRequest:
    messages = (UserMessage(id="u", content=(Text(prompt),)), *more)
    return ModelRequest(f"You work.\nWorkspace folder: {folder}\nDate: 2026-01-02", messages)


class Recorded:
    """A scripted model that is recorded to a file."""

    def __init__(self, path: Path, *responses, now=lambda: 0.0, secrets=()) -> None:
        self.script = ScriptedModel(*responses)
        self.recording = Recording(path, Redactor(secrets))
        self.model = RecordingModel(self.script, self.recording, now=now)

    async def all(self, *requests: ModelRequest) -> None:
        for request in requests:
            await events_of(self.model, request)
        self.recording.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.jsonl"


# What a stream may hold

texts = st.one_of(
    st.text(max_size=8), st.sampled_from([HERE, f"{HERE}/a.py", f"{HERE}-old", "<workspace>", "", '{"a": "'])
)
some_text = st.none() | st.text(max_size=5)
counts = st.integers(0, 2**40)
usages = st.builds(Usage, counts, counts, counts, counts, counts, st.floats(0, 1e6))
kinds = st.sampled_from(["text", "thinking", "refusal", "toolCall"])
ends = st.one_of(
    st.builds(
        StreamDone,
        st.sampled_from(["stop", "tool_calls", "length", "content_filter", "refusal"]),
        usages,
        st.none() | st.text(min_size=1, max_size=5),
    ),
    st.builds(
        StreamError,
        st.builds(
            StreamFailure,
            st.sampled_from(["auth", "rate_limit", "network", "empty", "protocol"]),
            st.text(max_size=10),
            st.none() | st.floats(0, 1e6),
            st.none() | st.integers(0, 999),
            st.booleans(),
        ),
        usages,
    ),
)


@st.composite
def streams(draw):
    """A stream that keeps the port's rules: blocks may overlap, and stay open."""
    waiting = []
    for index in range(draw(st.integers(0, 4))):
        kind = draw(kinds)
        events = [BlockStart(index, kind, draw(texts), draw(some_text))]
        events += [BlockDelta(index, text) for text in draw(st.lists(texts, max_size=4))]
        if draw(st.booleans()):
            events.append(BlockEnd(index, draw(some_text), draw(some_text), draw(st.booleans())))
        waiting.append(events)
    stream = []
    begun = 0
    while any(waiting):
        choices = [at for at, events in enumerate(waiting) if events and at <= begun]
        at = draw(st.sampled_from(choices))
        begun = max(begun, at + 1)
        stream.append(waiting[at].pop(0))
        if draw(st.integers(0, 9)) == 0:
            stream.append(Ping())
    return [*stream, draw(ends)]


@settings(max_examples=150, deadline=None)
@given(st.lists(streams(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_what_was_recorded_is_replayed_whatever_it_was(responses, random):
    async def run(path):
        source = Recorded(path, *responses)
        requests = [ask(f"prompt {number}") for number in range(len(responses))]
        for request, response in zip(requests, responses, strict=True):
            assert await events_of(source.model, request) == response, "passed on unchanged"
        source.recording.close()
        tape = TapeModel(path)
        order = list(zip(requests, responses, strict=True))
        random.shuffle(order)
        for request, response in order:
            assert merged(await events_of(tape, request)) == merged(response)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder, "run.jsonl")))


def texts_of(events):
    texts = {event.index: "" for event in events if isinstance(event, BlockStart)}
    for event in events:
        if isinstance(event, BlockDelta):
            texts[event.index] += event.text
    return texts


@settings(max_examples=100, deadline=None)
@given(streams())
def test_a_replay_elsewhere_names_the_folder_of_there(response):
    async def run(path):
        await Recorded(path, response).all(ask())
        return await events_of(TapeModel(path), ask(folder="/elsewhere/calculator"))

    with tempfile.TemporaryDirectory() as folder:
        there = asyncio.run(run(Path(folder, "run.jsonl")))
    moved = {
        index: re.sub(folder_pattern(HERE), "/elsewhere/calculator", text)
        for index, text in texts_of(response).items()
    }
    assert texts_of(there) == moved


async def test_numbers_and_characters_that_json_has_not_leave_a_tape_that_can_be_read(path):
    said = [
        BlockStart(0, "toolCall", "half \ud83d"),
        BlockDelta(0, '{"a": "\ud83d'),
        BlockDelta(0, f'", "n": 1e999, "big": {"9" * 5000}}}'),
        StreamError(StreamFailure("server", "x", float("nan")), Usage(-1, 2, cost=float("inf"))),
    ]
    odd = AssistantMessage("a", (ToolCall("c", "x\ude00", '{"n": 1e999, "t": "\ud83d"}'),), "m", "stop")
    await Recorded(path, said).all(ask("half \ud83d", odd))
    again = await events_of(TapeModel(path), ask("half \ud83d", odd))
    assert again[:-1] == said[:-1]
    assert again[-1] == StreamError(StreamFailure("server", "x"), Usage(output=2))


async def test_the_pieces_are_those_that_came(path):
    said = answer("In two steps: first", call("read", {"path": f"{HERE}/a.py"}), piece=7)
    await Recorded(path, said).all(ask())
    pieces = [event for event in await events_of(TapeModel(path), ask()) if isinstance(event, BlockDelta)]
    assert [piece.text for piece in pieces[:3]] == ["In two ", "steps: ", "first"]
    assert len(pieces) == len([event for event in said if isinstance(event, BlockDelta)])


async def test_the_folder_is_named_anew_across_deltas_and_within_json(path):
    arguments = json.dumps({"path": f"{HERE}/a.py", "old": f"{HERE}-old <workspace>"})
    said = answer(f"In {HERE}.", call("read", arguments), piece=7)
    await Recorded(path, said).all(ask())
    assert HERE not in path.read_text().replace(f"{HERE}-old", "")
    there = blocks(await events_of(TapeModel(path), ask(folder=THERE)))
    assert there[0] == ("text", "", f"In {THERE}.")
    assert json.loads(there[1][2]) == {"path": f"{THERE}/a.py", "old": f"{HERE}-old <workspace>"}


# The file


async def test_a_turn_is_on_the_tape_before_its_last_event_is_given(path):
    source = Recorded(path, answer("a"), answer("b"))
    async for event in source.model.stream(ask("one"), AbortSignal()):
        if isinstance(event, StreamDone):
            assert [turn.text_of(0) for turn in load_tape(path).recorded] == ["a"]
    await events_of(source.model, ask("two"))
    assert len(load_tape(path).recorded) == 2
    assert path.stat().st_mode & 0o777 == 0o600


async def test_what_two_requests_share_is_written_once(path):
    history = []
    long = "a long text of a file " * 50
    for number in range(20):
        asked = ToolCall(f"c{number}", "read", "{}")
        history += [
            AssistantMessage(id="a", content=(asked,), model="m", stop_reason="tool_calls"),
            ToolResultMessage(asked.id, "read", (Text(f"{number} {long}"),)),
        ]
    requests = [ask("go", *history[: 2 * number]) for number in range(21)]
    await Recorded(path, *[answer("x")] * 21).all(*requests)
    assert path.stat().st_size < 21 * 2 * len(long)
    assert [len(turn.fingerprint.messages) for turn in load_tape(path).recorded] == list(range(1, 42, 2))


@pytest.mark.parametrize("torn", [b'{"request":{"dig', b'{"text": "\xc3', b"{", b"\n"])
async def test_a_line_that_was_torn_is_left_out(path, torn):
    await Recorded(path, answer("a")).all(ask())
    path.write_bytes(path.read_bytes() + torn)
    assert len(load_tape(path).recorded) == 1


async def test_a_whole_line_without_its_end_counts(path):
    await Recorded(path, answer("a")).all(ask())
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert len(load_tape(path).recorded) == 1


def test_a_file_that_exists_or_can_not_be_made_is_refused(path):
    path.write_text("mine")
    with pytest.raises(TapeError, match="exists: a recording begins a new file"):
        Recording(path, str)
    with pytest.raises(TapeError, match=r"Can't record to .*No such file"):
        Recording(path.parent / "none" / "run.jsonl", str)
    link = path.parent / "link.jsonl"
    link.symlink_to(path.parent / "nowhere")
    with pytest.raises(TapeError, match="exists"):
        Recording(link, str)
    for name in ("a\0b", "\ud800", "~nobody-of-this-name/a"):
        with pytest.raises(TapeError, match="Can't record to"):
            Recording(Path(name), str)


@contextmanager
def room_for(size: int):
    """Files of this process can't grow beyond `size` bytes: a write is cut there, and the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_disk_that_fails_ends_the_recording_and_not_the_conversation(path):
    source = Recorded(path, answer("a"), answer("b"), answer("c"))
    await events_of(source.model, ask("one"))
    with room_for(path.stat().st_size + 50):
        events = await events_of(source.model, ask("two"))
    assert blocks(events) == [("text", "", "b")]
    await events_of(source.model, ask("three"))
    assert source.recording.error == "File too large"
    assert [turn.text_of(0) for turn in load_tape(path).recorded] == ["a"]
    assert path.read_bytes().endswith(b"\n"), "half a line is taken away"


def test_a_disk_that_fails_at_once_is_an_error(path):
    with room_for(10), pytest.raises(TapeError, match=r"Can't record to .*File too large"):
        Recording(path, str)
    assert not path.exists()


def test_a_recording_without_turns_leaves_no_file(path):
    Recording(path, str).close()
    assert not path.exists()


# Ends of streams


async def test_an_abort_is_marked_and_a_replay_waits_for_the_abort(path):
    abort = AbortController()

    async def until_aborted(signal):
        await signal.wait()

    said = [
        BlockStart(0, "text"),
        BlockDelta(0, "half"),
        until_aborted,
        StreamError(StreamFailure("network", "Operation aborted"), Usage(input=3)),
    ]
    source = Recorded(path, said)
    async for event in source.model.stream(ask(), abort.signal):
        if isinstance(event, BlockDelta):
            abort.abort()
    assert json.loads(path.read_text().splitlines()[1])["aborted"] is True
    again = AbortController()
    events = []
    async for event in TapeModel(path).stream(ask(), again.signal):
        events.append(event)
        if isinstance(event, BlockDelta):
            asyncio.get_running_loop().call_soon(again.abort)
    assert blocks(events) == [("text", "", "half")]
    assert events[-1] == StreamError(StreamFailure("network", "Operation aborted"), Usage(input=3))


async def test_a_reader_that_leaves_cuts_the_turn(path):
    source = Recorded(path, answer("whole text"))
    stream = source.model.stream(ask(), AbortSignal())
    async for event in stream:
        if isinstance(event, BlockDelta):
            break
    await stream.aclose()
    [turn] = load_tape(path).recorded
    assert (turn.end, turn.text_of(0)) == (None, "who")
    assert source.script.closed == 1, "the recorded stream is closed with it"


@pytest.mark.parametrize(
    "said",
    [
        [BlockStart(0, "text"), BlockDelta(0, "half")],
        [BlockDelta(0, "no beginning"), StreamDone("stop")],
        [BlockStart(3, "text"), StreamDone("stop")],
        [BlockStart(0, "text"), BlockEnd(0), BlockDelta(0, "late"), StreamDone("stop")],
    ],
)
async def test_a_stream_that_breaks_the_rules_is_recorded_as_one_without_an_end(path, said):
    source = Recorded(path, said)
    assert await events_of(source.model, ask()) == said, "it is passed on as it is"
    last = (await events_of(TapeModel(path), ask()))[-1]
    assert isinstance(last, StreamError)
    assert last.failure.kind == "protocol"


async def test_a_model_that_raises_still_leaves_a_turn(path):
    source = Recorded(path, [BlockStart(0, "text"), BlockDelta(0, "half"), RuntimeError("a defect")])
    with pytest.raises(RuntimeError):
        await events_of(source.model, ask())
    assert blocks(await events_of(TapeModel(path), ask())) == [("text", "", "half")]


async def test_a_request_that_was_retried_fails_again_and_then_succeeds(path):
    await Recorded(path, failure("overloaded", "busy"), answer("now")).all(ask(), ask())
    tape = TapeModel(path)
    ended = [type((await events_of(tape, ask()))[-1]) for _ in range(4)]
    assert ended == [StreamError, StreamDone] * 2


# Times


async def test_a_replay_is_at_once_or_as_slow_as_it_was(path):
    clock = ManualClock()

    def later(seconds):
        async def pass_time(_):
            clock.advance(seconds)

        return pass_time

    said = [
        later(1.0004),
        BlockStart(0, "text"),
        BlockDelta(0, "a"),
        later(0.2504),
        BlockDelta(0, "b"),
        later(15),
        Ping(),
        later(0.5),
        Ping(),
        BlockEnd(0),
        later(0.75),
        StreamDone("stop"),
    ]
    await Recorded(path, said, now=clock.monotonic).all(ask())
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    assert len(await events_of(TapeModel(path, sleep=sleep), ask())) == 6
    assert waited == []
    events = await events_of(TapeModel(f"{path}?timed", sleep=sleep), ask())
    assert waited == pytest.approx([1.0, 0.251, 15, 0.5, 0.75])
    assert [type(event) for event in events].count(Ping) == 1, "signs of life keep a slow replay alive"


# Secrets


async def test_keys_are_masked_wherever_they_stand(path):
    said = [
        BlockStart(0, "thinking"),
        *(BlockDelta(0, piece) for piece in ("the k", *KEY, " is it")),
        BlockEnd(0, signature=f"sig{KEY}"),
        BlockStart(1, "toolCall", f"n{KEY}", f"i{KEY}"),
        BlockDelta(1, json.dumps({"command": f'curl -H "Authorization: Bearer {KEY}"', KEY: 1})),
        BlockEnd(1, name=KEY),
        StreamError(StreamFailure("auth", f"The key {KEY} is wrong.")),
    ]
    request = ModelRequest(
        f"key {KEY}",
        [
            UserMessage(id="u", content=(Text(f"my key is {KEY}"),)),
            AssistantMessage(
                "a", (ToolCall("c", "bash", json.dumps({"a": [KEY, "sk-" + "x" * 30]})),), "m", "tool_calls"
            ),
            ToolResultMessage("c", "bash", (Text(f"KEY={KEY}"),)),
        ],
        [ToolSpec(KEY, "", {})],
    )
    await Recorded(path, said, secrets=[KEY]).all(request)
    text = path.read_text()
    assert KEY not in text
    assert "x" * 30 not in text
    [turn] = load_tape(path).recorded
    assert turn.text_of(0) == "the k[redacted] is it"
    assert "[redacted]" in json.loads(turn.text_of(1))["command"], "the arguments are still JSON"


async def test_a_run_with_what_looks_like_a_key_is_still_replayed(path):
    command = json.dumps({"command": "export T=sk-" + "y" * 30})
    history = (
        AssistantMessage("a", (ToolCall("c", "bash", command),), "m", "tool_calls"),
        ToolResultMessage("c", "bash", (Text("T=sk-" + "y" * 30),)),
    )
    await Recorded(path, answer("done")).all(ask("go", *history))
    assert isinstance((await events_of(TapeModel(path), ask("go", *history)))[-1], StreamDone)
