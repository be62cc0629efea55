"""The whole language server in the test's process: a real workspace folder, a scripted model, a clock that stands
still, and a client that asks, answers and edits."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steersman.lsp.server import SteersmanServer
from steersman.models.errors import ModelConfigError
from steersman.models.provider import ModelFacts, Price
from steersman.session.extensions import Extensions
from steersman.session.home import Home
from steersman.session.limits import Limits
from steersman.session.offers import Offer, OfferedModel, Offers
from steersman.session.settings import Settings
from support.editor_client import EditorClient
from support.lsp_client import PATIENCE, AnsweredWithError, LspClient, serving
from support.manual_clock import ManualClock, settle
from support.scripted_model import ScriptedModel, Step, Stream, answer, call

LIMITS = Limits(
    show_document=1.5,
    create_progress=2.5,
    save=4.5,
    open_documents=2.2,
    listed=0.9,
    problems=1.2,
    problems_quiet=0.1,
)
"""No two waits are the same, so that a test can let one of them pass."""
EVENTS = "events-of-the-test"
"""The progress token that rich clients name."""
WORKSPACE = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
WINDOW = {"workDoneProgress": True, "showDocument": {"support": True}}
TEXTS = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}}}}


class WatchedClock(ManualClock):
    """A test can wait until somebody sleeps for a certain time, and then let it pass."""

    def __init__(self) -> None:
        super().__init__()
        self._asleep: list[float] = []
        self._changed = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self._asleep.append(seconds)
        self._changed.set()
        try:
            await super().sleep(seconds)
        finally:
            self._asleep.remove(seconds)

    async def until_asleep(self, seconds: float, *, sleepers: int = 1) -> None:
        """Returns when so many sleep for this many seconds."""
        async with asyncio.timeout(PATIENCE):
            while sum(abs(seconds - asleep) < 1e-6 for asleep in self._asleep) < sleepers:
                self._changed.clear()
                await self._changed.wait()

    async def let_pass(self, seconds: float, *, sleepers: int = 1) -> None:
        """Waits until so many sleepers of this many seconds are there, and moves the time on by them."""
        await self.until_asleep(seconds, sleepers=sleepers)
        self.advance(seconds + 1e-6)


@dataclass
class Asked:
    """A question on the client's screen."""

    message: str
    titles: list[str]
    _answer: asyncio.Future[Any]

    def choose(self, title: str) -> None:
        self.reply({"title": title})

    def reply(self, result: Any) -> None:
        """Answers with anything."""
        self._answer.set_result(result)

    def fail(self, code: int = -32603) -> None:
        self._answer.set_exception(AnsweredWithError({"code": code, "message": "can't"}))


@dataclass
class Desk:
    """One user at one editor."""

    server: SteersmanServer
    client: LspClient
    editor: EditorClient
    root: Path
    home: Home
    clock: WatchedClock
    model: ScriptedModel
    questions: "asyncio.Queue[Asked]" = field(default_factory=asyncio.Queue)

    def put(self, name: str, content: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    # Commands

    async def command(self, name: str, *arguments: Any) -> Any:
        return await self.client.command(f"steersman.{name}", *arguments)

    async def heard(self) -> None:
        """Returns when the server has taken in, and acted upon, all that the client has sent."""
        await self.command("status")
        await settle()

    async def code_actions(self, uri: str, **context: Any) -> list[dict[str, Any]]:
        here = {"line": 0, "character": 0}
        span = {"start": here, "end": here}
        params = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": [], **context}}
        return await self.client.request("textDocument/codeAction", params)

    async def start(self, prompt: str = "go", **params: Any) -> str:
        """Starts a run; returns its id."""
        started = await self.command("start", {"prompt": prompt, **params})
        return started["run"]

    # What comes

    async def next_question(self) -> Asked:
        async with asyncio.timeout(PATIENCE):
            return await self.questions.get()

    async def ended(self, run: str) -> dict[str, Any]:
        """The data of the run's agent_end (for a client with an event token)."""
        message = await self.client.wait_for(
            lambda m: _event(m) is not None and _event(m)["type"] == "agent_end" and _event(m)["run"] == run
        )
        return _event(message)["data"]

    async def floor_ended(self, run: str) -> str:
        """The message of the end of its work-done progress."""
        await self.client.wait_for(
            lambda m: is_progress(m, f"steersman/{run}") and m["params"]["value"]["kind"] == "end"
        )
        return self.progress(run)[-1]["message"]

    async def has_heard(self, method: str, *, times: int) -> None:
        """Returns when the client has got that many messages of a method."""
        await self.client.wait_for(lambda _: len(self.client.of_method(method)) >= times)

    async def event(self, kind: str, *, number: int = 1) -> dict[str, Any]:
        """The data of the number-th event of a type, when it has come."""
        await self.client.wait_for(lambda _: len(self.events(kind)) >= number)
        return self.events(kind)[number - 1]["data"]

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = [event for message in self.client.received if (event := _event(message)) is not None]
        return [event for event in found if kind is None or event["type"] == kind]

    def progress(self, run: str) -> list[dict[str, Any]]:
        """The values of the run's work-done progress."""
        token = f"steersman/{run}"
        return [m["params"]["value"] for m in self.client.received if is_progress(m, token)]

    def results(self) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events("tool_execution_end")]

    def result_texts(self) -> list[str]:
        return ["".join(block["text"] for block in data["content"]) for data in self.results()]

    def hashes(self) -> dict[str, str]:
        return tree_hashes(self.root)

    def _ask(self, params: dict[str, Any]) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        titles = [action["title"] for action in params["actions"]]
        self.questions.put_nowait(Asked(params["message"], titles, future))
        return future


