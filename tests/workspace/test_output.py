"""The output of a command is bounded, says what is missing, and reads as a terminal would show it."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.workspace.output import BoundedText, LiveUpdates, OutputCollector, OutputFile, last_lines
from steersman.workspace.terminal_text import displayed, settled, split_unfinished

TERMINAL_WORDS = (
    "a|bc|é|\t|\n|\r|\r\n|\r\r|\0|\b|m|0;1|\x1b|\x1b[31m|\x1b[|\x1b]0;t\x07|\x1b]8;|\x07|\x1b\\|\x1b(B|\x1bP"
)
TERMINAL_PIECES = st.lists(st.sampled_from(TERMINAL_WORDS.split("|")), max_size=20)


def collector(directory: Path, *, tail_bytes: int = 100, file_bytes: int = 1 << 20) -> OutputCollector:
    return OutputCollector(tail_bytes=tail_bytes, file=OutputFile(directory, file_bytes))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain\n", "plain\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("100%\r", "100%"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("nul\x00bell\x07tab\t", "nulbelltab\t"),
        ("50%\r\x1b[K60%\n", "60%\n"),
        ("lone \x1b\n", "lone \n"),
        ("one\x9b31mbyte\x85é", "one31mbyteé"),
    ],
)
def test_text_is_what_a_terminal_would_show(written: str, shown: str):
    assert displayed(written) == shown


@given(TERMINAL_PIECES, TERMINAL_PIECES)
@settings(max_examples=300, deadline=None)
def test_settling_early_changes_nothing_of_what_is_shown_in_the_end(first: list[str], second: list[str]):
    before, after = "".join(first), "".join(second)
    fixed, unfinished = split_unfinished(before)
    assert fixed + unfinished == before
    assert displayed(settled(fixed) + unfinished + after) == displayed(before + after)


def test_short_output_is_returned_whole_without_a_file(tmp_path: Path):
    output = collector(tmp_path / "spill")
    output.feed(b"one\ntwo")
    result = output.finish()
    assert (result.text, result.truncated, result.total_bytes, result.total_lines) == (
        "one\ntwo",
        False,
        7,
        2,
    )
    assert result.path is None
    assert not (tmp_path / "spill").exists()


def test_long_output_keeps_whole_last_lines_and_puts_every_byte_into_a_private_file(tmp_path: Path):
    output = collector(tmp_path / "spill", tail_bytes=50)
    written = b"".join(b"line %d \xff\r\n" % number for number in range(1000))
    for start in range(0, len(written), 7):
        output.feed(written[start : start + 7])
    result = output.finish()
    assert result.truncated
    assert result.text.endswith("line 999 \ufffd\n")
    assert result.text.startswith("line ")
    assert len(result.text.encode()) <= 50
    assert (result.total_bytes, result.total_lines) == (len(written), 1000)
    assert result.path is not None
    assert result.path.read_bytes() == written
    assert stat.S_IMODE(result.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(result.path.parent.stat().st_mode) == 0o700
    assert result.file_error is None


def test_characters_cut_between_two_reads_are_whole(tmp_path: Path):
    output = collector(tmp_path)
    assert "".join(output.feed(bytes([byte])) for byte in "aé漢🙂".encode()) == "aé漢🙂"
    output.feed("🙂".encode()[:2])
    assert output.finish().text == "aé漢🙂\ufffd"


def test_a_huge_single_line_keeps_its_end(tmp_path: Path):
    output = collector(tmp_path, tail_bytes=10)
    for _ in range(100):
        output.feed(b"x" * 1000)
    output.feed(b"the end")
    result = output.finish()
    assert result.text == "xxxthe end"
    assert result.total_lines == 1


def test_a_long_progress_bar_does_not_push_out_what_came_before_it(tmp_path: Path):
    output = collector(tmp_path, tail_bytes=100)
    output.feed(b"before\n")
    for percent in range(1000):
        output.feed(b"\rprogress %d" % percent)
    result = output.finish()
    assert result.text == "before\nprogress 999"
    assert result.path is not None


def test_bytes_that_grow_in_decoding_are_still_in_the_file(tmp_path: Path):
    output = collector(tmp_path, tail_bytes=100)
    output.feed(b"\xff" * 90)
    result = output.finish()
    assert result.truncated
    assert len(result.text.encode()) <= 100
    assert result.path is not None
    assert result.path.read_bytes() == b"\xff" * 90


def test_a_file_that_cannot_be_made_is_told_and_stops_nothing(tmp_path: Path):
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    output = collector(blocker / "below", tail_bytes=5)
    output.feed(b"0123456789")
    output.feed(b"more\n")
    result = output.finish()
    assert result.text == "more\n"
    assert result.path is None
    assert result.file_error is not None


def test_a_full_disk_leaves_an_incomplete_file_and_says_so(tmp_path: Path):
    class FullDisk(OutputFile):
        """A file whose device is full: Linux has one ready."""

        def _open(self) -> int:
            if self._file is None:
                self.path = Path("/dev/full")
                self._file = os.open(self.path, os.O_WRONLY)
            return self._file

    output = OutputCollector(tail_bytes=5, file=FullDisk(tmp_path, 1000))
    output.feed(b"0123456789\n")
    output.feed(b"more\n")
    result = output.finish()
    assert result.text == "more\n"
    assert result.file_error is not None
    assert "No space left" in result.file_error


def test_the_file_ends_at_its_bound_and_says_so(tmp_path: Path):
    output = collector(tmp_path, tail_bytes=5, file_bytes=12)
    for _ in range(4):
        output.feed(b"0123456\n")
    result = output.finish()
    assert result.path is not None
    assert result.path.read_bytes() == b"0123456\n0123"
    assert result.file_error == "it was cut at 12 bytes"


@given(st.text(alphabet="aé🙂\n", max_size=60), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_last_lines_are_a_suffix_within_the_bound(text: str, limit: int):
    kept = last_lines(text, limit)
    assert text.endswith(kept)
    assert len(kept.encode()) <= limit
    if len(text.encode()) <= limit:
        assert kept == text


def test_the_tail_begins_with_a_whole_line_unless_much_would_be_lost():
    assert last_lines("first\nsecond\nthird line\nfourth line\n", 26) == "third line\nfourth line\n"
    assert last_lines("x" * 100 + "\nend", 20) == "x" * 16 + "\nend"


def test_bounded_text_holds_no_more_than_a_small_multiple():
    text = BoundedText(100)
    for _ in range(1000):
        text.append("abcdefg")
    assert text.cut
    assert len(text.text()) <= 200


class Listener:
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.errors: list[Exception] = []

    def updates(self, *, interval: float = 3600.0, limit: int = 100) -> LiveUpdates:
        return LiveUpdates(self.heard.append, interval=interval, limit=limit, on_error=self.errors.append)


async def test_the_first_update_comes_at_once_and_the_next_are_merged():
    listener = Listener()
    updates = listener.updates()
    for number in range(5):
        updates.feed(f"{number}\n")
    assert listener.heard == ["0\n"]
    updates.close()
    assert listener.heard == ["0\n", "1\n2\n3\n4\n"]


async def test_updates_that_come_too_fast_tell_only_their_end():
    listener = Listener()
    updates = listener.updates(limit=10)
    updates.feed("start")
    updates.feed("x" * 1000 + "end")
    updates.close()
    assert listener.heard == ["start", "\n[…]\nxxxxxxxend"]


async def test_a_line_drawn_anew_is_told_on_a_line_of_its_own():
    listener = Listener()
    updates = listener.updates()
    updates.feed("10%")
    updates.feed("\r20%\r30%")
    updates.close()
    assert listener.heard == ["10%", "\n30%"]


async def test_updates_go_on_after_the_interval():
    heard: asyncio.Queue[str] = asyncio.Queue()
    updates = LiveUpdates(heard.put_nowait, interval=0.001, limit=100, on_error=pytest.fail)
    updates.feed("a")
    updates.feed("b")
    assert [await heard.get(), await heard.get()] == ["a", "b"]
    updates.close()


async def test_a_listener_that_raises_is_not_called_again():
    calls, errors = [], []

    def listener(text: str) -> None:
        calls.append(text)
        raise ValueError(text)

    updates = LiveUpdates(listener, interval=3600, limit=100, on_error=errors.append)
    updates.feed("a")
    updates.feed("b")
    updates.close()
    assert calls == ["a"]
    assert [str(error) for error in errors] == ["a"]
