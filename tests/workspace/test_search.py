"""ripgrep as a program: found, run, stopped, aborted, missing; and names that resemble a wanted one."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.agent.abort import AbortController, AbortSignal
from steersman.workspace.errors import SearchError
from steersman.workspace.search import ContentQuery, Line, Ripgrep, find_ripgrep
from steersman.workspace.suggest import near_misses


@pytest.fixture
def signal() -> AbortSignal:
    return AbortController().signal


def anything(_name: str) -> bool:
    return True


async def files(folder: Path, ripgrep: Ripgrep, signal: AbortSignal, *exclude: str) -> list[str]:
    found: list[str] = []

    def on_path(path: str) -> bool:
        found.append(path)
        return True

    await ripgrep.files(folder, exclude=exclude, stop=signal, on_path=on_path)
    return found


def test_ripgrep_is_found_beside_python() -> None:
    assert os.access(find_ripgrep().program, os.X_OK)


async def test_hidden_files_are_listed_ignored_and_excluded_ones_not(
    tmp_path: Path, signal: AbortSignal
) -> None:
    for name in (".hidden", "a.txt", "b.log", "c/SECRET/x", "c/d", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("*.log\n")
    found = await files(tmp_path, find_ripgrep(), signal, "**/secret")
    assert found == [".gitignore", ".hidden", "a.txt", "c/d"]


async def test_the_users_ripgrep_configuration_is_not_used(tmp_path: Path, signal: AbortSignal) -> None:
    (tmp_path / "rc").write_text("--glob=!*.txt\n")
    (tmp_path / "a.txt").touch()
    ripgrep = Ripgrep(find_ripgrep().program, {**os.environ, "RIPGREP_CONFIG_PATH": str(tmp_path / "rc")})
    assert await files(tmp_path, ripgrep, signal) == ["a.txt", "rc"]


async def test_lines_come_with_their_place(tmp_path: Path, signal: AbortSignal) -> None:
    (tmp_path / "a.txt").write_bytes("före\nüber hit\r\n".encode())
    found: list[Line] = []

    def on_line(line: Line) -> bool:
        found.append(line)
        return True

    query = ContentQuery("hit", context=1)
    await find_ripgrep().lines(tmp_path, ".", query, exclude=(), stop=signal, on_line=on_line)
    assert found == [Line("a.txt", 1, "före", False), Line("a.txt", 2, "über hit", True, column=5)]


@pytest.mark.parametrize("each", [1, 20, 300], ids=["few", "too many in all", "too many in each"])
async def test_lines_come_by_path_and_number_as_ripgrep_sorts_them(
    tmp_path: Path, signal: AbortSignal, each: int
) -> None:
    names = [b"a/x", b"a/x.d/y", b"a/x-y", b"a.txt", b"a-b", b"A", b"b/c/d", b"b/c.d", b".h/i"]
    names += [b"\xc3\xa9", b"\xef\xac\x80", b"\xff", b"\xf0\x9d\x84\x9e/x", b"n\nl"]
    for name in names:
        path = Path(os.fsdecode(bytes(tmp_path) + b"/" + name))
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("hit\n" * each)
    ripgrep = find_ripgrep()
    by_path = sorted_by(ripgrep, tmp_path)
    assert len(by_path) == len(names)
    found: list[tuple[str, int]] = []

    def on_line(line: Line) -> bool:
        found.append((line.path, line.number))
        return len(found) < 1000

    end = await ripgrep.lines(tmp_path, ".", ContentQuery("hit"), exclude=(), stop=signal, on_line=on_line)
    due = [(name, number + 1) for name in by_path for number in range(each)]
    assert found == due[:1000]
    assert end.stopped == (len(due) >= 1000)


async def test_a_listener_can_also_stop_lines_that_were_sorted_here(
    tmp_path: Path, signal: AbortSignal
) -> None:
    (tmp_path / "a.txt").write_text("hit\n" * 3)
    found: list[int] = []

    def on_line(line: Line) -> bool:
        found.append(line.number)
        return line.number < 2

    query = ContentQuery("hit")
    end = await find_ripgrep().lines(tmp_path, ".", query, exclude=(), stop=signal, on_line=on_line)
    assert (found, end.stopped, end.aborted) == ([1, 2], True, False)


async def test_a_listener_that_has_enough_ends_the_program(tmp_path: Path, signal: AbortSignal) -> None:
    program = script(tmp_path, "printf './a\\0./b\\0'; exec sleep 600")
    end = await Ripgrep(program).files(tmp_path, exclude=(), stop=signal, on_path=lambda name: name != "b")
    assert (end.stopped, end.aborted) == (True, False)


async def test_an_abort_ends_the_program(tmp_path: Path) -> None:
    controller = AbortController()
    program = script(tmp_path, "printf './a\\0'; exec sleep 600")
    end = await Ripgrep(program).files(
        tmp_path, exclude=(), stop=controller.signal, on_path=lambda _name: controller.abort()
    )
    assert (end.stopped, end.aborted) == (False, True)


@pytest.mark.parametrize("name", [".gitignore", ".ignore", "sub/.rgignore"])
async def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(
    tmp_path: Path, signal: AbortSignal, name: str
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("hit\n")
    os.mkfifo(tmp_path / name)
    ripgrep = Ripgrep(find_ripgrep().program, seconds=0.2)
    listed = await ripgrep.files(tmp_path, exclude=(), stop=signal, on_path=anything)
    searched = await ripgrep.lines(
        tmp_path, ".", ContentQuery("hit"), exclude=(), stop=signal, on_line=lambda _line: True
    )
    assert {listed.cut_short, searched.cut_short} == {"it took longer than 0.2 seconds"}


@pytest.mark.skipif(sys.platform != "linux", reason="the system can't limit the memory of another process")
async def test_an_ignore_file_without_end_costs_bounded_memory(tmp_path: Path, signal: AbortSignal) -> None:
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    ripgrep = Ripgrep(find_ripgrep().program, memory=1 << 26)
    end = await ripgrep.files(tmp_path, exclude=(), stop=signal, on_path=anything)
    assert end.cut_short == "it needed too much memory"


async def test_what_was_found_before_a_search_was_cut_short_is_told(
    tmp_path: Path, signal: AbortSignal
) -> None:
    found: list[str] = []
    program = script(tmp_path, "printf './a\\0'; exec sleep 600")
    ripgrep = Ripgrep(program, seconds=5)
    end = await ripgrep.files(
        tmp_path, exclude=(), stop=signal, on_path=lambda name: found.append(name) is None
    )
    assert (found, end.cut_short, end.aborted) == (["a"], "it took longer than 5 seconds", False)


@pytest.mark.parametrize(
    ("how", "told"),
    [("kill -9 $$", "ripgrep was ended by signal 9"), ("exit 101", "ripgrep failed with exit status 101")],
)
async def test_a_program_that_did_not_end_as_it_should_has_not_seen_everything(
    tmp_path: Path, signal: AbortSignal, how: str, told: str
) -> None:
    end = await Ripgrep(script(tmp_path, how)).files(tmp_path, exclude=(), stop=signal, on_path=anything)
    assert end.cut_short == told


async def test_without_ripgrep_the_error_says_so(tmp_path: Path, signal: AbortSignal) -> None:
    with pytest.raises(SearchError, match=r"need ripgrep.*Install"):
        await files(tmp_path, Ripgrep(tmp_path / "missing"), signal)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "\\p{Nonsense}", "[z-a]"])
async def test_a_bad_pattern_is_explained(tmp_path: Path, signal: AbortSignal, pattern: str) -> None:
    with pytest.raises(SearchError, match=r"not a valid regular expression.*literal"):
        await find_ripgrep().lines(
            tmp_path, ".", ContentQuery(pattern), exclude=(), stop=signal, on_line=lambda _line: True
        )


async def test_a_bad_glob_is_explained(tmp_path: Path, signal: AbortSignal) -> None:
    with pytest.raises(SearchError, match="glob"):
        await find_ripgrep().lines(
            tmp_path, ".", ContentQuery("x", glob="[a"), exclude=(), stop=signal, on_line=lambda _line: True
        )


@pytest.mark.parametrize("query", [ContentQuery("x" * 3_000_000), ContentQuery("x", glob="x" * 3_000_000)])
async def test_a_pattern_or_glob_that_the_system_can_not_pass_on_is_to_be_shortened(
    tmp_path: Path, signal: AbortSignal, query: ContentQuery
) -> None:
    with pytest.raises(
        SearchError, match=r"^The pattern or the glob is too long for the system\. Shorten it\.$"
    ):
        await find_ripgrep().lines(tmp_path, ".", query, exclude=(), stop=signal, on_line=lambda _line: True)


def sorted_by(ripgrep: Ripgrep, folder: Path) -> list[str]:
    """The files below `folder`."""
    arguments = [ripgrep.program, "--sort=path", "--hidden", "--files", "--null"]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, check=True)
    return [os.fsdecode(name) for name in done.stdout.split(b"\0")[:-1]]


def script(folder: Path, body: str) -> Path:
    program = folder / "fake-rg"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


class TestNearMisses:
    def put(self, folder: Path, *names: str) -> None:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()

    def test_the_best_three_come_first(self, tmp_path: Path) -> None:
        self.put(tmp_path, "src/util.py", "src/utils.py", "src/until.py", "src/utilize.py", "src/zebra.py")
        assert near_misses(tmp_path, "src/utils.px", anything)[0] == "src/utils.py"
        assert len(near_misses(tmp_path, "src/utilx.py", anything)) == 3

    def test_the_same_name_elsewhere_is_found(self, tmp_path: Path) -> None:
        self.put(tmp_path, "packages/core/lib/model.ts", "node_modules/x/model.ts")
        assert near_misses(tmp_path, "model.ts", anything) == ["packages/core/lib/model.ts"]

    def test_nothing_like_it_is_nothing(self, tmp_path: Path) -> None:
        self.put(tmp_path, "README.md", "src/app.py")
        assert near_misses(tmp_path, "completely/different.rs", anything) == []

    def test_what_may_not_be_named_is_not(self, tmp_path: Path) -> None:
        self.put(tmp_path, "secret1.txt", "secret2.txt")
        assert near_misses(tmp_path, "secret.txt", lambda name: name != "secret1.txt") == ["secret2.txt"]

    def test_what_a_link_leads_to_is_not_named(self, tmp_path: Path) -> None:
        self.put(tmp_path, "away/salaries.txt", "ws/README.md")
        (tmp_path / "ws/shared").symlink_to(tmp_path / "away")
        assert near_misses(tmp_path / "ws", "shard/salary.txt", anything) == []
        assert near_misses(tmp_path / "ws", "shard", anything) == ["shared"]

    def test_it_gives_up_after_so_many_names(self, tmp_path: Path) -> None:
        self.put(tmp_path, *(f"a/{number}" for number in range(50)), "z/deep/wanted.py")
        assert near_misses(tmp_path, "wanted.py", anything, max_names=20) == []
        assert near_misses(tmp_path, "wanted.py", anything) == ["z/deep/wanted.py"]

    def test_links_in_a_circle_end(self, tmp_path: Path) -> None:
        self.put(tmp_path, "a/b.txt")
        (tmp_path / "a/loop").symlink_to(tmp_path)
        assert near_misses(tmp_path, "x/y/b.txt", anything) == ["a/b.txt"]
