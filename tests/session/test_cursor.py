"""Reading a log from a place in it: the bytes of its records, a page at a time, while it grows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.session.cursor import LogCursor
from steersman.session.errors import LogError


def written(path, *lines: bytes, torn: bytes = b""):
    path.write_bytes(b"".join(line + b"\n" for line in lines) + torn)
    return path


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_pages_are_the_records_after_the_place_in_order_and_no_longer_than_asked(tmp_path_factory, data):
    lengths = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=20))
    lines = [bytes([97 + number % 26]) * length for number, length in enumerate(lengths)]
    path = written(tmp_path_factory.mktemp("log") / "log.jsonl", *lines)
    after = data.draw(st.integers(0, len(lines)))
    upto = data.draw(st.integers(after, len(lines) + 2))
    cursor, found = LogCursor(path, after), []
    while page := cursor.page(upto, size := data.draw(st.integers(1, 100))):
        assert len(page) == 1 or sum(len(line) + 1 for line in page) <= size
        for line in page[: data.draw(st.integers(1, len(page)))]:
            cursor.pass_over(line)
            found.append(line)
    assert found == lines[after:upto]
    assert cursor.seq == after + len(found)


def test_what_is_appended_later_is_read_later_and_half_a_record_is_not_read(tmp_path):
    path = written(tmp_path / "log.jsonl", b"one", torn=b"tw")
    cursor = LogCursor(path, 0)
    assert cursor.page(5, 100) == [b"one"]
    cursor.pass_over(b"one")
    assert cursor.page(5, 100) == []
    with path.open("ab") as file:
        file.write(b"o\nthree\n")
    assert cursor.page(5, 100) == [b"two", b"three"]
    assert cursor.page(2, 100) == [b"two"]


def test_a_log_that_does_not_reach_the_place_has_no_page(tmp_path):
    assert LogCursor(written(tmp_path / "log.jsonl", b"one"), 2).page(5, 100) == []


def test_a_log_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(LogError, match="No such file"):
        LogCursor(tmp_path / "none.jsonl", 0).page(1, 100)


def test_a_cursor_that_moves_on_stands_after_the_record_that_it_was_moved_to(tmp_path):
    lines = [b"%d" % 10**number for number in range(9)]
    path = written(tmp_path / "log.jsonl", *lines)
    cursor = LogCursor(path, 1)
    assert cursor.page(2, 100) == [lines[1]]
    cursor.pass_over(lines[1])
    for seq in (2, 5, 5, 8):
        cursor.move_to(seq)
        assert cursor.page(9, 100) == lines[seq:]
    cursor.move_to(12)
    assert cursor.page(20, 100) == []
    with path.open("ab") as file:
        file.write(b"a\nb\nc\nd\ne\n")
    assert cursor.page(20, 100) == [b"d", b"e"]
