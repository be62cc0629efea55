"""Keeps tools away from the folder with Steersman's own files, which a workspace may contain: one that is a home
directory, for example.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from steersman.workspace.roots import Root
from steersman.workspace.rules import PathRules

DECIDING: Final = ("config.toml", "trust.json")
"""Files in it that no tool may touch: they hold keys, modes, rules and trust. The rest is protected."""


@lru_cache(maxsize=32)
def withholding(rules: PathRules, own: Path, folders: tuple[Root, ...]) -> PathRules:
    """The rules for sessions in these workspace folders. No rule of the user's can reopen what is added here."""
    names = [_as_pattern(name) for name in _names_of(Path(os.path.realpath(own)), folders)]
    deny = [f"{name}/{file}" for name in names for file in DECIDING]
    return rules.and_then(deny=deny, protect=[name or "/*" for name in names])


def _names_of(own: Path, folders: Sequence[Root]) -> Iterator[str]:
    """The names that rules know the folder by, each beginning with `/`: absolute, and below each workspace folder that
    contains it. For a folder that is a workspace folder itself that is ""."""
    yield str(own)
    for root in folders:
        if own.is_relative_to(root.path):
            below = own.relative_to(root.path).as_posix()
            yield "" if below == "." else f"/{below}"


def _as_pattern(path: str) -> str:
    """A pattern that matches just this path."""
    return re.sub(r"([\\*?\[\]{},!])", r"\\\1", path)
