"""What the agent is told in this workspace."""

from steersman.testing import Trust


def test_the_teams_instructions_reach_the_model(shop):
    result = shop.run("hello", ["Hello."])
    assert "Prices are whole cents." in result.requests[0].system


def test_in_a_folder_that_is_not_trusted_they_do_not(shop):
    result = shop.run("hello", ["Hello."], trusted=False, answers=[Trust().decline()])
    assert not result.saw("Prices are whole cents.")
