"""A client that negotiated `approval` and nothing else: its own face for questions."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from steersman.lsp.schema import json_schema
from support.json_schema import faults
from support.lsp_client import PATIENCE, AnsweredWithError
from support.lsp_workspace import Desk, desk

METHOD = "steersman/requestApproval"
ONLY_THIS = {"initializationOptions": {"steersman": {"version": "1", "approval": True}}}
SCHEMA = json_schema()


@dataclass
class Requested:
    """A question on the client's own screen."""

    params: dict[str, Any]
    _answer: asyncio.Future[Any]

    def reply(self, result: Any) -> None:
        self._answer.set_result(result)

    def fail(self, code: int) -> None:
        self._answer.set_exception(AnsweredWithError({"code": code, "message": "can't"}))

    def decide(self, decision: str, **more: Any) -> None:
        given = {"decision": decision, **more}
        assert faults(given, {"$ref": "#/$defs/ApprovalAnswer"}, SCHEMA) == []
        self.reply(given)

    @property
    def change(self) -> dict[str, Any]:
        (change,) = self.params["changes"]
        return change

    @property
    def hunks(self) -> list[str]:
        return [hunk["id"] for hunk in self.change["hunks"]]


class Face:
    """The client's face for questions. What it is asked is as the schema says."""

    def __init__(self, it: Desk) -> None:
        self.it = it
        self._asked: asyncio.Queue[Requested] = asyncio.Queue()
        it.client.on_request(METHOD, self._ask)

    def _ask(self, params: dict[str, Any]) -> Any:
        assert faults(params, {"$ref": "#/$defs/ApprovalRequest"}, SCHEMA) == []
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait(Requested(params, future))
        return future

    async def next(self) -> Requested:
        async with asyncio.timeout(PATIENCE):
            return await self._asked.get()

    async def resolved(self) -> list[dict[str, Any]]:
        """The data of every `approval_resolved` of the only session."""
        (session,) = (await self.it.command("status"))["sessions"]
        events = (await self.it.command("events", session["session"]))["events"]
        return [event["data"] for event in events if event["type"] == "approval_resolved"]

    def told(self) -> str:
        """What the model was told of its last call."""
        return self.it.model.requests[-1].messages[-1].text

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.it.client.of_method(METHOD)

    @property
    def pickers(self) -> list[dict[str, Any]]:
        return self.it.client.of_method("window/showMessageRequest")


@asynccontextmanager
async def at_desk(base, *responses, **options):
    async with desk(base, *responses, **{**ONLY_THIS, **options}) as it:
        yield it, Face(it)
