"""A run that has ended is known to have been, for a while."""

from steersman.session.last_runs import LastRuns


def test_the_last_ones_are_known_and_no_more():
    runs = LastRuns(most=3)
    for run in "abcde":
        runs.add(run)
    assert ["a" in runs, "b" in runs, "c" in runs, "e" in runs] == [False, False, True, True]
    assert len(runs) == 3
    runs.add("e")
    assert "c" in runs
