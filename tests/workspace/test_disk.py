"""Files on the disk: read, and changed completely or not at all, under one lock, with a pre-image kept."""

import asyncio
import contextlib
import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.workspace import atomic
from steersman.workspace.changes import FileChange, creation, deletion, edition, relocation, restoration
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import (
    ChangeRefused,
    DeniedPath,
    FileAccessError,
    FileNotFound,
    PathError,
    WorkspaceError,
)
from steersman.workspace.locks import LockTable
from steersman.workspace.ports import BaseMoved, PreImage, Workspace
from steersman.workspace.regular import read_regular
from steersman.workspace.roots import Roots
from steersman.workspace.snapshots import MAX_FILE_BYTES
from steersman.workspace.text import TextError
from steersman.workspace.text_edits import TextChange


class Folder:
    """A workspace on `tmp_path/ws`, with what was kept before its changes."""

    def __init__(self, base: Path, locks: LockTable | None = None) -> None:
        self.root = base / "ws"
        self.root.mkdir(exist_ok=True)
        self.images: list[PreImage] = []
        self.disk = DiskWorkspace(Roots([self.root]), locks=locks, keep_preimage=self.keep)
        self.workspace: Workspace = self.disk

    async def keep(self, image: PreImage) -> None:
        self.images.append(image)

    def put(self, name: str, data: bytes = b"one\n") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    async def edit(self, name: str, new: str) -> FileChange:
        snapshot = await self.workspace.read(self.workspace.resolve(name, for_write=True))
        return edition(snapshot, snapshot.as_text().rewrite(new))

    def create(self, name: str, content: str = "new\n") -> FileChange:
        return creation(self.workspace.resolve(name, for_write=True), content)

    async def delete(self, name: str) -> FileChange:
        return deletion(await self.workspace.read(self.workspace.resolve(name, follow=False)))

    async def move(self, source: str, target: str) -> FileChange:
        snapshot = await self.workspace.read(self.workspace.resolve(source, follow=False))
        return relocation(snapshot, self.workspace.resolve(target, for_write=True, follow=False))

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes beyond `size` fail with a real system error, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def raw_offset(raw: str, offset: int) -> int:
    """Where the place `offset` of the text with LF line ends is in the text as it is."""
    at = 0
    for _ in range(offset):
        at += 2 if raw.startswith("\r\n", at) else 1
    return at


