"""Puts a server's parts together: settings, models, tools, files. The faces add how to ask and how to show."""

import atexit
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from steersman.agent.clock import Clock, SystemClock
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.models.catalog import resolve_model
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.http import close_shared_client
from steersman.models.vision import takes_images
from steersman.session.approvals import Approvals, Approver
from steersman.session.errors import Refused
from steersman.session.extensions import Extensions, load_extensions
from steersman.session.home import Home
from steersman.session.limits import Limits
from steersman.session.services import Services, ToolFactory, ToolSetting
from steersman.session.settings import WITHHELD_VARIABLES, Settings, SettingsError
from steersman.session.trust import TrustStore
from steersman.tools.bash import CommandSettings
from steersman.tools.registry import standard_tools
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import SearchError
from steersman.workspace.globs import GlobError
from steersman.workspace.guard import Guard
from steersman.workspace.locks import LockTable
from steersman.workspace.ports import KeepPreImage, Workspace
from steersman.workspace.process import ProcessLimits
from steersman.workspace.roots import Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.search import Ripgrep, find_ripgrep

NO_MODEL = (
    "No model is configured. Set STEERSMAN_MODEL to openai-chat:NAME or anthropic:NAME, with STEERSMAN_BASE_URL for "
    "a server of your own (such as http://127.0.0.1:8080/v1) and STEERSMAN_API_KEY where it wants a key; or set model, "
    "base_url and api_key in {config}. To see a run without any model: steersman demo."
)

OverDisk = Callable[[DiskWorkspace, KeepPreImage], Workspace]
"""Puts an editor's open buffers before the disk."""


@dataclass(slots=True)
class _Parts:
    """What sessions share below the services."""

    rules: PathRules
    commands: CommandSettings
    locks: LockTable = field(default_factory=LockTable)


def build_services(
    home: Home,
    settings: Settings,
    *,
    approver: Approver | None,
    over_disk: OverDisk | None = None,
    more_tools: ToolFactory = lambda _: (),
    limits: Limits | None = None,
    clock: Clock | None = None,
    trusts_all: bool = False,
    keep_logs: bool = True,
    extensions: Extensions | None = None,
) -> Services:
    """Everything that a `SessionManager` needs. `approver=None`: nobody can be asked. `more_tools` come after the
    built-in ones. `extensions`: in place of those that the settings enable.

    Raises:
        SettingsError: a pattern in the settings can't be used.
    """
    home.make()
    limits = limits or Limits()
    guard = Guard()
    atexit.register(guard.close)
    parts = _Parts(
        rules=_rules(home, settings),
        commands=CommandSettings(
            guard=guard,
            spill_dir=home.outputs,
            without=WITHHELD_VARIABLES,
            limits=ProcessLimits(grace=limits.grace),
        ),
    )

    ripgrep = _ripgrep()

    def make_workspace(roots: Roots, keep: KeepPreImage) -> Workspace:
        disk = DiskWorkspace(roots, parts.rules, locks=parts.locks, keep_preimage=keep)
        return over_disk(disk, keep) if over_disk else disk

    def make_tools(setting: ToolSetting) -> Sequence[Tool]:
        commands = replace(parts.commands, spill_dir=None) if setting.withholds_output else parts.commands
        standard = standard_tools(
            setting.workspace,
            ledger=setting.ledger,
            commands=commands,
            ripgrep=ripgrep,
            amend=setting.amend,
        )
        return [*standard, *more_tools(setting)]

    return Services(
        home=home,
        settings=settings,
        approvals=Approvals(approver),
        trust=TrustStore(home),
        make_model=model_factory(home, settings),
        make_workspace=make_workspace,
        make_tools=make_tools,
        takes_images=lambda spec: _takes_images(spec, settings),
        extensions=load_extensions(settings.extensions) if extensions is None else extensions,
        trusts_all=trusts_all,
        kill_commands=guard.close,
        close_models=close_shared_client,
        keep_logs=keep_logs,
        limits=limits,
        clock=clock or SystemClock(),
    )


def model_factory(home: Home, settings: Settings) -> Callable[[str], Model]:
    """Makes the model of `PROVIDER:NAME`; it raises Refused (unknownModel, noCredentials)."""

    def make_model(spec: str) -> Model:
        if not spec:
            raise Refused("unknownModel", NO_MODEL.format(config=home.config))
        try:
            return resolve_model(spec, settings.base_url, settings.usable_key, images=settings.images)
        except MissingKey as error:
            raise Refused("noCredentials", str(error)) from None
        except ModelConfigError as error:
            raise Refused("unknownModel", str(error)) from None

    return make_model


def _takes_images(spec: str, settings: Settings) -> bool:
    provider, _, name = spec.partition(":")
    return takes_images(provider, name) if settings.images is None else settings.images


def _rules(home: Home, settings: Settings) -> PathRules:
    try:
        return PathRules.of(deny=settings.deny, protect=settings.protect)
    except GlobError as error:
        raise SettingsError(f"{home.config}: deny or protect: {error}") from None


def _ripgrep() -> Ripgrep:
    """Without ripgrep a session still works: find and grep then say what is missing."""
    try:
        return find_ripgrep()
    except SearchError:
        return Ripgrep(Path("rg"))
