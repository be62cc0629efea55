"""The files of a workspace as values that tests compare, and explanations of how two of these differ."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from steersman.workspace.diff import unified_diff

IGNORED: Final = frozenset({".git", "__pycache__", ".pytest_cache", ".venv", "node_modules"})
"""Names of folders that are neither copied nor read, wherever they are."""
_SHOWN: Final = 200
"""Most lines of one file's diff in an explanation."""


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link."""

    target: str


Content: TypeAlias = "str | bytes | Link | None"
"""Text if it is UTF-8, with its own line ends. None: the file is gone."""


class Tree(dict[str, Content]):
    """Contents by path. Paths are relative to the workspace and have `/` between their parts."""


def read_tree(root: Path, ignored: Collection[str] = IGNORED) -> Tree:
    """All files below `root`, sorted by path. Empty folders are left out."""
    found: dict[str, Content] = {}
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        folders[:] = [name for name in folders if name not in ignored and name not in links]
        for name in (*files, *links):
            path = Path(folder) / name
            found[path.relative_to(root).as_posix()] = _content(path)
    return Tree(sorted(found.items()))


def _content(path: Path) -> Content:
    if path.is_symlink():
        return Link(os.readlink(path))  # noqa: PTH115  (a Path would change the text)
    if not path.is_file():  # a pipe or socket that a command has left
        return b""
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def changes(before: Tree, now: Tree) -> Tree:
    """What has changed: the new contents, None for files that are gone."""
    paths = sorted(before.keys() | now.keys())
    return Tree({path: now.get(path) for path in paths if before.get(path) != now.get(path)})


def diff_of(before: Tree, now: Tree, max_lines: int | None = None) -> str:
    """The unified diff of all files that differ."""
    parts = []
    for path in changes(before, now):
        old, new = before.get(path), now.get(path)
        names = ("/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}")
        if isinstance(old, str | None) and isinstance(new, str | None):
            text = unified_diff(old or "", new or "", *names, max_lines=max_lines)
            parts.append(text or f"--- {names[0]}\n+++ {names[1]}\n")
        else:
            parts.append(f"{names[0]} and {names[1]} differ: {_named(old)}, now {_named(new)}\n")
    return "".join(parts)


def explain(left: Mapping[str, Content], right: Mapping[str, Content]) -> list[str]:
    """How two trees differ, file by file. `left` is what there is, `right` what the test expects."""
    paths = [path for path in sorted(left.keys() | right.keys()) if _differ(left, right, path)]
    lines = [f"the trees differ in {', '.join(paths)} (- the test says, + there is)"]
    for path in paths:
        if path not in right:
            lines.append(f"  {path}: not in the test's tree, and there {_is(left[path])}")
        elif path not in left:
            lines.append(f"  {path}: in the test's tree, and not there{_near(path, left)}")
        else:
            lines += [f"  {path}:", *_file_lines(right[path], left[path])]
    return lines


def _differ(left: Mapping[str, Content], right: Mapping[str, Content], path: str) -> bool:
    return (path in left) != (path in right) or left.get(path) != right.get(path)


def _file_lines(expected: Content, there: Content) -> list[str]:
    if isinstance(expected, str) and isinstance(there, str):
        diff = unified_diff(expected, there, "expected", "there", max_lines=_SHOWN).splitlines()
        return [f"    {line}" for line in diff if not line.startswith(("--- ", "+++ "))]
    return [f"    the test says {_named(expected)}, there is {_named(there)}"]


def _near(path: str, tree: Mapping[str, Content]) -> str:
    name = path.rpartition("/")[2]
    near = [other for other in tree if other.rpartition("/")[2] == name]
    return f" (there is {near[0]})" if near else ""


def _is(content: Content) -> str:
    return "it is gone" if content is None else f"it is {_named(content)}"


def _named(content: Content) -> str:
    if content is None:
        return "nothing"
    if isinstance(content, Link):
        return f"a link to {content.target}"
    if isinstance(content, bytes):
        return f"bytes that are not text ({len(content)})"
    shown = content if len(content) <= 60 else content[:60] + "…"
    return repr(shown)
