"""The comments whose instructions a session's run works on: each is removed with the first change of its file.

What is left of them when the work is done is removed by `unmarking`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from steersman.session.pointing import InstructionComment
from steersman.workspace.changes import FileChange
from steersman.workspace.comments import Instruction, instructions, without


class Marks:
    """One session's."""

    def __init__(self) -> None:
        self._active: tuple[InstructionComment, ...] = ()
        self._leaving: tuple[InstructionComment, ...] = ()

    @property
    def known(self) -> Sequence[InstructionComment]:
        """The active ones, and those that are being taken out."""
        return (*self._active, *self._leaving)

    def add(self, comments: Sequence[InstructionComment]) -> None:
        """The model has been told of them."""
        self._active += tuple(comments)

    def take(self) -> Sequence[InstructionComment]:
        """Returns the active ones. From now on none is active."""
        taken, self._active = self._active, ()
        return taken

    @contextmanager
    def leaving(self) -> Iterator[Sequence[InstructionComment]]:
        """`take`, to take them out of their files: they stay known until that is over, since the user may be asked."""
        self._leaving = taken = tuple(self.take())
        try:
            yield taken
        finally:
            self._leaving = ()

    def follow(self, change: FileChange) -> None:
        """A change was made: comments go with a file that was moved."""
        if (target := change.target) is not None:
            self._active = tuple(
                replace(comment, path=target.path) if comment.path == change.path.path else comment
                for comment in self._active
            )

    def amend(self, change: FileChange) -> FileChange:
        """The change, which now also removes the comments of its file. May be called from any thread."""
        text = unmarked(change.new_text, _of_file(self._active, change.path.path))
        return change if text == change.new_text else change.with_text(text)


def unmarked(text: str, comments: Sequence[InstructionComment]) -> str:
    """`text` without these comments of its file, as far as it still has them."""
    return without(text, _still_there(text, comments)) if comments else text


def _of_file(comments: Sequence[InstructionComment], path: Path) -> list[InstructionComment]:
    return [comment for comment in comments if comment.path == path]


def _still_there(text: str, comments: Sequence[InstructionComment]) -> list[Instruction]:
    """Comments with the same text are told apart by their order. If there are fewer than there were, one is gone."""
    found = instructions(text, comments[0].language)
    there: dict[int, Instruction] = {}
    for comment in comments:
        same = [each for each in found if each.text == comment.text]
        if len(same) >= comment.of:
            there[same[comment.nth].start] = same[comment.nth]
    return list(there.values())
