"""How far two texts agree, found without going through them character by character."""

from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.boundaries import common_prefix, common_suffix
from support.cases import cases

LONG = "".join(f"{number:07}\n" for number in range(25_000))
"""Of 200,000 characters; what is compared at once has fewer."""
short = st.text("ab", max_size=8)


def naive_prefix(x: str, y: str) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(x, y, strict=False))))


@cases(300)
@given(short, short, short, short)
def test_the_common_part_is_the_one_that_a_reader_would_find(before, x, y, after):
    x, y = before + x + after, before + y + after
    assert common_prefix(x, y) == naive_prefix(x, y)
    for start in range(min(len(x), len(y)) + 1):
        assert common_suffix(x, y, start) == naive_prefix(x[start:][::-1], y[start:][::-1])


@pytest.mark.parametrize("at", [0, 1, 65_535, 65_536, 65_537, 131_072, 150_000, 199_999])
def test_one_character_is_found_anywhere_in_a_long_text(at):
    other = f"{LONG[:at]}!{LONG[at + 1 :]}"
    assert common_prefix(LONG, other) == at
    assert common_suffix(LONG, other) == len(LONG) - at - 1
    longer = f"{LONG[:at]}!{LONG[at:]}"
    assert common_suffix(LONG, longer, at) == len(LONG) - at


def test_equal_long_texts_have_everything_in_common():
    same = LONG[:-1] + LONG[-1]
    assert (common_prefix(LONG, same), common_suffix(LONG, same)) == (len(LONG), len(LONG))
    assert common_suffix(LONG, same, 70_000) == len(LONG) - 70_000
