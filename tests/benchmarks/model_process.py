"""A model's server that costs nothing: Chat Completions whose answers lie ready as bytes before anybody asks.

A program of its own, of the standard library alone. `PUT /KEY` with a JSON list of answers makes a script; a request
whose last `bench:KEY` names it gets its next answer; `GET /KEY` tells what came. No request is parsed. It ends with its
input.
"""

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

MARK = b"bench:"
KEY_LENGTH = 8
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
BYTES_PER_TOKEN = 4
TOGETHER = 64
"""Events in one write to the socket, each a chunk of its own."""


@dataclass
class Script:
    answers: list[list[bytes]]
    """Of each answer, what is written at once."""
    hangs: bool = False
    """Whether the last one has no end."""
    requests: int = 0
    received: int = 0
    """Bytes of the requests' bodies."""
    results: int = 0
    """Tool results in the request for the last answer."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, body: bytes) -> tuple[list[bytes], bool]:
        """What is written now, and whether the answer is over then."""
        with self.lock:
            number = self.requests
            self.requests += 1
            self.received += len(body)
        last = number >= len(self.answers) - 1
        if last:
            self.results = body.count(b'"role":"tool"')
        pieces = self.answers[min(number, len(self.answers) - 1)]
        if last and self.hangs:
            return pieces, False
        return [*pieces, _end(len(body) // BYTES_PER_TOKEN)], True


def made(answers: list[dict[str, Any]]) -> Script:
    """Of `{text, times}` and `{call: {name, arguments}, times}`, whose arguments come in so many parts; with `hangs`
    nothing more comes, and no end."""
    written = []
    for number, answer in enumerate(answers):
        events = [_data({"role": "assistant", "content": ""}), *_deltas(answer, f"call_{number}")]
        if not answer.get("hangs"):
            events.append(_data({}, "tool_calls" if "call" in answer else "stop"))
        chunks = [_chunk(event) for event in events]
        written.append([b"".join(chunks[at : at + TOGETHER]) for at in range(0, len(chunks), TOGETHER)])
    return Script(written, hangs=bool(answers[-1].get("hangs")))


def _deltas(answer: dict[str, Any], call_id: str) -> Iterator[bytes]:
    times = answer.get("times", 1)
    if "call" not in answer:
        yield from [_data({"content": answer.get("text", "x")})] * times
        return
    name, text = answer["call"]["name"], answer["call"]["arguments"]
    size = -(-len(text) // times)
    begun = {"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    yield _data({"tool_calls": [begun]})
    for at in range(0, len(text), size):
        yield _data({"tool_calls": [{"index": 0, "function": {"arguments": text[at : at + size]}}]})


def _data(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _end(tokens: int) -> bytes:
    """What every answer ends with; it tells what a real server would have counted."""
    usage = {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10}
    return _chunk(_event({"choices": [], "usage": usage})) + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _chunk(event: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(event), event)


def _event(fields: dict[str, Any]) -> bytes:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "bench", **fields}
    return b"data: %b\n\n" % json.dumps(chunk, separators=(",", ":")).encode()


class Model(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.scripts: dict[str, Script] = {}

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes in the middle of an answer is what an abort looks like."""


class _Connection(StreamRequestHandler):
    disable_nagle_algorithm = True
    server: Model

    def handle(self) -> None:
        while head := self.rfile.readline():
            method, path, _ = head.decode().split(" ", 2)
            length = 0
            while (line := self.rfile.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = self.rfile.read(length)
            key = path.lstrip("/")
            if method == "PUT":
                self.server.scripts[key] = made(json.loads(body))
                self._json({})
            elif method == "GET":
                script = self.server.scripts.get(key)
                self._json(
                    {"object": "list", "data": [{"id": "bench", "object": "model"}]}
                    if script is None
                    else {
                        "requests": script.requests,
                        "received": script.received,
                        "results": script.results,
                    }
                )
            elif not self._answer(body):
                return

    def _answer(self, body: bytes) -> bool:
        """Whether the connection can be used again."""
        at = body.rfind(MARK) + len(MARK)
        pieces, ends = self.server.scripts[body[at : at + KEY_LENGTH].decode()].next(body)
        self.wfile.write(HEAD + pieces[0])
        for piece in pieces[1:]:
            self.wfile.write(piece)
        if not ends:
            self.rfile.read(1)  # nothing comes: it returns when the client has gone
        return ends

    def _json(self, value: object) -> None:
        body = json.dumps(value).encode()
        head = f"HTTP/1.1 {HTTPStatus.OK} OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)


if __name__ == "__main__":
    with Model() as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        print(model.server_address[1], flush=True)  # noqa: T201 - the one who started it reads the port
        sys.stdin.read()
