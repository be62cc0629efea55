"""Messages of a client that are damaged: the server answers or ends as documented, and hears the next one."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.framing import MAX_HEADER, FrameParser, FramingFault, frame
from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import StopReason
from support.cases import NO_SHRINK, cases
from support.lsp_client import PATIENCE, serving
from support.mutations import cuts, json_bytes, mutated_bytes, mutated_json, pieces_of

LIMIT = 3000
TOKENS = (
    b"Content-Length: ", b"Content-Length: 5\r\n\r\n", b"Content-Length: 0\r\n\r\n", b"Content-Length: 300\r\n\r\n",
    b"Content-Length: 3001\r\n\r\n", b"Content-Length: 999999999999999999\r\n\r\n", b"content-length:2\r\n\r\n{}",
    b"Content-Type: a; charset=utf-8\r\n", b"Content-Length: -1\r\n\r\n", b": \r\n", b"a: b\r\n\r\n", b"x" * MAX_HEADER,
    b'"jsonrpc":"2.0"', b'"id":1', b'"id":null', b'"method":"exit"', b'"result":', b'"error":',
)  # fmt: skip
ITEM = {"uri": "file:///a", "languageId": "x", "version": 0, "text": "a\nb"}
CHANGE = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 1}}, "text": "c"}
VALID = [
    {"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": {"command": "echo", "arguments": [1]}},
    {"jsonrpc": "2.0", "id": "1", "method": "shutdown"},
    {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
    {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///a"}}},
    {"jsonrpc": "2.0", "method": "exit"},
    {"jsonrpc": "2.0", "method": "initialized", "params": {}},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}},
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": ITEM}},
    {"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///a"}}},
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": [CHANGE]},
    },
    {"jsonrpc": "2.0", "method": "workspace/didChangeWorkspaceFolders", "params": {"event": {"added": []}}},
    {"jsonrpc": "2.0", "id": 1, "result": None},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}},
    [{"jsonrpc": "2.0", "id": 4, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}],
]  # fmt: skip
messages = mutated_json(st.sampled_from(VALID)).map(json_bytes)
streams = mutated_bytes(st.lists(messages.map(frame), max_size=4).map(b"".join), TOKENS)


def parse(*chunks: bytes) -> list[bytes | FramingFault]:
    parser = FrameParser(LIMIT)
    items = []
    for chunk in chunks:
        items += parser.feed(chunk)
        assert len(parser._buffer) <= LIMIT + MAX_HEADER, "no more is kept than a message"
    return items


@cases(120)
@given(streams, cuts)
def test_a_damaged_stream_is_the_same_messages_and_faults_wherever_it_is_cut(stream, places):
    assert parse(*pieces_of(stream, places)) == parse(stream)


@cases(120)
@given(streams, cuts)
def test_after_any_damage_a_later_message_is_found(stream, places):
    whole = stream + frame(b'{"a":1}') + frame(b'{"b":2}') + frame(b'{"c":3}')
    heard = [item for item in parse(*pieces_of(whole, places)) if isinstance(item, bytes)]
    assert heard[-1:] == [b'{"c":3}']


async def echo(arguments: list) -> object:
    return arguments


@cases(30, share=0.1, phases=NO_SHRINK)
@given(streams)
async def test_whatever_the_bytes_are_the_server_answers_the_next_request_or_was_told_to_end(stream):
    server = RpcServer("test", "1")
    server.add_command("echo", echo)
    async with serving(server) as served:
        await served.client.initialize()
        served.client.send_bytes(stream)
        for text in ("lost perhaps", "lost perhaps too", "heard"):
            params = {"command": "echo", "arguments": [text]}
            served.client.begin("workspace/executeCommand", params, id=text)
        heard = asyncio.ensure_future(served.client.wait_for(lambda message: message.get("id") == "heard"))
        ended = asyncio.ensure_future(served.stopped())
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait({heard, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not heard.done():
            assert b'"exit"' in stream
            assert ended.result() in (StopReason.EXIT, StopReason.SHUTDOWN)
        elif b'"shutdown"' not in stream and b'"exit"' not in stream:
            assert heard.result()["result"] == ["heard"]
        heard.cancel()
