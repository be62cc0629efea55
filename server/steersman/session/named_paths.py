"""The files that the arguments of a built-in tool name, as the model wrote them."""

import posixpath
from collections.abc import Mapping
from typing import Final

from steersman.agent.messages import JsonObject

_NAMES: Final = ("path", "from", "to")


def named_paths(arguments: JsonObject) -> list[str]:
    """Each once, in order; those of single edits too."""
    edits = arguments.get("edits")
    items = [item for item in edits if isinstance(item, Mapping)] if isinstance(edits, list | tuple) else []
    named = [arguments.get(name) for name in _NAMES] + [item.get("path") for item in items]
    paths: dict[str, str] = {}
    for path in named:
        if isinstance(path, str) and path:
            paths.setdefault(posixpath.normpath(path), path)
    return list(paths.values())
