"""What the suite is run on by `make jitter` loses nothing: it is late, and no more."""

import asyncio
import os
import threading

from hypothesis import given
from hypothesis import strategies as st

from support.late import Late


@given(st.lists(st.sampled_from([b"Content-Length", b": 1\r\n\r\n", b"x", b"C"]), min_size=1), st.text())
def test_pieces_are_the_whole_and_none_is_empty(parts, seed):
    data = b"".join(parts)
    pieces = list(Late(seed).pieces(data))
    assert b"".join(pieces) == data
    assert all(pieces)


def test_a_message_is_never_in_one_piece_with_the_next():
    pieces = list(Late("1").pieces(b"Content-Length: 1\r\n\r\nx" * 20))
    assert all(piece.count(b"Content-Length") <= 1 for piece in pieces)


def test_a_line_carries_all_and_then_the_end():
    data = b"Content-Length: 1\r\n\r\nx" * 20_000
    read_fd, write_fd = Late("1").pipe()

    def write() -> None:
        with os.fdopen(write_fd, "wb") as line:
            line.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(read_fd, "rb") as line:
        assert line.read() == data
    writer.join()


def test_a_line_whose_reader_has_gone_is_broken_for_its_writer():
    read_fd, write_fd = Late("1").pipe()
    os.close(read_fd)
    with os.fdopen(write_fd, "wb", buffering=0) as line:
        try:
            while True:
                line.write(b"x" * 4096)
        except BrokenPipeError:
            pass


def test_what_a_late_thread_returns_and_raises_arrives():
    async def work() -> tuple[int, str]:
        good = await asyncio.to_thread(int, "7")
        try:
            await asyncio.to_thread(int, "x")
        except ValueError as error:
            return good, str(error)
        return good, ""

    with asyncio.Runner(loop_factory=Late("1").loop) as runner:
        good, said = runner.run(work())
    assert good == 7
    assert "invalid literal" in said
