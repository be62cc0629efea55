"""Twenty runs stream to a client that has stopped reading: the server minds its own business, and nothing is lost."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from steersman.lsp.serve import ServeLimits
from steersman.lsp.server import SteersmanServer
from steersman.lsp.transport import TransportLimits
from steersman.session.home import Home
from steersman.session.open_sessions import MAX_IDLE
from steersman.session.settings import Settings
from support.lsp_client import LspClient, serving

RUNS = 20
OUTBOX = 128 * 1024
PATIENCE = 120
TEXT = "A sentence with a 😀 in it, over and over. " * 150
LOOK = [{"name": "ls", "arguments": {"path": "."}}]
TAPE = (
    {"tape": 1, "name": "test"},
    {"when": "long"},
    *({"text": TEXT, "toolCalls": LOOK, "chunk": 8} for _ in range(3)),
    {"text": TEXT, "chunk": 8},
    {"when": "forever"},
    {"text": TEXT, "chunk": 8, "hang": True},
    {"when": "short"},
    {"text": "Short."},
)


class Office:
    """A server in this process, what it tells, and a client that may stop reading."""

    def __init__(self, server: SteersmanServer, client: LspClient, outbox, home: Home) -> None:
        self.client, self.outbox, self.home = client, outbox, home
        self.told: list[Any] = []
        self.most_waiting = 0
        """Bytes in the outbox, at the worst of all events."""
        self._changed = asyncio.Event()
        self.manager = server.manager
        server.services.bus.listen(self._hear)

    def _hear(self, event) -> None:
        self.told.append(event)
        self.most_waiting = max(self.most_waiting, self.outbox.waiting)
        self._changed.set()

    def ended(self) -> list[str]:
        return [event.data["stopReason"] for event in self.told if event.type == "agent_end"]

    async def until(self, holds) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    def start(self, prompt: str):
        return self.client.command("steersman.start", {"prompt": prompt, "mode": "full-auto"})

    def logs(self) -> dict[str, list[dict[str, Any]]]:
        return {
            path.stem: [json.loads(line) for line in path.read_bytes().splitlines()]
            for path in self.home.sessions.glob("*.jsonl")
        }

    def received(self) -> dict[str, list[dict[str, Any]]]:
        """The durable events that the client has got, by session."""
        found: dict[str, list[dict[str, Any]]] = {}
        for message in self.client.of_method("$/progress"):
            event = message["params"]["value"]
            if "seq" in event:
                found.setdefault(event["session"], []).append(event)
        return found

    async def all_received(self) -> None:
        """Returns when the client has got as many durable events as were told."""
        missing = sum(event.seq is not None for event in self.told)
        seen: set[int] = set()

        def complete(message: dict[str, Any]) -> bool:
            if message.get("method") == "$/progress" and "seq" in message["params"]["value"]:
                seen.add(id(message))
            return len(seen) >= missing

        await self.client.wait_for(complete)


@asynccontextmanager
async def office(base: Path) -> AsyncIterator[Office]:
    (base / "ws").mkdir()
    tape = base / "tape.jsonl"
    tape.write_text("".join(f"{json.dumps(line)}\n" for line in TAPE))
    home = Home(base / "home")
    server = SteersmanServer(home, Settings(model=f"tape:{tape}"))
    server.services.trusts_all = True
    limits = ServeLimits(transport=TransportLimits(outbox=OUTBOX))
    async with serving(server.rpc, limits=limits, on_stop=server.stop) as served:
        await served.client.initialize(
            initializationOptions={"steersman": {"version": "1", "eventToken": "events"}},
            workspaceFolders=[{"name": "ws", "uri": (base / "ws").as_uri()}],
        )
        yield Office(server, served.client, served.connection._transport.outbox, home)


async def test_runs_end_aborts_work_and_memory_is_bounded_and_then_every_record_arrives_in_order(tmp_path):
    async with office(tmp_path) as it:
        forever = await it.start("forever")
        it.client.pause_reading()
        starts = [it.start("long") for _ in range(RUNS)]
        await it.until(lambda: len(it.ended()) == RUNS)
        assert it.ended() == ["complete"] * RUNS

        abort = it.client.command("steersman.abort", {"run": forever["run"]})
        await it.until(lambda: it.ended()[-1] == "aborted")
        short = [it.start("short") for _ in range(2)]  # sessions that were used before are closed
        await it.until(lambda: len(it.ended()) == RUNS + 3)
        assert len(it.manager.status()["sessions"]) <= MAX_IDLE + 2

        kept = sum(len(event.line) for event in it.told if event.seq is not None)
        longest = max(len(event.line) for event in it.told)
        assert kept > 4 * OUTBOX, "or else there was no need to hold anything back"
        assert it.most_waiting < OUTBOX + 2 * longest + 50_000, "answers are never refused"

        it.client.resume_reading()
        answers = [await request for request in (*starts, abort, *short)]
        assert answers[RUNS] == {"aborted": True}
        await it.all_received()
        assert it.received() == it.logs()
        assert len(it.received()) == RUNS + 3


async def test_a_client_that_reads_again_in_the_middle_gets_the_rest_live(tmp_path):
    async with office(tmp_path) as it:
        it.client.pause_reading()
        starts = [it.start("long") for _ in range(RUNS)]
        await it.until(lambda: it.outbox.waiting >= OUTBOX)
        it.client.resume_reading()
        await it.until(lambda: len(it.ended()) == RUNS)
        for start in starts:
            await start
        await it.all_received()
        assert it.received() == it.logs()
        last = await it.start("short")
        await it.until(lambda: len(it.ended()) == RUNS + 1)
        await it.all_received()
        values = [message["params"]["value"] for message in it.client.of_method("$/progress")]
        types = [value["type"] for value in values if value["session"] == last["session"]]
        assert "message_update" in types, "updates come again"
        assert it.received() == it.logs()
