"""edit, write, delete and move: proposed first, applied to what is there, reported as done."""

import asyncio
import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController
from steersman.agent.tool import Proposal, ProposalSuperseded, ToolContext
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.guard import Guard
from steersman.workspace.locks import LockTable
from support.workspace import Bench, make_bench

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def changes_file(path: Path, content: str | bytes):
    """An answer during which somebody else writes the file."""

    def answer(proposal: Proposal) -> Proposal:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return proposal

    return answer


def user_writes(text: str):
    """An answer that accepts with another text."""

    def answer(proposal: Proposal) -> Proposal:
        assert isinstance(proposal, ChangeProposal)
        return proposal.rewritten({str(proposal.changes[0].path.path): text})

    return answer


def pair(old: str, new: str) -> list[dict[str, str]]:
    return [{"oldText": old, "newText": new}]


class TestEdit:
    async def test_the_result_shows_the_change_made(self, bench: Bench) -> None:
        bench.put("a.py", "a\nb\nc\n")
        called = await bench.call("edit", path="a.py", edits=pair("b\n", "B\n"))
        assert called.text == (
            "Changed a.py (+1 −1):\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"
        )
        assert bench.bytes("a.py") == b"a\nB\nc\n"
        assert called.proposal is not None
        assert called.proposal.title == "Edit a.py (+1 −1)"

    async def test_a_line_that_holds_a_form_feed_or_a_line_separator_is_shown_as_one(
        self, bench: Bench
    ) -> None:
        bench.put("a.c", "\f\na\u2028b\nc\n")
        text = await bench.ok("edit", path="a.c", edits=pair("c\n", "C\n"))
        assert text.endswith("@@ -1,3 +1,3 @@\n \f\n a\u2028b\n-c\n+C")

    async def test_a_shown_change_is_bounded(self, bench: Bench) -> None:
        bench.put("a.txt", "x\n" * 3000)
        text = await bench.ok(
            "edit", path="a.txt", edits=pair("x\n" * 3000, "y" * 9999 + "\n" + "y\n" * 3000)
        )
        assert len(text) < 15_000
        assert "more lines of this diff are not shown" in text

    async def test_a_long_file_is_edited_all_the_same(self, bench: Bench) -> None:
        text = "".join(f"line {number}\n" for number in range(50_000))
        bench.put("a.txt", text)
        assert "+changed" in await bench.ok("edit", path="a.txt", edits=pair("line 40000\n", "changed\n"))
        assert bench.bytes("a.txt").decode() == text.replace("line 40000\n", "changed\n")

    async def test_all_edits_are_made_on_the_original_or_none(self, bench: Bench) -> None:
        bench.put("a.txt", "a\nb\n")
        edits = [*pair("a", "b"), *pair("b", "a")]
        await bench.ok("edit", path="a.txt", edits=edits)
        assert bench.bytes("a.txt") == b"b\na\n"
        text = await bench.error("edit", path="a.txt", edits=[*pair("a", "x"), *pair("zzz", "y")])
        assert "edits[1].oldText" in text
        assert bench.bytes("a.txt") == b"b\na\n"

    async def test_old_text_that_is_there_twice_is_refused_with_the_places(self, bench: Bench) -> None:
        bench.put("a.txt", "x\ny\nx\n")
        assert "lines 1, 3" in await bench.error("edit", path="a.txt", edits=pair("x", "z"))

    async def test_crlf_and_order_mark_stay(self, bench: Bench) -> None:
        bench.put("a.txt", b"\xef\xbb\xbfa\r\nb\r\n")
        await bench.ok("edit", path="a.txt", edits=pair("a\nb\n", "a\nnew\nb\n"))
        assert bench.bytes("a.txt") == b"\xef\xbb\xbfa\r\nnew\r\nb\r\n"

    async def test_what_is_made_already_is_told(self, bench: Bench) -> None:
        bench.put("a.txt", "new text\n")
        assert "already" in await bench.error("edit", path="a.txt", edits=pair("old text", "new text"))

    async def test_a_missing_file_points_to_write(self, bench: Bench) -> None:
        bench.put("src/math.ts")
        text = await bench.error("edit", path="src/maths.ts", edits=pair("a", "b"))
        assert "Did you mean src/math.ts?" in text
        assert "use write" in text

    async def test_binary_and_unencodable_are_refused_unchanged(self, bench: Bench) -> None:
        bench.put("a.bin", b"a\0b")
        assert "binary" in await bench.error("edit", path="a.bin", edits=pair("a", "b"))
        bench.put("a.py", "# coding: latin-1\nx = 'ä'\n".encode("latin-1"))
        assert "Nothing was changed" in await bench.error("edit", path="a.py", edits=pair("x", "日"))
        assert bench.bytes("a.py") == "# coding: latin-1\nx = 'ä'\n".encode("latin-1")

    async def test_a_second_edit_is_made_on_what_the_first_left(self, bench: Bench) -> None:
        bench.put("a.txt", "one\n")
        await bench.ok("edit", path="a.txt", edits=pair("one", "two"))
        await bench.ok("edit", path="a.txt", edits=pair("two", "three"))
        assert bench.bytes("a.txt") == b"three\n"

    async def test_a_change_elsewhere_during_the_question_is_kept(self, bench: Bench) -> None:
        path = bench.put("a.txt", TEXT)
        now = "first\n" + TEXT.replace("line 30\n", "line XXX\n")
        called = await bench.call(
            "edit",
            {"path": "a.txt", "edits": pair("line 10\n", "ten\n")},
            answer=changes_file(path, now),
        )
        assert not called.is_error
        assert bench.bytes("a.txt").decode() == now.replace("line 10\n", "ten\n")

    async def test_other_hunks_on_the_new_base_are_a_new_question(self, bench: Bench) -> None:
        path = bench.put("a.txt", "before\nfoo(1)\nafter\n")
        with pytest.raises(ProposalSuperseded) as raised:
            await bench.call(
                "edit",
                {"path": "a.txt", "edits": pair("foo", "bar")},
                answer=changes_file(path, "before\nfoo(2)\nafter\n"),
            )
        assert path.read_text() == "before\nfoo(2)\nafter\n"
        new = raised.value.proposal
        assert isinstance(new, ChangeProposal)
        assert new.changes[0].new_text == "before\nbar(2)\nafter\n"
        bound = bench.tools["edit"].bind({"path": "a.txt", "edits": pair("foo", "bar")})
        await bound.execute(ToolContext("1", AbortController().signal, lambda _text: None, new))
        assert path.read_text() == "before\nbar(2)\nafter\n"

    async def test_an_edit_that_matches_no_more_is_refused(self, bench: Bench) -> None:
        path = bench.put("a.txt", "foo\n")
        called = await bench.call(
            "edit", {"path": "a.txt", "edits": pair("foo", "bar")}, answer=changes_file(path, "gone\n")
        )
        assert called.is_error
        assert path.read_bytes() == b"gone\n"

    async def test_a_file_deleted_during_the_question_is_told(self, bench: Bench) -> None:
        path = bench.put("a.txt", "foo\n")

        def answer(proposal: Proposal) -> Proposal:
            path.unlink()
            return proposal

        called = await bench.call("edit", {"path": "a.txt", "edits": pair("foo", "bar")}, answer=answer)
        assert "is gone" in called.text
        assert not path.exists()

    async def test_the_users_version_is_written_and_told(self, bench: Bench) -> None:
        bench.put("a.txt", b"one\r\ntwo\r\n")
        called = await bench.call(
            "edit", {"path": "a.txt", "edits": pair("one", "uno")}, answer=user_writes("eins\ntwo\n")
        )
        assert bench.bytes("a.txt") == b"eins\r\ntwo\r\n"
        assert "The user changed your text before accepting it" in called.text
        assert "-uno\n+eins" in called.text

    async def test_the_users_version_is_merged_into_a_moved_base(self, bench: Bench) -> None:
        path = bench.put("a.txt", TEXT)
        wanted = TEXT.replace("line 10\n", "zehn\n")

        def answer(proposal: Proposal) -> Proposal:
            path.write_text(TEXT + "more\n")
            return user_writes(wanted)(proposal)

        called = await bench.call("edit", {"path": "a.txt", "edits": pair("line 10", "ten")}, answer=answer)
        assert not called.is_error
        assert path.read_text() == wanted + "more\n"

    async def test_runs_that_edit_one_file_at_once_all_get_their_edit(
        self, tmp_path: Path, guard: Guard
    ) -> None:
        locks = LockTable()
        benches = [make_bench(tmp_path, guard, locks=locks) for _ in range(6)]
        benches[0].put("a.txt", TEXT)
        calls = [
            bench.call("edit", path="a.txt", edits=pair(f"line {4 * number + 2}\n", f"by {number}\n"))
            for number, bench in enumerate(benches)
        ]
        results = await asyncio.gather(*calls)
        assert [called.text for called in results if called.is_error] == []
        written = benches[0].bytes("a.txt").decode()
        assert [f"by {number}\n" in written for number in range(6)] == [True] * 6

    async def test_without_execution_nothing_changes(self, bench: Bench) -> None:
        path = bench.put("a.txt", "foo\n")
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        bound = bench.tools["edit"].bind({"path": "a.txt", "edits": pair("foo", "bar")})
        assert await bound.propose(AbortController().signal) is not None
        assert hashlib.sha256(path.read_bytes()).hexdigest() == before
        assert [entry.name for entry in bench.root.iterdir()] == ["a.txt"]

    async def test_a_buffer_is_the_baseline_and_the_disk_is_left_alone(self, editor: Bench) -> None:
        path = editor.put("a.txt", "saved\n")
        editor.workspace.buffers[path] = "typed\r\nunsaved\r\n"
        text = await editor.ok("edit", path="a.txt", edits=pair("typed", "edited"))
        assert editor.workspace.buffers[path] == "edited\r\nunsaved\r\n"
        assert path.read_bytes() == b"saved\n"
        assert "not saved yet" in text

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        before=st.binary(max_size=60).filter(lambda data: b"\0" not in data and b"@" not in data),
        after=st.binary(max_size=60).filter(lambda data: b"\0" not in data and b"@" not in data),
        new=st.text(alphabet="abc \n", min_size=1, max_size=20),
    )
    async def test_any_bytes_around_an_edit_stay(
        self, bench: Bench, before: bytes, after: bytes, new: str
    ) -> None:
        whole = before + b"@mark@" + after
        if whole.startswith((b"\xff\xfe", b"\xfe\xff")):
            return
        bench.put("a.dat", whole)
        called = await bench.call("edit", path="a.dat", edits=pair("@mark@", new))
        now = bench.bytes("a.dat")
        if called.is_error:
            assert now == whole
        else:
            assert now.startswith(before)
            assert now.endswith(after)


