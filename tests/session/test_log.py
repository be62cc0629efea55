"""The log on disk: whole after any crash, one writer at a time."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.session.errors import LogCorrupt, LogError, LogLocked
from steersman.session.jsonlines import decode, encode
from steersman.session.log import SessionLog
from steersman.session.log_reading import read_records


def record(seq: int, text: str = "x") -> bytes:
    return encode({"seq": seq, "type": "notice", "data": {"message": text}})


async def made(path: Path, *texts: str) -> bytes:
    log = SessionLog.create(path)
    for seq, text in enumerate(texts, 1):
        log.append(record(seq, text))
    await log.sync()
    await log.close()
    return path.read_bytes()


async def test_cut_at_any_byte_at_most_the_record_being_written_is_lost(tmp_path):
    path = tmp_path / "log.jsonl"
    whole = await made(path, "one", "zwei 😀", 'three "quoted"\n')
    ends = [index + 1 for index, byte in enumerate(whole) if byte == 0x0A]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends)
        assert len(list(read_records(path))) == kept, "a reader leaves the tail alone"
        assert path.stat().st_size == cut
        log, tail = SessionLog.open(path)
        assert tail.whole == ([0, *ends][kept])
        assert tail.torn == cut - tail.whole
        assert path.stat().st_size == cut, "nor does an open writer touch it before it is told to"
        log.cut_off(tail)
        log.append(record(kept + 1, "after"))
        await log.close()
        assert [each["seq"] for each in read_records(path)] == list(range(1, kept + 2))


async def test_a_log_that_somebody_has_removed_is_noticed_with_the_next_sync(tmp_path):
    path = tmp_path / "log.jsonl"
    log = SessionLog.create(path)
    log.append(record(1))
    await log.sync()
    path.unlink()
    log.append(record(2))
    with pytest.raises(LogError, match=r"is gone: .* Start a new session"):
        await log.sync()
    await log.close()


@pytest.mark.parametrize(
    "rest",
    [b"\x00" * 5000, b"\x00" * 50 + b"\n", b'{"seq": 3, "ty\x00\x00\x00pe"}\n', b'\x00\n{"seq": 4, "t'],
)
async def test_what_a_loss_of_power_left_of_the_last_record_is_cut_off(tmp_path, rest):
    path = tmp_path / "log.jsonl"
    whole = await made(path, "one", "two")
    path.write_bytes(whole + rest)
    assert len(list(read_records(path))) == 2
    log, tail = SessionLog.open(path)
    log.cut_off(tail)
    await log.close()
    assert tail.torn == len(rest)
    assert path.read_bytes() == whole


async def test_damage_in_the_middle_is_an_error_that_names_the_line(tmp_path):
    path = tmp_path / "log.jsonl"
    whole = await made(path, "one", "two", "three")
    lines = whole.splitlines(keepends=True)
    path.write_bytes(lines[0] + b"garbage\n" + lines[2])
    with pytest.raises(LogCorrupt, match="line 2"):
        list(read_records(path))
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(LogCorrupt, match="expected record 2, found 3"):
        list(read_records(path))


async def test_a_long_last_record_is_found(tmp_path):
    path = tmp_path / "log.jsonl"
    whole = await made(path, "one", "x" * 3_000_000)
    path.write_bytes(whole[:-1])
    log, tail = SessionLog.open(path)
    await log.close()
    assert tail.torn > 3_000_000
    assert len(list(read_records(path))) == 1


async def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path):
    path = tmp_path / "ses_1.jsonl"
    await made(path, "one")
    log, _ = SessionLog.open(path)
    with pytest.raises(LogLocked, match="Another Steersman is working in this session \\(ses_1\\)"):
        SessionLog.open(path)
    assert len(list(read_records(path))) == 1
    await log.close()
    again, _ = SessionLog.open(path)
    await again.close()


def test_another_process_is_refused_and_a_dead_one_holds_nothing(tmp_path):
    path = tmp_path / "log.jsonl"
    asyncio.run(made(path, "one"))
    holder = (
        "import sys; from pathlib import Path; from steersman.session.log import SessionLog\n"
        "log = SessionLog.open(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", holder, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(LogLocked):
            SessionLog.open(path)
        process.kill()
    log, _ = SessionLog.open(path)
    asyncio.run(log.close())


async def test_a_log_is_its_owners_only(tmp_path):
    path = tmp_path / "sessions" / "log.jsonl"
    await made(path, "one")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_log_that_exists_is_not_made_again(tmp_path):
    path = tmp_path / "log.jsonl"
    whole = await made(path, "one")
    with pytest.raises(LogError, match="can't be made"):
        SessionLog.create(path)
    assert path.read_bytes() == whole


async def test_a_log_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(LogError, match="can't be opened"):
        SessionLog.open(tmp_path / "none.jsonl")
    with pytest.raises(LogError, match="can't be read"):
        list(read_records(tmp_path / "none.jsonl"))


async def test_a_full_disk_is_an_error_and_leaves_nothing_of_the_record():
    log = SessionLog(Path("/dev/full"), os.open("/dev/full", os.O_RDWR))
    with pytest.raises(LogError, match="No space left on device"):
        log.append(record(1))
    await log.close()


def test_a_record_that_only_half_fits_leaves_nothing_of_itself(tmp_path):
    """A limit on the size of files stands in for a disk that fills up in the middle of a write."""
    path = tmp_path / "log.jsonl"
    asyncio.run(made(path, "one"))
    whole = path.read_bytes()
    script = (
        "import resource, signal, sys; from pathlib import Path; from steersman.session.log import *\n"
        "log, _ = SessionLog.open(Path(sys.argv[1]))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "limit = int(sys.argv[2]); resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "try: log.append(b'x' * 500)\n"
        "except LogError as error: print(error)"
    )
    arguments = [sys.executable, "-c", script, str(path), str(len(whole) + 100)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    assert path.read_bytes() == whole


async def test_syncs_at_the_same_time_are_shared(tmp_path):
    synced = []

    class Counting(SessionLog):
        def _sync_file(self) -> None:
            synced.append(self._appended)
            super()._sync_file()

    log = Counting.create(tmp_path / "log.jsonl")
    log.append(record(1))
    log.append(record(2))
    await asyncio.gather(*(log.sync() for _ in range(10)))
    await log.sync()
    assert synced == [2], "and what is on the disk is not synced again"
    log.append(record(3))
    first = asyncio.ensure_future(log.sync())
    await asyncio.sleep(0)
    log.append(record(4))
    await asyncio.gather(first, log.sync())
    assert log._synced == 4, "what was appended during a sync waits for one of its own"
    await log.close()


async def test_a_log_is_closed_after_the_sync_that_is_under_way(tmp_path):
    log = SessionLog.create(tmp_path / "log.jsonl")
    log.append(record(1))
    syncing = asyncio.ensure_future(log.sync())
    await asyncio.sleep(0)
    await log.close()
    await syncing
    await log.close()
    with pytest.raises(LogError):
        log.append(record(2))


def test_half_a_surrogate_pair_survives():
    assert decode(encode({"text": "a\ud800b"})) == {"text": "a\ud800b"}
