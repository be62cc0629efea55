"""Loads the extensions that the user has enabled by name, from entry points, once for each server.

To be installed is not enough: what an agent works on is often installed beside it, and no workspace may bring code into
the server. Where nothing is enabled, nothing is looked for.
"""

import logging
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from steersman.extensions import Command, Extension
from steersman.workspace.roots import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

log = logging.getLogger(__name__)

GROUP: Final = "steersman.extensions"
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")

Find = Callable[[], Iterable["EntryPoint"]]


@dataclass(frozen=True, slots=True)
class LoadedExtension:
    name: str
    kind: type[Extension]
    version: str | None = None
    """Of the package that brings it."""

    @property
    def hooks(self) -> list[str]:
        """What it overrides."""
        return [name for name in vars(Extension) if name in _HOOKS and overrides(self.kind, name)]


@dataclass(frozen=True, slots=True)
class Extensions:
    """A server's extensions, in the order in which they are called."""

    loaded: tuple[LoadedExtension, ...] = ()
    problems: tuple[str, ...] = ()
    """Why others are left out, for a person."""

    @classmethod
    def of(cls, loaded: Iterable[LoadedExtension], problems: Iterable[str] = ()) -> "Extensions":
        return cls(tuple(sorted(loaded, key=lambda it: (it.kind.order, it.name))), tuple(problems))


_HOOKS: Final = frozenset(
    name for name, value in vars(Extension).items() if callable(value) and not name.startswith("_")
)


def overrides(kind: type[Extension], hook: str) -> bool:
    return getattr(kind, hook) is not getattr(Extension, hook)


def installed() -> "Iterable[EntryPoint]":
    """What the packages beside Steersman offer. Looking through them takes tens of milliseconds."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - only where something is enabled

    return entry_points(group=GROUP)


def load_extensions(names: Sequence[str], find: Find = installed) -> Extensions:
    """The enabled extensions. One that can't be used is left out and named; the rest must work."""
    if not names:
        return Extensions()
    loaded: list[LoadedExtension] = []
    problems: list[str] = []
    points = list(find())
    for name in dict.fromkeys(names):
        try:
            loaded.append(_load(name, [point for point in points if point.name == name]))
        except _Unusable as fault:
            problems.append(f"The extension {printable(name)} is left out: {fault}")
    return Extensions.of(loaded, problems)


class _Unusable(Exception):
    """The text says why, for a person."""


def _load(name: str, points: "Sequence[EntryPoint]") -> LoadedExtension:
    if not _NAME.fullmatch(name):
        raise _Unusable("a name has letters, digits, _ and -, a letter first.")
    if not points:
        raise _Unusable("no installed package offers it. steersman doctor lists those that there are.")
    if len({point.value for point in points}) > 1:
        offered = ", ".join(sorted(_package(point) for point in points))
        raise _Unusable(f"several packages offer it: {offered}. Uninstall all but one.")
    point = points[0]
    try:
        with redirect_stdout(sys.stderr):  # standard output is a protocol, or what a script reads
            kind = point.load()
    except Exception as error:
        log.exception("the extension %s could not be loaded", name)
        raise _Unusable(f"loading it failed with {type(error).__name__}; the log says how.") from error
    if not (isinstance(kind, type) and issubclass(kind, Extension)):
        raise _Unusable(f"{point.value} is no subclass of steersman.extensions.Extension.")
    if fault := _commands_fault(kind.commands):
        raise _Unusable(fault)
    return LoadedExtension(name, kind, point.dist.version if point.dist else None)


def _commands_fault(commands: Sequence[Command]) -> str | None:
    if not all(isinstance(command, Command) for command in commands):
        return "its commands are not all of type Command."
    names = [command.name for command in commands]
    bad = next((name for name in names if not _NAME.fullmatch(name)), None)
    if bad is not None:
        return f"its command {printable(bad)} has no usable name."
    if any("session" in command.params.model_fields for command in commands):
        return "a command's params have a field named session, which says which session is meant."
    return "two of its commands have the same name." if len(set(names)) < len(names) else None


def what_it_adds(loaded: LoadedExtension) -> str:
    """For a person: `plan 0.1.0: prepare_run, should_stop_after_turn; commands: show`."""
    hooks = ", ".join(loaded.hooks) or "no hooks"
    commands = ", ".join(command.name for command in loaded.kind.commands)
    version = f" {loaded.version}" if loaded.version else ""
    return f"{loaded.name}{version}: {hooks}" + (f"; commands: {commands}" if commands else "")


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else point.value
