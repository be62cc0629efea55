"""A model's Markdown as HTML that fetches nothing, runs nothing, and loses no text."""

from functools import cache
from typing import Final

from markdown_it import MarkdownIt

from steersman.session.export.visible import visible

MAX_PROSE: Final = 50_000
"""Characters of a text that is read as Markdown; a longer one is shown as it was written."""
_LINKS: Final = ("http://", "https://", "mailto:")


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables, without HTML. Definitions of links stay text: they would vanish; so do images, which
    would be fetched, and links to anything but the web."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.disable(["reference", "image", "html_block", "html_inline"])
    # markdown-it looks this up on the instance, by its documented way of replacing it
    made.validateLink = lambda url: url.lower().startswith(_LINKS)  # type: ignore[method-assign]
    return made


def prose(text: str) -> str | None:
    """The HTML of a text; None for one that is too long to be read as Markdown."""
    if len(text) > MAX_PROSE:
        return None
    html: str = _parser().render(visible(text))
    return visible(html)  # numeric references can name what can't be seen
