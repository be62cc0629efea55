"""Finds the changed files that a folder's own ignore files exclude. ripgrep reads these files; git is not needed."""

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from steersman.batch.trees import Difference
from steersman.workspace.errors import SearchError
from steersman.workspace.regular import NotRegular, TooLarge, read_regular
from steersman.workspace.search import find_ripgrep

IGNORE_FILE = ".gitignore"
_MAX_BYTES = 1 << 20
"""A larger ignore file is none. Those of people are a few KB."""
_MAX_DEPTH = 200
"""Folders above a path that is asked about; what lies deeper is not ignored."""
_ARGUMENTS = (
    "--no-config",
    "--files",
    "--null",
    "--hidden",
    "--no-require-git",
    # The folder is a copy: ignore files above it have nothing to do with it.
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-dot",
)


def ignored(found: Iterable[Difference], before: Path, now: Path) -> set[str]:
    """The paths of the differences that are excluded. A file that was there before is judged by the ignore files of
    before, a new one by those of now. Blocks. Without ripgrep nothing is excluded.

    Raises:
        OSError: an ignore file can't be read.
    """
    asked = [each for each in found if each.path.count("/") <= _MAX_DEPTH]
    known = [each.path for each in asked if each.old is not None]
    new = [each.path for each in asked if each.old is None]
    return _excluded(known, before) | _excluded(new, now)


def _excluded(paths: list[str], root: Path) -> set[str]:
    """Lays out empty files with the same names beside copies of the ignore files, and has ripgrep list them: this way
    links and deleted files are judged like all others."""
    rules = _rules_above(paths, root)
    if not rules:
        return set()
    try:
        program = find_ripgrep().program
    except SearchError:
        return set()
    with tempfile.TemporaryDirectory(prefix="steersman-") as name:
        model = Path(name)
        for path in paths:
            (model / path).parent.mkdir(parents=True, exist_ok=True)
            (model / path).touch()
        for path, text in rules.items():
            (model / path).write_bytes(text)
        done = subprocess.run([program, *_ARGUMENTS, "--", "./"], cwd=model, capture_output=True, check=False)
    if done.returncode not in (0, 1):  # 1: no file is listed
        return set()
    listed = {os.fsdecode(each).removeprefix("./") for each in done.stdout.split(b"\0")}
    return set(paths) - listed


def _rules_above(paths: list[str], root: Path) -> dict[str, bytes]:
    """The contents of the ignore files that can concern the paths, by the path of each."""
    folders = {folder for path in paths for folder in Path(path).parents}
    rules = {}
    for folder in folders:
        if (text := _ignore_file(root / folder / IGNORE_FILE)) is not None:
            rules[(folder / IGNORE_FILE).as_posix()] = text
    if (text := _ignore_file(root / ".git/info/exclude")) is not None:
        rules[IGNORE_FILE] = text + b"\n" + rules.get(IGNORE_FILE, b"")
    return rules


def _ignore_file(path: Path) -> bytes | None:
    """Its text; None if there is none, or what is there is no file, a link or too large.

    Raises:
        OSError: it can't be read.
    """
    if not path.is_file() or path.is_symlink():
        return None
    try:
        return read_regular(path, _MAX_BYTES)[0]
    except (NotRegular, TooLarge):
        return None
