"""pydantic that looks for no plugins, for a program all of whose models are its own.

At the first model it reads what every installed distribution says of itself, and a module that it needs for that takes
a third as long to load as all of pydantic.
"""

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_LOADER = "pydantic.plugin._loader"


class _NoPlugins(ModuleType):
    """Stands in for the module that finds plugins. It has none; for whatever else is wanted it makes way."""

    @staticmethod
    def get_plugins() -> tuple[()]:
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks of any module
            raise AttributeError(name)
        _make_way(self)
        return getattr(importlib.import_module(_LOADER), name)


def leave_out_pydantic_plugins() -> Callable[[], None]:
    """From now on plugins neither see models nor are looked for; nothing is changed if they have been already.

    Returns: lets them in again, for models that are made from then on.
    """
    none = _NoPlugins(_LOADER)
    sys.modules.setdefault(_LOADER, none)
    return lambda: _make_way(none)


def _make_way(none: ModuleType) -> None:
    if sys.modules.get(_LOADER) is none:
        del sys.modules[_LOADER]
