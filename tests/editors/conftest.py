"""A workspace, a recorded model behind a real socket, and a home of the user's own for each story of an editor."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from editors.terminal import Terminal

REPOSITORY = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent

Turn = dict[str, Any]


@dataclass(frozen=True)
class Stage:
    root: Path
    workspace: Path
    env: dict[str, str]

    def read(self, path: str) -> str:
        return (self.workspace / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.workspace / path).write_text(text)

    def terminal(self, *arguments: str) -> Terminal:
        return Terminal(arguments, cwd=self.workspace, env=self.env)


SetStage = Callable[..., Stage]


@pytest.fixture
def set_stage(tmp_path: Path) -> Iterator[SetStage]:
    """`set_stage(turns, files)`: the model will say these turns, the workspace has these files."""
    models: list[subprocess.Popen[str]] = []

    def build(turns: list[Turn], files: dict[str, str], **env: str) -> Stage:
        workspace = tmp_path / "ws"
        (workspace / ".git").mkdir(parents=True)
        for path, text in files.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(text)
        tape = tmp_path / "tape.jsonl"
        tape.write_text("".join(f"{json.dumps(line)}\n" for line in [{"tape": 1, "name": "story"}, *turns]))
        model = subprocess.Popen(
            [PROGRAMS / "steersman", "tape", "serve", str(tape)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        models.append(model)
        assert model.stdout is not None
        url = json.loads(model.stdout.readline())["url"]
        own = {
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "STEERSMAN_HOME": str(tmp_path / "home"),
            "STEERSMAN_MODEL": "openai-chat:tape",
            "STEERSMAN_BASE_URL": url,
            "LANG": "C.UTF-8",
        }
        return Stage(tmp_path, workspace, {**own, **env})

    yield build
    for model in models:
        model.communicate()  # the tape server ends when its standard input does


@pytest.fixture
def capture() -> Callable[[str, str], None]:
    """Keeps a screen for the docs where STEERSMAN_CAPTURES names their folder."""
    folder = os.environ.get("STEERSMAN_CAPTURES")

    def keep(name: str, screen: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{name}.txt").write_text(screen)

    return keep