def _event(message: dict[str, Any]) -> dict[str, Any] | None:
    return message["params"]["value"] if is_progress(message, EVENTS) else None


def is_progress(message: dict[str, Any], token: str) -> bool:
    return message.get("method") == "$/progress" and message["params"]["token"] == token


def tree_hashes(root: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def edit_call(path: str, old: str, new: str) -> call:
    return call("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


def edits(path: str, *pairs: tuple[str, str]) -> list[Sequence[Step]]:
    """Responses: one that edits, and a closing word."""
    items = [{"oldText": old, "newText": new} for old, new in pairs]
    return [answer("", call("edit", {"path": path, "edits": items})), answer("done")]


async def listed(provider: str | None, configured: str | None) -> Offers:
    """What models there are at every desk: nobody is asked."""
    if provider not in (None, "test", "other"):
        raise ModelConfigError(f"Unknown provider {provider!r}.")
    facts = ModelFacts(65_536, 8192, images=True, thinking=False, price=Price(3, 15, 0.3))
    offers = [
        Offer("test", "Test", True, True, "127.0.0.1:1", [OfferedModel("m", "test:m", facts, True)], 2),
        Offer("other", "Other", False, problem="No API key.", mend="Set OTHER_API_KEY."),
    ]
    return Offers(configured, [each for each in offers if provider in (None, each.provider)])


@asynccontextmanager
async def desk(
    base: Path,
    *responses: Sequence[Step] | Stream,
    rich: bool = True,
    trusted: bool = True,
    mode: str = "ask",
    encoding: str = "utf-16",
    versioned: bool = True,
    workspace: dict[str, Any] | None = None,
    window: dict[str, Any] | None = None,
    folders: Sequence[Path] | None = None,
    initialize: bool = True,
    connect: Callable[..., Any] = serving,
    editor: type[EditorClient] = EditorClient,
    extensions: Extensions | None = None,
    **params: Any,
) -> AsyncIterator[Desk]:
    """A server with an initialised client. `rich`: the client names an event token; else it knows the floor only.

    `workspace` and `window` replace these parts of its capabilities, `folders` its one workspace folder.
    `connect` is the way between them: `in_memory.connected`, in place of pipes. `editor` is what the client is made of.
    """
    root = base / "ws"
    root.mkdir(exist_ok=True)
    home, clock, model = Home(base / "home"), WatchedClock(), ScriptedModel(*responses)
    server = SteersmanServer(home, Settings(model=model.id, mode=mode), LIMITS, clock, extensions=extensions)
    server.services.make_model = lambda spec: model
    server.services.list_models = listed
    server.services.trusts_all = trusted
    async with connect(server.rpc, on_stop=server.stop) as served:
        client = served.client
        it = Desk(
            server,
            client,
            editor(client, encoding=encoding, versioned=versioned),
            root,
            home,
            clock,
            model,
        )
        client.on_request("window/showMessageRequest", it._ask)
        client.on_request("window/workDoneProgress/create", lambda _: None)
        if initialize:
            await client.initialize(
                **{
                    "capabilities": {
                        "general": {"positionEncodings": [encoding]},
                        "workspace": WORKSPACE if workspace is None else workspace,
                        "window": WINDOW if window is None else window,
                        "textDocument": TEXTS,
                    },
                    "initializationOptions": {"steersman": {"version": "1", "eventToken": EVENTS}}
                    if rich
                    else {},
                    "workspaceFolders": [
                        {"name": path.name, "uri": path.as_uri()}
                        for path in ([root] if folders is None else folders)
                    ],
                    **params,
                }
            )
        yield it
