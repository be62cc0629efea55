import errno
import os
import sys
from pathlib import Path

import pytest

from steersman.workspace.renaming import ExclusiveRename, exclusive_rename, rename_new


def unknown(source: bytes, target: bytes) -> int:
    """What a file system says that can't."""
    return errno.EINVAL


@pytest.fixture(params=["the system's", "unknown to the file system", "none"])
def exclusive(request: pytest.FixtureRequest) -> ExclusiveRename | None:
    ways: dict[str, ExclusiveRename | None] = {
        "the system's": exclusive_rename(),
        "unknown to the file system": unknown,
        "none": None,
    }
    return ways[request.param]


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="of Linux and macOS")
def test_the_system_has_its_own(tmp_path: Path) -> None:
    rename = exclusive_rename()
    assert rename is not None
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    source, target = os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b")
    assert rename(source, target) == errno.EEXIST
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"a", b"b")


@pytest.mark.parametrize("name", ["b", "é \n"])
def test_a_file_gets_a_free_name(tmp_path: Path, exclusive: ExclusiveRename | None, name: str) -> None:
    (tmp_path / "a").write_bytes(b"a")
    rename_new(tmp_path / "a", tmp_path / name, exclusive)
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {name: b"a"}


@pytest.mark.parametrize("leads", ["nowhere", "to a file"])
def test_a_link_is_a_taken_name_wherever_it_leads(
    tmp_path: Path, exclusive: ExclusiveRename | None, leads: str
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").symlink_to("a" if leads == "to a file" else "missing")
    with pytest.raises(FileExistsError):
        rename_new(tmp_path / "a", tmp_path / "b", exclusive)
    assert (tmp_path / "a").read_bytes() == b"a"
    assert (tmp_path / "b").is_symlink()


def test_a_link_gets_the_name_and_not_what_it_leads_to(
    tmp_path: Path, exclusive: ExclusiveRename | None
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "link").symlink_to("a")
    rename_new(tmp_path / "link", tmp_path / "b", exclusive)
    assert (tmp_path / "b").readlink() == Path("a")
    assert (tmp_path / "a").read_bytes() == b"a"


def test_what_is_not_there_is_an_error_that_names_both(
    tmp_path: Path, exclusive: ExclusiveRename | None
) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        rename_new(tmp_path / "a", tmp_path / "b", exclusive)
    assert (raised.value.filename, raised.value.filename2) == (str(tmp_path / "a"), str(tmp_path / "b"))
