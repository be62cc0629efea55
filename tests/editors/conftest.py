"""A workspace, a recorded model behind a real socket, and a home for each story of an editor."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from editors.terminal import PATIENCE, Terminal
from editors.turns import Turn

REPOSITORY = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent


@dataclass(frozen=True)
class Stage:
    root: Path
    workspace: Path
    env: dict[str, str]

    def read(self, path: str) -> str:
        return (self.workspace / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.workspace / path).write_text(text)

    def until_written(self, path: str) -> str:
        """What a program of the run writes into a file, when its line is whole."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if (file := self.workspace / path).exists() and (text := file.read_text()).endswith("\n"):
                return text
            time.sleep(0.02)
        raise AssertionError(f"{path} was never written")

    def runs(self, pid: int) -> bool:
        """Whether there is such a process that is no zombie."""
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        return state != "Z"

    def until_gone(self, pid: int) -> None:
        """Until a process that runs has ended."""
        deadline = time.monotonic() + PATIENCE
        while self.runs(pid):
            assert time.monotonic() < deadline, f"process {pid} still runs"
            time.sleep(0.02)

    def terminal(self, *arguments: str) -> Terminal:
        return Terminal(arguments, cwd=self.workspace, env=self.env)


SetStage = Callable[..., Stage]
Capture = Callable[[str, str], None]


@pytest.fixture
def set_stage() -> Iterator[SetStage]:
    """`set_stage(turns, files)`: the model will say these turns, the workspace has these files."""
    models: list[subprocess.Popen[str]] = []
    root = Path(tempfile.mkdtemp(prefix="ada-"))  # short: editors show paths, on lines of 100 columns

    def build(turns: list[Turn], files: dict[str, str], **env: str) -> Stage:
        workspace = root / "shop"
        (workspace / ".git").mkdir(parents=True)
        for path, text in files.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(text)
        tape = root / "tape.jsonl"
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
            "HOME": str(root),
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_STATE_HOME": str(root / "state"),
            "XDG_DATA_HOME": str(root / "data"),
            "STEERSMAN_HOME": str(root / ".local" / "share" / "steersman"),
            "STEERSMAN_MODEL": "openai-chat:tape",
            "STEERSMAN_BASE_URL": url,
            "LANG": "C.UTF-8",
        }
        return Stage(root, workspace, {**own, **env})

    yield build
    for model in models:
        model.communicate()  # the tape server ends when its standard input does
    shutil.rmtree(root, ignore_errors=True)  # a server may still be writing its last line


@pytest.fixture
def capture() -> Capture:
    """Keeps a screen for the docs where STEERSMAN_CAPTURES names their folder."""
    folder = os.environ.get("STEERSMAN_CAPTURES")

    def keep(name: str, screen: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{name}.txt").write_text(_lasting(screen))

    return keep


def _lasting(screen: str) -> str:
    """The screen with what differs from one run to the next written as it was the first time."""
    screen = re.sub(r"/tmp/ada-\w+", "/home/ada", screen)
    screen = re.sub(r"[0-9a-f]{12}(?=\.(diff|sh|json))", "d90dcf1c4d2a", screen)
    lines = screen.split("\n")
    # An id of a process that is a digit shorter has left room for one letter more at the line's end.
    return "\n".join(re.sub(r"steersman:\d+", "steersman:24287", line)[: len(line)] for line in lines)
