"""Which problems an edit has caused: never those that were there before, wherever the edit has shifted them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.tools.problems import MAX_NEW, Difference, difference, note_on
from support.known_problems import problem

OLD = "import os\n\ndef f():\n    return x\n"
SHIFTED = "import os\nimport re\n\ndef f():\n    return x\n"
FEW_WORDS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


def new_lines(found: Difference) -> list[int]:
    return [each.start.line + 1 for each in found.new]


def test_a_problem_that_an_edit_shifts_is_not_new():
    assert difference([problem(4)], [problem(5)], OLD, SHIFTED) == Difference()


def test_a_problem_in_a_line_that_comes_is_new():
    found = difference([problem(4)], [problem(2, "unused", severity="warning"), problem(5)], OLD, SHIFTED)
    assert (new_lines(found), found.resolved) == ([2], 0)


def test_an_edit_can_make_a_problem_in_a_line_that_it_leaves_alone():
    assert new_lines(difference([], [problem(5)], OLD, SHIFTED)) == [5]


def test_one_more_of_the_same_kind_is_new_where_it_is():
    found = difference([problem(1)], [problem(1), problem(3)], "x\ny\nz\n", "x\ny\nx z\n")
    assert (new_lines(found), found.resolved) == ([3], 0)


def test_a_problem_that_is_mended_here_and_made_there_is_both():
    old, new = "x\n1\n2\n3\n4\n5\n", "ok\n1\n2\n3\n4\ny\n"
    found = difference([problem(1)], [problem(6)], old, new)
    assert (new_lines(found), found.resolved) == ([6], 1)


def test_a_problem_that_stays_in_a_line_that_is_edited_is_not_new():
    assert difference([problem(2)], [problem(2)], "a\nx = 1\nb\n", "a\nx = 2\nb\n") == Difference()


def test_a_problem_moves_with_its_line():
    old = "bad()\n" + "".join(f"{number}\n" for number in range(20))
    new = old.removeprefix("bad()\n") + "bad()\n"
    assert difference([problem(1)], [problem(21)], old, new) == Difference()


def test_another_severity_source_code_or_message_is_another_problem():
    before = problem(1, code="E1")
    for after in (
        problem(1, code="E2"),
        problem(1, "other", code="E1"),
        problem(1, severity="warning", code="E1"),
        problem(1, source="other", code="E1"),
    ):
        assert difference([before], [after], OLD, OLD) == Difference((after,), 1)


def test_line_numbers_in_messages_may_shift():
    before, after = problem(4, "redefines f from line 1"), problem(5, "redefines f from line 2")
    assert difference([before], [after], OLD, SHIFTED) == Difference()
    before, after = problem(4, "got 1"), problem(5, "got 2")
    assert new_lines(difference([before], [after], OLD, SHIFTED)) == [5]


def test_without_known_places_only_the_kinds_are_compared():
    before, after = [problem(1), problem(2, "b")], [problem(4), problem(3)]
    found = difference(before, after, OLD, SHIFTED, placed=False)
    assert (new_lines(found), found.resolved) == ([3], 1)


def test_hints_are_not_compared():
    hint = problem(1, severity="hint")
    assert difference([hint], [], OLD, OLD) == difference([], [hint], OLD, OLD) == Difference()


def test_lines_beyond_the_end_do_no_harm():
    assert difference([problem(900)], [problem(901)], OLD, SHIFTED) == Difference()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_problems_elsewhere_are_never_new_and_a_new_one_always_is(data):
    """An edit replaces some lines of a text that has many equal ones; each line outside may have problems."""
    head, old, new, tail = (data.draw(FEW_WORDS) for _ in range(4))
    places = [*range(len(head)), *(len(head) + len(old) + at for at in range(len(tail)))]
    shift = len(new) - len(old)
    chosen = data.draw(st.lists(st.sampled_from(places), max_size=6)) if places else []
    kinds = [data.draw(st.sampled_from(["m", "n"])) for _ in chosen]
    before = [problem(line + 1, kind) for line, kind in zip(chosen, kinds, strict=True)]
    after = [
        problem(line + 1 + (shift if line >= len(head) else 0), kind)
        for line, kind in zip(chosen, kinds, strict=True)
    ]
    old_text, new_text = ("\n".join([*head, *part, *tail]) for part in (old, new))
    assert difference(before, after, old_text, new_text) == Difference()
    line = data.draw(st.integers(1, len(head) + len(new) + len(tail) + 1))
    truly = problem(line, data.draw(st.sampled_from(["m", "n", "o"])))
    found = difference(before, data.draw(st.permutations([*after, truly])), old_text, new_text)
    assert [each.message for each in found.new] == [truly.message]
    assert found.resolved == 0


class TestTheNote:
    def test_it_names_lines_and_says_what_was_resolved(self):
        found = Difference((problem(12, "no such\n  name", code="E7"), problem(30, severity="warning")), 2)
        assert note_on("src/app.py", found) == (
            "New problems in src/app.py since this edit:\n"
            "line 12: error (lint E7): no such name\n"
            "line 30: warning (lint): wrong\n"
            "The edit also resolved 2 problems."
        )

    def test_it_says_nothing_where_nothing_has_changed(self):
        assert note_on("a.py", Difference()) is None

    def test_mere_mending_is_told(self):
        assert note_on("a.py", Difference(resolved=1)) == "This edit resolved 1 problem in a.py"

    def test_of_many_the_gravest_are_named(self):
        many = [problem(line, severity="warning") for line in range(1, 30)]
        text = note_on("a.py", Difference((*many, problem(40, "grave"))))
        assert text is not None
        lines = text.splitlines()
        assert len(lines) == MAX_NEW + 2
        assert lines[-2:] == ["line 40: error (lint): grave", "and 20 more; diagnostics lists them"]

    def test_a_message_stays_one_short_line_of_printable_text(self):
        (line,) = note_on("a", Difference((problem(1, "\x1b[31m\ud800" + "x" * 5000),))).splitlines()[1:]
        assert line.startswith(r"line 1: error (lint): \x1b[31m\ud800xxx")
        assert len(line) < 600
