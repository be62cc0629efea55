"""What somebody may have meant by a path that does not exist. Looks at a bounded number of names."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

MAX_NAMES = 20_000
"""Names to look at before giving up."""
_LIKENESS = 0.6
_SHOWN = 3
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", "target"}
)


def near_misses(
    folder: Path, wanted: str, allowed: Callable[[str], bool], *, max_names: int = MAX_NAMES
) -> list[str]:
    """Up to three existing paths below `folder` that resemble `wanted`, best first, all relative to it with `/`.

    Paths that differ by a slip in one or more components come first; failing that, files elsewhere with the same or a
    similar name. `allowed` says whether a path may be named. Links are not followed. Blocking; gives up after
    `max_names` names.
    """
    budget = _Budget(max_names)
    found = [path for path in _slips(folder, wanted, budget) if allowed(path)]
    if not found:
        found = [path for path in _elsewhere(folder, wanted, budget) if allowed(path)]
    return found[:_SHOWN]


class _Budget:
    def __init__(self, names: int) -> None:
        self.left = names

    def names(self, directory: Path) -> list[os.DirEntry[str]]:
        entries: list[os.DirEntry[str]] = []
        try:
            with os.scandir(directory) as found:
                for entry in found:
                    self.left -= 1
                    if self.left < 0:
                        break
                    entries.append(entry)
        except OSError:
            return []  # gone or not readable: nothing to suggest
        return sorted(entries, key=lambda entry: entry.name)


def _slips(folder: Path, wanted: str, budget: _Budget) -> list[str]:
    """Paths in which each component exists or resembles one that does."""
    candidates = [""]
    components = [part for part in wanted.replace("\\", "/").split("/") if part not in ("", ".")]
    for part in components:
        following: list[str] = []
        for candidate in candidates:
            if candidate and (folder / candidate).is_symlink():
                continue  # it may lead out of the workspace, or to what a deny rule covers
            names = [entry.name for entry in budget.names(folder / candidate)]
            following += [f"{candidate}/{name}".lstrip("/") for name in _close(part, names)]
        candidates = following[:_SHOWN]
    return candidates if components else []


def _close(wanted: str, names: list[str]) -> list[str]:
    if wanted in names:
        return [wanted]
    by_folded: dict[str, str] = {name.casefold(): name for name in reversed(names)}
    import difflib  # noqa: PLC0415 - only where a name was wrong

    close = difflib.get_close_matches(wanted.casefold(), list(by_folded), n=_SHOWN, cutoff=_LIKENESS)
    return [by_folded[name] for name in close]


def _elsewhere(folder: Path, wanted: str, budget: _Budget) -> list[str]:
    name = wanted.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    scored: list[tuple[float, str]] = []
    import difflib  # noqa: PLC0415 - only where a name was wrong

    matcher = difflib.SequenceMatcher(b=name)
    for path in _walk(folder, budget):
        candidate = path.rsplit("/", 1)[-1].casefold()
        if candidate == name:
            scored.append((2.0, path))
            continue
        matcher.set_seq1(candidate)
        if (
            matcher.real_quick_ratio() > 0.8
            and matcher.quick_ratio() > 0.8
            and (score := matcher.ratio()) > 0.8
        ):
            scored.append((score, path))
    return [path for _, path in sorted(scored, key=lambda item: (-item[0], item[1]))]


def _walk(folder: Path, budget: _Budget) -> Iterator[str]:
    """Files below `folder`, the nearest first. Links are not followed."""
    waiting = deque([""])
    while waiting and budget.left > 0:
        directory = waiting.popleft()
        for entry in budget.names(folder / directory):
            path = f"{directory}/{entry.name}".lstrip("/")
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif entry.name not in _SKIPPED:
                waiting.append(path)
