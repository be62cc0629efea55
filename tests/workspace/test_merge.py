"""A proposal meets what the user typed meanwhile: both are kept, or it is a conflict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.align import split_lines
from steersman.workspace.merge import Conflict, rebase, survives
from support.cases import cases

base = "".join(f"line {i}\n" for i in range(10))


def test_changes_in_different_places_are_both_kept():
    proposed = base.replace("line 7\n", "seven\n")
    current = "typed\n" + base.replace("line 2\n", "")
    assert rebase(base, proposed, current) == "typed\n" + base.replace("line 2\n", "").replace(
        "line 7\n", "seven\n"
    )


@pytest.mark.parametrize(
    ("proposed", "current"),
    [
        (base.replace("line 5", "five"), base.replace("line 5", "5")),
        (base.replace("line 5\n", ""), base.replace("line 5", "5")),
        (base.replace("line 5", "five"), base.replace("line 6", "6")),
        (base + "a\n", base + "b\n"),
        (base.replace("line 5\n", "line 5\nx\n"), base.replace("line 5\n", "line 5\ny\n")),
    ],
)
def test_changes_that_meet_are_a_conflict(proposed, current):
    assert isinstance(rebase(base, proposed, current), Conflict)


def test_a_conflict_says_where():
    assert rebase(base, base.replace("line 5", "five"), "x\n" + base.replace("line 5", "5")) == Conflict(
        line=7
    )


def test_a_change_that_both_made_is_made_once():
    both = base.replace("line 5", "five")
    assert rebase(base, both.replace("line 1", "one"), both) == both.replace("line 1", "one")


lines = st.lists(st.sampled_from("abcdef"), max_size=12).map(
    lambda body: "".join(f"{each}\n" for each in body)
)


@cases(400)
@given(lines, lines, lines)
def test_one_sided_changes_win_and_the_merge_is_symmetric(a, p, c):
    assert rebase(a, p, a) == p
    assert rebase(a, a, c) == c
    forth, back = rebase(a, p, c), rebase(a, c, p)
    assert isinstance(forth, Conflict) == isinstance(back, Conflict)
    if isinstance(forth, str):
        assert forth == back


@cases(300)
@given(st.data())
def test_the_users_typing_and_the_proposal_are_both_in_the_result(data):
    body = [f"{i}\n" for i in range(data.draw(st.integers(4, 20)))]
    at = data.draw(st.integers(0, len(body) - 4))
    typed_at = data.draw(st.integers(at + 2, len(body) - 1))
    proposed = [*body[:at], "proposed\n", *body[at + 1 :]]
    current = [*body[:typed_at], "typed\n", *body[typed_at + 1 :]]
    both = [*body[:at], "proposed\n", *body[at + 1 : typed_at], "typed\n", *body[typed_at + 1 :]]
    assert rebase("".join(body), "".join(proposed), "".join(current)) == "".join(both)
    assert rebase("".join(body), "".join(current), "".join(proposed)) == "".join(both)


def test_an_edit_survives_typing_elsewhere():
    proposed = base.replace("line 5\n", "five\nand more\n").replace("line 8\n", "")
    assert survives(base, proposed, proposed)
    assert survives(base, proposed, "typed\n" + proposed.replace("line 1\n", "") + "end")
    assert survives(base, proposed, proposed.replace("line 4\n", "line 4 typed\n"))


def test_an_edit_does_not_survive_what_undoes_it():
    proposed = base.replace("line 5\n", "five\nand more\n").replace("line 8\n", "")
    for observed in (
        base,
        proposed.replace("five\n", "5\n"),
        proposed.replace("five\n", "five\ntyped\n"),
        proposed.replace("line 7\n", "line 7\nline 8\n"),
    ):
        assert not survives(base, proposed, observed)


def test_an_edit_that_landed_elsewhere_did_not_survive():
    proposed = base.replace("line 5\n", "five\n")
    assert not survives(base, proposed, base.replace("line 6\n", "five\n"))


@cases(300)
@given(lines, lines)
def test_a_proposal_survives_itself_and_the_base_is_not_it(a, p):
    assert survives(a, p, p)
    if split_lines(a) != split_lines(p):
        assert not survives(a, p, a)
