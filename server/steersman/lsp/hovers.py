"""What language servers say of a place, as text for the model: the `Hover` of LSP."""

from collections.abc import Mapping
from itertools import islice

_MAX_PARTS = 100
"""Parts of an answer that are looked at."""


def hover_text(data: object) -> tuple[str, int]:
    """The text of a `Hover` or null, "" for nothing; and how many parts of it were none.

    Its contents are a `MarkupContent`, a `MarkedString` or a list of these; they are set apart by an empty line.
    """
    if data is None:
        return "", 0
    contents = data.get("contents") if isinstance(data, Mapping) else None
    parts = list(islice(contents, _MAX_PARTS)) if isinstance(contents, list) else [contents]
    texts = [_text(part) for part in parts]
    said = [text.strip() for text in texts if text is not None and text.strip()]
    return "".join(f"{text}\n" for text in ["\n\n".join(said)] if text), texts.count(None)


def _text(part: object) -> str | None:
    """Of a `MarkupContent` or a `MarkedString`; None if it is neither."""
    if isinstance(part, str):
        return part
    value = part.get("value") if isinstance(part, Mapping) else None
    if not isinstance(value, str):
        return None
    language = part.get("language") if isinstance(part, Mapping) else None
    return f"```{language}\n{value}\n```" if isinstance(language, str) else value
