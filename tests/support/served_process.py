"""`steersman serve` as a process of its own, with a tape for its model and a home of its own."""

import asyncio
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steersman.session.home import Home
from steersman.session.trust import TrustStore
from support.late import pipe
from support.lsp_client import PATIENCE, LspClient
from support.processes import alive_with

EVENTS = "events-of-the-test"
COMMAND = [sys.executable, "-m", "steersman", "serve"]


class Place:
    """A trusted workspace folder, a home and a tape, for one server after the other."""

    def __init__(self, base: Path, *entries: dict[str, Any]) -> None:
        self.root, self.home = base / "ws", Home(base / "home")
        self.root.mkdir()
        self.tape = base / "tape.jsonl"
        lines = [{"tape": 1, "name": "test"}, *entries]
        self.tape.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        TrustStore(self.home).remember(self.root, True)
        self.mark = f"STEERSMAN_TEST_{uuid.uuid4().hex}"

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("STEERSMAN_")}
        own = {"STEERSMAN_HOME": str(self.home.root), "STEERSMAN_MODEL": f"tape:{self.tape}"}
        return {**kept, **own, self.mark: "1", **more}

    def sleepers(self) -> set[int]:
        """The `sleep` processes that servers of this place have started and that live."""
        return {pid for pid in alive_with(self.mark) if _name(pid) == "sleep"}

    async def sleeping(self, count: int) -> set[int]:
        """The `sleep` processes, once there are `count`: a shell's child tells nobody that it has begun."""

        def look() -> set[int]:
            deadline = time.monotonic() + PATIENCE
            while len(found := self.sleepers()) != count:
                assert time.monotonic() < deadline, f"{found} are {len(found)}, not {count}"
                time.sleep(0.01)
            return found

        return await asyncio.to_thread(look)

    def log(self, session: str) -> list[dict[str, Any]]:
        """The whole log: every line is a record."""
        data = (self.home.sessions / f"{session}.jsonl").read_bytes()
        assert data.endswith(b"\n")
        return [json.loads(line) for line in data.splitlines()]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Running:
    """A server process and its client, which names an event token."""

    def __init__(
        self,
        place: Place,
        command: Sequence[str] = tuple(COMMAND),
        *,
        client: type[LspClient] = LspClient,
        **environment: str,
    ) -> None:
        self.place = place
        server_reads, client_writes = pipe()
        client_reads, server_writes = pipe()
        self._errors = place.home.root.parent / "stderr"
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                list(command),
                stdin=server_reads,
                stdout=server_writes,
                stderr=errors,
                env=place.environment(**environment),
                cwd=place.root,
            )
        os.close(server_reads)
        os.close(server_writes)
        self.client = client(client_reads, client_writes)

    async def initialize(self, **params: Any) -> None:
        await self.client.initialize(
            initializationOptions={"steersman": {"version": "1", "eventToken": EVENTS}},
            workspaceFolders=[{"name": "ws", "uri": self.place.root.as_uri()}],
            **{"capabilities": {"window": {"workDoneProgress": True}}, **params},
        )
        self.client.on_request("window/workDoneProgress/create", lambda _: None)

    async def start(self, prompt: str, **params: Any) -> dict[str, Any]:
        return await self.client.command("steersman.start", {"prompt": prompt, "mode": "full-auto", **params})

    async def event(self, kind: str, contains: str = "") -> dict[str, Any]:
        """The data of the first event of a type whose JSON text contains something."""
        message = await self.client.wait_for(
            lambda m: _is_event(m, kind) and contains in json.dumps(m["params"]["value"]["data"])
        )
        return message["params"]["value"]["data"]

    def events(self) -> list[dict[str, Any]]:
        return [m["params"]["value"] for m in self.client.received if _is_event(m)]

    def token_kinds(self, token: str) -> list[str]:
        values = [m["params"] for m in self.client.of_method("$/progress")]
        return [value["value"]["kind"] for value in values if value["token"] == token]

    async def ended(self) -> int:
        """The exit code."""
        return await asyncio.to_thread(self.process.wait, 2 * PATIENCE)

    @property
    def errors(self) -> str:
        return self._errors.read_text()

    async def close(self) -> None:
        """Ends what is left of it."""
        if self.process.poll() is None:
            self.process.kill()
        await self.ended()
        await self.client.close()


def _is_event(message: dict[str, Any], kind: str | None = None) -> bool:
    if message.get("method") != "$/progress" or message["params"]["token"] != EVENTS:
        return False
    return kind is None or message["params"]["value"]["type"] == kind
