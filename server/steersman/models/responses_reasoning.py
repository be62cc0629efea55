"""Turns reasoning items of the Responses API into signed thinking and back, and knows which models always reason.

Sources: the guides "Reasoning models" (encrypted reasoning, summaries) and "Conversation state", and the item
"Reasoning" of the API reference.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from steersman.agent.messages import Thinking

_KEPT: Final = ("id", "encrypted_content", "format")
"""The opaque fields of an item, which have to be sent back. The encrypted content is bound to the id; `format` is a
router's note of whose encryption it is."""
_REASONS: Final = re.compile(r"^(?:o[1-9]|gpt-(?:[5-9]|[1-9]\d)|codex)(?!.*\bchat\b)", re.IGNORECASE)


def always_reasons(name: str) -> bool:
    """Whether a model is known to reason even if no level is set, by its name in any provider's spelling."""
    return _REASONS.search(name.rsplit("/", 1)[-1]) is not None


def signature_of(item: Mapping[str, object], *, with_id: bool) -> str | None:
    """The opaque fields of a reasoning item as one token; None if nothing of it is encrypted.

    Args:
        with_id: the id is the item's own, so that it fits the encrypted content, and not made up on the way.
    """
    if not item.get("encrypted_content"):
        return None
    kept = {key: item[key] for key in _KEPT if isinstance(item.get(key), str) and (with_id or key != "id")}
    return json.dumps(kept) if "encrypted_content" in kept else None


def reasoning_item(block: Thinking) -> dict[str, object] | None:
    """The reasoning item that `block` was made from; None if there was none, or if it was not encrypted."""
    try:
        kept = json.loads(block.signature or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(kept, dict) or not kept.get("encrypted_content"):
        return None
    opaque = {key: kept[key] for key in _KEPT if isinstance(kept.get(key), str) and kept[key]}
    if "encrypted_content" not in opaque:
        return None
    summary = [{"type": "summary_text", "text": block.text}] if block.text.strip() else []
    return {"type": "reasoning", **opaque, "summary": summary}
