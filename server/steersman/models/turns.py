"""Alternating turns, for APIs that refuse any other order: the user has the first and the last one, and the results of
calls are in the user's turn after them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

GO_ON: Final = "Continue."
"""The user's text where no user message follows an answer."""
EARLIER: Final = "(the conversation before this is left out)"
"""The user's text where nothing precedes the first answer."""

Role = Literal["user", "model"]


class TurnForm(NamedTuple):
    """How an API writes a turn."""

    user: bytes
    """JSON with `%s` for the blocks."""
    model: bytes
    text: Callable[[str], bytes]
    """Makes a block of a text."""

    def written(self, role: Role, blocks: Iterable[bytes]) -> bytes:
        """The JSON of a turn."""
        return (self.user if role == "user" else self.model) % b",".join(blocks)


class Turn:
    """One turn. Its blocks are encoded one by one, since more may be added."""

    __slots__ = ("_encoded", "blocks", "role")

    def __init__(self, role: Role, blocks: Sequence[bytes]) -> None:
        self.role: Role = role
        self.blocks = list(blocks)
        self._encoded = b""

    def encoded(self, form: TurnForm) -> bytes:
        """The turn's JSON, which is kept: call it only when no block will be added any more."""
        if not self._encoded:
            self._encoded = form.written(self.role, self.blocks)
        return self._encoded


class Turns:
    """The draft of a conversation in turns. See `history.Draft`."""

    __slots__ = ("_form", "_turns", "ids")

    def __init__(self, form: TurnForm, turns: Iterable[Turn] = (), ids: Iterable[str] = ()) -> None:
        self._form = form
        self._turns = list(turns)
        self.ids = set(ids)
        """The ids of calls in the request."""

    def copy(self) -> "Turns":
        copied = Turns(self._form, self._turns, self.ids)
        if copied._turns:
            last = copied._turns[-1]
            copied._turns[-1] = Turn(last.role, last.blocks)
        return copied

    def say(self, blocks: Sequence[bytes]) -> None:
        """Adds what a user said to the user's open turn, or to a new one."""
        if self._user_is_next:
            self._turns.append(Turn("user", ()))
        self._turns[-1].blocks += blocks

    def answer(self, blocks: Sequence[bytes], results: Sequence[bytes]) -> None:
        """Adds a model's turn, and a user's turn with the results of its calls. Without blocks nothing is added."""
        if not blocks:
            return
        if self._user_is_next:
            self.say([self._form.text(GO_ON if self._turns else EARLIER)])
        self._turns.append(Turn("model", blocks))
        if results:
            self._turns.append(Turn("user", results))

    def whole(self) -> list[Turn]:
        """All turns; the last one is the user's. Nothing may be added afterwards."""
        if self._user_is_next:
            self.say([self._form.text(GO_ON)])
        return self._turns

    @property
    def _user_is_next(self) -> bool:
        """The last turn is not the user's."""
        return not self._turns or self._turns[-1].role == "model"
