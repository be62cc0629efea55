"""The outcome of an operation in a sentence, for users whose client doesn't get events."""

from collections import Counter

from steersman.session.journal import Emitted
from steersman.session.wire import Data

_OUTCOMES = {
    "restored": "restored",
    "deleted": "deleted again",
    "done": "already as before",
    "kept": "kept",
    "skipped": "skipped",
    "conflict": "left alone because changed since",
    "failed": "failed",
}


def operation_message(event: Emitted) -> str | None:
    """The message for the event that ends an operation; None for any other event."""
    if event.type == "compaction_end":
        return _of_compaction(event.data)
    if event.type == "revert_end":
        return _of_revert(event.data)
    return None


def _of_compaction(data: Data) -> str:
    if "failed" in data:
        return f"Steersman: the conversation was not summarised: {data['failed']}"
    before, after = data["tokensBefore"], data["tokensAfter"]
    return f"Steersman: old messages were summarised, about {before:,} tokens became {after:,}."


def _of_revert(data: Data) -> str:
    counts = Counter(each["outcome"] for each in data["files"])
    parts = [f"{count} {_OUTCOMES[outcome]}" for outcome, count in counts.items()]
    reasons = [each["message"] for each in data["files"] if each["outcome"] in ("conflict", "failed")]
    return f"Steersman: files: {', '.join(parts) or 'none'}." + "".join(f"\n{reason}" for reason in reasons)
