"""The folder in which Steersman keeps what is its own, withheld from tools: a workspace may hold it, as one of a home
directory does.
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
"""Files in it that no tool may touch: they hold keys, modes and rules, and who is trusted. The rest is protected."""


@lru_cache(maxsize=32)
def withholding(rules: PathRules, own: Path, folders: tuple[Root, ...]) -> PathRules:
    """The rules for sessions in these workspace folders. No rule of the user's reopens what they add."""
    names = [_as_pattern(name) for name in _names_of(Path(os.path.realpath(own)), folders)]
    deny = [f"{name}/{file}" for name in names for file in DECIDING]
    return rules.and_then(deny=deny, protect=[name or "/*" for name in names])


def _names_of(own: Path, folders: Sequence[Root]) -> Iterator[str]:
    """What the folder is called in rules, each beginning with `/`: absolute, and below each workspace folder that it is
    in. One that is a workspace folder itself is ""."""
    yield str(own)
    for root in folders:
        if own.is_relative_to(root.path):
            below = own.relative_to(root.path).as_posix()
            yield "" if below == "." else f"/{below}"


def _as_pattern(path: str) -> str:
    """A path as a pattern that means nothing else."""
    return re.sub(r"([\\*?\[\]{},!])", r"\\\1", path)
