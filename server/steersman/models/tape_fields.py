"""What the turns of written and of recorded tapes have in common: usage and failures."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Final, get_args

from steersman.agent.messages import Usage
from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.tape_entry import Entry

_COUNTS: Final = {
    "input": "input",
    "output": "output",
    "cacheRead": "cache_read",
    "cacheWrite": "cache_write",
    "reasoning": "reasoning",
}


@dataclass(frozen=True, slots=True)
class TapeFailure:
    kind: FailureKind
    message: str
    retry_after: float | None = None
    status: int | None = None
    after: str = ""
    times: int | None = None


def read_usage(entry: Entry) -> Usage | None:
    """Reads the field `usage`; None if there is none."""
    value = entry.raw("usage")
    if value is None:
        return None
    fields = entry.inner("usage", value)
    counts = {ours: fields.count(theirs) or 0 for theirs, ours in _COUNTS.items()}
    usage = Usage(**counts, cost=fields.number("cost"))
    fields.end("input, output, cacheRead, cacheWrite, reasoning, cost")
    return usage


def usage_fields(usage: Usage) -> dict[str, object]:
    """The counterpart of `read_usage`."""
    counts = {theirs: int(getattr(usage, ours)) for theirs, ours in _COUNTS.items()}
    fields: dict[str, object] = {name: count for name, count in counts.items() if count > 0}
    if usage.cost is not None and 0 <= usage.cost < inf:
        fields["cost"] = usage.cost
    return fields


def read_failure(entry: Entry) -> TapeFailure | None:
    """Reads the field `error` of a turn that was written by hand; None if there is none."""
    value = entry.raw("error")
    if value is None:
        return None
    fields = entry.inner("error", value)
    kind = _kind(fields)
    failure = TapeFailure(
        kind=kind,
        message=fields.string("message") or f"a {kind} failure of the tape",
        retry_after=fields.number("retryAfter"),
        status=fields.count("status", least=300),
        after=fields.string("after"),
        times=fields.count("times", least=1),
    )
    fields.end("kind, message, retryAfter, status, after, times")
    return failure


def read_recorded_failure(entry: Entry) -> StreamFailure | None:
    """Reads the field `error` of a recorded turn; None if there is none."""
    value = entry.raw("error")
    if value is None:
        return None
    fields = entry.inner("error", value)
    failure = StreamFailure(
        kind=_kind(fields),
        message=fields.string("message"),
        retry_after=fields.number("retryAfter"),
        status=fields.count("status"),
        cut=fields.take("cut", bool, False, "true or false"),
    )
    fields.end("kind, message, retryAfter, status, cut")
    return failure


def failure_fields(failure: StreamFailure) -> dict[str, object]:
    """The counterpart of `read_recorded_failure`."""
    fields: dict[str, object] = {"kind": failure.kind, "message": failure.message}
    if failure.retry_after is not None and isfinite(failure.retry_after):
        fields["retryAfter"] = max(0.0, failure.retry_after)
    if failure.status is not None:
        fields["status"] = failure.status
    return fields | ({"cut": True} if failure.cut else {})


def _kind(fields: Entry) -> FailureKind:
    kinds: tuple[FailureKind, ...] = get_args(FailureKind)
    return fields.word("kind", kinds)
