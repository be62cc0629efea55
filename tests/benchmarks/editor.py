"""Language servers as an editor starts them: ours, and one of bare pygls as the floor."""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.child import Agent, Child, Outcome
from support.served_process import COMMAND, EVENTS, Place

CAPABILITIES = {
    "window": {
        "workDoneProgress": True,
        "showMessage": {"messageActionItem": {}},
        "showDocument": {"support": True},
    },
    "workspace": {"applyEdit": True, "workspaceFolders": True, "workspaceEdit": {"documentChanges": True}},
    "textDocument": {"synchronization": {"didSave": True}},
}
ASKED = b'"method":"window/workDoneProgress/create"'
"""The one thing that a server asks of an editor while nobody is to be asked."""
HEADER = b"Content-Length: "


class LanguageServer(Child):
    """LSP over stdio."""

    options: Any = None
    """Sent with initialize."""
    _last_id = 0
    _looked = 0

    def ready(self) -> float:
        """Waits for the answer to initialize; the seconds since the process was started."""
        root = Path(f"/proc/{self.process.pid}/cwd").readlink()
        params = {
            "processId": os.getpid(),
            "capabilities": CAPABILITIES,
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"name": "ws", "uri": root.as_uri()}],
            "initializationOptions": self.options,
        }
        self.answer(self.request("initialize", params))
        took = time.perf_counter() - self.begun
        self.notify("initialized", {})
        return took

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> int:
        self._last_id += 1
        self.send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def answer(self, number: int) -> dict[str, Any]:
        """The whole answer to a request: what comes before it is passed over."""
        while True:
            message = self.message()
            if message.get("id") == number and "method" not in message:
                return message

    def message(self) -> dict[str, Any]:
        """The next one."""
        while (end := self.end_of(self.at)) is None:
            self.fill()
            self.glance()
        head = self.buffer.index(b"\r\n\r\n", self.at) + 4
        self.at, body = end, self.buffer[head:end]
        return json.loads(body)

    def end_of(self, start: int) -> int | None:
        """Where the message ends that begins there; None if not all of it is here."""
        head = self.buffer.find(b"\r\n\r\n", start)
        if head < 0:
            return None
        end = head + 4 + int(self.buffer[start:head].partition(b": ")[2].partition(b"\r")[0])
        return end if end <= len(self.buffer) else None

    def glance(self) -> None:
        while (found := self.buffer.find(ASKED, self._looked)) >= 0:
            start = self.buffer.rindex(HEADER, 0, found)
            end = self.end_of(start)
            if end is None:
                return
            asked = json.loads(self.buffer[self.buffer.index(b"\r\n\r\n", start) + 4 : end])
            self.send({"id": asked["id"], "result": None})
            self._looked = end
        self._looked = max(self._looked, len(self.buffer) - len(ASKED))

    def close(self) -> None:
        try:
            if self.process.poll() is None:
                self.answer(self.request("shutdown", None))
                self.notify("exit", None)
        except OSError:  # it has gone by itself
            pass
        finally:
            super().close()


class BarePygls(LanguageServer):
    """A server of pygls with nothing in it."""

    def __init__(self, place: Place) -> None:
        program = str(Path(__file__).with_name("bare_server.py"))
        super().__init__(
            [sys.executable, program], place.root, place.environment(), place.root.parent / "bare"
        )


class Ours(LanguageServer, Agent):
    """`steersman serve`, with its event stream. Nobody is asked: the folder is trusted, the mode is full-auto."""

    options = {"steersman": {"version": "1", "eventToken": EVENTS}}  # noqa: RUF012 - never changed

    def __init__(self, place: Place, url: str, session: str | None = None) -> None:
        model = {"STEERSMAN_MODEL": "openai-chat:bench", "STEERSMAN_BASE_URL": url, "STEERSMAN_API_KEY": "x"}
        super().__init__(COMMAND, place.root, place.environment(**model), place.root.parent / "stderr")
        self.session = session
        self._begins = self._ends = 0
        self._start: int | None = None
        self._run = ""

    def command(self, name: str, **argument: Any) -> int:
        params = {"command": f"steersman.{name}", "arguments": [argument] if argument else []}
        return self.request("workspace/executeCommand", params)

    def prompt(self, text: str) -> None:
        self._learn()
        self._begins = len(self.buffer)
        named = {} if self.session is None else {"session": self.session}
        budget = {"turns": 10_000}
        self._start = self.command("start", prompt=text, mode="full-auto", budget=budget, **named)

    def glance(self) -> None:
        new = self._looked
        super().glance()
        if self._start is not None and self.buffer.find(b'"id":%d,"error":' % self._start, new) >= 0:
            self._learn()

    def _learn(self) -> None:
        """Takes the answer to the last `start`, if it has not been taken."""
        if self._start is not None:
            answer = self.answer(self._start)
            if "error" in answer:
                raise self.wrong(f"start was answered {answer['error']}")
            self.session, self._run, self._start = answer["result"]["session"], answer["result"]["run"], None

    def first_delta(self) -> float:
        self.find(b'"type":"message_update"', self._begins)
        return time.perf_counter()

    def settled(self, *, gather: bool = False) -> float:
        found = self.find(b'"type":"agent_end"', self._begins, gather=gather)
        start = self.buffer.rindex(HEADER, self._begins, found)
        while (end := self.end_of(start)) is None:
            self.fill()
        self._ends = end
        return time.perf_counter()

    def abort(self) -> float:
        self._learn()
        number = self.command("abort", run=self._run)
        ended = self.settled()
        self.answer(number)
        return ended

    def outcome(self) -> Outcome:
        characters = succeeded = 0
        stop = ""
        for event in self.events():
            data = event["data"]
            if event["type"] == "message_end" and data.get("role") == "assistant":
                characters += sum(len(part["text"]) for part in data["content"] if part["type"] == "text")
            elif event["type"] == "tool_execution_end":
                succeeded += not data["isError"]
            elif event["type"] == "agent_end":
                stop = data["stopReason"]
        return Outcome(characters, succeeded, stop, self._ends - self._begins)

    def events(self) -> Iterator[dict[str, Any]]:
        """The durable events of the last run."""
        self._learn()
        at = self._begins
        while at < self._ends:
            end = self.end_of(at)
            assert end is not None
            if b'"seq":' in self.buffer[at:end]:
                yield json.loads(self.buffer[self.buffer.index(b"\r\n\r\n", at) + 4 : end])["params"]["value"]
            at = end
