"""A model's server on loopback that echoes what it was sent, keys included, in every way in which a server can fail.

The prompt says how it answers: `behave: NAME`, see `BEHAVIOURS`. It speaks all wire APIs.
"""

import asyncio
import base64
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote, unquote

from support import anthropic_sse, gemini_sse, responses_sse, sse
from support.model_server import raw_server

STATUSES = (400, 401, 402, 403, 404, 413, 429, 500, 503)
BEHAVIOURS = (
    "well",
    *(f"status {status}" for status in STATUSES),
    "page",  # an HTML page instead of an error object
    "redirect",
    "event",  # an error inside the stream, then well
    "text",  # a body that is no stream, then well
    "cut",  # the connection breaks in the middle, then well
    "header",  # the head of the response is malformed, then well
)
AGAIN = ("event", "text", "cut", "header")
"""These fail once."""
TWICE = ("status 429", "status 500", "status 503", "page")
"""Of these the third answer is final: requests are tried again, and the waits between grow."""


class EchoingServer:
    """Keeps what it was sent."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self._secrets = secrets
        self._asked: Counter[str] = Counter()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = self.heads[-1], self.bodies[-1]
        behaviour = re.findall(rb"behave: ([a-z0-9 ]+)", body)
        name = behaviour[-1].decode().strip() if behaviour else "status 401"  # a list of models was asked for
        self._asked[name] += 1
        if name in AGAIN and self._asked[name] > 1:
            name = "well"
        elif name in TWICE and self._asked[name] > 2:
            name = "status 400"
        writer.write(self._response(name, head, body))
        await writer.drain()

    def _echo(self, head: bytes) -> str:
        """Each secret as such and encoded, in a text that is not cut before they are all told."""
        said = [head.decode("latin-1").replace("\r\n", " ")]
        for secret in self._secrets:
            coded = base64.b64encode(secret.encode()).decode()
            said += [
                secret,
                quote(secret, safe=""),
                coded,
                base64.urlsafe_b64encode(secret.encode()).decode(),
            ]
        return " | ".join(said)

    def _response(self, name: str, head: bytes, body: bytes) -> bytes:
        echo = self._echo(head)
        speaks = next(speech for path, speech in _SPEECHES.items() if path in head or not path)
        one_line = "".join(char for char in echo if char.isprintable())
        headers = [f"x-you-sent: {one_line}", f"x-request-id: {self._secrets[0]}"]
        error = {
            "error": {"message": echo, "type": self._secrets[0], "code": self._secrets[0], "param": echo}
        }
        if name.startswith("status"):
            return _http(int(name.split()[1]), headers, json.dumps({"type": "error", **error}).encode())
        if name == "page":
            page = f"<html><title>Bad gateway: {self._secrets[0]}</title>{echo}</html>"
            return _http(502, [*headers, "content-type: text/html"], page.encode())
        if name == "redirect":
            return _http(307, [*headers, f"location: http://127.0.0.1:1/{quote(one_line)}"], echo.encode())
        if name == "header":
            return f"HTTP/1.1 200 OK\r\n{one_line}\r\n\r\n".encode()
        stream = [*headers, "content-type: text/event-stream"]
        if name == "text":
            return _http(200, stream, echo.encode())
        if name == "event":
            return _http(200, stream, speaks.begun({"type": "error", **error}))
        whole = _http(200, stream, speaks.answer(body))
        return whole if name == "well" else whole[:-20]


COMMAND = json.dumps({"command": "env | sort"})


def _chat_answer(body: bytes) -> bytes:
    if b'"role":"tool"' in body.replace(b" ", b""):
        return sse.sse(sse.text("Done."), sse.text("", "stop"))
    call = sse.call(COMMAND, index=0, id="call_1", name="bash")
    return sse.sse(sse.text("I look."), call, sse.chunk(finish="tool_calls"))


def _anthropic_answer(body: bytes) -> bytes:
    if b'"tool_result"' in body:
        return anthropic_sse.answer(anthropic_sse.text(0, "Done."))
    call = anthropic_sse.call(1, "bash", COMMAND)
    return anthropic_sse.answer(anthropic_sse.text(0, "I look."), call, reason="tool_use")


def _responses_answer(body: bytes) -> bytes:
    if b'"function_call_output"' in body:
        return responses_sse.answer(responses_sse.text(0, "Done."))
    return responses_sse.answer(responses_sse.text(0, "I look."), responses_sse.call(1, "bash", COMMAND))


def _gemini_answer(body: bytes) -> bytes:
    if b'"functionResponse"' in body:
        return gemini_sse.answer(gemini_sse.text("Done."))
    return gemini_sse.answer(gemini_sse.text("I look."), gemini_sse.call("bash", json.loads(COMMAND)))


@dataclass(frozen=True)
class _Speech:
    """How one API answers."""

    answer: Callable[[bytes], bytes]
    """To a request's body: a call, then that it is done."""
    begun: Callable[[dict[str, object]], bytes]
    """A stream that has begun, with an error in it."""


_SPEECHES = {
    b"/chat/completions": _Speech(_chat_answer, sse.sse),
    b"/responses": _Speech(_responses_answer, lambda error: responses_sse.sse(responses_sse.start(), error)),
    b":streamGenerateContent": _Speech(_gemini_answer, gemini_sse.sse),
    b"": _Speech(_anthropic_answer, lambda error: anthropic_sse.sse(anthropic_sse.start(), error)),
}
"""By a part of the path; the last is for all others."""


def _http(status: int, headers: Sequence[str], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *headers, f"content-length: {len(body)}", "connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


@asynccontextmanager
async def echoing_server(secrets: Sequence[str]) -> AsyncIterator[tuple[EchoingServer, str]]:
    """The server, and its host with its port."""
    server = EchoingServer(secrets)

    def keep(head: bytes, body: bytes) -> None:
        server.heads.append(head)
        server.bodies.append(body)

    async with raw_server(server.answer, keep) as url:
        yield server, url.removeprefix("http://").removesuffix("/v1")


def forms(secret: str) -> set[bytes]:
    """How a secret may stand in what is written: as such, encoded for a URL, for JSON, or in Base64 at any offset."""
    found = {secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1], unquote(secret)}
    data = secret.encode()
    coded = set()
    for offset in range(3):
        start, end = -(-offset * 8 // 6), (offset + len(data)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            coded.add(encode(b"\0" * offset + data)[start:end])
    return {form.encode() for form in found} | coded | {data.hex().encode()}
