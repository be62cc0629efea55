"""Whatever a session holds, its test says the same in Python."""

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.testing.known_files import KnownFiles
from steersman.testing.places import Places
from steersman.testing.source import _value_lines, quoted, quoted_lines
from steersman.workspace.diff import unified_diff

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\n\n\r\"'\\\t\x0c\u2028"), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def read(lines: list[str]) -> object:
    return eval(compile(ast.parse("(" + "\n".join(lines) + ")", mode="eval"), "source", "eval"), {})


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_a_text_is_read_back_as_it_was(text):
    assert read([quoted(text)]) == text
    assert read(quoted_lines(text)) == text
    assert all("\n" not in line for line in quoted_lines(text))


@settings(deadline=None, max_examples=100)
@given(JSON)
def test_a_value_is_read_back_as_it_was(value):
    assert read(_value_lines(value)) == value


def known(kind: str, diff: str) -> KnownFiles:
    files = KnownFiles(Places(["file:///w"]), None)
    files.proposed("a", {"kind": kind, "diff": diff})
    return files


@settings(deadline=None, max_examples=100)
@given(TEXTS.filter(bool), TEXTS)
def test_the_diff_of_a_question_tells_what_was_there(old, new):
    whole = known("delete", unified_diff(old, "", "a/a", "/dev/null"))
    assert whole.files["a"] == old
    assert whole.notes == []
    seen = str(known("edit", unified_diff(old, new, "a/a", "b/a")).files["a"])
    there = old.split("\n")
    assert all(line in ("", *there[number : number + 1]) for number, line in enumerate(seen.split("\n")))
