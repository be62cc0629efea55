"""Prints figures at the end. People judge what they should be."""

from collections.abc import Callable

import pytest

_FIGURES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FIGURES] = []


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`figure(name, value)` keeps a line for the end."""

    def keep(name: str, value: str) -> None:
        request.config.stash[_FIGURES].append(f"{request.node.name:<34} {name:<34} {value}")

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.section("figures")
    for line in config.stash[_FIGURES]:
        terminalreporter.write_line(line)
