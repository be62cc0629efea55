"""Keeps pydantic from looking for plugins, for a program all of whose models are its own.

For its first model pydantic reads the metadata of every installed distribution; loading the module for that alone
(`importlib.metadata`) takes a third as long as loading pydantic.
"""

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_LOADER = "pydantic.plugin._loader"


class _NoPlugins(ModuleType):
    """Stands in for the module that finds plugins, and finds none. If asked for anything else, it makes way for it."""

    @staticmethod
    def get_plugins() -> tuple[()]:
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system looks for such names in any module
            raise AttributeError(name)
        _make_way(self)
        return getattr(importlib.import_module(_LOADER), name)


def leave_out_pydantic_plugins() -> Callable[[], None]:
    """From now on pydantic neither looks for plugins nor shows them its models. No effect if it has loaded them.

    Returns: a function that lets plugins in again, for models that are made from then on.
    """
    none = _NoPlugins(_LOADER)
    sys.modules.setdefault(_LOADER, none)
    return lambda: _make_way(none)


def _make_way(none: ModuleType) -> None:
    if sys.modules.get(_LOADER) is none:
        del sys.modules[_LOADER]
