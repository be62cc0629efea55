"""A small proxy on loopback: it forwards plain requests and opens tunnels, to one server whatever the host is."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    port: int
    """The server that stands for every host."""
    password: str | None = None
    """`user:password` that it wants; None: nothing."""
    asked: list[str] = field(default_factory=list)
    """The request lines that it has had, those that it refused too."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of each of these, by lower-case name."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head.split("\r\n")
        headers = dict(each.split(": ", 1) for each in lines if each)
        self.asked.append(line)
        self.headers.append({name.lower(): value for name, value in headers.items()})
        if self.password is not None:
            wanted = "Basic " + base64.b64encode(self.password.encode()).decode()
            if self.headers[-1].get("proxy-authorization") != wanted:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
                return
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            if line.startswith("CONNECT "):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                method, url, version = line.split(" ")
                path = "/" + url.split("/", 3)[3]
                back.write("\r\n".join([f"{method} {path} {version}", *lines]).encode("latin-1"))
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            back.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
    except ConnectionError:
        pass
    finally:
        sink.close()


@asynccontextmanager
async def proxy_to(base_url: str, password: str | None = None) -> AsyncIterator[tuple[str, Proxy]]:
    """The host and port of a proxy before the server at `base_url`, and what it has been asked."""
    proxy = Proxy(int(base_url.split("/")[2].rpartition(":")[2]), password)
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await proxy.serve(reader, writer)
        except (asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", proxy
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
