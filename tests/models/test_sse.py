"""The framing of Server-Sent Events, at every cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.sse import SseEvent, SseParser
from support.cases import cases
from support.sse import cut_at, single_bytes, sse, text

SHAPES = {
    "plain": (b"data: a\n\ndata: b\n\n", [(b"", b"a"), (b"", b"b")]),
    "no space after the colon": (b"data:a\n\n", [(b"", b"a")]),
    "one space only is taken away": (b"data:  a \n\n", [(b"", b" a ")]),
    "CRLF": (b"data: a\r\n\r\ndata: b\r\n\r\n", [(b"", b"a"), (b"", b"b")]),
    "bare CR": (b"data: a\r\rdata: b\r\r", [(b"", b"a"), (b"", b"b")]),
    "mixed line ends": (b"data: a\n\r\ndata: b\r\ndata: c\r\r\n", [(b"", b"a"), (b"", b"b\nc")]),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [(b"", b"a")]),
    "a mark inside is data": (b"data: \xef\xbb\xbf\n\n", [(b"", b"\xef\xbb\xbf")]),
    "comments": (b": hello\n\ndata: a\n: between\ndata: b\n\n:\n\n", [(b"", b"a\nb")]),
    "several lines of data": (b"data: a\ndata\ndata:\ndata: b\n\n", [(b"", b"a\n\n\nb")]),
    "empty data is no event": (b"data:\n\ndata\n\ndata: \n\ndata: a\n\n", [(b"", b"a")]),
    "named": (b"event: error\ndata: a\n\nevent: x\n\ndata: b\n\n", [(b"error", b"a"), (b"", b"b")]),
    "id and retry": (b"id: 7\nretry: 10\ndata: a\nother: b\n\n", [(b"", b"a")]),
    "runs of blank lines": (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n\n", [(b"", b"a"), (b"", b"b")]),
    "Unicode's line ends are data": (
        "data: a\u2028b\u2029c\u0085d\n\n".encode(),
        [(b"", "a\u2028b\u2029c\u0085d".encode())],
    ),
    "form feed and the like are data": (b"data: a\x0b\x0c\x1c\x1d\n\n", [(b"", b"a\x0b\x0c\x1c\x1d")]),
}


def parse(pieces: list[bytes], *, close: bool = False) -> list[SseEvent]:
    parser = SseParser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    return events + (parser.close() if close else [])


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_gives_its_events_at_every_pair_of_cuts(shape):
    body, events = SHAPES[shape]
    assert parse([body]) == events
    assert parse(single_bytes(body)) == events
    for first in range(len(body) + 1):
        for second in range(first, len(body) + 1):
            assert parse(cut_at(body, first, second)) == events, (first, second)


def test_an_event_without_its_blank_line_is_had_at_the_end_only():
    for body in (b"data: a\n\ndata: b", b"data: a\n\ndata: b\n", b"data: a\n\ndata: b\r"):
        assert parse([body]) == [(b"", b"a")]
        assert parse(single_bytes(body), close=True) == [(b"", b"a"), (b"", b"b")]


def test_a_body_of_less_than_a_byte_order_mark_is_kept():
    assert parse([b"\xef\xbb"], close=True) == []
    assert parse([b"\xef\xbb", b"\xbfdata: a\n\n"]) == [(b"", b"a")]


def test_every_cut_of_a_stream_of_chunks_gives_the_same_events():
    body = b"\xef\xbb\xbf" + sse(*(text(f"größe {n}") for n in range(20))).replace(b"\n\n", b"\r\n\r\n")
    whole = parse([body])
    assert len(whole) == 21
    assert all(parse(cut_at(body, place)) == whole for place in range(len(body)))


def test_a_huge_event_is_joined_once():
    payload = json.dumps("x" * 3_000_000).encode()
    body = b"data: " + payload + b"\n\n"
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)]
    assert parse(pieces) == [(b"", payload)]


LINES = st.sampled_from(
    [b"data: a", b"data:b", b"data", b": ping", b"event: e", b"id: 1", b"", b"", b"\xe2\x80\xa8"]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@cases(200)
@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.lists(st.integers(0, 80), max_size=6))
def test_any_lines_with_any_ends_give_the_same_events_for_any_cuts(lines, places):
    body = b"".join(line + end for line, end in lines)
    cuts = sorted(min(place, len(body)) for place in places)
    assert parse(cut_at(body, *cuts), close=True) == parse([body], close=True) == reference(lines)


def reference(lines: list[tuple[bytes, bytes]]) -> list[SseEvent]:
    """The standard's algorithm, line by line. A CR that is followed by an empty line's LF is one line end."""
    body = b"".join(line + end for line, end in lines).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    events, name, data = [], b"", []
    for line in [*body.split(b"\n"), b""]:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if b"\n".join(data):
                events.append((name, b"\n".join(data)))
            name, data = b"", []
        elif field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    return events
