"""Runs `steersman` as a person or a script would: as a process of its own, with a home of its own."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class CommandLine:
    """One home and one workspace."""

    home: Path
    workspace: Path

    def tape(self, *turns: dict[str, Any]) -> str:
        """Writes a tape and returns it as a model."""
        path = self.home / "model.jsonl"
        lines = [{"tape": 1, "name": "test"}, *turns]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"tape:{path}"

    def environ(self, **more: str) -> dict[str, str]:
        """Without keys that whoever runs the tests may have: no provider is asked with them."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("STEERSMAN_") and not name.endswith("_API_KEY")
        }
        return kept | {"STEERSMAN_HOME": str(self.home), "HOME": str(self.home), "TERM": "xterm"} | more

    def start(
        self,
        *arguments: str,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        **more: str,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "steersman", *arguments],
            cwd=self.workspace,
            env=self.environ(**more),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )

    def run(self, *arguments: str, input: bytes | None = None, **more: str) -> "Finished":
        process = self.start(
            *arguments, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL, **more
        )
        out, err = process.communicate(input, timeout=300)
        return Finished(process.returncode, out.decode(), err.decode())

    def run_on_terminal(self, *arguments: str, typed: Sequence[tuple[str, str]]) -> "Finished":
        """Runs on a pseudo-terminal. `typed`: what is waited for on the screen, and what is then typed."""
        process_id, fd = pty.fork()
        if process_id == 0:
            os.chdir(self.workspace)
            os.execve(sys.executable, [sys.executable, "-m", "steersman", *arguments], self.environ())
        screen = ""
        todo = list(typed)
        while True:
            try:
                data = os.read(fd, 65536)
            except OSError:  # Linux answers a closed terminal with EIO
                break
            if not data:
                break
            screen += data.decode(errors="replace")
            if todo and todo[0][0] in screen:
                os.write(fd, todo.pop(0)[1].encode())
        _, status = os.waitpid(process_id, 0)
        os.close(fd)
        return Finished(os.waitstatus_to_exitcode(status), screen, "")


@dataclass
class Finished:
    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def calls(*named: tuple[str, dict[str, Any]], text: str = "") -> dict[str, Any]:
    """A turn of a tape that calls tools."""
    turn: dict[str, Any] = {
        "toolCalls": [{"name": name, "arguments": arguments} for name, arguments in named]
    }
    return {"text": text, **turn} if text else turn
