"""A session that is killed, or whose disk is full, at any write of a long scripted story: nothing is lost or torn.

A sample of every kind of write runs with the suite; all of them with `make test-crash`, which prints the counts.
"""

import os
import sys

import pytest

from support.crash_figures import failures, sweep, table

WHICH = "all" if os.environ.get("STEERSMAN_CRASH") else "sample"
RECORDS = {
    *(
        "session",
        "config",
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "turn_end",
        "agent_end",
    ),
    *("tool_execution_start", "tool_execution_running", "tool_execution_end", "edit_start", "edit_applied"),
    *("approval_requested", "approval_resolved", "checkpoint", "queue_update", "session_renamed", "head"),
    *("compaction_start", "compaction_end", "revert_start", "revert_end"),
}
OTHERS = {
    *("log: create", "log: fsync", "log: rename", "log: ftruncate"),
    *("session copy: create", "session copy: write", "session copy: fsync"),
    *("pre-image: mkdir", "pre-image: create", "pre-image: write", "pre-image: fsync", "pre-image: link"),
    *(
        "file: mkdir",
        "file: create",
        "file: write",
        "file: fsync",
        "file: link",
        "file: rename",
        "file: unlink",
    ),
    *("output: mkdir", "output: create", "output: write"),
    *("trust: create", "trust: write", "trust: rename"),
}


def test_killed_at_any_write_a_session_is_whole_and_goes_on(place):
    """36, 38, bugs 13, 30"""
    points, rows = sweep(place, "kill", WHICH)
    assert {f"log: write {kind}" for kind in RECORDS} | OTHERS <= set(points), (
        "the story has every kind of write"
    )
    sys.stdout.write(f"\nKilled at {len(rows)} places\n{table(rows)}\n")
    if wrong := failures(rows):
        pytest.fail(wrong)
    assert {row["signal"] for row in rows} == {9}
    found = {row["found"] for row in rows}
    assert {
        "nothing had begun",
        "in a run",
        "in a compaction",
        "in a revert",
        "a copy had been made",
    } <= found


@pytest.mark.parametrize("how", ["full", "read-only"] if WHICH == "all" else ["full"])
def test_a_disk_that_takes_nothing_from_any_write_on_loses_nothing_and_the_session_goes_on_after(place, how):
    """38"""
    _, rows = sweep(place, how, WHICH)
    sys.stdout.write(f"\nThe disk was {how} from {len(rows)} places on\n{table(rows)}\n")
    if wrong := failures(rows):
        pytest.fail(wrong)
    assert {row["signal"] for row in rows} == {0}
