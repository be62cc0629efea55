import pytest


@pytest.fixture
def shop(steersman_agent):
    """The agent in a copy of the shop, under the team's rules."""
    steersman_agent.configure(protect=["vendor/**"])
    steersman_agent.workspace.copy("../samples/shop")
    return steersman_agent
