"""Turns that alternate: the user has the first word and the last, and the results of calls are the user's turn after
them. For APIs that refuse any other order, whatever the history is."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

GO_ON: Final = "Continue."
"""Said where an answer has no user message after it."""
EARLIER: Final = "(the conversation before this is left out)"
"""Said where nothing is before the first answer."""

Role = Literal["user", "model"]


class TurnForm(NamedTuple):
    """How an API writes a turn."""

    user: bytes
    """With `%s` for the blocks' JSON, between commas."""
    model: bytes
    text: Callable[[str], bytes]
    """The block of a text."""

    def written(self, role: Role, blocks: Iterable[bytes]) -> bytes:
        """The JSON of a turn."""
        return (self.user if role == "user" else self.model) % b",".join(blocks)


class Turn:
    """One turn, its blocks encoded one by one: later ones are added to them."""

    __slots__ = ("_encoded", "blocks", "role")

    def __init__(self, role: Role, blocks: Sequence[bytes]) -> None:
        self.role: Role = role
        self.blocks = list(blocks)
        self._encoded = b""

    def encoded(self, form: TurnForm) -> bytes:
        """Only of a turn to which nothing is added any more: it is kept."""
        if not self._encoded:
            self._encoded = form.written(self.role, self.blocks)
        return self._encoded


class Turns:
    """The draft of a conversation in turns; see `history.Draft`."""

    __slots__ = ("_form", "_turns", "ids")

    def __init__(self, form: TurnForm, turns: Iterable[Turn] = (), ids: Iterable[str] = ()) -> None:
        self._form = form
        self._turns = list(turns)
        self.ids = set(ids)
        """Those that calls have in the request."""

    def copy(self) -> "Turns":
        copied = Turns(self._form, self._turns, self.ids)
        if copied._turns:
            last = copied._turns[-1]
            copied._turns[-1] = Turn(last.role, last.blocks)
        return copied

    def say(self, blocks: Sequence[bytes]) -> None:
        """Adds what a user said, to the user's turn if it is open."""
        if self._user_is_next:
            self._turns.append(Turn("user", ()))
        self._turns[-1].blocks += blocks

    def answer(self, blocks: Sequence[bytes], results: Sequence[bytes]) -> None:
        """Adds a model's turn, if it has blocks, and the user's turn with the results of its calls, if it has any."""
        if not blocks:
            return
        if self._user_is_next:
            self.say([self._form.text(GO_ON if self._turns else EARLIER)])
        self._turns.append(Turn("model", blocks))
        if results:
            self._turns.append(Turn("user", results))

    def whole(self) -> list[Turn]:
        """All turns, the last one the user's. Nothing is added afterwards."""
        if self._user_is_next:
            self.say([self._form.text(GO_ON)])
        return self._turns

    @property
    def _user_is_next(self) -> bool:
        """The last turn is not the user's."""
        return not self._turns or self._turns[-1].role == "model"
