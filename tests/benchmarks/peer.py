"""The peer: pi, a coding agent in a process of its own too, driven by its RPC mode. It is not part of this project.

`STEERSMAN_PEER` names the folder that npm has installed it into: docs/benchmarks.md says how.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from benchmarks.child import Agent, Outcome

PACKAGE = "node_modules/@earendil-works/pi-coding-agent"
NODE = "node_modules/node/bin/node"
TOOLS = "read,bash,edit,write,grep,find,ls"
"""Its own choice lacks the last three."""


@dataclass(frozen=True)
class Installed:
    """Where it is, and what it says it is."""

    node: Path
    entry: Path
    version: str

    @classmethod
    def found(cls, folder: str | None) -> Self | None:
        """In the folder or one below it; None where it is not."""
        if not folder:
            return None
        base = Path(folder)
        packages = [*base.glob(PACKAGE), *base.glob(f"*/{PACKAGE}")]
        nodes = [*base.glob(NODE), *base.glob(f"*/{NODE}")]
        if not packages or not nodes:
            return None
        about = json.loads((packages[0] / "package.json").read_text())
        return cls(nodes[0], packages[0] / about["bin"]["pi"], about["version"])


class Peer(Agent):
    """One JSON object a line. Its home is `base`, its sessions are kept as ours are."""

    def __init__(self, installed: Installed, base: Path, folder: Path, url: str) -> None:
        home = base / "peer"
        home.mkdir(exist_ok=True)
        cost = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
        model = {
            "id": "bench",
            "name": "bench",
            "contextWindow": 1_000_000,
            "maxTokens": 65_536,
            "cost": cost,
        }
        api = {"baseUrl": url, "api": "openai-completions", "apiKey": "x", "models": [model]}
        (home / "models.json").write_text(json.dumps({"providers": {"bench": api}}))
        settings = {"defaultProvider": "bench", "defaultModel": "bench", "cacheWarming": "off"}
        (home / "settings.json").write_text(json.dumps(settings))
        quiet = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0", "TERM": "dumb"}
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # our ripgrep is its ripgrep
        environment = {"PATH": programs, "HOME": str(home), "PI_CODING_AGENT_DIR": str(home), **quiet}
        command = [str(installed.node), str(installed.entry), "--mode", "rpc", "--tools", TOOLS]
        command += ["--provider", "bench", "--model", "bench", "--session-dir", str(home / "sessions")]
        super().__init__(command, folder, environment, base / "peer-stderr")
        self._begins = self._ends = 0

    def _send(self, kind: str, **fields: Any) -> None:
        self.write(json.dumps({"id": kind, "type": kind, **fields}).encode() + b"\n")

    def _until(self, mark: bytes, *, gather: bool = False) -> int:
        """Where the line ends that begins with `mark`, in what the run has told."""
        found = self.find(b"\n" + mark, max(self._begins - 1, 0), gather=gather)
        return self.find(b"\n", found + 1) + 1

    def ready(self) -> float:
        self._send("get_state")
        self.find(b'"command":"get_state"', 0)
        return time.perf_counter() - self.begun

    def prompt(self, text: str) -> None:
        self._begins = len(self.buffer)
        self._send("prompt", message=text)

    def first_delta(self) -> float:
        self.find(b'"type":"text_delta"', self._begins)
        return time.perf_counter()

    def settled(self, *, gather: bool = False) -> float:
        self._ends = self._until(b'{"type":"agent_settled"', gather=gather)
        return time.perf_counter()

    def abort(self) -> float:
        self._send("abort")
        return self.settled()

    def outcome(self) -> Outcome:
        characters = succeeded = 0
        stop = ""
        for event in self._events():
            message = event.get("message", {})
            if event["type"] == "message_end" and message["role"] == "assistant":
                characters += sum(len(part["text"]) for part in message["content"] if part["type"] == "text")
                stop = {"stop": "complete"}.get(message["stopReason"], message["stopReason"])
            elif event["type"] == "tool_execution_end":
                succeeded += not event["isError"]
        return Outcome(characters, succeeded, stop, self._ends - self._begins)

    def _events(self) -> Iterator[dict[str, Any]]:
        """What ended in the last run."""
        for line in self.buffer[self._begins : self._ends].splitlines():
            if line.startswith((b'{"type":"message_end"', b'{"type":"tool_execution_end"')):
                yield json.loads(line)
