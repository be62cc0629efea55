"""Old outputs of commands and old pre-images: which are deleted, and which stay."""

import os
from pathlib import Path

import pytest

from steersman.workspace.output import OutputFile
from steersman.workspace.preimages import BlobStore
from steersman.workspace.retention import IN_USE, blob_files, prune, prune_blobs, prune_outputs

NOW = 1_000_000_000.0
DAY = 24 * 3600.0


def put(directory: Path, name: str, size: int, age: float) -> Path:
    path = directory / f"output-{name}.log"
    path.write_bytes(b"x" * size)
    os.utime(path, (NOW - age, NOW - age))
    return path


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_files_past_their_age_are_deleted(tmp_path: Path) -> None:
    put(tmp_path, "old", 10, 3 * DAY)
    kept = put(tmp_path, "new", 10, DAY)
    assert prune_outputs(tmp_path, 1000, 2 * DAY, now=NOW) == 10
    assert names(tmp_path) == [kept.name]


def test_the_oldest_go_until_the_rest_fits(tmp_path: Path) -> None:
    for days in (1, 2, 3, 4):
        put(tmp_path, str(days), 10, days * DAY)
    assert prune_outputs(tmp_path, 25, 30 * DAY, now=NOW) == 20
    assert names(tmp_path) == ["output-1.log", "output-2.log"]


def test_a_file_that_may_be_in_use_stays_however_large_it_is(tmp_path: Path) -> None:
    put(tmp_path, "live", 1000, IN_USE / 2)
    put(tmp_path, "future", 1000, -DAY)
    assert prune_outputs(tmp_path, 0, 0, now=NOW) == 0
    assert len(names(tmp_path)) == 2


def test_only_output_files_themselves_are_deleted(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "notes.log").write_text("mine")
    (outputs / "output-directory.log").mkdir()
    (outputs / "output-link.log").symlink_to(outside)
    assert prune_outputs(outputs, 0, 0, now=NOW * 10) == 0
    assert len(names(outputs)) == 3
    assert outside.read_text() == "mine"


def test_what_an_output_file_has_made_is_found(tmp_path: Path) -> None:
    file = OutputFile(tmp_path, 100)
    file.write(b"12345")
    file.close()
    assert prune_outputs(tmp_path, 0, 0, now=NOW * 10) == 5
    assert names(tmp_path) == []


def test_no_directory_is_nothing_to_delete(tmp_path: Path) -> None:
    assert prune_outputs(tmp_path / "nowhere") == 0


def test_a_directory_that_cannot_be_listed_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "file"
    file.touch()
    assert prune_outputs(file) == 0
    assert "can't be listed" in caplog.text


def test_blobs_that_were_kept_long_ago_go_and_one_that_was_kept_again_is_young(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "blobs")
    old, again, young = (store.put(text) for text in (b"old", b"again", b"young"))
    for digest, age in ((old, 3 * DAY), (again, 3 * DAY), (young, DAY)):
        path = tmp_path / "blobs" / digest[:2] / digest[2:]
        os.utime(path, (NOW - age, NOW - age))
    assert store.put(b"again") == again
    assert prune_blobs(tmp_path / "blobs", max_age=2 * DAY, now=NOW) == len(b"old")
    assert (store.get(again), store.get(young)) == (b"again", b"young")
    assert not (tmp_path / "blobs" / old[:2] / old[2:]).exists()


def test_a_blob_that_is_kept_again_while_old_ones_are_deleted_stays(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "blobs")
    digest = store.put(b"again")
    os.utime(tmp_path / "blobs" / digest[:2] / digest[2:], (NOW - 3 * DAY, NOW - 3 * DAY))
    listed = blob_files(tmp_path / "blobs")
    store.put(b"again")
    assert (len(listed), prune(listed, 0, 2 * DAY, now=NOW)) == (1, 0)
    assert store.get(digest) == b"again"


def test_the_oldest_blobs_go_until_the_rest_fits(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "blobs")
    digests = [store.put(bytes([day]) * 10) for day in (1, 2, 3)]
    for days, digest in enumerate(digests, 1):
        os.utime(tmp_path / "blobs" / digest[:2] / digest[2:], (NOW - days * DAY, NOW - days * DAY))
    assert prune_blobs(tmp_path / "blobs", max_bytes=15, now=NOW) == 20
    assert store.get(digests[0]) == b"\x01" * 10


def test_without_blobs_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert prune_blobs(tmp_path / "none", now=NOW) == 0
