"""Applies patches in git's form, by its documentation and without git: what a patch means, in the strictest reading.

Every line of context and every digest is checked; a path is touched once, but for a file in the place of a link.
"""

import ast
import base64
import hashlib
import re
import zlib
from dataclasses import dataclass, field

Tree = dict[str, tuple[int, bytes]]
"""Mode and bytes by path; a symbolic link has the mode 0o120000, and its target for bytes."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass
class _FilePatch:
    old_name: str
    new_name: str
    old_mode: int | None = None
    new_mode: int | None = None
    is_new: bool = False
    is_deleted: bool = False
    digests: tuple[str, str] | None = None
    body: list[str] = field(default_factory=list)


def apply(patch: str, tree: Tree) -> Tree:
    """The tree that comes of it.

    Raises:
        AssertionError: the patch is malformed, or not about this tree.
    """
    files = _split(patch)
    result = dict(tree)
    for each in files:
        if not each.is_new:
            assert each.old_name in result, f"{each.old_name} is not there"
    for each in files:  # what goes makes room for what comes
        if each.is_deleted:
            mode, data = result.pop(each.old_name)
            assert mode == each.old_mode
            assert _patched(each, data) == b""
    for each in files:
        if each.is_deleted:
            continue
        mode, data = (None, b"") if each.is_new else result[each.old_name]
        assert not each.is_new or each.new_name not in result, f"{each.new_name} is there"
        assert each.old_mode in (None, mode)
        wanted = each.new_mode or mode
        assert wanted is not None
        result[each.new_name] = (wanted, _patched(each, data))
    return result


def _split(patch: str) -> list[_FilePatch]:
    files: list[_FilePatch] = []
    lines = [line + "\n" for line in patch.split("\n")]
    assert lines.pop() == "\n", "the last line has no end"
    in_body = False
    left = (0, 0)
    for line in lines:
        if left == (0, 0) and line.startswith("diff --git "):
            files.append(_FilePatch(*_names(line.removeprefix("diff --git ").rstrip("\n"))))
            in_body = False
            continue
        each = files[-1]
        if in_body:
            each.body.append(line)
            left = _left(line, left)
        elif match := re.match(r"(new file|deleted file|old|new) mode (\d+)\n", line):
            _set_mode(each, match[1], int(match[2], 8))
        elif match := re.match(r"index ([0-9a-f]{40})\.\.([0-9a-f]{40})(?: (\d+))?\n", line):
            each.digests = (match[1], match[2])
            if match[3]:
                each.old_mode = each.new_mode = int(match[3], 8)
        else:
            assert line == "GIT binary patch\n" or line.startswith("--- "), line
            in_body = True
            each.body.append(line)
    return files


def _left(line: str, left: tuple[int, int]) -> tuple[int, int]:
    """Lines of the old and the new file that the hunk still has to tell."""
    if match := _HUNK.match(line):
        return int(match[2] or 1), int(match[4] or 1)
    if left == (0, 0) or line.startswith("\\"):
        return left
    return left[0] - (line[0] in " -"), left[1] - (line[0] in " +")


def _set_mode(each: _FilePatch, what: str, mode: int) -> None:
    if what in ("deleted file", "old"):
        each.old_mode = mode
    else:
        each.new_mode = mode
    each.is_new |= what == "new file"
    each.is_deleted |= what == "deleted file"


def _names(text: str) -> tuple[str, str]:
    if text.startswith('"'):
        match = re.fullmatch(r'("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")', text)
        assert match is not None, text
        old, new = _unquoted(match[1]), _unquoted(match[2])
    else:
        # Both names are the same, so that their middle is the middle of the line.
        half = len(text) // 2
        old, new = text[:half], text[half + 1 :]
    assert (old[:2], new[:2]) == ("a/", "b/")
    return old[2:], new[2:]


def _unquoted(text: str) -> str:
    data: bytes = ast.literal_eval("b" + text)  # the escapes of C and of Python's bytes are the same here
    return data.decode("utf-8", "surrogateescape")


def _patched(each: _FilePatch, data: bytes) -> bytes:
    if each.digests is None:
        return data
    assert each.is_new or each.digests[0] == _digest(data), "made from other bytes"
    if not each.body:
        new = b"" if each.digests[1] in ("0" * 40, _digest(b"")) else data
    elif each.body[0] == "GIT binary patch\n":
        new = _from_binary(each.body)
    else:
        new = _from_hunks(each.body, data)
    assert each.is_deleted or each.digests[1] == _digest(new), "makes other bytes"
    return new


def _digest(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _from_binary(body: list[str]) -> bytes:
    size = int(body[1].removeprefix("literal "))
    deflated = b""
    for line in body[2:]:
        if line == "\n":
            break
        length = ord(line[0]) - (ord("A") - 1 if line[0].isupper() else ord("a") - 27)
        deflated += base64.b85decode(line[1:].rstrip("\n"))[:length]
    data = zlib.decompress(deflated)
    assert len(data) == size
    return data


def _from_hunks(body: list[str], data: bytes) -> bytes:
    assert body[0].startswith("--- ")
    assert body[1].startswith("+++ ")
    old = data.decode().split("\n")
    lines = [line + "\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    out: list[str] = []
    at = 0
    told: list[str] = []
    for line in [*body[2:], "@@ -0,0 +0,0 @@"]:
        match = _HUNK.match(line)
        if match is None and line.startswith("\\"):
            told[-1] = told[-1].removesuffix("\n")
            continue
        if match is None or not told:
            told.append(line)
            continue
        at = _one_hunk(told, lines, at, out)
        told = [line]
    return "".join([*out, *lines[at:]]).encode()


def _one_hunk(told: list[str], lines: list[str], at: int, out: list[str]) -> int:
    match = _HUNK.match(told[0])
    assert match is not None, told[0]
    start, count = int(match[1]), int(match[2] or 1)
    first = start - 1 if count else start
    assert first >= at, "hunks out of order"
    out += lines[at:first]
    assert int(match[3]) == len(out) + (1 if int(match[4] or 1) else 0), "the new side begins elsewhere"
    was = [line[1:] for line in told[1:] if line[0] in " -"]
    assert lines[first : first + count] == was, "the lines are others"
    out += [line[1:] for line in told[1:] if line[0] in " +"]
    return first + count