class TestWrite:
    async def test_a_new_file_is_made_with_its_directories(self, bench: Bench) -> None:
        text = await bench.ok("write", path="a/b/c.py", content="x = 1\n")
        assert text == "Created a/b/c.py (+1 −0).\n[Made the directories a, a/b]".replace(".\n[", ".\n\n[")
        assert bench.bytes("a/b/c.py") == b"x = 1\n"

    async def test_an_existing_file_must_have_been_read(self, bench: Bench) -> None:
        bench.put("a.txt", "old\n")
        assert "Read it first" in await bench.error("write", path="a.txt", content="new\n")
        await bench.ok("read", path="a.txt")
        text = await bench.ok("write", path="a.txt", content="new\n")
        assert "-old\n+new" in text
        assert bench.bytes("a.txt") == b"new\n"

    async def test_a_file_that_changed_since_it_was_read_is_refused(self, bench: Bench) -> None:
        path = bench.put("a.txt", "old\n")
        await bench.ok("read", path="a.txt")
        path.write_text("theirs\n")
        assert "Read it again" in await bench.error("write", path="a.txt", content="new\n")
        assert path.read_text() == "theirs\n"

    async def test_a_file_read_in_part_is_refused_until_all_was_seen(self, bench: Bench) -> None:
        bench.put("a.txt", TEXT)
        await bench.ok("read", path="a.txt", limit=20)
        assert "not all of them were read" in await bench.error("write", path="a.txt", content="new\n")
        await bench.ok("read", path="a.txt", offset=15)
        await bench.ok("write", path="a.txt", content="new\n")

    async def test_a_file_whose_lines_were_cut_counts_as_read_in_part(self, bench: Bench) -> None:
        bench.put("a.json", "x" * 5000)
        await bench.ok("read", path="a.json")
        assert "in full" in await bench.error("write", path="a.json", content="{}")

    async def test_what_the_model_wrote_or_edited_itself_it_knows(self, bench: Bench) -> None:
        await bench.ok("write", path="a.txt", content="one\n")
        await bench.ok("edit", path="a.txt", edits=pair("one", "two"))
        await bench.ok("move", **{"from": "a.txt", "to": "b.txt"})
        await bench.ok("write", path="b.txt", content="three\n")
        await bench.ok("delete", path="b.txt")
        await bench.ok("write", path="b.txt", content="four\n")

    async def test_what_the_user_wrote_instead_it_does_not(self, bench: Bench) -> None:
        await bench.call("write", {"path": "a.txt", "content": "ours\n"}, answer=user_writes("theirs\n"))
        assert bench.bytes("a.txt") == b"theirs\n"
        assert "Read it" in await bench.error("write", path="a.txt", content="again\n")

    async def test_an_edit_of_a_file_that_was_not_read_does_not_make_it_known(self, bench: Bench) -> None:
        bench.put("a.txt", TEXT)
        await bench.ok("edit", path="a.txt", edits=pair("line 10", "ten"))
        assert "Read it first" in await bench.error("write", path="a.txt", content="x\n")

    async def test_a_whole_file_is_never_rebased(self, bench: Bench) -> None:
        path = bench.put("a.txt", TEXT)
        await bench.ok("read", path="a.txt")
        called = await bench.call(
            "write", {"path": "a.txt", "content": "new\n"}, answer=changes_file(path, TEXT + "more\n")
        )
        assert called.is_error
        assert "read it again" in called.text
        assert path.read_text() == TEXT + "more\n"

    async def test_a_file_that_appeared_during_the_question_stays(self, bench: Bench) -> None:
        called = await bench.call(
            "write",
            {"path": "a.txt", "content": "ours\n"},
            answer=changes_file(bench.root / "a.txt", "theirs\n"),
        )
        assert called.is_error
        assert bench.bytes("a.txt") == b"theirs\n"

    async def test_line_ends_and_order_mark_of_the_file_stay(self, bench: Bench) -> None:
        bench.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
        await bench.ok("read", path="a.txt")
        await bench.ok("write", path="a.txt", content="one\nnew\ntwo\n")
        assert bench.bytes("a.txt") == b"\xef\xbb\xbfone\r\nnew\r\ntwo\r\n"

    async def test_the_same_content_changes_and_asks_nothing(self, bench: Bench) -> None:
        bench.put("a.txt", "same\n")
        await bench.ok("read", path="a.txt")
        called = await bench.call("write", path="a.txt", content="same\n")
        assert (called.proposal, called.is_error, bench.images) == (None, False, [])

    async def test_a_change_that_nobody_was_asked_about_is_asked_about(self, bench: Bench) -> None:
        path = bench.put("a.txt", "same\n")
        await bench.ok("read", path="a.txt")
        signal = AbortController().signal
        bound = bench.tools["write"].bind({"path": "a.txt", "content": "same\n"})
        assert await bound.propose(signal) is None
        path.unlink()
        with pytest.raises(ProposalSuperseded):
            await bound.execute(ToolContext("1", signal, lambda _text: None))
        assert not path.exists()

    async def test_directories_secrets_and_ways_out_are_refused(self, bench: Bench, tmp_path: Path) -> None:
        bench.put("dir/x")
        (bench.root / "out").symlink_to(tmp_path / "nowhere.txt")
        for path, says in (
            ("dir", "directory"),
            ("new/", "directory"),
            (".env", "denied"),
            ("out", "outside the workspace"),
            ("dir/x/y.txt", "not a directory"),
        ):
            assert says in await bench.error("write", path=path, content="x")
        assert not (tmp_path / "nowhere.txt").exists()

    async def test_protected_and_outside_are_marked_for_policy(self, bench: Bench) -> None:
        for path, outside, protected in (
            ("AGENTS.md", False, "AGENTS.md"),
            (".git/hooks/pre-commit", False, ".git"),
            ("../x.txt", True, None),
            ("src/x.py", False, None),
        ):
            bound = bench.tools["write"].bind({"path": path, "content": "x\n"})
            proposal = await bound.propose(AbortController().signal)
            assert isinstance(proposal, ChangeProposal)
            assert (proposal.outside, proposal.protected) == (outside, protected)

    async def test_the_pre_image_is_kept_for_every_change(self, bench: Bench) -> None:
        await bench.ok("write", path="a.txt", content="one\n")
        await bench.ok("write", path="a.txt", content="two\n")
        assert [(image.kind, image.data) for image in bench.images] == [("absent", None), ("file", b"one\n")]


