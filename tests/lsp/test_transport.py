"""The threads between the event loop and the client's pipes."""

import asyncio
import logging
import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.framing import FramingFault, frame
from steersman.lsp.outbox import Outbox
from steersman.lsp.transport import Transport, TransportLimits

PATIENCE = 60


class Told:
    """What an outbox's writer thread tells."""

    def __init__(self) -> None:
        self.drained = threading.Event()
        self.broken: list[OSError] = []
        self.broke = threading.Event()

    def on_broken(self, error: OSError) -> None:
        self.broken.append(error)
        self.broke.set()


class Pipe:
    """An outbox and the end that the client reads."""

    def __init__(self, limit: int = 1000) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.told = Told()
        self.outbox = Outbox(
            self.write_fd, limit=limit, on_drained=self.told.drained.set, on_broken=self.told.on_broken
        )

    def fill(self) -> None:
        """Makes the pipe full, so that the next write finds no room."""
        os.set_blocking(self.write_fd, False)
        while True:
            try:
                os.write(self.write_fd, b"f" * 4096)
            except BlockingIOError:
                return

    def read_all(self) -> bytes:
        os.close(self.write_fd)
        data = b""
        while chunk := os.read(self.read_fd, 1 << 20):
            data += chunk
        return data.lstrip(b"f")

    def close_reader(self) -> None:
        os.close(self.read_fd)


def test_frames_are_written_in_the_order_in_which_they_were_sent():
    pipe = Pipe()
    for number in range(100):
        assert pipe.outbox.send(b"%d," % number)
    pipe.outbox.start()
    assert pipe.outbox.close(PATIENCE)
    assert pipe.read_all() == b"".join(b"%d," % number for number in range(100))
    pipe.close_reader()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 100_000), st.integers(0, 150_000)), min_size=1, max_size=12),
    st.integers(0, 11),
)
def test_whatever_the_client_takes_and_when_it_gets_every_byte_in_order(plan, started):
    pipe = Pipe(limit=1 << 30)
    os.set_blocking(pipe.read_fd, False)
    sent, got = b"", b""

    def take(most: int) -> bytes:
        try:
            return os.read(pipe.read_fd, most)
        except BlockingIOError:
            return b""

    for number, (size, taken) in enumerate(plan):
        if number == min(started, len(plan) - 1):
            pipe.outbox.start()
        data = bytes([number]) * size
        sent += data
        assert pipe.outbox.send(data)
        got += take(taken) if taken else b""
    closing = threading.Thread(target=lambda: pipe.outbox.close(PATIENCE))
    closing.start()
    os.set_blocking(pipe.read_fd, True)
    while len(got) < len(sent):
        got += os.read(pipe.read_fd, 1 << 20)
    closing.join(PATIENCE)
    assert got == sent
    os.close(pipe.write_fd)
    pipe.close_reader()


def test_sending_never_waits_for_a_client_that_does_not_read():
    pipe = Pipe(limit=1000)
    pipe.fill()
    pipe.outbox.start()
    for _ in range(50):
        assert pipe.outbox.send(b"d" * 100)
    assert pipe.outbox.waiting == 5000
    pipe.close_reader()
    assert pipe.told.broke.wait(PATIENCE)
    pipe.outbox.close(PATIENCE)
    os.close(pipe.write_fd)


def test_over_the_bound_droppable_frames_are_refused_and_durable_ones_are_not():
    pipe = Pipe(limit=1000)
    accepted = [pipe.outbox.send(b"u" * 300, droppable=True) for _ in range(5)]
    assert accepted == [True, True, True, True, False]
    assert pipe.outbox.send(b"d" * 300)
    assert pipe.outbox.waiting == 1500
    pipe.outbox.start()
    assert pipe.outbox.close(PATIENCE)
    assert pipe.read_all() == b"u" * 1200 + b"d" * 300
    pipe.close_reader()


def test_a_droppable_frame_longer_than_the_bound_is_accepted_while_there_is_any_room():
    pipe = Pipe(limit=10)
    pipe.outbox.send(b"a" * 9)
    assert pipe.outbox.send(b"x" * 100, droppable=True)
    assert not pipe.outbox.send(b"y", droppable=True)
    pipe.outbox.start()
    pipe.outbox.close(PATIENCE)
    assert pipe.read_all() == b"a" * 9 + b"x" * 100
    pipe.close_reader()


def test_room_after_a_refusal_is_told():
    pipe = Pipe(limit=1000)
    while pipe.outbox.send(b"u" * 300, droppable=True):
        pass
    assert not pipe.told.drained.is_set()
    pipe.outbox.start()
    assert pipe.told.drained.wait(PATIENCE)
    assert pipe.outbox.send(b"u" * 300, droppable=True)
    pipe.outbox.close(PATIENCE)
    pipe.read_all()
    pipe.close_reader()


def test_a_frame_with_a_key_takes_the_place_of_the_waiting_one():
    pipe = Pipe(limit=10)
    pipe.outbox.send(b"a1", key="a")
    pipe.outbox.send(b"b1")
    assert pipe.outbox.send(b"a22", key="a", droppable=True)
    assert pipe.outbox.waiting == 5
    pipe.outbox.start()
    pipe.outbox.close(PATIENCE)
    assert pipe.read_all() == b"a22b1"
    pipe.close_reader()


def test_closing_gives_up_on_a_client_that_takes_nothing():
    pipe = Pipe()
    pipe.fill()
    pipe.outbox.start()
    pipe.outbox.send(b"never")
    assert pipe.outbox.close(0.05) is False
    assert pipe.outbox.ended
    assert pipe.outbox.send(b"more") is False
    pipe.close_reader()
    os.close(pipe.write_fd)


