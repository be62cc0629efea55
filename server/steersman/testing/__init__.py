"""For tests of what an agent does in a workspace: a pytest plugin, and the names that such tests are written with.

pytest loads this package in every project that has Steersman installed, so it imports nothing before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steersman.agent.config import Budget
    from steersman.testing.agent import Agent
    from steersman.testing.asked import (
        Asked,
        Command,
        Conflict,
        Create,
        Delete,
        Edit,
        Move,
        Outside,
        Protected,
        Trust,
    )
    from steersman.testing.commands import Ran
    from steersman.testing.errors import RunMismatch, ScriptError
    from steersman.testing.moments import Event, Live, after
    from steersman.testing.repeat import CannotRepeat, session_to_test, to_test
    from steersman.testing.requests import Request
    from steersman.testing.result import Result
    from steersman.testing.trees import Link, Tree
    from steersman.testing.turns import call, failure, script, tape, turn

_PLACES = {
    "steersman.agent.config": ("Budget",),
    "steersman.testing.agent": ("Agent",),
    "steersman.testing.asked": (
        "Asked",
        "Command",
        "Conflict",
        "Create",
        "Delete",
        "Edit",
        "Move",
        "Outside",
        "Protected",
        "Trust",
    ),
    "steersman.testing.commands": ("Ran",),
    "steersman.testing.errors": ("RunMismatch", "ScriptError"),
    "steersman.testing.moments": ("Event", "Live", "after"),
    "steersman.testing.requests": ("Request",),
    "steersman.testing.result": ("Result",),
    "steersman.testing.repeat": ("CannotRepeat", "session_to_test", "to_test"),
    "steersman.testing.trees": ("Link", "Tree"),
    "steersman.testing.turns": ("call", "failure", "script", "tape", "turn"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Agent",
    "Asked",
    "Budget",
    "CannotRepeat",
    "Command",
    "Conflict",
    "Create",
    "Delete",
    "Edit",
    "Event",
    "Link",
    "Live",
    "Move",
    "Outside",
    "Protected",
    "Ran",
    "Request",
    "Result",
    "RunMismatch",
    "ScriptError",
    "Tree",
    "Trust",
    "after",
    "call",
    "failure",
    "script",
    "session_to_test",
    "tape",
    "to_test",
    "turn",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