class TestDeleteAndMove:
    async def test_a_file_is_deleted(self, bench: Bench) -> None:
        bench.put("a.bin", b"\0")
        called = await bench.call("delete", path="a.bin")
        assert called.text == "Deleted a.bin."
        assert not (bench.root / "a.bin").exists()

    async def test_a_link_is_deleted_and_its_target_stays(self, bench: Bench, tmp_path: Path) -> None:
        (tmp_path / "out.txt").write_text("x")
        (bench.root / "link").symlink_to(tmp_path / "out.txt")
        await bench.ok("delete", path="link")
        assert (tmp_path / "out.txt").exists()
        assert not (bench.root / "link").is_symlink()

    async def test_a_link_to_a_directory_is_deleted_itself(self, bench: Bench) -> None:
        bench.put("dir/x")
        (bench.root / "link").symlink_to("dir")
        await bench.ok("delete", path="link")
        assert sorted(entry.name for entry in bench.root.iterdir()) == ["dir"]

    async def test_directories_are_refused_with_a_hint(self, bench: Bench) -> None:
        bench.put("dir/x")
        assert "bash" in await bench.error("delete", path="dir")
        assert "bash" in await bench.error("move", **{"from": "dir", "to": "other"})
        assert "directory" in await bench.error("delete", path=".")

    async def test_a_file_changed_during_the_question_is_not_deleted(self, bench: Bench) -> None:
        path = bench.put("a.txt", "x")
        called = await bench.call("delete", {"path": "a.txt"}, answer=changes_file(path, "theirs"))
        assert called.is_error
        assert path.read_text() == "theirs"

    async def test_a_move_makes_directories_and_says_where(self, bench: Bench) -> None:
        bench.put("a.txt", "x")
        text = await bench.ok("move", **{"from": "a.txt", "to": "x/y/b.txt"})
        assert text.startswith("Moved a.txt to x/y/b.txt.")
        assert bench.bytes("x/y/b.txt") == b"x"

    async def test_a_directory_as_target_keeps_the_name(self, bench: Bench) -> None:
        bench.put("a.txt", "x")
        bench.put("dir/y")
        await bench.ok("move", **{"from": "a.txt", "to": "dir"})
        await bench.ok("move", **{"from": "dir/a.txt", "to": "new/"})
        assert bench.bytes("new/a.txt") == b"x"

    async def test_nothing_is_replaced(self, bench: Bench) -> None:
        bench.put("a.txt", "a")
        bench.put("b.txt", "b")
        assert "already exists" in await bench.error("move", **{"from": "a.txt", "to": "b.txt"})
        assert "already there" in await bench.error("move", **{"from": "a.txt", "to": "./a.txt"})
        assert (bench.bytes("a.txt"), bench.bytes("b.txt")) == (b"a", b"b")

    async def test_secrets_move_neither_in_nor_out(self, bench: Bench) -> None:
        bench.put(".env", "k")
        bench.put("a.txt", "a")
        assert "denied" in await bench.error("move", **{"from": ".env", "to": "x"})
        assert "denied" in await bench.error("move", **{"from": "a.txt", "to": ".env.local"})
        assert "denied" in await bench.error("delete", path=".env")
