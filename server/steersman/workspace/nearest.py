"""Where a file has something like a given text, for helpful errors. Linear, and only a guess."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from steersman.workspace.folding import Cores, occurrences

_WORD = re.compile(r"\w{3,}")
_MAX_HITS = 200  # a line or word that occurs more often says little about the place
_MAX_PARTS = 16  # lines or words looked for, the longest first
_FULL_WEIGHT = 80  # characters; longer lines don't count for more


def nearest(file: Cores, wanted: Sequence[str]) -> int | None:
    """The zero-based line where `wanted` most likely begins; None if nothing in the file resembles it.

    `wanted` are lines without indentation. Each one found in the file votes for the line where all of `wanted` would
    then begin. If none is found, the longest words vote.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    words: dict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(wanted):
        if any(char.isalnum() for char in line):
            lines[f"\n{line}\n"].append(index)
        for word in set(_WORD.findall(line[:1000])):
            words[word].append(index)
    votes = _votes(file, lines) or _votes(file, words)
    if not votes:
        return None
    best = max(votes, key=lambda start: (votes[start], -start))
    return min(max(best, 0), len(file.starts) - 1)


def _votes(file: Cores, parts: Mapping[str, Sequence[int]]) -> dict[int, float]:
    votes: dict[int, float] = defaultdict(float)
    for part in _longest(parts):
        places = list(islice(occurrences(file.joined, part), _MAX_HITS + 1))
        if len(places) > _MAX_HITS:
            continue
        for place in places:
            for index in parts[part][:_MAX_PARTS]:
                votes[file.line_at(place) - index] += min(len(part), _FULL_WEIGHT) / len(places)
    return votes


def _longest(parts: Iterable[str]) -> list[str]:
    return sorted(parts, key=lambda part: (-len(part), part))[:_MAX_PARTS]