class TestReading:
    async def test_a_snapshot_has_text_bytes_and_version(self, folder: Folder) -> None:
        folder.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
        snapshot = await folder.workspace.read(folder.workspace.resolve("a.txt"))
        assert snapshot.as_text().text == "one\ntwo\n"
        assert snapshot.data == b"\xef\xbb\xbfone\r\ntwo\r\n"
        assert (snapshot.source, snapshot.dirty) == ("disk", False)

    async def test_a_large_file_is_read_in_a_thread_all_the_same(self, folder: Folder) -> None:
        folder.put("big.txt", b"line\n" * 300_000)
        snapshot = await folder.workspace.read(folder.workspace.resolve("big.txt"))
        assert len(snapshot.as_text().text) == 1_500_000

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
    async def test_a_file_without_size_is_read_to_its_end(self, folder: Folder) -> None:
        data, _status = read_regular(Path("/proc/self/status"), MAX_FILE_BYTES)
        assert data.startswith(b"Name:")

    async def test_a_huge_file_is_refused_with_a_way_to_see_parts(self, folder: Folder) -> None:
        path = folder.put("huge.log", b"")
        os.truncate(path, MAX_FILE_BYTES + 1)
        with pytest.raises(FileAccessError, match="grep"):
            await folder.workspace.read(folder.workspace.resolve("huge.log"))

    async def test_a_binary_file_has_no_text(self, folder: Folder) -> None:
        folder.put("x.bin", b"a\0b")
        snapshot = await folder.workspace.read(folder.workspace.resolve("x.bin"))
        with pytest.raises(TextError, match="binary"):
            snapshot.as_text()

    async def test_pipes_devices_and_directories_are_refused_without_waiting(self, folder: Folder) -> None:
        os.mkfifo(folder.root / "pipe")
        (folder.root / "dir").mkdir()
        for name, says in (("pipe", "pipe"), ("dir", "directory"), ("/dev/zero", "device")):
            with pytest.raises(PathError, match=says):
                await folder.workspace.read(folder.workspace.resolve(name))

    @pytest.mark.parametrize(
        ("wanted", "meant"),
        [
            ("src/maths.ts", "src/math.ts"),
            ("scr/math.ts", "src/math.ts"),
            ("math.ts", "src/math.ts"),
            ("src\\math.ts", "src/math.ts"),
            ("SRC/Math.TS", "src/math.ts"),
            ("lib/deep/math.ts", "src/math.ts"),
        ],
    )
    async def test_a_near_miss_is_suggested(self, folder: Folder, wanted: str, meant: str) -> None:
        folder.put("src/math.ts")
        folder.put("README.md")
        with pytest.raises(FileNotFound) as raised:
            await folder.workspace.read(folder.workspace.resolve(wanted))
        assert str(raised.value) == f"File not found: {wanted}. Did you mean {meant}?"

    async def test_a_secret_is_never_suggested(self, folder: Folder) -> None:
        folder.put(".env.prod")
        with pytest.raises(FileNotFound) as raised:
            await folder.workspace.read(folder.workspace.resolve("env.prod"))
        assert "Did you mean" not in str(raised.value)

    async def test_a_dangling_link_says_so(self, folder: Folder) -> None:
        (folder.root / "link").symlink_to("gone.txt")
        with pytest.raises(FileNotFound, match=r"link is a symbolic link to gone\.txt, which does not exist"):
            await folder.workspace.read(folder.workspace.resolve("link"))

    async def test_a_file_as_a_directory_is_a_clear_error(self, folder: Folder) -> None:
        folder.put("a.txt")
        with pytest.raises(PathError, match="not a directory"):
            await folder.workspace.read(folder.workspace.resolve("a.txt/b.txt"))

    async def test_denied_paths_are_not_even_resolved(self, folder: Folder) -> None:
        folder.put(".env")
        with pytest.raises(DeniedPath, match=r"\.env\*"):
            folder.workspace.resolve(".env")

    async def test_entries_are_sorted_and_typed(self, folder: Folder) -> None:
        folder.put("b/x")
        folder.put("a.txt")
        (folder.root / "link").symlink_to("b")
        os.mkfifo(folder.root / "pipe")
        listing = await folder.workspace.entries(folder.workspace.resolve("."), 10)
        assert [(entry.name, entry.kind, entry.target_is_directory) for entry in listing.entries] == [
            ("a.txt", "file", False),
            ("b", "directory", False),
            ("link", "link", True),
            ("pipe", "other", False),
        ]
        assert (listing.count, listing.denied) == (4, 0)

    async def test_a_long_directory_gives_its_first_entries_and_counts_the_others(
        self, folder: Folder
    ) -> None:
        for name in (".env", ".ENV.local", "b", "a.pem", "d", "c", "a"):
            folder.put(name)
        listing = await folder.workspace.entries(folder.workspace.resolve("."), 2)
        assert [entry.name for entry in listing.entries] == ["a", "b"]
        assert (listing.count, listing.denied) == (4, 3)


