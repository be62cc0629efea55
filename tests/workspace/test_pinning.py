"""A pinned directory stays the same one, whatever happens to its name."""

import sys
from pathlib import Path

import pytest

from steersman.workspace.pinning import Replaced, pinned

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="directories are pinned by way of /proc")


def test_what_is_done_in_a_pinned_directory_is_done_in_that_one(tmp_path: Path) -> None:
    real, outside = tmp_path / "real", tmp_path / "outside"
    real.mkdir()
    outside.mkdir()
    with pinned(real) as place:
        real.rename(tmp_path / "moved")
        real.symlink_to(outside)
        (place / "new.txt").write_text("x")
    assert (tmp_path / "moved/new.txt").read_text() == "x"
    assert list(outside.iterdir()) == []


def test_a_path_that_leads_through_a_link_is_not_the_directory_it_names(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "link").symlink_to("outside")
    with pytest.raises(Replaced), pinned(tmp_path / "link"):
        pytest.fail("it was pinned")


@pytest.mark.parametrize("name", ["plain", "UPPER", "né\u0301e", "with space", "a\nb", "a (deleted)"])
def test_every_name_can_be_pinned(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pinned(tmp_path / name) as place:
        (place / "x").touch()
    assert (tmp_path / name / "x").exists()


def test_a_directory_that_is_gone_or_is_a_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, error in (("nothing", FileNotFoundError), ("file", NotADirectoryError)):
        with pytest.raises(error), pinned(tmp_path / name):
            pytest.fail("it was pinned")
