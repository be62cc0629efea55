"""Puts a server's parts together: settings, models, tools, files. The faces add how to ask and how to show."""

import asyncio
import atexit
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from steersman.agent.clock import Clock, SystemClock
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.models.catalog import Catalog
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.http import close_shared_client
from steersman.session.approvals import Approvals, Approver
from steersman.session.catalog import catalog_of, withheld_variables
from steersman.session.errors import Refused
from steersman.session.extensions import Extensions, load_extensions
from steersman.session.facts_cache import FactsCache
from steersman.session.home import Home
from steersman.session.limits import Limits
from steersman.session.model_facts import KnownFacts
from steersman.session.offers import Offers
from steersman.session.services import Services, ToolFactory, ToolSetting
from steersman.session.settings import Settings, SettingsError
from steersman.session.trust import TrustStore
from steersman.tools.bash import CommandSettings
from steersman.tools.registry import standard_tools
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import SearchError
from steersman.workspace.globs import GlobError
from steersman.workspace.guard import Guard
from steersman.workspace.locks import LockTable
from steersman.workspace.own_folder import withholding
from steersman.workspace.ports import KeepPreImage, Workspace
from steersman.workspace.process import ProcessLimits
from steersman.workspace.roots import Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.search import Ripgrep, find_ripgrep

NO_MODEL = (
    "No model is configured. Name one in STEERSMAN_MODEL, or as model in {config}: PROVIDER:NAME, such as openai:NAME "
    "or ollama:NAME; steersman models lists what you can use, and what the rest needs. For a server of your own: "
    "openai-chat:NAME, with STEERSMAN_BASE_URL, and STEERSMAN_API_KEY where it wants a key. To see a run without any "
    "model: steersman demo."
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
    built-in ones. `extensions` replace those that the settings enable.

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
            limits=ProcessLimits(grace=limits.grace),
        ),
    )

    ripgrep, catalog = _ripgrep(), catalog_of(home, settings)
    cache = FactsCache(home.model_facts)
    known = KnownFacts(catalog, cache)

    async def list_models(provider: str | None, configured: str | None) -> Offers:
        from steersman.session.model_list import ModelLister  # noqa: PLC0415 - when somebody asks

        lister = ModelLister(catalog, settings, cache, str(home.config))
        return await lister.offers(provider, configured=configured)

    def make_workspace(roots: Roots, keep: KeepPreImage) -> Workspace:
        rules = withholding(parts.rules, home.root, roots.folders)
        disk = DiskWorkspace(roots, rules, locks=parts.locks, keep_preimage=keep)
        return over_disk(disk, keep) if over_disk else disk

    def make_tools(setting: ToolSetting) -> Sequence[Tool]:
        withheld = withheld_variables(catalog)
        commands = replace(parts.commands, without=withheld)
        if setting.withholds_output:
            commands = replace(commands, spill_dir=None)
        standard = standard_tools(
            setting.workspace,
            ledger=setting.ledger,
            commands=commands,
            ripgrep=replace(ripgrep, env={key: os.environ[key] for key in os.environ.keys() - withheld}),
            amend=setting.amend,
        )
        return [*standard, *more_tools(setting)]

    return Services(
        home=home,
        settings=settings,
        approvals=Approvals(approver),
        trust=TrustStore(home),
        make_model=model_factory(home, settings, catalog),
        prepare_model=model_preparer(catalog, lambda: no_model(home, settings)),
        facts=known.facts,
        window=known.window,
        model_used=known.used,
        list_models=list_models,
        route=catalog.route_if_known,
        make_workspace=make_workspace,
        make_tools=make_tools,
        takes_images=lambda spec: spec.startswith("tape:") or bool(known.facts(spec).images),
        extensions=load_extensions(settings.extensions) if extensions is None else extensions,
        trusts_all=trusts_all,
        kill_commands=guard.close,
        close_models=lambda: _close_models(known),
        keep_logs=keep_logs,
        limits=limits,
        clock=clock or SystemClock(),
    )


def model_factory(home: Home, settings: Settings, catalog: Catalog | None = None) -> Callable[[str], Model]:
    """Makes the model of `PROVIDER:NAME`; it raises Refused (unknownModel, noCredentials). `catalog`: in place of the
    one that the settings make."""
    catalog = catalog or catalog_of(home, settings)

    def make_model(spec: str) -> Model:
        if not spec:
            raise Refused("unknownModel", NO_MODEL.format(config=home.config))
        with _refusing():
            return catalog.model(spec)

    return make_model


def model_preparer(
    catalog: Catalog, without: Callable[[], Awaitable[str]]
) -> Callable[[str], Awaitable[None]]:
    """Gets the key of a model ready before the model is asked; it raises Refused (unknownModel, noCredentials).
    `without` says what to do where no model is named."""

    async def prepare(spec: str) -> None:
        if not spec:
            raise Refused("unknownModel", await without())
        with _refusing():
            if catalog.has_command(spec):
                await asyncio.to_thread(catalog.prepare, spec)

    return prepare


async def no_model(home: Home, settings: Settings) -> str:
    """What to do where no model is configured. None is chosen, but the one that runs on this machine is named."""
    from steersman.session.model_list import lister_of  # noqa: PLC0415 - it goes no further anyway

    text = NO_MODEL.format(config=home.config)
    setting = await lister_of(home, settings).to_begin_with()
    return text if setting is None else f"{text} One model is loaded on this machine. To use it: {setting}"


async def _close_models(known: KnownFacts) -> None:
    await known.close()
    await close_shared_client()


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except MissingKey as error:
        raise Refused("noCredentials", str(error)) from None
    except ModelConfigError as error:
        raise Refused("unknownModel", str(error)) from None


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
