"""The pytest plugin: the fixture `steersman_agent`, and reports that explain how trees differ and show transcripts.

It is loaded in every project, so it imports nothing of Steersman before a test uses the fixture.
"""

import sys
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from steersman.testing.agent import Agent

_AGENT: "pytest.StashKey[Agent]" = pytest.StashKey()
_TREES: pytest.StashKey[list[str]] = pytest.StashKey()
"""The explanation of the last trees that differed. pytest shows only its first lines."""
_SHORT = 8
"""How many lines of an explanation pytest shows."""
_LINES = 400
"""Most lines of one run's transcript in the report of a failed test."""


@pytest.fixture
def steersman_agent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "Generator[Agent]":
    """An agent in an empty temporary workspace, with its own home and no model but the test's."""
    from steersman.testing.agent import Agent  # noqa: PLC0415 - see the module

    agent = Agent(tmp_path_factory.mktemp("steersman"), request.path.parent)
    request.node.stash[_AGENT] = agent
    yield agent
    agent.close()


def pytest_assertrepr_compare(
    config: pytest.Config, op: str, left: object, right: object
) -> list[str] | None:
    """Explains why two trees are not equal."""
    trees = sys.modules.get("steersman.testing.trees")
    if trees is None or op != "==" or not (isinstance(left, Mapping) and isinstance(right, Mapping)):
        return None
    if isinstance(left, trees.Tree):
        lines: list[str] = trees.explain(left, right)
    elif isinstance(right, trees.Tree):
        lines = trees.explain(right, left)
    else:
        return None
    config.stash[_TREES] = lines
    return lines


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the transcript of each run and the whole difference of trees to the report of a failed test."""
    report = yield
    agent = item.stash.get(_AGENT, None)
    if report.when != "call" or agent is None:
        return report
    trees = item.config.stash.get(_TREES, [])
    item.config.stash[_TREES] = []
    if report.failed:
        if len(trees) > _SHORT:
            report.sections.append(("steersman trees", "\n".join(trees)))
        for number, result in enumerate(agent.results, 1):
            report.sections.append((f"steersman run {number}", _bounded(result.transcript)))
    return report


def _bounded(transcript: str) -> str:
    lines = transcript.splitlines()
    left_out = len(lines) - _LINES
    if left_out <= 0:
        return transcript
    half = _LINES // 2
    return "\n".join([*lines[:half], f"… {left_out} lines are left out …", *lines[-half:]])
