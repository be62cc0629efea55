"""A batch of tasks about one workspace, started as a process of its own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from support.batches import tape
from support.command_line import CommandLine, Finished, calls


def batch_work(root: Path) -> "Work":
    """In `root`: a home, a workspace with `calc.py`, and no task yet."""
    line = CommandLine(root / "home", root / "workspace")
    line.home.mkdir()
    line.workspace.mkdir()
    (line.workspace / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    return Work(line)


class Work:
    """Tasks about one workspace, each with a tape of its own."""

    def __init__(self, line: CommandLine) -> None:
        self.line, self.root = line, line.home.parent
        self.out = self.root / "out"
        self.tasks: list[dict[str, Any]] = []

    def add(self, name: str, *turns: dict[str, Any], **fields: Any) -> None:
        model = tape(self.root / f"{name}.tape", *turns)
        self.tasks.append({"id": name, "prompt": "fix it", "workspace": "workspace", "model": model} | fields)

    @property
    def file(self) -> str:
        path = self.root / "tasks.jsonl"
        path.write_text("".join(json.dumps(task) + "\n" for task in self.tasks))
        return str(path)

    def run(self, *options: str) -> Finished:
        return self.line.run("batch", self.file, "-o", str(self.out), "--trust", *options)

    def start(self, *options: str, **how: Any) -> subprocess.Popen[bytes]:
        """`how`: as for `CommandLine.start`."""
        return self.line.start("batch", self.file, "-o", str(self.out), "--trust", *options, **how)

    def result(self, name: str) -> Any:
        return json.loads((self.out / name / "result.json").read_text())

    @property
    def predicted(self) -> list[str]:
        """Their ids, sorted."""
        lines = (self.out / "predictions.jsonl").read_text().splitlines()
        return sorted(json.loads(each)["instance_id"] for each in lines)


def blocking(work: Work, before: str = ":") -> dict[str, Any]:
    """A turn that says through a pipe that it has begun and then takes long, the first time."""
    pipe, go = work.root / "pipe", work.root / "go"
    os.mkfifo(pipe)
    return calls(("bash", {"command": f"{before}; test -e {go} || {{ echo begun > {pipe}; sleep 1000; }}"}))


def wait_until_it_blocks(work: Work) -> None:
    assert (work.root / "pipe").read_text() == "begun\n"
    (work.root / "go").touch()
