"""Any text, in any place of a log: the page is well-formed and has it as text; Markdown takes it for nothing else."""

from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from steersman.session.export.document import code, document, fence, plain, speech
from steersman.session.export.outline import outline_of
from steersman.session.export.page import page
from steersman.session.export.prose import prose
from steersman.session.export.reading import entries
from steersman.session.export.visible import one_line, visible
from support.told_log import told_everywhere
from support.well_formed import read_page

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</div></details></article><img src=x onerror=alert(1)>",
    "<!-- ", "-->", "<![CDATA[", "]]>", "<?php", "</style>",
    "&lt;b&gt; &amp; &#x202e; &nbsp;", '" onclick="x', "' x='",
    "```\n````\n`````", "~~~\n", "# You", "- a", "1. b", "> quoted", "---",
    "\u202eevil\u202c", "\u200bzero", "a\x1b[31mred\x00",
    "\r\n", "\ud800", "\U000e0041tag", "@@ -1 +1 @@\n-a\n+b", "[a]: https://x.org", "![i](https://x.org/i.png)",
    "<a href=javascript:x>", "[x](data:text/html,x)", "**b**", "| a |\n|---|\n| b |", "\t indented", "    code",
]  # fmt: skip
TEXTS = st.lists(
    st.sampled_from(HOSTILE)
    | st.text(st.characters() | st.sampled_from("<>&\"'`~#|\n\\*_[]()!-"), max_size=20),
    max_size=6,
).map("".join)


def html_of(told) -> str:
    outline = outline_of(told.records)
    return "".join(page(outline, entries(told.records, outline)))


@given(TEXTS)
@example("".join(HOSTILE))
@settings(max_examples=120, deadline=None)
def test_any_text_anywhere_gives_a_well_formed_page_that_has_it_as_text(text):
    html = html_of(told_everywhere(text))
    found = read_page(html)
    assert found.faults == []
    assert found.images == []
    assert all(link.startswith(("#", "http://", "https://", "mailto:")) for link in found.links)
    assert visible(html) == html
    if text:
        assert visible(text) in found.texts["said"]  # of the user
        assert visible(text) in found.texts.get("text", []) or "@@" in text
    line = one_line(text)
    if line:
        assert found.texts["h1"][0] == found.texts["title"][0] == line
        assert any(line in note for note in found.texts["notice"])


@given(TEXTS)
@example("".join(HOSTILE))
@settings(max_examples=120, deadline=None)
def test_what_a_model_writes_is_well_formed_and_fetches_nothing(text):
    html = prose(text)
    found = read_page(html)
    assert found.faults == []
    assert found.images == []
    assert all(link.startswith(("http://", "https://", "mailto:")) for link in found.links)
    assert visible(html) == html


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30).map(" ".join), TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_word_of_a_model_is_lost(words, around):
    """Whatever stands before it. Markup may go, words stay."""
    shown = unescape(read_page(prose(f"{around}\n\n{words}\n")).text)
    assert words.replace(" ", "") in shown.replace(" ", "").replace("\n", "")


@given(TEXTS)
@example("".join(HOSTILE))
@settings(max_examples=120, deadline=None)
def test_a_fence_holds_its_text_and_nothing_else(text):
    tokens = MarkdownIt("commonmark").parse(f"before\n{fence(text)}\nafter\n")
    blocks = [token for token in tokens if token.type == "fence"]
    shown = visible(text)
    assert [block.content for block in blocks] == [shown if shown.endswith("\n") else f"{shown}\n"]
    assert tokens[-2].content == "after"


@given(TEXTS)
@example("".join(HOSTILE))
@example("\t<script>alert(1)</script>")
@settings(max_examples=120, deadline=None)
def test_what_is_said_ends_where_it_ends_and_does_nothing(text):
    tokens = MarkdownIt("commonmark").parse(f"# before\n{speech(text)}\nafter\n")
    assert tokens[-2].content == "after"
    assert [token for token in tokens if token.type == "heading_open" and token.level == 0] == tokens[:1]
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_inline", "image"} & set(inline)
    assert "html_block" not in {token.type for token in tokens}


@given(TEXTS)
@example("".join(HOSTILE))
@settings(max_examples=120, deadline=None)
def test_text_on_a_line_is_text(text):
    line = one_line(text)
    for made in (f"- x: {plain(text)}", f"- x: {code(text)}" if line else "- x: `x`"):
        tokens = MarkdownIt("commonmark").parse(f"{made}\n")
        inline = next(token for token in tokens if token.type == "inline")
        assert {child.type for child in inline.children} <= {"text", "code_inline", "text_special"}
        shown = "".join(child.content for child in inline.children)
        assert shown == (f"x: {line}" if line else shown)


@given(TEXTS)
@example("".join(HOSTILE))
@settings(max_examples=60, deadline=None)
def test_no_text_can_pass_for_a_heading_of_the_document(text):
    told = told_everywhere(text)
    outline = outline_of(told.records)
    whole = "".join(document(outline, entries(told.records, outline)))
    tokens = MarkdownIt("commonmark").parse(whole)
    heads = [
        tokens[i + 1].content
        for i, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    expected = outline_heads(text)
    assert len(heads) == expected
    assert visible(whole) == whole


def outline_heads(text: str) -> int:
    """The title; the user, the custom message, the first answer; the call's answer, which has a text only if there is
    one; the discarded one."""
    return 1 + (3 if text else 1) + 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\x7fb", "a␡b"),
        ("\u202e", "⟨U+202E⟩"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("👩\u200d👩", "👩\u200d👩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_what_cannot_be_seen_is_shown(text, shown):
    assert visible(text) == shown
