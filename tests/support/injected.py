"""Ways in which an answer can fail, each at one instant of it, for servers of any wire API.

A case is data: what the server sends, how it ends, and what must follow. `serving` is the server.
"""

import asyncio
import gzip
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.model import FailureKind, Model
from steersman.models.endpoint import Stall
from support.model_server import raw_server

KEY = "sk-canary-0123456789abcdef"
SHORT = 0.2
"""Seconds of a silence that is to be noticed."""
USUAL = Stall(first_byte=30, between=30, after_end=30)
MEGABYTES = 100 << 20

End = Literal["ends", "closes", "resets", "hangs", "repeats"]
"""The body ends as HTTP has it; the connection is closed, or reset; nothing more comes; the last piece comes for
ever."""


@dataclass(frozen=True)
class Wire:
    """One API's answer in parts, as bytes of a stream of events. Each part follows the one before."""

    api: str
    model: Callable[..., Model]
    """Takes `base_url`, `api_key`, `stall` and `client`."""
    opening: bytes
    """The beginning, up to a whole event that shows the text `Hello`."""
    call: bytes
    """After the opening: a call that has begun; its arguments are cut, unless the API sends calls whole."""
    finish: bytes
    """After the opening: why the model stopped."""
    end: bytes
    """After the finish: the end of the stream; empty where the API has none."""
    error: Callable[[str, str], bytes]
    """An event with an error of this type and message."""
    finish_is_end: bool
    """What follows the finish does not matter: the answer is complete."""


@dataclass(frozen=True)
class Case:
    what: str
    when: str
    send: Callable[[Wire], Sequence[bytes]]
    """The pieces that the server writes, from the status line on."""
    kind: FailureKind | None
    """None: the answer is complete all the same."""
    says: str
    """Part of what the user reads."""
    end: End = "closes"
    shown: str = ""
    """Of the answer, before it failed."""
    if_finished: bool = False
    """The answer is complete where the API's finish is its end."""
    without_end: FailureKind | None = None
    """The kind where the API's stream has no end of its own."""
    stall: Stall = field(default=USUAL)

    @property
    def id(self) -> str:
        return f"{self.what}, {self.when}"

    @property
    def is_large(self) -> bool:
        return "100 MB" in self.what

    def kind_for(self, wire: Wire) -> FailureKind | None:
        if self.without_end is not None and not wire.end:
            return self.without_end
        return None if self.if_finished and wire.finish_is_end else self.kind


@asynccontextmanager
async def serving(case: Case, wire: Wire, seen: asyncio.Event) -> AsyncIterator[str]:
    """The base URL of a server that answers like that. `seen`: what is shown of the answer has arrived."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pieces = case.send(wire)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if case.end == "ends":
            writer.write(LAST_CHUNK)
        elif case.end == "resets":
            if case.shown:
                await seen.wait()  # a reset takes away what has not been read
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
        elif case.end == "hangs":
            await reader.read()
        while case.end == "repeats":
            writer.write(pieces[-1])
            await writer.drain()

    async with raw_server(answer) as url:
        yield url


# What is sent

LAST_CHUNK = b"0\r\n\r\n"


def head(status: int, reason: str = "-", **headers: str) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {reason}",
        *(f"{name.replace('_', '-')}: {headers[name]}" for name in headers),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


STREAM = head(200, content_type="text/event-stream", transfer_encoding="chunked")


def chunk(data: bytes) -> bytes:
    """A chunk of a body; nothing for nothing, which would be the last one."""
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""


def answer(
    status: int, body: bytes | dict[str, object] | Callable[[], bytes], **headers: str
) -> Callable[[Wire], Sequence[bytes]]:
    """A whole response. A mapping is an error object, in the place where all APIs have it; a function makes what is
    large when it is wanted."""

    def send(wire: Wire) -> Sequence[bytes]:
        kind, data = "text/plain", body() if callable(body) else body
        if isinstance(data, dict):
            kind, data = "application/json", json.dumps({"type": "error", "error": data}).encode()
        return [head(status, **{"content_type": kind, "content_length": str(len(data)), **headers}), data]

    return send


def stream(*parts: str | bytes | Callable[[], bytes]) -> Callable[[Wire], Sequence[bytes]]:
    """A stream with these parts of the API's answer, or bytes, or what makes them."""

    def send(wire: Wire) -> Sequence[bytes]:
        bodies = (getattr(wire, part) if isinstance(part, str) else part for part in parts)
        return [STREAM, *(chunk(body() if callable(body) else body) for body in bodies)]

    return send


