"""Positions of LSP and offsets of strings, in every encoding, at every kind of line end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.workspace.positions import (
    ContentChange,
    LineIndex,
    Position,
    Range,
    apply_changes,
)

ENCODINGS = ("utf-8", "utf-16", "utf-32")
texts = st.lists(
    st.sampled_from(["a", "é", "中", "𝄞", "\n", "\r\n", "\r", "\f", "\x85", "\u2028", "\x0b", "\ud800"]),
    max_size=30,
).map("".join)


def at(line, character):
    return Position(line, character)


def change(first, last, text):
    return ContentChange(text, Range(first, last))


def test_only_lf_crlf_and_cr_end_lines():
    index = LineIndex("a\nb\r\nc\rd\fe\x85f\u2028g\x0bh\x1ci")
    assert index.line_count == 4
    assert [index.line(i) for i in range(4)] == ["a", "b", "c", "d\fe\x85f\u2028g\x0bh\x1ci"]
    with pytest.raises(IndexError):
        index.line(4)


@pytest.mark.parametrize(
    ("encoding", "units"),
    [("utf-8", [0, 1, 3, 6, 10]), ("utf-16", [0, 1, 2, 3, 5]), ("utf-32", [0, 1, 2, 3, 4])],
)
def test_characters_are_counted_in_code_units(encoding, units):
    index = LineIndex("x\naé中𝄞")
    assert [index.position(2 + i, encoding).character for i in range(5)] == units
    assert [index.offset(at(1, unit), encoding) for unit in units] == [2, 3, 4, 5, 6]


def test_a_position_inside_a_character_is_its_start():
    index = LineIndex("𝄞b")
    assert index.offset(at(0, 1), "utf-16") == 0
    assert [index.offset(at(0, i), "utf-8") for i in range(6)] == [0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_past_the_end_of_a_line_is_its_end_and_past_the_last_line_the_documents(encoding, end):
    index = LineIndex(f"aé{end}b")
    assert index.offset(at(0, 99), encoding) == 2
    assert index.offset(at(1, 99), encoding) == index.offset(at(7, 3), encoding) == 3 + len(end)


def test_an_offset_inside_a_crlf_is_the_end_of_the_line():
    assert LineIndex("ab\r\nc").position(3, "utf-16") == at(0, 2)
    assert LineIndex("ab\r\nc").position(99, "utf-16") == at(1, 1)


def test_ranges_are_pairs_of_positions():
    assert LineIndex("a\nbc\n").range(2, 5, "utf-16") == Range(at(1, 0), at(2, 0))


def test_changes_are_applied_each_to_what_the_one_before_left():
    changes = [
        change(at(0, 0), at(0, 0), "x\n"),
        change(at(1, 2), at(1, 3), "𝄞"),
        change(at(1, 4), at(1, 4), "!"),
        change(at(9, 9), at(9, 9), "\nend"),
    ]
    assert apply_changes("abc", changes, "utf-16") == "x\nab𝄞!\nend"


def test_a_change_without_a_range_is_the_whole_document():
    assert apply_changes("abc", [ContentChange("x"), change(at(0, 1), at(0, 1), "y")], "utf-16") == "xy"


def test_a_range_the_wrong_way_round_is_turned():
    assert apply_changes("abc", [change(at(0, 2), at(0, 1), "")], "utf-16") == "ac"


def test_form_feeds_and_line_separators_move_no_edit_to_another_line():
    assert apply_changes("a\f\u2028b\nc", [change(at(1, 0), at(1, 1), "X")], "utf-16") == "a\f\u2028b\nX"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_deep_in_a_large_document_is_found(end):
    rows = [f"row {i}" for i in range(20_000)]
    result = apply_changes(end.join(rows), [change(at(15_123, 4), at(15_124, 0), "X")], "utf-16")
    rows[15_123:15_125] = ["row Xrow 15124"]
    assert result == end.join(rows)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(ENCODINGS))
def test_an_offset_survives_the_way_there_and_back(text, encoding):
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        position = index.position(offset, encoding)
        inside_crlf = text[max(offset - 1, 0) : offset + 1] == "\r\n" and offset > 0
        assert index.offset(position, encoding) == (offset - 1 if inside_crlf else offset)


@settings(max_examples=400, deadline=None)
@given(texts, st.lists(st.integers(0, 8), min_size=4, max_size=4), texts, st.sampled_from(ENCODINGS))
def test_an_incremental_change_is_what_the_index_says(text, numbers, new, encoding):
    first, last = sorted([at(*numbers[:2]), at(*numbers[2:])])
    index = LineIndex(text)
    expected = text[: index.offset(first, encoding)] + new + text[index.offset(last, encoding) :]
    assert apply_changes(text, [change(first, last, new)], encoding) == expected
