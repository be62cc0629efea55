"""The configurations of docs/editors/, taken out of the pages literally: what is tested is what people copy."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "editors"


def snippets(page: str, language: str) -> list[str]:
    """The fenced blocks of one language in `docs/editors/PAGE.md`, in their order."""
    text = (PAGES / f"{page}.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