def half(wire: Wire) -> Sequence[bytes]:
    """The stream up to the middle of its first event."""
    return [STREAM, chunk(wire.opening[: len(wire.opening.partition(b"\n\n")[0]) // 2])]


def failing(kind: str, *before: str) -> Callable[[Wire], Sequence[bytes]]:
    """The stream with these parts, and an error of type `kind`."""
    return lambda wire: [*stream(*before)(wire), chunk(wire.error(kind, f"It is so: {KEY}"))]


def packed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=1, mtime=0)


ERROR: dict[str, object] = {"message": f"It is so: {KEY}"}
NGINX = b"<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>"
GATEWAY = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>a proxy</body></html>"
PORTAL = b"<!doctype html><html><head><title>Sign in to the network</title></head></html>"
QUICK_START = Stall(first_byte=SHORT, between=30, after_end=30)
QUICK_END = Stall(first_byte=30, between=30, after_end=SHORT)
QUICK = Stall(first_byte=30, between=SHORT, after_end=SHORT, no_answer=SHORT)
BROKE = "the connection to HOST broke before the answer was complete"

BEFORE, HEADERS, INSTEAD = "before the headers", "in the headers", "instead of an answer"
FIRST, BETWEEN, CALLED = "in the middle of the first event", "between two events", "after a call has begun"
FINISHED, ENDED = "after the finish reason", "after the end"


def nothing(wire: Wire) -> Sequence[bytes]:
    return []


CASES: tuple[Case, ...] = (
    Case("closes the connection", BEFORE, nothing, "network", BROKE),
    Case("resets the connection", BEFORE, nothing, "network", BROKE, "resets"),
    Case("is silent", BEFORE, nothing, "timeout", "did not begin to answer", "hangs", stall=QUICK_START),
    Case("speaks another protocol", BEFORE, lambda _: [b"SSH-2.0-OpenSSH_9\r\n\r\n"], "network", BROKE),
    Case("closes the connection", HEADERS, lambda _: [STREAM[:20]], "network", BROKE),
    Case("resets the connection", HEADERS, lambda _: [STREAM[:20]], "network", BROKE, "resets"),
    Case(
        "is silent", HEADERS, lambda _: [STREAM[:20]], "timeout", "did not begin", "hangs", stall=QUICK_START
    ),
    Case("a header without end", HEADERS, lambda _: [STREAM[:-4], b"x" * 4096], "network", BROKE, "repeats"),
    Case("401, a wrong key", INSTEAD, answer(401, ERROR), "auth", "it comes from SOME_API_KEY"),
    Case("401, and the body breaks off", INSTEAD, answer(401, b"no", content_length="9"), "auth", "401"),
    Case(
        "401, and the body stalls",
        INSTEAD,
        answer(401, b"no", content_length="9"),
        "auth",
        "401",
        "hangs",
        stall=QUICK_END,
    ),
    Case("402, no credit", INSTEAD, answer(402, ERROR), "quota", "Add credit"),
    Case("403", INSTEAD, answer(403, ERROR), "permission", "what this key may use"),
    Case(
        "403, compressed garbage",
        INSTEAD,
        answer(403, b"\x1f\x8b garbage", content_encoding="gzip"),
        "permission",
        "403",
    ),
    Case("404, no such model", INSTEAD, answer(404, ERROR), "not_found", "steersman models"),
    Case("400, a malformed request", INSTEAD, answer(400, ERROR), "bad_request", "400"),
    Case(
        "400, the code of an overflow",
        INSTEAD,
        answer(400, ERROR | {"code": "context_length_exceeded"}),
        "context_overflow",
        "Shorten the conversation",
    ),
    Case(
        "400 that speaks of a context window",
        INSTEAD,
        answer(400, {"message": "tools.0: unknown field: context window"}),
        "bad_request",
        "unknown field",
    ),
    Case(
        "413, a proxy's page",
        INSTEAD,
        answer(413, NGINX, content_type="text/html"),
        "context_overflow",
        "413 Request Entity Too Large",
    ),
    Case("429 with Retry-After: 7", INSTEAD, answer(429, ERROR, retry_after="7"), "rate_limit", "429"),
    Case("429 without", INSTEAD, answer(429, ERROR), "rate_limit", "set limits for this provider"),
    Case(
        "429 with Retry-After: 3600",
        INSTEAD,
        answer(429, ERROR, retry_after="3600"),
        "rate_limit",
        "asks to wait 60 minutes",
    ),
    Case(
        "429, the code of a quota",
        INSTEAD,
        answer(429, ERROR | {"code": "insufficient_quota"}),
        "quota",
        "raise the limit",
    ),
    Case("451", INSTEAD, answer(451, ERROR), "refused", "in other words"),
    Case("500, an empty body", INSTEAD, answer(500, b""), "server", "HOST answered 500"),
    Case("500, a body of 100 MB", INSTEAD, answer(500, lambda: b"x" * MEGABYTES), "server", "…"),
    Case(
        "500, 100 MB in a compressed body",
        INSTEAD,
        answer(500, lambda: packed(b"x" * MEGABYTES), content_encoding="gzip"),
        "server",
        "…",
    ),
    Case(
        "502, a proxy's page",
        INSTEAD,
        answer(502, GATEWAY, content_type="text/html"),
        "server",
        "502 Bad Gateway",
    ),
    Case("503", INSTEAD, answer(503, ERROR), "overloaded", "503"),
    Case("529", INSTEAD, answer(529, ERROR | {"type": "overloaded_error"}), "overloaded", "another model"),
    Case(
        "a redirect",
        INSTEAD,
        answer(307, b"", location="http://127.0.0.1:9/elsewhere"),
        "bad_request",
        "redirects are not followed",
    ),
    Case("407 of a proxy", INSTEAD, answer(407, b""), "auth", "USER:PASSWORD"),
    Case("204", INSTEAD, lambda _: [head(204)], "protocol", "HOST sent no answer"),
    Case("200, an empty body", INSTEAD, answer(200, b""), "protocol", "HOST sent no answer"),
    Case(
        "200, a portal's page",
        INSTEAD,
        answer(200, PORTAL, content_type="text/html; charset=utf-8"),
        "protocol",
        "answered with a web page: Sign in",
    ),
    Case(
        "200, an error as JSON",
        INSTEAD,
        answer(200, ERROR | {"type": "overloaded_error"}),
        "overloaded",
        "It is so",
    ),
    Case(
        "200, JSON of 100 MB",
        INSTEAD,
        answer(200, lambda: b"{" * MEGABYTES),
        "protocol",
        "more than any answer",
    ),
    Case(
        "200, 100 MB in a compressed event",
        INSTEAD,
        answer(200, lambda: packed(b"data: " + b"x" * MEGABYTES), content_encoding="gzip"),
        "protocol",
        "more than any answer",
    ),
    Case(
        "200, compressed garbage",
        INSTEAD,
        answer(200, b"\x1f\x8b garbage", content_encoding="gzip"),
        "protocol",
        "does not match its content-encoding",
    ),
    Case("closes the connection", FIRST, half, "network", BROKE),
    Case("ends the body", FIRST, half, "protocol", "HOST sent ", "ends"),
    Case("resets the connection", FIRST, half, "network", BROKE, "resets"),
    Case("is silent", FIRST, half, "timeout", "sent nothing more within", "hangs", stall=QUICK),
    Case("closes the connection", BETWEEN, stream("opening"), "network", BROKE, shown="Hello"),
    Case("ends the body", BETWEEN, stream("opening"), "protocol", "in the middle", "ends", "Hello"),
    Case("resets the connection", BETWEEN, stream("opening"), "network", BROKE, "resets", "Hello"),
    Case(
        "is silent", BETWEEN, stream("opening"), "timeout", "sent nothing more", "hangs", "Hello", stall=QUICK
    ),
    Case(
        "keep-alives without end",
        BETWEEN,
        stream("opening", b": keep-alive" + b"." * 65_536 + b"\n\n"),
        "timeout",
        "sent nothing of an answer",
        "repeats",
        "Hello",
        stall=QUICK,
    ),
    Case(
        "an event that is no JSON",
        BETWEEN,
        stream("opening", b"data: {no\n\n"),
        "protocol",
        "HOST",
        "ends",
        "Hello",
    ),
    Case(
        "an event of 100 MB",
        BETWEEN,
        stream("opening", lambda: b"data: " + b"x" * MEGABYTES),
        "protocol",
        "more than any answer holds",
        shown="Hello",
    ),
    Case(
        "a broken frame",
        BETWEEN,
        lambda wire: [*stream("opening")(wire), b"no length\r\n"],
        "network",
        BROKE,
        shown="Hello",
    ),
    Case(
        "an error: overloaded",
        BETWEEN,
        failing("overloaded_error", "opening"),
        "overloaded",
        "failed during the answer: It is so",
        "ends",
        "Hello",
    ),
    Case(
        "an error: a wrong key",
        BETWEEN,
        failing("authentication_error", "opening"),
        "auth",
        "it comes from SOME_API_KEY",
        "ends",
        "Hello",
    ),
    Case("closes the connection", CALLED, stream("opening", "call"), "network", BROKE, shown="Hello"),
    Case("ends the body", CALLED, stream("opening", "call"), "protocol", "in the middle", "ends", "Hello"),
    Case(
        "an error: the server's",
        CALLED,
        failing("server_error", "opening", "call"),
        "server",
        "failed during",
        "ends",
        "Hello",
    ),
    Case(
        "closes the connection",
        FINISHED,
        stream("opening", "finish"),
        "network",
        BROKE,
        shown="Hello",
        if_finished=True,
    ),
    Case(
        "ends the body",
        FINISHED,
        stream("opening", "finish"),
        "protocol",
        "in the middle",
        "ends",
        "Hello",
        if_finished=True,
    ),
    Case(
        "is silent",
        FINISHED,
        stream("opening", "finish"),
        "timeout",
        "sent nothing more",
        "hangs",
        "Hello",
        if_finished=True,
        stall=QUICK,
    ),
    Case("resets the connection", ENDED, stream("opening", "finish", "end"), None, "", "resets", "Hello"),
    Case("is silent", ENDED, stream("opening", "finish", "end"), None, "", "hangs", "Hello", stall=QUICK_END),
    Case(
        "sends more events",
        ENDED,
        stream("opening", "finish", "end", b"data: {no\n\n"),
        None,
        "",
        "ends",
        "Hello",
        without_end="protocol",
    ),
)
