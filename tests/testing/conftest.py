"""An agent whose workspace has two files."""

import pytest


@pytest.fixture
def agent(steersman_agent):
    steersman_agent.workspace.write({"a.txt": "one\n", "sub/b.txt": "b\n"})
    return steersman_agent
