"""LSP's `Hover`, what language servers say about a place, as text for the model."""

from collections.abc import Mapping
from itertools import islice

_MAX_PARTS = 100
"""Parts of a hover that are read."""


def hover_text(data: object) -> tuple[str, int]:
    """The text of a `Hover` or null, which may be "", and the number of parts that could not be read.

    The contents are a `MarkupContent`, a `MarkedString` or a list of these. An empty line separates the parts.
    """
    if data is None:
        return "", 0
    contents = data.get("contents") if isinstance(data, Mapping) else None
    parts = list(islice(contents, _MAX_PARTS)) if isinstance(contents, list) else [contents]
    texts = [_text(part) for part in parts]
    said = [text.strip() for text in texts if text is not None and text.strip()]
    return "".join(f"{text}\n" for text in ["\n\n".join(said)] if text), texts.count(None)


def _text(part: object) -> str | None:
    """The text of a `MarkupContent` or a `MarkedString`; None if it is neither."""
    if isinstance(part, str):
        return part
    value = part.get("value") if isinstance(part, Mapping) else None
    if not isinstance(value, str):
        return None
    language = part.get("language") if isinstance(part, Mapping) else None
    return f"```{language}\n{value}\n```" if isinstance(language, str) else value
