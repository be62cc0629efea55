"""Files and edits of any kind: what is written is what the edits say, or nothing is and the error says why."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.align import split_lines
from steersman.workspace.changes import ChangeRefused
from steersman.workspace.diff import unified_diff
from steersman.workspace.line_ends import to_lf
from steersman.workspace.matching import Replacement, locate
from steersman.workspace.text import TextError, decode
from support.cases import cases
from support.mutations import change_text, mutated_bytes, text_changes

PIECES = (
    *(
        "a",
        "b",
        "def f():",
        "    return 1",
        "\treturn 1",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "“x”",
        '"x"',
        "’",
        "'",
    ),
    *(
        "–",
        "-",
        "\u00a0",
        "é",
        "e\u0301",
        "😀",
        "\ufeff",
        "\u2028",
        "\x0c",
        "\x85",
        "\ufffd",
        "\\n",
        "\x1b[31m",
        "}",
        "0",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
MARKS = (b"", b"\xef\xbb\xbf", b"\xff\xfe", b"# coding: latin-1\n")
ENCODINGS = ("utf-8", "utf-8", "utf-16-le", "latin-1", "cp1252", "utf-8-sig")
files = mutated_bytes(
    st.builds(
        lambda text, mark, encoding: mark + text.encode(encoding, "replace"),
        texts,
        st.sampled_from(MARKS),
        st.sampled_from(ENCODINGS),
    ),
    (b"\r\n", b"\n", b"\r", b"\xe9", b"\xff"),
    most=2,
)


changes = text_changes(PIECES, most=2)
parts = st.lists(
    st.tuples(st.integers(0, 1 << 16), st.integers(0, 24), st.just([]) | changes, changes | texts),
    min_size=1,
    max_size=3,
)
"""Of a text that is not known yet: where they are and how long, how they are changed, and into what."""


def pairs(text: str, wanted: Sequence[tuple[int, int, Any, Any]]) -> list[tuple[str, str]]:
    """Old texts are parts of the file, exact or nearly, and new ones nearly the old ones, or others."""
    found = []
    for place, length, changed, new in wanted:
        at = place % max(1, len(text))
        old = change_text(text[at : at + length], changed)
        found.append((old, new if isinstance(new, str) else change_text(old, new)))
    return found


@cases(70)
@given(files, parts)
def test_an_edited_file_is_the_file_with_its_edits_and_nothing_else_changed(data, wanted):
    try:
        whole = decode(data)
    except TextError as error:
        assert str(error)
        return
    assert whole.data() == data
    edits = pairs(whole.text, wanted)
    try:
        spans = locate(whole.text, [Replacement(old, new) for old, new in edits])
        after = whole.apply([span.change for span in spans])
        written = after.data()
    except (ChangeRefused, TextError) as error:
        assert str(error)
        return
    ordered = sorted(spans, key=lambda span: span.start)
    expected, at = "", 0
    for span in ordered:
        if span.exact:
            old, new = edits[span.edit]
            assert whole.text[span.start : span.end] == to_lf(old)
            assert span.new_text in _meant(new)
        expected += whole.text[at : span.start] + span.new_text
        at = span.end
    expected += whole.text[at:]
    marked = whole.bom and ordered[0].start == 0
    assert after.text in (to_lf(expected), to_lf(expected.removeprefix("\ufeff") if marked else expected))
    again = (
        decode(written, whole.encoding) if whole.certain else after
    )  # an edit may take its declaration out
    assert again.text == after.text or (not whole.bom and written.startswith(MARKS[1:3]))
    assert written.startswith(
        whole.raw[: _raw_offset(whole.raw, ordered[0].start)].encode(whole.encoding), len(whole.bom)
    )
    tail = len(whole.raw) - _raw_offset(whole.raw, ordered[-1].end)
    assert not tail or written.endswith(whole.raw[-tail:].encode(whole.encoding))
    for one in ("\r\n", "\r"):
        if one not in whole.raw and "\n" in whole.text:
            assert one not in after.raw.replace("\r\n", "" if one == "\r" else "\r\n"), (
                "no other line end comes in"
            )


def _meant(new: str) -> set[str]:
    """What a new text may be in the file: with LF, and with the final line end that its file had."""
    return {text + end for text in (new, to_lf(new)) for end in ("", "\n")}


def _raw_offset(raw: str, offset: int) -> int:
    """Where a place of the model's text is in the text with its own line ends."""
    at = 0
    for _ in range(offset):
        at += 2 if raw.startswith("\r\n", at) else 1
    return at


@cases(70)
@given(
    texts,
    texts | text_changes(PIECES),
    st.integers(0, 12),
)
def test_a_diff_read_line_by_line_gives_the_new_text_and_one_with_a_limit_keeps_it(old, new, limit):
    new = new if isinstance(new, str) else change_text(old, new)
    diff = unified_diff(old, new, "a/x", "b/x")
    assert patched(old, diff) == new
    short = unified_diff(old, new, "a/x", "b/x", max_lines=limit)
    assert short.count("\n") <= limit + 1
    assert short == diff or diff.startswith("".join(split_lines(short)[:-1]))


@cases(60)
@given(
    st.text(st.sampled_from('ab "\\\n\r\t\x7f\x1b\0é\ud800\u2028/') | st.characters(), min_size=1, max_size=8)
)
def test_a_name_in_a_diff_is_one_line(name):
    before, after, rest = unified_diff("a\n", "b\n", name, name).split("\n", 2)
    assert (before[:4], after[:4], rest) == ("--- ", "+++ ", "@@ -1 +1 @@\n-a\n+b\n")
    assert not {"\r", "\t", "\x1b", "\0"} & set(before[4:].removesuffix("\t"))


def patched(old: str, diff: str) -> str:
    """What a unified diff makes of a text."""
    if not diff:
        return old
    lines, made, at, took_in = split_lines(old), list[str](), 0, False
    for line in split_lines(diff)[2:]:
        if line.startswith("@@ "):
            start, _, count = line.split()[1][1:].partition(",")
            place = int(start) - (count != "0")
            made += lines[at:place]
            at = place
        elif line.startswith("\\"):
            if took_in:
                made[-1] = made[-1].removesuffix("\n")
        elif line[0] == "+":
            made.append(line[1:])
            took_in = True
        else:
            whole = lines[at] if lines[at].endswith("\n") else lines[at] + "\n"
            assert whole == line[1:]
            took_in = line[0] == " "
            made += [whole] * took_in
            at += 1
    return "".join(made + lines[at:])
