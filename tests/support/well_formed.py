"""Reads an exported page as strictly as HTML needs it: what opens closes, and only what is known is there."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr"}
KNOWN = VOID | {
    "html", "head", "title", "style", "body", "header", "footer", "main", "nav", "section", "article", "details",
    "summary", "div", "span", "p", "a", "time", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd",
    "code", "pre", "strong", "em", "s", "b", "blockquote", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {
    "class", "id", "href", "src", "alt", "datetime", "lang", "charset", "content", "name", "http-equiv", "start",
    "style",
}  # fmt: skip


@dataclass
class Page:
    faults: list[str]
    text: str
    """All of it, in order."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """By class of an element, the text in it."""
    images: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page([], "")
        self.open: list[tuple[str, list[str], list[str]]] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in KNOWN:
            self.page.faults.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES or (name == "style" and not (value or "").startswith("text-align:")):
                self.page.faults.append(f"{tag} {name}={value!r}")
        if "src" in given:
            self.page.images.append(given["src"])
        if "href" in given:
            self.page.links.append(given["href"])
        if "id" in given:
            self.page.ids.append(given["id"])
        if tag not in VOID:
            self.open.append((tag, (given.get("class") or tag).split(), []))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.page.faults.append(f"<{tag}/>")  # HTML takes that for a start

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.page.faults.append(f"</{tag}> closes {self.open[-1:]}")
            return
        _, names, parts = self.open.pop()
        for name in names:
            self.page.texts.setdefault(name, []).append("".join(parts))

    def handle_data(self, data):
        self.page.text += data
        for _, _, parts in self.open:
            parts.append(data)

    def handle_comment(self, data):
        self.page.faults.append(f"<!-- {data}")

    def handle_pi(self, data):
        self.page.faults.append(f"<?{data}")

    def unknown_decl(self, data):
        self.page.faults.append(f"<![{data}")


def read_page(text: str) -> Page:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.page.faults += [f"<{tag}> is left open" for tag, _, _ in reader.open]
    return reader.page