def test_a_broken_pipe_is_told_once_and_later_frames_are_refused():
    pipe = Pipe()
    pipe.close_reader()
    pipe.outbox.start()
    pipe.outbox.send(b"a")
    assert pipe.told.broke.wait(PATIENCE)
    assert pipe.outbox.send(b"b") is False
    pipe.outbox.close(PATIENCE)
    assert len(pipe.told.broken) == 1
    os.close(pipe.write_fd)


def test_a_large_frame_arrives_whole_through_a_small_pipe():
    pipe = Pipe()
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(_read_exactly(pipe.read_fd, 3_000_000)))
    reader.start()
    pipe.outbox.start()
    data = bytes(range(256)) * 12_000
    pipe.outbox.send(data[:3_000_000])
    assert pipe.outbox.close(PATIENCE)
    reader.join(PATIENCE)
    assert read == [data[:3_000_000]]
    os.close(pipe.write_fd)
    pipe.close_reader()


def _read_exactly(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(fd, size - len(data))
    return data


class Recorder:
    """A receiver that keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.changed = asyncio.Event()
        self.begins_work = False
        self.fails_on = b""

    def _hear(self, what: object) -> None:
        self.heard.append(what)
        self.changed.set()

    def on_frame(self, body: bytes) -> bool:
        self._hear(body)
        if body == self.fails_on:
            raise RuntimeError("receiver")
        if self.begins_work:
            asyncio.get_running_loop().call_soon(self._hear, b"work of " + body)
        return self.begins_work

    def on_fault(self, fault: FramingFault) -> None:
        self._hear(fault)

    def on_eof(self) -> None:
        self._hear("eof")

    def on_broken(self, error: OSError) -> None:
        self._hear("broken")

    def on_drained(self) -> None:
        self._hear("drained")

    async def wait_for(self, what: object) -> None:
        async with asyncio.timeout(PATIENCE):
            while what not in self.heard:
                self.changed.clear()
                await self.changed.wait()


class Ends:
    """A transport with the client's ends of its pipes."""

    def __init__(self, limits: TransportLimits | None = None) -> None:
        server_reads, self.write_fd = os.pipe()
        self.read_fd, server_writes = os.pipe()
        self.receiver = Recorder()
        self.transport = Transport(server_reads, server_writes, self.receiver, limits)

    async def close(self) -> None:
        await self.transport.close(PATIENCE)
        os.close(self.read_fd)


async def test_messages_arrive_in_order_and_the_end_after_them():
    ends = Ends()
    bodies = [b"%d" % number for number in range(500)]
    os.write(ends.write_fd, b"".join(map(frame, bodies)))
    os.close(ends.write_fd)
    ends.transport.start()
    await ends.receiver.wait_for("eof")
    assert ends.receiver.heard == [*bodies, "eof"]
    await ends.close()


async def test_work_that_a_message_begins_takes_its_first_step_before_the_next_message():
    ends = Ends()
    ends.receiver.begins_work = True
    os.write(ends.write_fd, frame(b"1") + frame(b"2"))
    ends.transport.start()
    await ends.receiver.wait_for(b"work of 2")
    assert ends.receiver.heard == [b"1", b"work of 1", b"2", b"work of 2"]
    os.close(ends.write_fd)
    await ends.close()


async def test_a_receiver_that_fails_on_one_message_gets_the_next(caplog):
    ends = Ends()
    ends.receiver.fails_on = b"1"
    os.write(ends.write_fd, frame(b"1") + frame(b"2"))
    ends.transport.start()
    await ends.receiver.wait_for(b"2")
    assert "could not be handled" in caplog.text
    os.close(ends.write_fd)
    await ends.close()


async def test_the_reader_waits_while_too_much_is_unhandled_and_loses_nothing():
    ends = Ends(TransportLimits(inbox=1000))
    bodies = [b"%d" % number * 300 for number in range(200)]
    ends.transport.start()
    await asyncio.to_thread(_write_all, ends.write_fd, b"".join(map(frame, bodies)))
    os.close(ends.write_fd)
    await ends.receiver.wait_for("eof")
    assert ends.receiver.heard == [*bodies, "eof"]
    await ends.close()


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


async def test_input_that_ends_inside_a_message_is_logged(caplog):
    ends = Ends()
    ends.transport.start()
    os.write(ends.write_fd, b"Content-Length: 10\r\n\r\n{}")
    os.close(ends.write_fd)
    with caplog.at_level(logging.ERROR):
        await ends.receiver.wait_for("eof")
    assert "2 of 10 bytes" in caplog.text
    await ends.close()


async def test_closing_ends_both_threads_while_the_client_is_silent():
    before = threading.active_count()
    ends = Ends()
    ends.transport.start()
    await ends.close()
    assert [t for t in threading.enumerate() if t.name.startswith("lsp-")] == []
    assert threading.active_count() <= before + 1  # the loop's executor
    os.close(ends.write_fd)


@pytest.mark.parametrize("kind", ["file", "null"])
async def test_input_that_is_no_pipe_is_read_to_its_end(tmp_path, kind):
    path = tmp_path / "recorded"
    path.write_bytes(frame(b"1"))
    read_fd = os.open(path if kind == "file" else os.devnull, os.O_RDONLY)
    client_reads, server_writes = os.pipe()
    receiver = Recorder()
    transport = Transport(read_fd, server_writes, receiver)
    transport.start()
    await receiver.wait_for("eof")
    assert receiver.heard == ([b"1", "eof"] if kind == "file" else ["eof"])
    await transport.close(PATIENCE)
    os.close(client_reads)
