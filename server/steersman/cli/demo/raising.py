"""The scene of a tool that raises. It is played in this process, since a server has no such tool."""

import asyncio
import json
import logging
from dataclasses import replace
from pathlib import Path

from steersman.agent.tool import ToolContext, ToolResult
from steersman.cli.demo.client import PATIENCE, Json
from steersman.cli.demo.processes import Place
from steersman.cli.demo.record import Record, RecordingTape
from steersman.session.compose import build_services
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.tools.base import BaseTool
from steersman.tools.schema import Arguments
from steersman.workspace.roots import Roots


class _DeploymentArguments(Arguments):
    stage: str


class _DeploymentTool(BaseTool[_DeploymentArguments]):
    name = "deployment"
    description = "Which version is deployed at a stage."
    arguments = _DeploymentArguments

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    async def execute(self, args: _DeploymentArguments, context: ToolContext) -> ToolResult:
        raise RuntimeError(f"https://deploy.example/{args.stage}?{self._secret} answered 500")


async def play_raising(record: Record, place: Place, model: RecordingTape) -> None:
    """Plays the scene, and looks for the secret in everything that was stored, shown or sent."""
    home, secret = Home(place.home), record.scene.secret or ""
    services = build_services(
        home,
        Settings(model="tape:demo"),
        approver=None,
        more_tools=lambda _: (_DeploymentTool(secret),),
    )
    services = replace(services, make_model=lambda _: model)
    services.bus.listen(lambda event: record.events.append(_event(event.line)))
    manager = SessionManager(services)
    log = logging.getLogger("steersman")
    handler = logging.FileHandler(place.log, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    propagate, log.propagate = log.propagate, False
    try:
        run = await manager.start(StartRequest(record.scene.prompt, Roots([place.workspace])))
        run.release()
        async with asyncio.timeout(PATIENCE):
            await run.wait()
    finally:
        await manager.close()
        log.propagate = propagate
        log.removeHandler(handler)
        handler.close()
    record.requests = model.requests
    leaks = _leaks(record, place.home, secret)
    if secret not in place.log.read_text("utf-8"):
        leaks.append("the application log does not have the exception")
    record.problems += leaks
    if not leaks:
        record.notes.append(
            "the secret is in the application log; it is not in the events, the session's files or the model's requests"
        )


def _event(line: bytes) -> Json:
    event: Json = json.loads(line)
    return event


def _leaks(record: Record, home: Path, secret: str) -> list[str]:
    places = {"the events": repr(record.events), "the model's requests": repr(record.requests)}
    for path in home.rglob("*"):
        if path.is_file():
            places[f"{path.relative_to(home)}"] = path.read_text("utf-8", "replace")
    return [f"the secret is in {name}" for name, text in places.items() if secret in text]
