"""Every test of sessions ends with the shared checks, whatever it asserts itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from steersman.workspace.guard import Guard
from support.session_harness import SessionHarness


@pytest.fixture
def guard() -> Iterator[Guard]:
    with Guard() as guard:
        yield guard


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Callable[..., SessionHarness]]:
    """Makes harnesses, and verifies each of them when the test is over."""
    made: list[SessionHarness] = []

    def make(*responses: object, **options: object) -> SessionHarness:
        base = tmp_path / str(len(made))
        base.mkdir()
        made.append(SessionHarness(base, *responses, **options))
        return made[-1]

    yield make
    for each in made:
        each.verify()
