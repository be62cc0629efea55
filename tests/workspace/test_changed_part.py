"""The part in which two texts differ can be compared instead of the whole texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.align import LineChange, line_changes, split_lines
from steersman.workspace.changed_part import ChangedPart, changed_part
from support.cases import cases

texts = st.lists(st.sampled_from(["a", "b", "\n", "a\n", "ab\n", "\r\n"]), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("old", "new", "context", "part"),
    [
        ("1\n2\n3\n", "1\nTWO\n3\n", 0, ChangedPart(["2\n"], ["TWO\n"], 1, 2)),
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nFIVE\n", 1, ChangedPart(["4\n", "5\n"], ["4\n", "FIVE\n"], 3, 6)),
        ("a", "b", 3, ChangedPart(["a"], ["b"], 0, 0)),
        ("", "a\n", 3, ChangedPart([], ["a\n"], 0, 0)),
        ("a\n", "a\n", 0, ChangedPart([], [], 1, 2)),
        ("a\n", "a\nb", 1, ChangedPart(["a\n"], ["a\n", "b"], 0, 0)),
    ],
    ids=["a line", "with context", "no line end", "from nothing", "nothing", "a last line"],
)  # fmt: skip
def test_the_part_has_the_changed_lines_and_their_context(old, new, context, part):
    assert changed_part(old, new, context) == part


@cases(400)
@given(texts, texts, texts, texts, st.integers(0, 3))
def test_the_changes_in_the_part_are_those_in_the_whole(before, old, new, after, context):
    old, new = before + old + after, before + new + after
    part = changed_part(old, new, context)
    first = part.first_line
    assert split_lines(old[: part.start]) == split_lines(new[: part.start])
    assert len(split_lines(old[: part.start])) == first
    shifted = [
        LineChange(
            first + change.old_start, first + change.old_end, first + change.new_start, first + change.new_end
        )
        for change in line_changes(part.old, part.new)
    ]
    whole = split_lines(old)
    assert shifted == line_changes(whole, split_lines(new))
    for change in shifted:
        assert change.old_start - first >= min(context, change.old_start)
        assert first + len(part.old) - change.old_end >= min(context, len(whole) - change.old_end)
