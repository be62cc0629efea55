"""Small servers that list models: one that answers paths with JSON, and the programs that people run at home."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from steersman.session.home import Home
from steersman.session.settings import Settings, load_settings
from support.model_server import read_request

Answers = dict[str, Any]
"""By path, or by `METHOD path`, JSON values. Every other path is 404."""


@dataclass
class Listed:
    """A server that listens, and what it has been asked."""

    port: int
    asked: list[str] = field(default_factory=list)
    """`GET /v1/models`, in order."""
    heads: list[bytes] = field(default_factory=list)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@asynccontextmanager
async def serving(
    answers: Mapping[str, Any],
    *,
    host: str = "127.0.0.1",
    silent: Sequence[str] = (),
    status: int = 200,
    together: int = 1,
) -> AsyncIterator[Listed]:
    """A server on a free port. An answer may be a function of the request's JSON. `silent`: paths that are never
    answered. `together`: it answers nobody before it has been asked so often."""
    tasks: set[asyncio.Task[None]] = set()
    listed = Listed(0)
    enough = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while True:
                head, body = await read_request(reader)
                method, path = head.split(b" ")[:2]
                asked = f"{method.decode()} {path.decode()}"
                listed.asked.append(asked)
                listed.heads.append(head)
                listed.was_asked.set()
                if len(listed.asked) >= together:
                    enough.set()
                await enough.wait()
                if path.decode() in silent:
                    await asyncio.Event().wait()
                answer = answers.get(asked, answers.get(path.decode()))
                if callable(answer):
                    answer = answer(json.loads(body))
                content = json.dumps(answer).encode() if answer is not None else b'{"error": "no such path"}'
                code = status if answer is not None else 404
                writer.write(b"HTTP/1.1 %d x\r\ncontent-length: %d\r\n\r\n" % (code, len(content)) + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            writer.transport.abort()

    server = await asyncio.start_server(accept, host, 0)
    listed.port = server.sockets[0].getsockname()[1]
    try:
        yield listed
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def openai_list(*items: Mapping[str, Any] | str, owner: str = "somebody") -> dict[str, Any]:
    """As `GET /v1/models` of most servers."""
    data = [
        {"id": item, "object": "model", "owned_by": owner} if isinstance(item, str) else item
        for item in items
    ]
    return {"object": "list", "data": data}


@dataclass(frozen=True)
class OllamaModel:
    name: str
    running: int | None = None
    """The window that it has been loaded with."""
    trained: int = 131072
    num_ctx: int | None = None
    """Of its file."""
    capabilities: Sequence[str] = ("completion", "tools")


def ollama(*models: OllamaModel) -> Answers:
    """Ollama's answers, as its API's page has them."""

    def show(request: Any) -> Any:
        model = next(each for each in models if each.name == request["model"])
        return {
            "parameters": f'stop "<|eot|>"\nnum_ctx    {model.num_ctx}\n' if model.num_ctx else "",
            "details": {"family": "qwen3"},
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": model.trained},
            "capabilities": list(model.capabilities),
        }

    return {
        "/v1/models": openai_list(*(each.name for each in models), owner="library")
        if models
        else {"object": "list", "data": None},
        "/api/version": {"version": "0.12.6"},
        "/api/tags": {"models": [{"name": each.name, "model": each.name, "size": 1} for each in models]},
        "/api/ps": {
            "models": [
                {"name": each.name, "model": each.name, "context_length": each.running}
                for each in models
                if each.running
            ]
        },
        "POST /api/show": show,
    }


def llamacpp(name: str, *, served: int, trained: int = 131072, vision: bool = False) -> Answers:
    """The answers of llama.cpp's server. It has some of Ollama's paths too."""
    item = {"id": name, "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": trained}}
    tags = {"models": [{"name": name, "model": name, "capabilities": ["completion"]}]}
    return {
        "/v1/models": tags | openai_list(item),
        "/api/tags": tags,
        "/api/version": {"version": "b6000"},
        "/props": {
            "default_generation_settings": {"id": 0, "n_ctx": served},
            "total_slots": 1,
            "modalities": {"vision": vision, "audio": False},
        },
    }


def lmstudio(*models: Mapping[str, Any]) -> Answers:
    """LM Studio's answers; `models` as its `/api/v0/models` has them."""
    return {
        "/v1/models": openai_list(*(each["id"] for each in models), owner="organization_owner"),
        "/api/v0/models": {"object": "list", "data": [{"object": "model", **each} for each in models]},
        "/api/version": {"error": "Unexpected endpoint or method. (GET /api/version)"},
        "/api/tags": {"error": "Unexpected endpoint or method. (GET /api/tags)"},
    }


LOCAL = ("ollama", "llamacpp", "lmstudio", "vllm")
"""The providers that are looked for on this machine."""


@contextmanager
def places(home: Home, more: str = "", **ports: int) -> Iterator[Settings]:
    """A home in which the local providers are looked for on these ports, the others on one that nobody listens on.
    `more`: what its config.toml says beside. Gives the settings, without any of the environment."""
    home.make()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        silent = nobody.getsockname()[1]
        tables = [
            f'[providers.{name}]\nbase_url = "http://127.0.0.1:{ports.get(name, silent)}/v1"\n'
            for name in LOCAL
        ]
        home.config.write_text("".join([more, *tables]))
        yield load_settings(home, {})
