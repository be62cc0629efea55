"""What goes wrong in a test that uses the plugin."""

from collections.abc import Sequence


class ScriptError(ValueError):
    """Something in the test can't be used: a turn, an answer, a moment, a file. The text says what to write instead."""


class RunMismatch(AssertionError):
    """The run was not the one that the test expects: a question, request or command too many or too few."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
