"""What is printed on a terminal: nothing that it would obey, and lines broken between words."""

from hypothesis import given
from hypothesis import strategies as st

from steersman.cli.terminal import Wrapper, safe


def test_nothing_that_a_terminal_obeys_is_left():
    shown = safe("a\x1b[2Jb\r\nc\td\u202ee\x9bf")
    assert shown == "a\\x1b[2Jb\nc\td\\x202ee\\x9bf"


def wrapped(pieces, width=20):
    wrapper = Wrapper(width)
    return "".join([*(wrapper.feed(piece) for piece in pieces), wrapper.end()])


def test_a_line_is_broken_between_words_however_the_text_comes():
    text = "the quick brown fox jumps over the lazy dog"
    assert wrapped(list(text)) == wrapped([text]) == "the quick brown fox \njumps over the lazy \ndog"


def test_what_is_longer_than_a_line_stays_whole():
    assert wrapped(["a" * 30]) == "a" * 30


@given(st.text(alphabet="ab \n世", max_size=120), st.integers(1, 7))
def test_only_line_breaks_are_added_and_no_line_of_words_is_too_wide(text, size):
    out = wrapped([text[i : i + size] for i in range(0, len(text), size)])
    assert out.replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
