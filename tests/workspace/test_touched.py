"""Files written while something ran: which are found, and what must not hide them."""

import os
from collections.abc import Iterator
from pathlib import Path

from steersman.workspace.touched import written_within
from support.unprivileged import Common, without_privileges

THEN = 1_000_000.0
SPAN = [(THEN, THEN + 10)]


def put(path: Path, time: float = THEN + 5) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    os.utime(path, (time, time))
    return path


def test_a_file_counts_where_its_last_write_lies_within_a_span(tmp_path: Path) -> None:
    put(tmp_path / "before", THEN - 1)
    first = put(tmp_path / "first", THEN)
    last = put(tmp_path / "deep/down/last", THEN + 10)
    put(tmp_path / "between", THEN + 15)
    later = put(tmp_path / "later", THEN + 20)
    put(tmp_path / "after", THEN + 31)
    assert written_within(tmp_path, [*SPAN, (THEN + 20, THEN + 30)]) == sorted([first, last, later])
    assert written_within(tmp_path, SPAN, without={first}) == [last]
    assert written_within(tmp_path, []) == []


def test_links_pipes_and_what_tools_make_for_themselves_are_passed_over(tmp_path: Path) -> None:
    here = tmp_path / "here"
    inside, outside = put(here / "inside"), put(tmp_path / "outside/file")
    (here / "link").symlink_to(outside)
    (here / "folder").symlink_to(outside.parent)
    os.mkfifo(here / "pipe")
    for name in (".git", "node_modules", "__pycache__"):
        put(here / name / "file")
    assert written_within(here, [(0, THEN * 10_000)]) == [inside]


def test_no_more_are_looked_for_than_asked(tmp_path: Path) -> None:
    for name in "abcde":
        put(tmp_path / name)
    assert len(written_within(tmp_path, SPAN, limit=3)) == 3
    assert len(written_within(tmp_path, SPAN, scanned=2)) == 2


class Removing(frozenset[Path]):
    """At the first question, a file goes that was not looked at yet."""

    def __new__(cls, gone: Path) -> "Removing":
        made = super().__new__(cls)
        made.gone = gone
        return made

    gone: Path

    def __contains__(self, path: object) -> bool:
        self.gone.unlink(missing_ok=True)
        return False

    def __iter__(self) -> Iterator[Path]:
        return iter(())


def test_a_file_that_goes_meanwhile_hides_none_of_its_neighbours(tmp_path: Path) -> None:
    for number in range(6):
        put(tmp_path / f"{number}")
    names = [path.name for path in tmp_path.iterdir()]  # in the order in which they are looked at
    found = written_within(tmp_path, SPAN, without=Removing(tmp_path / names[1]))
    assert [path.name for path in found] == sorted({*names} - {names[1]})


def test_a_directory_that_can_not_be_read_hides_none_of_its_neighbours(common: Common) -> None:
    common.put("closed/file", time=THEN + 5)
    seen = common.put("open/file", time=THEN + 5)
    (common.root / "closed").chmod(0)
    with without_privileges():
        assert written_within(common.root, SPAN) == [seen]
