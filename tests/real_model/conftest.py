"""A real model behind a real server, and `steersman serve` that uses it. `make test-model` sets both up."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from steersman.models.http import close_shared_client
from support.load_client import LoadClient
from support.served_process import Place

WINDOW = 8192
"""Tokens; llama.cpp refuses what is longer."""
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Served:
    url: str
    name: str


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The server of the model, one for all stories: it keeps the beginning of the last prompt."""
    folder = Path(os.environ["STEERSMAN_REAL_MODEL"])
    [model] = folder.glob("*.gguf")
    command = [folder / "venv" / "bin" / "python", HERE / "serve.py", model, str(WINDOW)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        told = json.loads(next(line for line in process.stdout if line.startswith("{")))
        yield Served(told["url"], told["model"])
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(autouse=True)
async def connections():
    """What this process itself has connected is closed with the story's loop."""
    yield
    await close_shared_client()


@pytest.fixture
async def client(served, tmp_path):
    """An editor with `steersman serve`, which says yes to every question."""
    place = Place(tmp_path)
    model = {"STEERSMAN_MODEL": f"openai-chat:{served.name}", "STEERSMAN_BASE_URL": served.url}
    client = LoadClient(place, rich=True, **model)
    await client.initialize()
    yield client
    client.kill()
