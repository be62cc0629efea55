"""The least that the same work can cost: a program that does only that. `floors.py NAME JSON` prints figures.

The model's answers are read by bare httpx and not parsed further than to see what has to be done; files are read and
written, and nothing is logged, sent on or decided.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import orjson

Figures = dict[str, list[float]]
HEAD = b'{"model":"bench","stream":true,"messages":['


class Asking:
    """One conversation, each message of which is encoded once."""

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, f"{url}/chat/completions"
        self.history: list[bytes] = []
        self.first = 0.0
        """When the first bytes of the last answer were here."""

    async def answer(self, message: dict[str, Any]) -> bytes:
        self.history.append(orjson.dumps(message))
        body = HEAD + b",".join(self.history) + b"]}"
        pieces: list[bytes] = []
        async with self._client.stream("POST", self._url, content=body) as response:
            async for piece in response.aiter_raw():
                if not pieces:
                    self.first = time.perf_counter()
                pieces.append(piece)
        return b"".join(pieces)

    async def run(self, prompt: str, path: str) -> None:
        """Reads the file for each call, until an answer has none."""
        answer = await self.answer({"role": "user", "content": prompt})
        number = 0
        while b'"tool_calls"' in answer:
            call = {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": "read", "arguments": path},
            }
            self.history.append(orjson.dumps({"role": "assistant", "content": None, "tool_calls": [call]}))
            text = Path(path).read_text()
            answer = await self.answer({"role": "tool", "tool_call_id": call["id"], "content": text})
            number += 1


def client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))


async def first(url: str, warm: str, prompts: list[str]) -> Figures:
    """Milliseconds from a prompt to the first bytes of its answer."""
    figures = []
    async with client() as http:
        await Asking(http, url).answer({"role": "user", "content": warm})
        for prompt in prompts:
            asking, begun = Asking(http, url), time.perf_counter()
            await asking.answer({"role": "user", "content": prompt})
            figures.append((asking.first - begun) * 1000)
    return {"ms": figures}


async def runs(url: str, warm: str, prompts: list[str], path: str = "") -> Figures:
    """Seconds of these runs, all at once."""
    async with client() as http:
        await Asking(http, url).answer({"role": "user", "content": warm})
        begun, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(Asking(http, url).run(prompt, path) for prompt in prompts))
        return _cost(begun, cpu)


async def log(path: str) -> Figures:
    """Milliseconds of parsing every line of a file."""
    begun = time.perf_counter()
    for line in Path(path).read_bytes().splitlines():
        orjson.loads(line)
    return {"ms": [(time.perf_counter() - begun) * 1000]}


async def edit(path: str, old: str, new: str) -> Figures:
    """Milliseconds of one replacement, written beside the file, synced and renamed into its place."""
    begun = time.perf_counter()
    data = Path(path).read_bytes().replace(old.encode(), new.encode())
    beside = Path(f"{path}.new")
    descriptor = os.open(beside, os.O_CREAT | os.O_WRONLY)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    beside.rename(path)
    return {"ms": [(time.perf_counter() - begun) * 1000]}


async def grep(program: str, pattern: str, folder: str) -> Figures:
    """Milliseconds of ripgrep alone."""
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        program, "--line-number", pattern, folder, stdout=asyncio.subprocess.PIPE
    )
    await process.communicate()
    return {"ms": [(time.perf_counter() - begun) * 1000]}


async def ls(folder: str) -> Figures:
    """Milliseconds of reading a directory and sorting its names."""
    begun = time.perf_counter()
    with os.scandir(folder) as entries:
        sorted((entry.name, entry.is_dir()) for entry in entries)
    return {"ms": [(time.perf_counter() - begun) * 1000]}


def notifications(count: int) -> None:
    """Once a line has come, writes so many notifications that it has not to encode."""
    value = b'{"session":"ses_1","run":"run_1","turn":1,"type":"message_update","data":{"text":"abcd "}}'
    body = b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":"events","value":%b}}' % value
    frame = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    os.write(1, b"ready\n")
    os.read(0, 1)
    for _ in range(count):
        os.write(1, frame)
    os.write(1, b"written\n")


def _cost(begun: float, cpu: float) -> Figures:
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {"s": [wall], "CPU, s": [cpu], "peak memory, MB": [int(status["VmHWM"].split()[0]) / 1024]}


FLOORS: dict[str, Callable[..., Any]] = {
    "first": first,
    "runs": runs,
    "log": log,
    "edit": edit,
    "grep": grep,
    "ls": ls,
}

if __name__ == "__main__":
    name, given = sys.argv[1], json.loads(sys.argv[2])
    if name == "notifications":
        notifications(**given)
    else:
        print(json.dumps(asyncio.run(FLOORS[name](**given))))  # noqa: T201 - its result
