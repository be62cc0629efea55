"""Reverts: what a session changed since a message is taken back, and nothing else."""

import asyncio
import os
import stat
import time

import pytest

from steersman.agent.messages import plain_text
from steersman.session.errors import Refused
from steersman.session.fold import closed
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness


def tree(h: SessionHarness) -> dict[str, bytes]:
    return {str(p.relative_to(h.root)): p.read_bytes() for p in sorted(h.root.rglob("*")) if p.is_file()}


def edit(path, old, new):
    return call("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


def users(h) -> list[str]:
    return [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]


async def reverted(h, since, **options) -> dict[str, str]:
    """The outcomes by name."""
    session = h.session.id
    await h.manager.reverts.revert(session, since, **options)
    await h.session.operation.task
    return {each["uri"].rsplit("/", 1)[1]: each["outcome"] for each in h.of("revert_end")[-1]["files"]}


CHANGES = (
    answer(
        "",
        edit("a.txt", "one", "ONE"),
        call("write", {"path": "made/new.txt", "content": "new\n"}),
        call("delete", {"path": "gone.txt"}),
        call("move", {"from": "old.txt", "to": "moved.txt"}),
    ),
    answer("done"),
)


async def changed(harness, *more, **options) -> SessionHarness:
    """A session that has edited, made, deleted and moved files."""
    h = harness(*CHANGES, *more, person=Person(otherwise="accept"), mode="full-auto", **options)
    h.put("a.txt", "one\ntwo\n")
    h.put("gone.txt", "gone\n")
    h.put("old.txt", "old\n")
    h.put("other.txt", "other\n")
    await h.run("change it")
    return h


async def test_everything_that_was_changed_since_the_message_is_as_it_was(harness):
    """13"""
    h = harness(*CHANGES, mode="full-auto")
    for name in ("a.txt", "gone.txt", "old.txt", "other.txt"):
        h.put(name, f"{name} one\r\n")
    (h.root / "gone.txt").chmod(0o755)
    before = tree(h)
    await h.run("change it")
    assert tree(h) != before
    (h.root / "untracked.txt").write_text("mine\n")
    outcomes = await reverted(h, users(h)[0])
    assert outcomes == {
        "a.txt": "restored",
        "new.txt": "deleted",
        "gone.txt": "restored",
        "old.txt": "restored",
        "moved.txt": "deleted",
    }
    assert tree(h) == before | {"untracked.txt": b"mine\n"}
    assert stat.S_IMODE((h.root / "gone.txt").stat().st_mode) == 0o755


async def test_a_preview_tells_what_would_be_done_and_does_nothing(harness):
    h = await changed(harness)
    before = tree(h)
    preview = await h.manager.reverts.preview(h.session.id, users(h)[0])
    told = {each["uri"].rsplit("/", 1)[1]: (each["action"], each["state"]) for each in preview["files"]}
    assert told == {
        "a.txt": ("restore", "ready"),
        "new.txt": ("delete", "ready"),
        "gone.txt": ("create", "ready"),
        "old.txt": ("create", "ready"),
        "moved.txt": ("delete", "ready"),
    }
    (a,) = [each for each in preview["files"] if each["uri"].endswith("a.txt")]
    assert "-ONE\n+one\n" in a["diff"]
    assert tree(h) == before
    assert h.of("revert_start") == []


async def test_only_what_came_after_the_message_is_taken_back(harness):
    h = await changed(harness, answer("", edit("a.txt", "two", "TWO")), answer("done"))
    after_first = tree(h)
    await h.run("more", session=h.session.id)
    await reverted(h, users(h)[1])
    assert tree(h) == after_first
    await reverted(h, users(h)[0])
    assert h.text("a.txt") == "one\ntwo\n"


async def test_a_run_names_its_first_message(harness):
    h = await changed(harness)
    run = h.events[-1].run
    preview = await h.manager.reverts.preview(h.session.id, run)
    assert preview["checkpoint"] == users(h)[0]


async def test_a_revert_can_be_reverted(harness):
    """13"""
    h = await changed(harness)
    after = tree(h)
    await reverted(h, users(h)[0])
    assert tree(h) != after
    listed = (await h.manager.reverts.checkpoints(h.session.id))["checkpoints"]
    assert [each["title"] for each in listed] == ["change it", "Revert to before “change it”"]
    assert len(listed[1]["files"]) == 5
    await reverted(h, listed[1]["checkpoint"])
    assert tree(h) == after


class TestConflicts:
    async def test_what_somebody_else_has_changed_since_is_not_overwritten_without_a_choice(self, harness):
        """13"""
        h = await changed(harness)
        h.put("a.txt", "ONE\ntwo\nmine\n")
        (h.root / "moved.txt").unlink()
        before = tree(h)
        with pytest.raises(Refused) as caught:
            await reverted(h, users(h)[0])
        assert caught.value.code == "conflict"
        (file,) = caught.value.data["files"]
        assert file["uri"].endswith("a.txt")
        assert "changed by somebody else" in file["reason"]
        assert tree(h) == before

    @pytest.mark.parametrize(
        ("choice", "text", "outcome"),
        [
            ("keep", "mine\n", "kept"),
            ("skip", "mine\n", "skipped"),
            ("restore", "one\ntwo\n", "restored"),
        ],
    )
    async def test_each_gets_what_was_chosen(self, harness, choice, text, outcome):
        h = await changed(harness)
        path = h.put("a.txt", "mine\n")
        outcomes = await reverted(h, users(h)[0], choices={path.as_uri(): choice})
        assert (h.text("a.txt"), outcomes["a.txt"]) == (text, outcome)
        assert outcomes["new.txt"] == "deleted"
        if choice == "restore":
            listed = (await h.manager.reverts.checkpoints(h.session.id))["checkpoints"]
            await reverted(h, listed[-1]["checkpoint"], files=[path.as_uri()])
            assert h.text("a.txt") == "mine\n", "what was overwritten can be had back"

    async def test_a_file_that_is_already_as_it_was_is_done(self, harness):
        h = await changed(harness)
        h.put("a.txt", "one\ntwo\n")
        h.put("gone.txt", "gone\n")
        outcomes = await reverted(h, users(h)[0])
        assert (outcomes["a.txt"], outcomes["gone.txt"]) == ("done", "done")

    async def test_one_that_was_made_anew_where_we_had_deleted_is_a_conflict(self, harness):
        h = await changed(harness)
        h.put("gone.txt", "mine\n")
        with pytest.raises(Refused) as caught:
            await reverted(h, users(h)[0])
        assert [f["uri"].rsplit("/", 1)[1] for f in caught.value.data["files"]] == ["gone.txt"]

    async def test_a_file_that_was_made_a_link_or_a_directory_is_left_alone_and_said(self, harness):
        h = await changed(harness)
        (h.root / "a.txt").unlink()
        (h.root / "a.txt").symlink_to(h.root / "other.txt")
        (h.root / "moved.txt").unlink()
        (h.root / "moved.txt").mkdir()
        outcomes = await reverted(h, users(h)[0])
        assert (outcomes["a.txt"], outcomes["moved.txt"]) == ("failed", "failed")
        assert h.text("other.txt") == "other\n"
        assert (h.root / "a.txt").is_symlink()

    async def test_only_the_files_that_are_named_are_taken_back(self, harness):
        h = await changed(harness)
        uri = (h.root / "a.txt").as_uri()
        assert await reverted(h, users(h)[0], files=[uri]) == {"a.txt": "restored"}
        assert (h.root / "made/new.txt").exists()


async def test_bytes_that_are_no_text_come_back_as_they_were(harness):
    h = harness(answer("", call("delete", {"path": "image.bin"})), answer("done"), mode="full-auto")
    (h.root / "image.bin").write_bytes(b"\x89PNG\x00\xff\xfe")
    await h.run("delete it")
    assert not (h.root / "image.bin").exists()
    await reverted(h, users(h)[0])
    assert (h.root / "image.bin").read_bytes() == b"\x89PNG\x00\xff\xfe"


async def test_a_link_comes_back_as_a_link(harness):
    h = harness(answer("", call("delete", {"path": "link"})), answer("done"), mode="full-auto")
    h.put("a.txt", "one\n")
    (h.root / "link").symlink_to(".//a.txt")
    await h.run("delete it")
    await reverted(h, users(h)[0])
    assert os.readlink(h.root / "link") == ".//a.txt"  # noqa: PTH115  (a Path would change the text)
    assert h.text("a.txt") == "one\n"


async def test_encoding_mark_and_line_ends_come_back_to_the_byte(harness):
    original = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
    h = harness(answer("", edit("a.txt", "one", "ONE")), answer("done"), mode="full-auto")
    (h.root / "a.txt").write_bytes(original)
    await h.run("edit it")
    assert (h.root / "a.txt").read_bytes() != original
    await reverted(h, users(h)[0])
    assert (h.root / "a.txt").read_bytes() == original


async def test_what_commands_changed_is_listed_as_what_can_not_be_taken_back(harness, guard):
    script = answer("", call("bash", {"command": "echo built > built.txt"}), edit("a.txt", "one", "ONE"))
    h = harness(script, answer("done"), mode="full-auto", guard=guard)
    h.services.now = time.time
    h.put("a.txt", "one\n")
    os.utime(h.put("untouched.txt", "x"), (1, 1))
    os.utime(h.root / "a.txt", (1, 1))
    await h.run("build it")
    preview = await h.manager.reverts.preview(h.session.id, users(h)[0])
    assert preview["commands"] == ["echo built > built.txt"]
    assert preview["notRevertible"] == [(h.root / "built.txt").as_uri()]
    await reverted(h, users(h)[0])
    assert (h.text("built.txt"), h.text("a.txt")) == ("built\n", "one\n")


async def test_the_model_is_told_what_was_taken_back(harness):
    h = await changed(harness, answer("ok"), answer("ok"))
    await reverted(h, users(h)[0])
    await h.run("go on", session=h.session.id)
    said = [plain_text(message.content) for message in h.model.requests[-1].messages]
    assert said[-1].startswith("go on")
    assert f"- {h.root}/a.txt" in said[-1]
    await h.run("and on", session=h.session.id)
    said = [plain_text(message.content) for message in h.model.requests[-1].messages]
    assert said[-1] == "and on"


async def test_it_survives_a_restart(harness):
    h = await changed(harness)
    session, message = h.session.id, users(h)[0]
    await h.close()
    h.restart()
    await h.manager.reverts.revert(session, message)
    await h.session.operation.task
    assert h.text("a.txt") == "one\ntwo\n"
    await h.close()


@pytest.mark.parametrize("since", ["msg_0", "", "run_0"])
async def test_an_unknown_checkpoint_is_refused(harness, since):
    h = await changed(harness)
    with pytest.raises(Refused) as caught:
        await reverted(h, since)
    assert caught.value.code == "unknownCheckpoint"


async def test_while_a_run_is_live_nothing_is_taken_back_and_meanwhile_no_run_begins(harness):
    h = await changed(harness, answer("ok"))
    run = await h.manager.start(h.request("go on", session=h.session.id))
    with pytest.raises(Refused) as caught:
        await reverted(h, users(h)[0])
    assert caught.value.code == "busy"
    run.release()
    await run.wait()
    await h.manager.reverts.revert(h.session.id, users(h)[0])
    with pytest.raises(Refused) as caught:
        await h.start("again", session=h.session.id)
    assert caught.value.code == "busy"
    await h.session.operation.task


async def test_with_nothing_to_take_back_it_says_so(harness):
    h = harness(answer("hello"))
    run = await h.run("hi")
    with pytest.raises(Refused) as caught:
        await h.manager.reverts.revert(run.session, run.id)
    assert caught.value.code == "nothingToDo"


async def test_a_pre_image_that_is_gone_is_said_and_the_rest_is_done(harness):
    h = await changed(harness)
    kept = next(r for r in h.records() if r["type"] == "checkpoint" and r["data"]["uri"].endswith("a.txt"))
    digest = kept["data"]["sha256"]
    (h.home.preimages / digest[:2] / digest[2:]).unlink()
    outcomes = await reverted(h, users(h)[0])
    assert outcomes["a.txt"] == "failed"
    assert outcomes["gone.txt"] == "restored"
    assert h.text("a.txt") == "ONE\ntwo\n"


async def test_cut_after_any_record_of_it_the_log_loads_and_the_rest_can_be_taken_back(harness):
    h = await changed(harness)
    session, message = h.session.id, users(h)[0]
    before = tree(h)
    await reverted(h, message)
    original = tree(h)
    await h.close()
    whole = h.path(session).read_bytes().splitlines(keepends=True)
    start = next(i for i, line in enumerate(whole) if b'"revert_start"' in line)
    for count in range(start + 1, len(whole)):
        for path in h.root.rglob("*"):
            if path.is_file():
                path.unlink()
        for name, data in before.items():
            (h.root / name).parent.mkdir(exist_ok=True)
            (h.root / name).write_bytes(data)
        h.path(session).write_bytes(b"".join(whole[:count]))
        h.events.clear()
        assert closed(read_picture(h.path(session))).reverting is None
        h.restart()
        await h.manager.resume(session)
        assert list(read_records(h.path(session)))[-1]["type"] == "revert_end"
        preview = await h.manager.reverts.preview(session, message)
        # The files were made anew by the test, further than the cut log knows.
        choices = {each["uri"]: "restore" for each in preview["files"]}
        await h.manager.reverts.revert(session, message, choices=choices)
        await h.session.operation.task
        assert tree(h) == original
        await h.close()
    h.events.clear()


async def test_two_sessions_that_changed_one_file_are_in_each_others_way_and_say_so(harness):
    h = harness(
        answer("", edit("a.txt", "one", "ONE")), answer("done"),
        answer("", edit("a.txt", "two", "TWO")), answer("done"), mode="full-auto",
    )  # fmt: skip
    h.put("a.txt", "one\ntwo\n")
    first = await h.run("first")
    await h.run("second")
    with pytest.raises(Refused) as caught:
        await h.manager.reverts.revert(first.session, first.id)
    assert caught.value.code == "conflict"


async def test_what_somebody_else_changed_between_two_changes_is_not_lost_without_a_word(harness):
    h = harness(
        answer("", edit("a.txt", "one", "ONE")), answer("done"),
        answer("", edit("a.txt", "two", "TWO")), answer("done"),
        answer("", edit("a.txt", "three", "THREE")), answer("done"), mode="full-auto",
    )  # fmt: skip
    path = h.put("a.txt", "one\ntwo\nthree\n")
    first = await h.run("first")
    await h.run("the other session's")
    third = await h.run("third", session=first.session)
    with pytest.raises(Refused) as caught:
        await h.manager.reverts.revert(first.session, first.id)
    assert caught.value.code == "conflict"
    assert caught.value.data["files"][0]["reason"] == "a.txt was also changed by somebody else meanwhile."

    async def goes_back(since, **options):
        await h.manager.reverts.revert(first.session, since, **options)
        await h.manager.operated(first.session)
        return h.text("a.txt")

    assert await goes_back(third.id) == "ONE\nTWO\nthree\n", "that was there before the change"
    assert await goes_back(first.id, choices={path.as_uri(): "restore"}) == "one\ntwo\nthree\n"
    last = h.of("revert_start")[-1]["id"]
    assert await goes_back(last) == "ONE\nTWO\nthree\n", "the choice can be taken back"
    with pytest.raises(Refused) as caught:
        await h.manager.reverts.revert(first.session, first.id)
    assert caught.value.code == "conflict", "the other's change is there again"


async def test_what_the_user_typed_before_a_file_was_deleted_or_moved_is_not_lost_without_a_word(harness):
    h = harness(
        answer("", edit("a.txt", "one", "ONE"), edit("b.txt", "one", "ONE")), answer("done"),
        answer("", call("delete", {"path": "a.txt"}), call("move", {"from": "b.txt", "to": "c.txt"})),
        answer("done"), person=Person(otherwise="accept"), mode="full-auto",
    )  # fmt: skip
    for name in ("a.txt", "b.txt"):
        h.put(name, "one\ntwo\n")
    run = await h.run("first")
    for name in ("a.txt", "b.txt"):
        h.put(name, "ONE\ntyped\n")
    await h.run("second", session=run.session)
    preview = await h.manager.reverts.preview(run.session, run.id)
    states = {each["uri"].rsplit("/", 1)[1]: each["state"] for each in preview["files"]}
    assert states == dict.fromkeys(("a.txt", "b.txt", "c.txt"), "conflict")


async def test_an_abort_leaves_what_is_not_done_yet(harness):
    h = await changed(harness)
    await h.manager.reverts.revert(h.session.id, users(h)[0])
    assert h.manager.abort() is True
    await asyncio.wait({h.session.operation.task})
    assert len(h.of("revert_end")[-1]["files"]) < 5
