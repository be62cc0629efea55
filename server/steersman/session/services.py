"""What all sessions of one server share."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.clock import Clock, SystemClock
from steersman.agent.config import random_id
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.models.provider import ModelFacts
from steersman.session.approvals import Approvals
from steersman.session.extensions import Extensions
from steersman.session.home import Home
from steersman.session.journal import EventBus
from steersman.session.limits import Limits
from steersman.session.log import SessionLog
from steersman.session.offers import Offers
from steersman.session.pointing import Diagnostic, EditorState
from steersman.session.retry import RetryPolicy
from steersman.session.run import RunState
from steersman.session.settings import Settings
from steersman.session.trust import TrustStore
from steersman.tools.changing import Amend, unchanged
from steersman.tools.ledger import ReadLedger
from steersman.workspace.ports import KeepPreImage, Workspace
from steersman.workspace.roots import Roots

if TYPE_CHECKING:
    from steersman.models.routes import Route

ModelFactory = Callable[[str], Model]
"""The model of `PROVIDER:NAME`; raises Refused (unknownModel, noCredentials)."""

WorkspaceFactory = Callable[[Roots, KeepPreImage], Workspace]
"""The files of one session, which calls the hook before each change."""


@dataclass(frozen=True, slots=True)
class ToolSetting:
    """What the tools of one session are made with."""

    session: str
    workspace: Workspace
    live_run: Callable[[], str | None]
    """The id of the run that the tools work for; None between runs."""
    set_state: Callable[[RunState], None]
    """Tells what the live run is doing, for a tool that waits for the user. Does nothing between runs."""
    ledger: ReadLedger = field(default_factory=ReadLedger)
    """What the session has seen of each file."""
    withholds_output: bool = False
    """What commands write may be kept only as results: an extension redacts those."""
    amend: Amend = unchanged
    """Amends a change of a text before anybody is asked about it."""


ToolFactory = Callable[[ToolSetting], Sequence[Tool]]
"""The tools of one session."""


ModelList = Callable[[str | None, str | None], Awaitable[Offers]]
"""Raises ModelConfigError: there is no such provider."""


async def _nothing_to_close() -> None:
    return


async def _no_models(provider: str | None, configured: str | None) -> Offers:
    return Offers(configured, ())


async def _no_editor() -> None:
    return


async def _nothing_to_prepare(_: str) -> None:
    return


@dataclass(slots=True)
class Services:
    home: Home
    settings: Settings
    approvals: Approvals
    trust: TrustStore
    make_model: ModelFactory
    make_workspace: WorkspaceFactory
    make_tools: ToolFactory
    editor_state: Callable[[], Awaitable[EditorState | None]] = _no_editor
    """What the user's editor shows now; None where the face doesn't know."""
    diagnostics: Callable[[], Sequence[Diagnostic]] = lambda: ()
    """What the editor's language servers find now."""
    prepare_model: Callable[[str], Awaitable[None]] = _nothing_to_prepare
    """Gets ready what a model needs and what would block `make_model`. Raises Refused as that does."""
    facts: Callable[[str], ModelFacts] = lambda _: ModelFacts()
    """What is known of the model of `PROVIDER:NAME`."""
    route: "Callable[[str], Route | None]" = lambda _: None
    """Where requests to the model of `PROVIDER:NAME` go; None for a tape, or an unknown model."""
    window: Callable[[str], int | None] = lambda _: None
    """Tokens that the model takes, where the settings don't say it and somebody else does."""
    model_used: Callable[[str], None] = lambda _: None
    """Called when the model has answered."""
    list_models: ModelList = _no_models
    """The models that there are: of all providers, or of one; the second argument is the model of new runs."""
    takes_images: Callable[[str], bool] = lambda _: True
    """Whether the model of `PROVIDER:NAME` is sent images; else it gets words in their place."""
    extensions: Extensions = field(default_factory=Extensions)
    trusts_all: bool = False
    """`--trust`: the folders of this process are trusted."""
    trusts_none: bool = False
    """No folder is trusted, whatever the user said before, and nobody is asked. It overrules `trusts_all`."""
    log_class: type[SessionLog] = SessionLog
    """How logs are written."""
    kill_commands: Callable[[], None] = lambda: None
    """Kills every command that still runs: for a server that ends and has waited long enough."""
    close_models: Callable[[], Awaitable[None]] = _nothing_to_close
    """Gives up what is being asked of providers, and closes their connections."""
    keep_logs: bool = True
    """False: `--no-session`, nothing of a session is written."""
    bus: EventBus = field(default_factory=EventBus)
    limits: Limits = field(default_factory=Limits)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = field(default_factory=SystemClock)
    now: Callable[[], float] = time.time
    """Seconds since 1970, UTC."""
    new_id: Callable[[str], str] = random_id

    def thinks(self, spec: str) -> bool:
        """Whether the model takes a thinking level, as far as is known."""
        return self.facts(spec).thinking is not False

    def log_path(self, session: str) -> Path:
        return self.home.sessions / f"{session}.jsonl"
