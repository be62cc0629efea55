"""Pre-images: kept once per user message, durable, recorded, verified."""

import os
from pathlib import Path

import pytest

from steersman.workspace.ports import PreImage
from steersman.workspace.preimages import BlobStore, PreImageError, PreImageRecord, PreImages


class Log:
    def __init__(self) -> None:
        self.records: list[PreImageRecord] = []
        self.failure: Exception | None = None

    async def record(self, record: PreImageRecord) -> None:
        if self.failure is not None:
            raise self.failure
        self.records.append(record)


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "home" / "blobs")


def test_bytes_come_back_by_their_digest(store: BlobStore) -> None:
    digest = store.put(b"one")
    assert store.put(b"one") == digest
    assert store.get(digest) == b"one"
    assert store.get(store.put(b"")) == b""


def test_they_are_private(store: BlobStore, tmp_path: Path) -> None:
    store.put(b"secret")
    blobs = tmp_path / "home" / "blobs"
    modes = [path.stat().st_mode & 0o077 for path in (blobs, *blobs.rglob("*"))]
    assert len(modes) == 3
    assert set(modes) == {0}


def test_damage_and_loss_are_errors(store: BlobStore, tmp_path: Path) -> None:
    digest = store.put(b"one")
    path = tmp_path / "home" / "blobs" / digest[:2] / digest[2:]
    path.write_bytes(b"two")
    with pytest.raises(PreImageError, match="damaged"):
        store.get(digest)
    path.unlink()
    with pytest.raises(PreImageError, match="can't be read"):
        store.get(digest)


def test_a_store_that_cannot_be_written_says_that_nothing_was_changed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PreImageError, match="Nothing was changed"):
        BlobStore(tmp_path / "file").put(b"x")


@pytest.mark.parametrize("name", ["blobs", "blobs/{0}", "blobs/{0}/{1}"])
def test_where_a_link_leads_nowhere_nothing_counts_as_kept(tmp_path: Path, name: str) -> None:
    """As where the folder was moved to a disk that is not there today."""
    digest = BlobStore(tmp_path / "elsewhere").put(b"one")
    path = tmp_path / name.format(digest[:2], digest[2:])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(tmp_path / "gone")
    with pytest.raises(PreImageError, match="Nothing was changed"):
        BlobStore(tmp_path / "blobs").put(b"one")


async def test_only_the_first_image_after_a_user_message_is_kept(store: BlobStore) -> None:
    log = Log()
    images = PreImages(store, log.record)
    path = Path("/ws/a.txt")
    await images.keep(PreImage(path, "file", b"one", 0o644))
    await images.keep(PreImage(path, "file", b"two", 0o644))
    await images.keep(PreImage(Path("/ws/new"), "absent"))
    images.begin()
    await images.keep(PreImage(path, "file", b"three", 0o644, buffer="unsaved ä"))
    assert [record.kind for record in log.records] == ["file", "absent", "file"]
    first, absent, last = log.records
    assert first.sha256 is not None
    assert store.get(first.sha256) == b"one"
    assert (absent.sha256, absent.mode) == (None, None)
    assert last.buffer_sha256 is not None
    assert store.get(last.buffer_sha256) == "unsaved ä".encode()


async def test_a_buffer_with_half_a_character_is_kept_as_it_is(store: BlobStore) -> None:
    log = Log()
    await PreImages(store, log.record).keep(PreImage(Path("/ws/a.txt"), "file", b"", 0o644, "half \ud83d"))
    assert log.records[0].buffer_sha256 is not None
    kept = store.get(log.records[0].buffer_sha256)
    assert kept.decode("utf-8", "surrogatepass") == "half \ud83d"


async def test_an_image_that_was_not_recorded_is_kept_at_the_next_try(store: BlobStore) -> None:
    log = Log()
    images = PreImages(store, log.record)
    image = PreImage(Path("/ws/a.txt"), "file", b"one", 0o644)
    log.failure = OSError("the log is full")
    with pytest.raises(OSError, match="full"):
        await images.keep(image)
    log.failure = None
    await images.keep(image)
    assert len(log.records) == 1


def test_every_name_survives_the_log() -> None:
    for name in ("a b%20.txt", "ä\n", os.fsdecode(b"bad\xff")):
        path = Path("/ws") / name
        record = PreImageRecord(path.as_uri(), "absent")
        assert record.path == path
        assert record.to_json()["uri"] == path.as_uri()
