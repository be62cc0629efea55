"""Runs of the fixture `steersman_agent` that several tests of the plugin plan."""

import pytest

from steersman.testing import RunMismatch, call

EDIT = call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])


def mismatch(agent, *args, **options) -> str:
    """What is said of a run that is another than planned."""
    with pytest.raises(RunMismatch) as caught:
        agent.run(*args, **options)
    return str(caught.value)
