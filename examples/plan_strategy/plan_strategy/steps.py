"""A plan as text: what the model writes, and what is kept in the session."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STEP = re.compile(r"^\s*(\d{1,3})[.)]\s+(?:\[([ x!])\]\s+)?(\S.*)$", re.MULTILINE)
_MARKS = {" ": "open", "x": "done", "!": "failed"}


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    """From 1."""
    text: str
    state: str = "open"
    """`open`, `done` or `failed`."""


def read_steps(text: str) -> list[Step]:
    """The numbered lines of a text, numbered anew. Empty if it has none."""
    found = _STEP.findall(text)
    return [
        Step(number, said.strip(), _MARKS[mark or " "])
        for number, (_, mark, said) in enumerate(found, start=1)
    ]


def written(steps: Sequence[Step]) -> str:
    """The plan as it is kept and shown. `read_steps` reads it back."""
    marks = {state: mark for mark, state in _MARKS.items()}
    done = sum(step.state == "done" for step in steps)
    lines = [f"{step.number}. [{marks[step.state]}] {step.text}" for step in steps]
    return "\n".join([f"Plan, {done} of {len(steps)} done:", *lines])