class TestCreating:
    async def test_a_new_file_comes_with_its_directories(self, folder: Folder) -> None:
        applied = await folder.workspace.apply(folder.create("a/b/c.txt", "x\r\ny"))
        assert (folder.root / "a/b/c.txt").read_bytes() == b"x\r\ny"
        assert applied.created_directories == ("a", "a/b")
        assert folder.images == [PreImage(folder.root / "a/b/c.txt", "absent")]

    async def test_it_has_the_usual_permissions(self, folder: Folder) -> None:
        folder.put("usual")
        await folder.workspace.apply(folder.create("new"))
        assert (folder.root / "new").stat().st_mode == (folder.root / "usual").stat().st_mode

    async def test_what_appeared_meanwhile_is_not_replaced(self, folder: Folder) -> None:
        change = folder.create("a.txt")
        folder.put("a.txt", b"theirs")
        with pytest.raises(BaseMoved):
            await folder.workspace.apply(change)
        assert (folder.root / "a.txt").read_bytes() == b"theirs"

    async def test_a_dangling_link_inside_gets_its_target(self, folder: Folder) -> None:
        (folder.root / "link").symlink_to("target.txt")
        await folder.workspace.apply(folder.create("link"))
        assert (folder.root / "link").is_symlink()
        assert (folder.root / "target.txt").read_bytes() == b"new\n"

    async def test_a_file_where_a_directory_is_needed_is_a_clear_error(self, folder: Folder) -> None:
        folder.put("a")
        with pytest.raises(PathError, match="Nothing was changed"):
            await folder.workspace.apply(folder.create("a/b/c.txt"))
        assert folder.names() == ["a"]

    async def test_a_failed_write_leaves_neither_file_nor_directories(self, folder: Folder) -> None:
        change = folder.create("a/b.txt", "x" * 100_000)
        with file_size_limit(50_000), pytest.raises(FileAccessError, match="Nothing was changed"):
            await folder.workspace.apply(change)
        assert folder.names() == []

    async def test_the_longest_names_can_be_written(self, folder: Folder) -> None:
        await folder.workspace.apply(folder.create("n" * 255))
        await folder.workspace.apply(await folder.edit("n" * 255, "other\n"))
        assert folder.names() == ["n" * 255]

    async def test_a_directory_swapped_for_a_link_meanwhile_is_noticed(
        self, folder: Folder, tmp_path: Path
    ) -> None:
        folder.put("dir/keep")
        (tmp_path / "away").mkdir()
        change = folder.create("dir/new.txt")
        (folder.root / "dir").rename(folder.root / "dir2")
        (folder.root / "dir").symlink_to(tmp_path / "away")
        with pytest.raises(PathError, match="link"):
            await folder.workspace.apply(change)
        assert list((tmp_path / "away").iterdir()) == []


