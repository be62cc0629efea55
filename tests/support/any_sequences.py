"""Random sequences of what a person does, always something that is possible then; and the smallest part that fails.

The same seed gives the same sequence. hypothesis does not draw them: its variations of one example are too similar, and
ninety of a hundred of its clients behaved well.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from support.any_person import Action, Person
from support.any_workspace import Wish
from support.habits import HABITS, Habits

MODES = {"ask": 6, "auto-edit": 2, "full-auto": 1, "read-only": 1}
DECISIONS = {"accept": 6, "decline": 2, "acceptForRun": 1, "acceptForSession": 1, "cancel": 1}
WAYS_TO_ANSWER = {
    "say": 6,
    "the other way": 2,
    "with text": 2,
    "hunks": 2,
    "close": 1,
    "fail": 1,
    "nonsense": 1,
    "look": 1,
}
CHANGES = {"insert": 2, "replace": 1, "take out": 1}
WISHES = {
    "edit": 8,
    "two edits": 4,
    "insert": 4,
    "rewrite": 3,
    "create": 3,
    "read": 2,
    "delete": 2,
    "move": 2,
    "hold": 2,
    "write": 1,
    "nonsense": 1,
    "unknown": 0.5,
    "bad": 0.5,
    "fail": 0.5,
    "give up": 0.5,
    "bash": 0.2,
}
T = TypeVar("T")


@dataclass(frozen=True)
class Drawn:
    """All that a sequence depends on."""

    habits: Habits
    mode: str
    opened: tuple[int, ...]
    """Files that are open at the beginning."""
    turns: tuple[tuple[Wish, ...], ...]
    """What the model will do."""
    actions: tuple[Action, ...] = ()


@dataclass
class Chance:
    """Draws."""

    random: random.Random
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = self.random.randint(5, 40)

    def start(self, **fixed: Any) -> Drawn:
        """All but the actions; `fixed` are habits that are given."""
        return Drawn(
            self._habits(fixed),
            self._of(MODES),
            self.random.choice([(0, 1, 2), (0, 1, 2), (0, 1), (0,), ()]),
            tuple(self._turn() for _ in range(self.random.randint(2, 14))),
        )

    def action(self, person: Person) -> Action:
        """What is done next."""
        name = self._of(self._possible(person))
        return (name, *self._details(name), self.random.random() < 0.2)

    def _habits(self, fixed: dict[str, Any]) -> Habits:
        odd = self.random.choice([0.0, 0.15, 0.4, 1.0])
        ways = {
            name: self.random.choice(values) if self.random.random() < odd else values[0]
            for name, values in HABITS.items()
        }
        ways |= {name: self.random.choice(HABITS[name]) for name in ("edits", "tells", "debounces")}
        return Habits(**{**ways, **fixed})

    def _turn(self) -> tuple[Wish, ...]:
        calls = self.random.choice([1, 1, 1, 2, 3])
        return tuple((self._of(WISHES), self._number(), self._number()) for _ in range(calls))

    def _possible(self, person: Person) -> dict[str, float]:
        asked, held = bool(person.client.prompts), bool(person.model.holds)
        late = bool(person.client.postponed or person.editor.untold)
        return {
            "start": 1 if asked or held else 6,
            "answer": 14 if asked else 0,
            "act": 2 if asked else 0,
            "go_on": 4 if held else 0,
            "catch_up": 3 if late else 0,
            "wait": 3 if late else 1,
            "type": 5 if asked or held else 3,
            "save": 1.5,
            "undo": 1,
            "close": 0.7,
            "close_shown": 0.7,
            "open_file": 1,
            "disk": 1,
            "remove": 0.4,
            "steer": 1,
            "followUp": 1,
            "queue": 1 if asked or held else 0.1,
            "abort": 0.7,
            "continue": 0.5,
            "configure": 0.4,
            "cancel": 0.3,
        }

    def _details(self, name: str) -> tuple[Any, ...]:
        match name:
            case "start":
                mode = self._of(MODES) if self.random.random() < 0.3 else None
                return self.random.random() < 0.6, mode
            case "answer":
                return self._of(WAYS_TO_ANSWER), self._of(DECISIONS), self._number()
            case "act":
                return self._of(DECISIONS), self._number()
            case "wait":
                return (self.random.choice([0.3, 1.5, 3.5, 11.0, 40.0]),)
            case "type" | "disk":
                return self._number(), self._of(CHANGES), self._number()
            case "steer" | "followUp" | "abort":
                return (self.random.random() < 0.5,)
            case "queue":
                return self.random.choice(["edit", "remove", "move"]), self._number()
            case "configure":
                return self._of(MODES), self.random.random() < 0.5
            case "save" | "undo" | "close" | "open_file" | "remove":
                return (self._number(),)
        return ()

    def _number(self) -> int:
        return self.random.randrange(12)

    def _of(self, weights: dict[str, float]) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]


def smallest(drawn: Drawn, fails: Callable[[Drawn], bool]) -> Drawn:
    """A sequence that fails and of which nothing can be left out."""
    while True:
        smaller = next((each for each in _smaller(drawn) if fails(each)), None)
        if smaller is None:
            return drawn
        drawn = smaller


def _smaller(drawn: Drawn) -> Iterator[Drawn]:
    for actions in _without_some(drawn.actions):
        yield replace(drawn, actions=actions)
    for turns in _without_some(drawn.turns):
        yield replace(drawn, turns=turns)
    for number, turn in enumerate(drawn.turns):
        for wishes in _without_some(turn):
            yield replace(drawn, turns=(*drawn.turns[:number], wishes, *drawn.turns[number + 1 :]))
    for opened in _without_some(drawn.opened):
        yield replace(drawn, opened=opened)
    for name, values in HABITS.items():
        if getattr(drawn.habits, name) != values[0]:
            yield replace(drawn, habits=replace(drawn.habits, **{name: values[0]}))
    for number, action in enumerate(drawn.actions):
        if action[-1]:
            patient = (*action[:-1], False)
            yield replace(drawn, actions=(*drawn.actions[:number], patient, *drawn.actions[number + 1 :]))


def _without_some(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Half of it left out, a quarter, …, one."""
    size = len(items)
    while size := size // 2 if size > 1 else 0:
        for start in range(0, len(items), size):
            yield (*items[:start], *items[start + size :])
    if len(items) == 1:
        yield ()
