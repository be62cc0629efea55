import pytest
from plan_strategy import PlanStrategy

from steersman.testing import Agent


@pytest.fixture
def agent(steersman_agent: Agent) -> Agent:
    """An agent that plans first, in a small shop."""
    steersman_agent.configure(extensions={"plan": PlanStrategy})
    steersman_agent.workspace.write({"shop/tax.py": "RATE = 7\n", "README.md": "The rate is 7.\n"})
    return steersman_agent
