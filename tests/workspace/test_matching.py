"""Where old text is found, what is written there, and what errors tell the model."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.errors import ChangeRefused
from steersman.workspace.matching import (
    AlreadyApplied,
    Ambiguous,
    EmptyOldText,
    MatchError,
    NoChange,
    NotFound,
    OverlappingEdits,
    Replacement,
    SeveralErrors,
    locate,
)
from steersman.workspace.text_edits import splice
from support.cases import cases


def edit(text, *pairs):
    spans = locate(text, [Replacement(old, new) for old, new in pairs])
    return splice(text, [span.change for span in sorted(spans, key=lambda span: span.start)])


def failure(kind, text, *pairs):
    with pytest.raises(kind) as caught:
        edit(text, *pairs)
    return caught.value


def test_edits_are_matched_against_the_original_and_returned_in_their_order():
    spans = locate("one\ntwo\n", [Replacement("two", "one"), Replacement("one", "two")])
    assert [(span.start, span.edit, span.exact) for span in spans] == [(4, 0, True), (0, 1, True)]
    assert edit("one\ntwo\n", ("two", "one"), ("one", "two")) == "two\none\n"


def test_an_exact_unique_match_wins_over_any_number_of_folded_ones():
    assert edit("f('a')\nf(‘a’)\nf(’a’)\n", ("f('a')", "g")) == "g\nf(‘a’)\nf(’a’)\n"


def test_an_ambiguous_exact_match_says_how_often_and_where():
    error = failure(Ambiguous, "a\nb\na\nb\na\n", ("a", "x"))
    assert error.lines == (1, 3, 5)
    assert str(error) == ("oldText occurs 3 times, at lines 1, 3, 5. It must be unique: add lines around it.")


def test_overlapping_occurrences_are_ambiguous():
    assert failure(Ambiguous, "aaa", ("aa", "x")).lines == (1, 1)


def test_many_places_are_counted_and_the_first_listed():
    assert "occurs 500 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …" in str(
        failure(Ambiguous, "a\n" * 500, ("a", "b"))
    )


def test_overlapping_edits_are_named():
    error = failure(OverlappingEdits, "a b c\n", ("a b", "x"), ("b c", "y"))
    assert (error.other, error.edit) == (0, 1)
    assert "edits[0] and edits[1] overlap at line 1" in str(error)


def test_touching_edits_do_not_overlap():
    assert edit("ab", ("a", "x"), ("b", "y")) == "xy"


def test_empty_old_text_and_no_change_are_refused():
    failure(EmptyOldText, "a", ("", "x"))
    failure(NoChange, "a", ("a", "a"))
    failure(NoChange, "a\nb", ("a\nb", "a\r\nb"))


def test_every_fault_is_reported_and_no_edit_is_placed():
    error = failure(SeveralErrors, "a\nb\n", ("a", "x"), ("zebra", "y"), ("", "z"))
    assert [type(each) for each in error.errors] == [NotFound, EmptyOldText]
    assert "edits[1].oldText is not in the file" in str(error)
    assert "edits[2].oldText is empty" in str(error)


def test_failures_are_refused_changes():
    assert issubclass(MatchError, ChangeRefused)


def test_crlf_in_old_text_is_a_line_end():
    assert edit("a\nb\n", ("a\r\nb", "x\r\ny")) == "x\ny\n"


@pytest.mark.parametrize(
    ("there", "old"),
    [
        ("say “hi”", 'say "hi"'),
        ("it’s", "it's"),
        ("1–2", "1-2"),
        ("a\u00a0b", "a b"),
        ("a b", "a\u3000b"),
        ("it's", "it’s"),
    ],
)
def test_quotes_dashes_and_spaces_are_folded_to_find_the_place(there, old):
    assert (
        edit(f"“x”\u00a0\n{there}\n— y\n", (old, "new “text”\u00a0—"))
        == "“x”\u00a0\nnew “text”\u00a0—\n— y\n"
    )


def test_trailing_blanks_are_folded_at_line_ends_only():
    assert edit("a  \nb\t\nc\n", ("a\nb\nc", "x")) == "x\n"
    assert edit("a\nb\n", ("a  \nb", "x")) == "x\n"
    failure(NotFound, "return xyz\n", ("return x  ", "y"))


def test_blanks_before_the_span_and_after_it_stay():
    assert edit("x  \na “b”  \nc\n", ('\na "b"', "\nd")) == "x  \nd  \nc\n"


def test_lines_that_new_text_only_repeats_stay_as_the_file_has_them():
    text = "title “one”  \nvalue = 1\nend — here\n"
    assert edit(text, ('title "one"\nvalue = 1\nend - here\n', 'title "one"\nvalue = 2\nend - here\n')) == (
        "title “one”  \nvalue = 2\nend — here\n"
    )


def test_a_folded_match_must_be_unique():
    error = failure(Ambiguous, "say “hi”\nx\nsay ”hi“\n", ('say "hi"', "x"))
    assert error.lines == (1, 3)
    assert "apart from blanks, quotes or indentation" in str(error)


def test_blank_old_text_is_not_folded():
    failure(NotFound, "a\nb\n", ("   \n", "x"))


@pytest.mark.parametrize(
    ("there", "old", "new", "result"),
    [
        ("  if a:\n    b\n", "if a:\n  b\n", "if a:\n  c\n\n  d\n", "  if a:\n    c\n\n    d\n"),
        ("if a:\n  b\n", "    if a:\n      b", "    if a:\n      c\n    d", "if a:\n  c\nd\n"),
        ("\tif a:\n\t\tb\n", "    if a:\n        b", "    if a:\n        c", "\tif a:\n\t\tc\n"),
        (
            "    if a:\n        b\n",
            "\tif a:\n\t\tb",
            "\tif a:\n\t\tc\n\t\td",
            "    if a:\n        c\n        d\n",
        ),
        ("\tif a:\n\n\t\tb\n", "if a:\n\n\tb", "if a:\n\n\tc", "\tif a:\n\n\t\tc\n"),
    ],
)
def test_a_uniform_shift_of_the_indentation_is_found_and_given_to_the_new_lines(there, old, new, result):
    assert edit(f"x\n{there}y\n", (old, new)) == f"x\n{result}y\n"


def test_lines_shifted_differently_are_not_the_place():
    failure(NotFound, "  a:\n     b\n", ("a:\n b\n c", "x"))
    failure(NotFound, "  aaa:\n b\n", ("aaa:\n  b", "x"))


def test_a_place_in_a_text_too_repetitive_to_prove_it_unique_is_not_used():
    failure(NotFound, "    a\n      b\n" + "a\n b\n" * 60_000, ("\ta\n\t  b\n", "x"))


def test_several_shifted_places_are_ambiguous():
    assert failure(Ambiguous, "  foo:\n    b\n.\n    foo:\n      b\n", ("\tfoo:\n\t  b", "x")).lines == (1, 4)


def test_appending_a_line_without_its_line_end_keeps_the_final_one():
    assert edit("a\nb\n", ("b\n", "b\nc")) == "a\nb\nc\n"
    assert edit("a\nb\n", ("b", "b\nc")) == "a\nb\nc\n"
    assert edit("a\nb\n", ("a\nb\n", "x")) == "x\n"


def test_in_the_middle_nothing_is_added():
    assert edit("a\nb\nc\n", ("b\n", "x")) == "a\nxc\n"


def test_the_final_line_end_can_be_taken_off_and_the_last_line_deleted():
    assert edit("a\nb\n", ("b\n", "b")) == "a\nb"
    assert edit("a\nb\n", ("b\n", "")) == "a\n"


def test_old_text_with_a_line_end_finds_a_last_line_without_one_which_stays_without():
    assert edit("a\nb", ("b\n", "b\nc\n")) == "a\nb\nc"
    assert edit("a\n  if x:\n    b", ("if x:\n  b\n", "if x:\n  c\n")) == "a\n  if x:\n    c"


def test_a_missing_text_shows_the_closest_lines_and_the_first_difference():
    text = "import os\n\ndef area(width, height):\n    size = width * height\n    return size\n"
    error = failure(
        NotFound, text, ("def area(width, height):\n    size = width + height\n    return size", "x")
    )
    assert error.line == 3
    assert str(error) == (
        "oldText is not in the file. The closest place is:\n"
        "     3 | def area(width, height):\n"
        "     4 |     size = width * height\n"
        "     5 |     return size\n"
        "Line 4 differs: oldText has there\n"
        "       |     size = width + height\n"
        "Give oldText exactly as the file has it."
    )


@pytest.mark.parametrize(
    ("text", "old", "line"), [("x = 1\n", "x = 1\n\n", 1), ("a\nx = 1\n", "a\nx = 1\n\n\n", 1)]
)
def test_an_empty_line_that_the_end_of_the_file_lacks_is_named(text: str, old: str, line: int) -> None:
    with pytest.raises(NotFound) as raised:
        locate(text, [Replacement(old, "y = 2\n")])
    assert raised.value.line == line
    assert str(raised.value).endswith(
        "The file ends there. oldText continues with\n       | \nGive oldText exactly as the file has it."
    )


def test_a_single_changed_line_is_found_by_its_words():
    assert (
        failure(
            NotFound, "a = 1\n" * 9 + "total_price = compute(1)\n", ("total_price = compute(2)", "x")
        ).line
        == 10
    )


def test_nothing_alike_says_so():
    error = failure(NotFound, "a\nb\n", ("completely different", "x"))
    assert error.line is None
    assert "Read the file again" in str(error)


def test_the_closest_place_is_shown_within_bounds():
    text = "\n".join(f"line {i} " + "x" * 5000 for i in range(300))
    error = failure(NotFound, text, (text.replace("line 200", "LINE 200") + "!", "x"))
    assert len(str(error)) < 5000


def test_a_change_that_is_already_there_says_where():
    assert failure(AlreadyApplied, "a\nvalue = 2\n", ("value = 1", "value = 2")).line == 2
    assert failure(AlreadyApplied, 'a\nsay "x"\n', ("say “x”", 'say "x"')).line == 2


def test_a_short_new_text_that_occurs_by_chance_is_no_sign_of_a_change_made():
    failure(NotFound, "a\nxy\n", ("missing_thing", "xy"))


words = st.sampled_from(["a", "b", " ", "  ", "\t", "\n", "“", '"', "’", "'", "–", "-", "\u00a0"])
prose = st.lists(words, max_size=25).map("".join)


@cases(400)
@given(prose, st.lists(st.tuples(prose, prose), min_size=1, max_size=3))
def test_either_all_spans_are_disjoint_and_only_they_change_or_a_match_error_is_raised(text, pairs):
    edits = [Replacement(old, new) for old, new in pairs]
    try:
        spans = locate(text, edits)
    except MatchError as error:
        assert str(error)
        return
    assert [span.edit for span in spans] == list(range(len(edits)))
    ordered = sorted(spans, key=lambda span: span.start)
    assert all(a.end <= b.start for a, b in pairwise(ordered))
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        old = edits[span.edit].old
        assert span.exact == (text.count(old) == 1)
        if span.exact:
            assert text[span.start : span.end] == old
            assert span.new_text in (edits[span.edit].new, edits[span.edit].new + "\n")


@cases(200)
@given(prose, st.integers(0, 25), st.integers(1, 25), prose)
def test_a_slice_of_the_text_is_found_where_it_is_or_is_ambiguous(text, start, length, new):
    old = text[start : start + length]
    if not old or old == new:
        return
    try:
        (span,) = locate(text, [Replacement(old, new)])
    except Ambiguous:
        assert sum(text.startswith(old, at) for at in range(len(text))) > 1
        return
    assert (span.start, span.end, span.exact) == (start, start + len(old), True)


def test_after_a_few_edits_that_cannot_be_placed_the_others_are_not_tried():
    error = failure(SeveralErrors, "a\nb\n", *[(f"zebra{number}", "x") for number in range(9)])
    assert [each.edit for each in error.errors] == [0, 1, 2, 3, 4]
    assert str(error).endswith("The 4 edits after these were not tried.")


def test_a_text_that_repeats_itself_without_end_is_not_searched_without_end():
    failure(NotFound, "a" * 200_000, ("a ", "b"))
