"""Every test of the kernel ends with the shared checks, whatever it asserts itself."""

from collections.abc import Callable, Iterator

import pytest

from support.agent_harness import AgentHarness


@pytest.fixture
def harness() -> Iterator[Callable[..., AgentHarness]]:
    """Makes harnesses, and verifies each of them when the test is over."""
    made: list[AgentHarness] = []

    def make(*responses: object, **options: object) -> AgentHarness:
        made.append(AgentHarness(*responses, **options))
        return made[-1]

    yield make
    for each in made:
        each.verify()
