"""Cutting the client's bytes into messages, and finding back into step when they are damaged."""

from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.framing import FrameParser, FramingFault, frame
from support.cases import cases

LIMIT = 10_000


def parse(*chunks: bytes, limit: int = LIMIT) -> list[bytes | FramingFault]:
    parser = FrameParser(limit)
    return [item for chunk in chunks for item in parser.feed(chunk)]


def bodies(items: list[bytes | FramingFault]) -> list[bytes]:
    return [item for item in items if isinstance(item, bytes)]


def faults(items: list[bytes | FramingFault]) -> list[FramingFault]:
    return [item for item in items if isinstance(item, FramingFault)]


def framed(body: bytes, length: int) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (length, body)


@cases(150)
@given(st.lists(st.binary(max_size=40), max_size=6), st.data())
def test_messages_are_the_same_wherever_the_stream_is_cut(messages, data):
    messages = [message for message in messages if b"\r\n\r\n" not in message]
    stream = b"".join(map(frame, messages))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert parse(*chunks) == messages


@cases(200)
@given(st.binary(max_size=60), st.integers(1, 9))
def test_after_any_garbage_a_later_message_is_found_again(garbage, size):
    stream = garbage + frame(b'{"a":1}') + frame(b'{"b":2}') + frame(b'{"c":3}')
    parser = FrameParser(LIMIT)
    items = [i for at in range(0, len(stream), size) for i in parser.feed(stream[at : at + size])]
    assert bodies(items)[-1] == b'{"c":3}'


def test_header_names_in_any_case_and_other_headers_are_accepted():
    stream = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:2\r\n\r\n{}"
    assert parse(stream) == [b"{}"]


def test_an_empty_body_is_a_message():
    assert parse(frame(b"") + frame(b"{}")) == [b"", b"{}"]


def test_bytes_between_messages_are_told_once_and_skipped():
    items = parse(frame(b"{}") + b"Traceback: oops\nanother line\n" + frame(b"[]"))
    assert bodies(items) == [b"{}", b"[]"]
    assert len(faults(items)) == 1


def test_a_header_without_a_usable_length_is_told_and_skipped():
    for header in (
        b"Content-Length: x",
        b"Content-Length: -1",
        b"Content-Type: a",
        b"Content-Length: " + b"9" * 30,
    ):
        items = parse(header + b"\r\n\r\n" + frame(b"{}"))
        assert bodies(items) == [b"{}"], header
        assert len(faults(items)) == 1, header


def test_a_length_that_is_too_small_loses_only_its_own_message():
    items = parse(framed(b'{"method":"a"}', 5) + frame(b'{"method":"b"}'))
    assert bodies(items) == [b'{"met', b'{"method":"b"}']


def test_a_length_that_is_too_large_ends_where_the_next_header_begins():
    items = parse(framed(b'{"method":"a"}', 500) + frame(b'{"method":"b"}'))
    assert bodies(items) == [b'{"method":"a"}', b'{"method":"b"}']
    assert "500" in faults(items)[0].reason


def test_a_length_that_is_too_large_is_noticed_before_its_bytes_have_come():
    stream = framed(b'{"method":"a"}', 9_999) + frame(b"{}")
    items = parse(*(bytes([byte]) for byte in stream))
    assert bodies(items) == [b'{"method":"a"}', b"{}"]


def test_a_header_inside_a_json_string_is_text():
    body = rb'{"text":"Content-Length: 5\r\n\r\n{}"}'
    assert parse(frame(body)) == [body]


def test_a_message_over_the_limit_is_skipped_without_being_kept_and_its_id_told():
    parser = FrameParser(1000)
    body = b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"text":"' + b"y" * 100_000 + b'"}}'
    items = []
    stream = frame(body) + frame(b"{}")
    for at in range(0, len(stream), 512):
        items += parser.feed(stream[at : at + 512])
        assert parser.kept <= 1024
    assert bodies(items) == [b"{}"]
    assert [fault.request_id for fault in faults(items)] == [7]


def test_a_message_that_only_says_that_it_is_over_the_limit_ends_where_the_next_header_begins():
    lost, heard = b'{"jsonrpc":"2.0","id":7,"method":"x"}', frame(b"{}")
    for length in (LIMIT + 1, 10**18 - 1):
        stream = framed(lost, length) + heard
        for size in (1, 7, len(stream)):
            items = parse(*(stream[at : at + size] for at in range(0, len(stream), size)))
            assert bodies(items) == [b"{}"]
            assert [
                (fault.request_id, f"began after {len(lost)} bytes" in fault.reason)
                for fault in faults(items)
            ] == [(7, True)]


def test_the_id_of_a_message_over_the_limit_is_never_taken_from_its_params():
    body = b'{"jsonrpc":"2.0","method":"x","params":{"id":7,"text":"' + b"y" * 2000 + b'"}}'
    assert faults(parse(frame(body), limit=1000))[0].request_id is None


def test_a_header_that_never_ends_is_told_and_not_kept():
    parser = FrameParser(LIMIT)
    items = [item for _ in range(1000) for item in parser.feed(b"x" * 1000)]
    assert len(faults(items)) == 1
    assert parser.kept < 5000
    assert bodies(parser.feed(frame(b"{}"))) == [b"{}"]


def test_what_the_stream_broke_off_in_is_known():
    for stream, word in ((b"Content-Le", "header"), (framed(b"{", 5), "1 of 5")):
        parser = FrameParser(LIMIT)
        parser.feed(stream)
        assert word in (parser.unfinished or "")
    parser = FrameParser(LIMIT)
    parser.feed(frame(b"{}"))
    assert parser.unfinished is None
