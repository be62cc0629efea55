"""The difference of two trees as a patch for `git apply`, made without git.

The patch is always UTF-8: files that are not text in UTF-8 become binary patches. A rename is a deletion and a new
file. Of the permissions only the owner's right to execute is recorded, like in git.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from steersman.batch.binary import binary_patch
from steersman.batch.quoting import after_marks, quoted
from steersman.batch.trees import Difference, Entry, content
from steersman.workspace.diff import unified_diff

MAX_TEXT = 4 * 1024 * 1024
"""Bytes. A larger file becomes a binary patch, since comparing its lines would take long."""
_LOOKED_AT = 8000
"""A zero among so many first bytes makes a file binary, like in git."""


@dataclass(frozen=True, slots=True)
class _Side:
    mode: int | None
    """None: there is no file."""
    data: bytes

    @property
    def digest(self) -> str:
        if self.mode is None:
            return "0" * 40
        return hashlib.sha1(b"blob %d\0" % len(self.data) + self.data, usedforsecurity=False).hexdigest()

    @property
    def text(self) -> str | None:
        if len(self.data) > MAX_TEXT or b"\0" in self.data[:_LOOKED_AT]:
            return None
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None


def write_patch(before: Path, now: Path, found: Iterable[Difference]) -> Iterator[str]:
    """The patch in pieces, one difference at a time in memory. Blocks.

    Raises:
        OSError: a file can't be read.
    """
    for each in found:
        old, new = _side(before, each.path, each.old), _side(now, each.path, each.new)
        name = os.fsencode(each.path)
        if old.mode is not None and new.mode is not None and _kind(old.mode) != _kind(new.mode):
            # A file has become a link, or a link a file.
            yield from _one(name, old, _Side(None, b""))
            yield from _one(name, _Side(None, b""), new)
        else:
            yield from _one(name, old, new)


def _side(root: Path, path: str, entry: Entry | None) -> _Side:
    return _Side(None if entry is None else entry.mode, content(root, path, entry))


def _kind(mode: int) -> int:
    return mode >> 12


def _one(name: bytes, old: _Side, new: _Side) -> Iterator[str]:
    yield f"diff --git {quoted(b'a/' + name)} {quoted(b'b/' + name)}\n"
    same_mode = old.mode == new.mode
    if old.mode is None:
        yield f"new file mode {new.mode:o}\n"
    elif new.mode is None:
        yield f"deleted file mode {old.mode:o}\n"
    elif not same_mode:
        yield f"old mode {old.mode:o}\nnew mode {new.mode:o}\n"
    if old.data == new.data and old.mode is not None and new.mode is not None:
        return
    mode = f" {new.mode:o}" if same_mode else ""
    yield f"index {old.digest}..{new.digest}{mode}\n"
    if old.data == new.data:  # an empty file was added or deleted
        return
    old_text, new_text = old.text, new.text
    if old_text is None or new_text is None:
        yield from binary_patch(old.data, new.data)
        return
    yield f"--- {'/dev/null' if old.mode is None else after_marks(b'a/' + name)}\n"
    yield f"+++ {'/dev/null' if new.mode is None else after_marks(b'b/' + name)}\n"
    # Without its first two lines, the names: those are above, as git writes them.
    yield unified_diff(old_text, new_text, "a", "b").split("\n", 2)[2]
