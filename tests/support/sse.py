"""Bodies of streamed responses, made by hand, and ways to cut them and to read the events they make."""

import json
import random
from collections.abc import Iterable, Sequence
from itertools import pairwise

from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, Ping, StreamDone, StreamError, StreamEvent

DONE = b"data: [DONE]\n\n"


def chunk(delta: object = None, finish: str | None = None, **top: object) -> dict[str, object]:
    """A Chat Completions chunk with one choice."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m-1",
        "choices": [choice],
        **top,
    }


def text(piece: str, finish: str | None = None) -> dict[str, object]:
    return chunk({"content": piece}, finish)


def call(arguments: object = None, *, finish: str | None = None, **entry: object) -> dict[str, object]:
    """A chunk with one piece of a tool call. `index`, `id` and `name` are left out where they are not given."""
    name = entry.pop("name", None)
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return chunk({"tool_calls": [{**entry, "function": function}]}, finish)


def sse(*values: object, done: bool = True) -> bytes:
    """A body with one event for each value."""
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values) + (
        DONE if done else b""
    )


def typed_sse(*events: dict[str, object], named: bool = True) -> bytes:
    """A body with these events, each named by its type as the Messages and Responses APIs do it."""
    return b"".join(
        (b"event: %s\n" % str(event["type"]).encode() if named else b"")
        + b"data: "
        + json.dumps(event).encode()
        + b"\n\n"
        for event in events
    )


def cut_at(body: bytes, *places: int) -> list[bytes]:
    edges = [0, *places, len(body)]
    return [body[start:end] for start, end in pairwise(edges)]


def single_bytes(body: bytes) -> list[bytes]:
    return [body[place : place + 1] for place in range(len(body))]


def random_pieces(body: bytes, seed: int) -> list[bytes]:
    source = random.Random(seed)
    pieces = []
    while body:
        size = source.choice((1, 2, 3, 7, 16, 61, 256, 1400))
        pieces.append(body[:size])
        body = body[size:]
    return pieces


def merged(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """The events without pings, and with neighbouring deltas of a block joined: what does not depend on cuts."""
    result: list[StreamEvent] = []
    for event in events:
        last = result[-1] if result else None
        if isinstance(event, Ping):
            continue
        if isinstance(event, BlockDelta) and isinstance(last, BlockDelta) and last.index == event.index:
            result[-1] = BlockDelta(event.index, last.text + event.text)
        else:
            result.append(event)
    return result


def blocks(events: Sequence[StreamEvent]) -> list[tuple[str, str, str]]:
    """Kind, name and text of each block, in the order of the message. Asserts the order of starts, deltas and ends."""
    kinds: list[list[str]] = []
    open_blocks: set[int] = set()
    for event in events:
        if isinstance(event, BlockStart):
            assert event.index == len(kinds), "block indices count up"
            kinds.append([event.kind, event.name, ""])
            open_blocks.add(event.index)
        elif isinstance(event, BlockDelta):
            assert event.index in open_blocks, "a delta belongs to an open block"
            kinds[event.index][2] += event.text
        elif isinstance(event, BlockEnd):
            open_blocks.remove(event.index)
            kinds[event.index][1] = event.name if event.name is not None else kinds[event.index][1]
    if events and isinstance(events[-1], StreamDone):
        assert not open_blocks, "a complete response leaves no block open"
    assert not any(isinstance(event, StreamDone | StreamError) for event in events[:-1]), (
        "nothing after the end"
    )
    return [(kind, name, said) for kind, name, said in kinds]
