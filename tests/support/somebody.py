"""What another program does to a file while a tool works on it, and trees that can be compared."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

Tree = Mapping[str, str]
"""By relative path what is there, in a word: `file TEXT`, `link TARGET`, `directory`, `fifo`."""

BEFORE = "one\ntwo\nthree\n"
THEIRS = "zero\ntwo\nthree\n"
"""What they put in its place: an edit of its second line still fits."""


def deletes(path: Path, _: Path) -> None:
    path.unlink()


def replaces(path: Path, _: Path) -> None:
    """As most programs save: another file with its name."""
    new = path.with_name("new")
    new.write_text(THEIRS)
    new.replace(path)


def links(path: Path, _: Path) -> None:
    path.unlink()
    path.symlink_to("other.txt")


def links_outside(path: Path, outside: Path) -> None:
    path.unlink()
    path.symlink_to(outside)


def protects(path: Path, _: Path) -> None:
    path.chmod(0o444)


def renames(path: Path, _: Path) -> None:
    path.rename(path.with_name("renamed.txt"))


def makes_a_directory(path: Path, _: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inner.txt").write_text("inner\n")


def makes_a_fifo(path: Path, _: Path) -> None:
    """Whoever opens it to read waits for ever."""
    path.unlink()
    os.mkfifo(path)


DEEDS: Mapping[str, Callable[[Path, Path], None]] = {
    "deleted": deletes,
    "replaced": replaces,
    "made a link": links,
    "made a link to outside": links_outside,
    "made read-only": protects,
    "renamed": renames,
    "made a directory": makes_a_directory,
    "made a FIFO": makes_a_fifo,
}


def tree_of(folder: Path) -> Tree:
    return {str(path.relative_to(folder)): _word(path) for path in sorted(folder.rglob("*"))}


def _word(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link {path.readlink()}"
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "directory" if stat.S_ISDIR(mode) else f"file {path.read_text()}"