class TestEditing:
    async def test_mode_and_links_to_it_are_kept(self, folder: Folder) -> None:
        path = folder.put("run.sh")
        path.chmod(0o4751)
        (folder.root / "link").symlink_to("run.sh")
        await folder.workspace.apply(await folder.edit("link", "two\n"))
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two\n", 0o4751)
        assert (folder.root / "link").is_symlink()

    async def test_the_pre_image_is_kept_before_the_change(self, folder: Folder) -> None:
        path = folder.put("a.txt", b"one\r\n")
        path.chmod(0o640)
        await folder.workspace.apply(await folder.edit("a.txt", "two\n"))
        assert folder.images == [PreImage(path, "file", b"one\r\n", 0o640)]

    async def test_without_a_pre_image_nothing_is_changed(self, tmp_path: Path) -> None:
        folder = Folder(tmp_path)

        async def fail(_image: PreImage) -> None:
            raise OSError(errno.ENOSPC, "the log is full")

        folder.workspace = DiskWorkspace(Roots([folder.root]), keep_preimage=fail)
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        with pytest.raises(OSError, match="the log is full"):
            await folder.workspace.apply(change)
        assert path.read_bytes() == b"one\n"

    async def test_a_write_while_the_pre_image_is_kept_is_noticed(self, tmp_path: Path) -> None:
        folder = Folder(tmp_path)
        path = folder.put("a.txt")

        async def keep(_image: PreImage) -> None:
            path.write_bytes(b"theirs, meanwhile\n")

        for make in (lambda: folder.edit("a.txt", "two\n"), lambda: folder.delete("a.txt")):
            path.write_bytes(b"one\n")
            folder.workspace = DiskWorkspace(Roots([folder.root]), keep_preimage=keep)
            with pytest.raises(BaseMoved):
                await folder.workspace.apply(await make())
            assert path.read_bytes() == b"theirs, meanwhile\n"

    async def test_a_moved_base_is_told_with_what_is_there(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        path.write_bytes(b"theirs\n")
        with pytest.raises(BaseMoved) as raised:
            await folder.workspace.apply(change)
        assert raised.value.current is not None
        assert raised.value.current.as_text().text == "theirs\n"
        assert folder.images == []

    async def test_a_deleted_base_is_told(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        path.unlink()
        with pytest.raises(BaseMoved) as raised:
            await folder.workspace.apply(change)
        assert raised.value.current is None

    async def test_a_directory_in_its_place_is_a_clear_error(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        path.unlink()
        path.mkdir()
        with pytest.raises(PathError, match="is a directory"):
            await folder.workspace.apply(change)

    async def test_a_link_in_its_place_is_not_followed(self, folder: Folder, tmp_path: Path) -> None:
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        outside = tmp_path / "outside.txt"
        outside.write_bytes(b"one\n")
        path.unlink()
        path.symlink_to(outside)
        with pytest.raises(BaseMoved):
            await folder.workspace.apply(change)
        assert outside.read_bytes() == b"one\n"

    async def test_a_read_only_file_is_refused(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        path.chmod(0o444)
        with pytest.raises(FileAccessError, match="read-only"):
            await folder.workspace.apply(await folder.edit("a.txt", "two\n"))
        assert path.read_bytes() == b"one\n"

    async def test_a_full_disk_leaves_the_old_file_whole(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        change = await folder.edit("a.txt", "x" * 100_000)
        with file_size_limit(50_000), pytest.raises(FileAccessError, match="Nothing was changed"):
            await folder.workspace.apply(change)
        assert path.read_bytes() == b"one\n"
        assert folder.names() == ["a.txt"]

    async def test_a_check_says_whether_a_change_would_be_made_and_touches_nothing(
        self, folder: Folder
    ) -> None:
        path = folder.put("a.txt")
        change, new = await folder.edit("a.txt", "two\n"), folder.create("b.txt", "new\n")
        await folder.workspace.check(change)
        await folder.workspace.check(new)
        path.chmod(0o444)
        with pytest.raises(FileAccessError, match="read-only"):
            await folder.workspace.check(change)
        path.chmod(0o644)
        for name in ("a.txt", "b.txt"):
            folder.put(name, b"theirs\n")
        for each in (change, new):
            with pytest.raises(BaseMoved) as raised:
                await folder.workspace.check(each)
            assert raised.value.current is not None
            assert raised.value.current.data == b"theirs\n"
        assert folder.images == []
        assert folder.names() == ["a.txt", "b.txt"]

    async def test_other_hard_links_keep_the_old_content_and_that_is_said(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        (folder.root / "b.txt").hardlink_to(path)
        applied = await folder.workspace.apply(await folder.edit("a.txt", "two\n"))
        assert (folder.root / "b.txt").read_bytes() == b"one\n"
        assert "hard links" in applied.notes[0]

    async def test_two_sessions_change_one_file_one_after_the_other(self, tmp_path: Path) -> None:
        locks = LockTable()
        one, two = Folder(tmp_path, locks), Folder(tmp_path, locks)
        one.put("a.txt")
        first, second = await one.edit("a.txt", "first\n"), await two.edit("a.txt", "second\n")
        results = await asyncio.gather(
            one.workspace.apply(first), two.workspace.apply(second), return_exceptions=True
        )
        assert [type(result).__name__ for result in results] == ["Applied", "BaseMoved"]
        assert (one.root / "a.txt").read_bytes() == b"first\n"

    async def test_a_cancelled_change_is_finished_before_the_lock_is_given_back(self, tmp_path: Path) -> None:
        folder = Folder(tmp_path)
        entered = asyncio.Event()

        async def keep(_image: PreImage) -> None:
            entered.set()

        folder.workspace = DiskWorkspace(Roots([folder.root]), keep_preimage=keep)
        folder.put("a.txt")
        change = await folder.edit("a.txt", "two\n")
        task = asyncio.create_task(folder.workspace.apply(change))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (folder.root / "a.txt").read_bytes() in (b"one\n", b"two\n")
        assert folder.names() == ["a.txt"]

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    async def test_bytes_outside_the_replaced_span_are_identical(
        self, folder: Folder, data: st.DataObject
    ) -> None:
        pieces = st.sampled_from(["a", "b\n", "c\r\n", "d\r", "ä", "\u2028", "\f", "😀", " ", "\t", "\n\n"])
        raw = "".join(data.draw(st.lists(pieces, max_size=30)))
        bom, codec = data.draw(
            st.sampled_from([(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")])
        )
        folder.put("f.txt", bom + raw.encode(codec))
        snapshot = await folder.workspace.read(folder.workspace.resolve("f.txt", for_write=True))
        text = snapshot.as_text()
        start = data.draw(st.integers(0, len(text.text)))
        end = data.draw(st.integers(start, len(text.text)))
        new = "".join(data.draw(st.lists(pieces.filter(lambda piece: "\r" not in piece), max_size=5)))
        try:
            after = text.apply([TextChange(start, end, new)])
        except TextError:
            return
        if after.raw == text.raw:
            return
        await folder.workspace.apply(edition(snapshot, after))
        written = (folder.root / "f.txt").read_bytes()
        head = bom + text.raw[: raw_offset(text.raw, start)].encode(codec)
        tail = text.raw[raw_offset(text.raw, end) :].encode(codec)
        assert written.startswith(head)
        assert written.endswith(tail)


class TestDeletingAndMoving:
    async def test_a_file_is_deleted_and_kept(self, folder: Folder) -> None:
        path = folder.put("a.bin", b"\0\1")
        await folder.workspace.apply(await folder.delete("a.bin"))
        assert folder.names() == []
        assert folder.images[0].data == b"\0\1"
        assert folder.images[0].path == path

    async def test_a_link_is_deleted_itself(self, folder: Folder, tmp_path: Path) -> None:
        outside = tmp_path / "outside.txt"
        outside.write_bytes(b"x")
        link = folder.root / "link"
        link.symlink_to(outside)
        await folder.workspace.apply(await folder.delete("link"))
        assert outside.exists()
        assert (folder.names(), folder.images[0].kind) == ([], "link")
        assert folder.images[0].data == os.fsencode(outside)

    async def test_a_deleted_link_comes_back_with_its_target_as_it_was_written(self, folder: Folder) -> None:
        link = folder.root / "link"
        os.symlink("./a//b/", link)  # noqa: PTH211 - Path would normalise the target
        await folder.workspace.apply(await folder.delete("link"))
        image = folder.images[0]
        assert image.data == b"./a//b/"
        back = restoration(folder.workspace.resolve("link"), image.data, image.mode, is_link=True)
        await folder.workspace.apply(back)
        assert os.readlink(link) == "./a//b/"  # noqa: PTH115

    async def test_a_file_in_place_of_a_link_is_not_deleted_even_if_it_has_the_links_bytes(
        self, folder: Folder
    ) -> None:
        link = folder.root / "link"
        link.symlink_to("a.txt")
        change = await folder.delete("link")
        link.unlink()
        link.write_bytes(b"a.txt")
        with pytest.raises(BaseMoved) as moved:
            await folder.workspace.apply(change)
        assert moved.value.current is not None
        assert (moved.value.current.is_link, moved.value.current.as_text().text) == (False, "a.txt")

    async def test_a_file_that_changed_is_not_deleted(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        change = await folder.delete("a.txt")
        path.write_bytes(b"theirs")
        with pytest.raises(BaseMoved):
            await folder.workspace.apply(change)
        assert path.read_bytes() == b"theirs"

    async def test_a_move_makes_directories_and_keeps_both_pre_images(self, folder: Folder) -> None:
        path = folder.put("a.txt")
        path.chmod(0o600)
        applied = await folder.workspace.apply(await folder.move("a.txt", "x/y/b.txt"))
        assert folder.names() == ["x", "x/y", "x/y/b.txt"]
        assert stat.S_IMODE((folder.root / "x/y/b.txt").stat().st_mode) == 0o600
        assert applied.created_directories == ("x", "x/y")
        assert [image.kind for image in folder.images] == ["file", "absent"]

    async def test_a_move_never_replaces(self, folder: Folder) -> None:
        folder.put("a.txt", b"a")
        change = await folder.move("a.txt", "b.txt")
        folder.put("b.txt", b"b")
        with pytest.raises(ChangeRefused, match="exists already"):
            await folder.workspace.apply(change)
        assert ((folder.root / "a.txt").read_bytes(), (folder.root / "b.txt").read_bytes()) == (b"a", b"b")

    async def test_only_the_case_of_a_name_can_change(self, folder: Folder) -> None:
        folder.put("readme.md")
        await folder.workspace.apply(await folder.move("readme.md", "README.md"))
        assert folder.names() == ["README.md"]

    async def test_hard_links_that_differ_in_case_are_two_files(self, folder: Folder) -> None:
        path = folder.put("a")
        if (folder.root / "A").exists():
            pytest.skip("this file system does not tell case apart")
        change = await folder.move("a", "A")
        (folder.root / "A").hardlink_to(path)
        with pytest.raises(ChangeRefused):
            await folder.workspace.apply(change)
        assert folder.names() == ["A", "a"]

    @pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no second file system at hand")
    async def test_a_move_across_devices_copies_whole(self, folder: Folder, tmp_path: Path) -> None:
        shared = Path("/dev/shm") / f"steersman-{os.getpid()}"
        if Path("/dev/shm").stat().st_dev == tmp_path.stat().st_dev:
            pytest.skip("/dev/shm is on the same device")
        shared.mkdir()
        try:
            path = folder.put("a.sh", b"x" * 3_000_000)
            path.chmod(0o755)
            atomic.move_file(path, shared / "a.sh")
            assert (shared / "a.sh").read_bytes() == b"x" * 3_000_000
            assert stat.S_IMODE((shared / "a.sh").stat().st_mode) == 0o755
            assert folder.names() == []
            assert [entry.name for entry in shared.iterdir()] == ["a.sh"]
        finally:
            for entry in shared.iterdir():
                entry.unlink()
            shared.rmdir()


async def test_locks_are_shared_by_spelling_and_dropped_when_free() -> None:
    table = LockTable()
    order: list[str] = []
    held, release = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with table.hold(Path("/x/A"), Path("/x/b")):
            order.append("first")
            held.set()
            await release.wait()

    async def second() -> None:
        async with table.hold(Path("/x/b"), Path("/x/a"), Path("/x/B")):
            order.append("second")

    tasks = [asyncio.create_task(first()), asyncio.create_task(second())]
    await held.wait()
    release.set()
    await asyncio.gather(*tasks)
    assert order == ["first", "second"]
    assert table.in_use == 0


def swapping(one: Path, other: Path, rounds: int) -> None:
    """Exchanges the two names again and again, as fast as the system can."""
    third = one.with_name("third")
    for _ in range(rounds):
        one.rename(third)
        other.rename(one)
        third.rename(other)


async def test_a_directory_that_is_exchanged_for_a_link_all_the_time_never_leads_outside(
    tmp_path: Path,
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"OUTSIDE\n")
    folder = Folder(tmp_path)
    folder.put("inside/secret.txt", b"inside\n")
    (folder.root / "link").symlink_to(outside)
    swapper = asyncio.create_task(
        asyncio.to_thread(swapping, folder.root / "inside", folder.root / "link", 4000)
    )
    while not swapper.done():
        with contextlib.suppress(WorkspaceError):
            place = folder.workspace.resolve("inside/secret.txt")
            if not place.outside:
                assert (await folder.workspace.read(place)).data.startswith(b"inside")
        with contextlib.suppress(WorkspaceError):
            await folder.workspace.apply(await folder.edit("inside/secret.txt", "inside, again\n"))
            await folder.workspace.apply(await folder.edit("inside/secret.txt", "inside\n"))
    await swapper
    assert (outside / "secret.txt").read_bytes() == b"OUTSIDE\n"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path.name != "secret.txt"] == []


async def test_a_directory_that_was_replaced_by_another_is_said_to_be(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.put("d/a.txt")
    place = folder.workspace.resolve("d/a.txt")
    (folder.root / "d").rename(folder.root / "gone")
    (folder.root / "d").symlink_to("gone")
    with pytest.raises(PathError, match="a directory of the path was replaced"):
        await folder.workspace.read(place)
