"""Which of the changed files a folder's own ignore files exclude, as ripgrep reads them; git is not needed."""

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from steersman.batch.trees import Difference
from steersman.workspace.errors import SearchError
from steersman.workspace.search import find_ripgrep

IGNORE_FILE = ".gitignore"
_ARGUMENTS = (
    "--no-config",
    "--files",
    "--null",
    "--hidden",
    "--no-require-git",
    # Only what is in the folder itself counts: it is a copy, and lies among strangers.
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-dot",
)


def ignored(found: Iterable[Difference], before: Path, now: Path) -> set[str]:
    """The paths of those differences that are excluded: by the old ignore files where a file was there before, by the
    new ones where it is new. Blocks. Without ripgrep nothing is.

    Raises:
        OSError: an ignore file can't be read.
    """
    known = [each.path for each in found if each.old is not None]
    new = [each.path for each in found if each.old is None]
    return _excluded(known, before) | _excluded(new, now)


def _excluded(paths: list[str], root: Path) -> set[str]:
    """Lays out empty files of the same names beside copies of the ignore files, and looks which of them are listed:
    links and files that are gone can be asked about like all others."""
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
    if done.returncode not in (0, 1):  # 1: nothing is listed
        return set()
    listed = {os.fsdecode(each).removeprefix("./") for each in done.stdout.split(b"\0")}
    return set(paths) - listed


def _rules_above(paths: list[str], root: Path) -> dict[str, bytes]:
    """The ignore files of the folders that the paths are in, by their own path."""
    folders = {folder for path in paths for folder in Path(path).parents}
    rules = {}
    for folder in folders:
        file = root / folder / IGNORE_FILE
        if file.is_file() and not file.is_symlink():
            rules[(folder / IGNORE_FILE).as_posix()] = file.read_bytes()
    exclude = root / ".git/info/exclude"
    if exclude.is_file():
        top = rules.get(IGNORE_FILE, b"")
        rules[IGNORE_FILE] = exclude.read_bytes() + b"\n" + top
    return rules
