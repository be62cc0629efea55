"""The words of a shell command that may name a file. It parses no shell: it reads a command in several ways at once."""

import re
from collections.abc import Iterator

from steersman.workspace.globs import GlobError, expand_braces

LONGEST_GLOB = 200
"""Characters of a word up to which its braces are expanded."""
_BREAKS = re.compile(r"[\s;|&<>()`$={}\"',:@]+")
_BREAKS_OUTSIDE_BRACES = re.compile(r"[\s;|&<>()`$=:@]+")
_SUSPECT = ".env"
"""Stands for a word whose braces expand to too many words to look at."""


def shell_words(command: str) -> Iterator[str]:
    """The words of a command: as written, without quotes and backslashes, and with braces expanded."""
    bare = re.sub(r"\\\n|[\\\"']", "", command)
    yield from dict.fromkeys((*_BREAKS.split(command), *_BREAKS.split(bare)))
    for word in dict.fromkeys(_BREAKS_OUTSIDE_BRACES.split(bare)):
        if "{" in word and "," in word and len(word) <= LONGEST_GLOB:
            try:
                yield from expand_braces(word)
            except GlobError:
                yield _SUSPECT
