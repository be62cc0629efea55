"""Pages of a session's events: the records that one answer has, and whether there are more."""

from collections.abc import Iterable

from steersman.session.log_lines import Record

MAX_EVENTS = 1000
"""Records on one page."""
MAX_EVENTS_BYTES = 4 * 1024 * 1024
"""Of those records; a longer one comes alone."""


def page_of(
    records: Iterable[tuple[Record, int]], limit: int | None, run: str | None, upto: int | None
) -> tuple[list[Record], bool]:
    """The first records, and whether there are more than fit. `records` come with their lengths in bytes.

    Args:
        limit: records, at most `MAX_EVENTS`; None: as many as those.
        run: only the records of this run, whose last one is its end.
        upto: the number of the last record that counts.
    """
    count = min(limit or MAX_EVENTS, MAX_EVENTS)
    wanted: list[Record] = []
    size = 0
    for record, length in records:
        if upto is not None and record["seq"] > upto:
            break
        if run is not None and record.get("run") != run:
            continue
        size += length
        if len(wanted) == count or (wanted and size > MAX_EVENTS_BYTES):
            return wanted, True
        wanted.append(record)
        if run is not None and record["type"] == "agent_end":
            break
    return wanted, False


def has_run(records: Iterable[tuple[Record, int]], run: str, upto: int | None) -> bool:
    """Whether a run has a record among the first `upto`."""
    known = (record for record, _ in records if upto is None or record["seq"] <= upto)
    return any(record.get("run") == run for record in known)
