"""Reverts where a file is no longer what the plan took it for: the rest is done, and each that is not is said."""

import pytest

from steersman.session.errors import Refused
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness

BINARY = b"\x89PNG\x00\xff\xfe"


def users(h: SessionHarness) -> list[str]:
    return [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]


async def changed(harness, *calls) -> SessionHarness:
    h = harness(answer("", *calls), answer("done"), person=Person(otherwise="accept"), mode="full-auto")
    h.put("a.txt", "one\n")
    h.put("b.txt", "two\n")
    (h.root / "image.bin").write_bytes(BINARY)
    await h.run("change it")
    return h


EDITS = (
    call("edit", {"path": "a.txt", "edits": [{"oldText": "one", "newText": "ONE"}]}),
    call("edit", {"path": "b.txt", "edits": [{"oldText": "two", "newText": "TWO"}]}),
)


async def begun(h: SessionHarness, **options) -> None:
    await h.manager.reverts.revert(h.session.id, users(h)[0], **options)


async def outcomes(h: SessionHarness) -> dict[str, tuple[str, str]]:
    await h.session.operation.task
    (end,) = h.of("revert_end")
    return {
        each["uri"].rsplit("/", 1)[1]: (each["outcome"], each.get("message", "")) for each in end["files"]
    }


async def test_a_file_that_is_changed_after_the_plan_was_made_is_left_to_whoever_changed_it(harness):
    h = await changed(harness, *EDITS)
    await begun(h)
    h.put("a.txt", "theirs\n")
    done = await outcomes(h)
    assert done["a.txt"] == ("conflict", "a.txt was changed meanwhile.")
    assert done["b.txt"] == ("restored", "")
    assert (h.text("a.txt"), h.text("b.txt")) == ("theirs\n", "two\n")


async def test_a_file_that_may_not_be_written_any_more_is_said_and_stays(harness):
    h = await changed(harness, *EDITS)
    (h.root / "a.txt").chmod(0o444)
    await begun(h)
    done = await outcomes(h)
    assert done["a.txt"][0] == "failed"
    assert "read-only (mode 444); nothing was changed" in done["a.txt"][1]
    assert done["b.txt"][0] == "restored"
    assert h.text("a.txt") == "ONE\n"


async def test_a_file_whose_directory_leads_nowhere_any_more_is_said(harness):
    h = await changed(harness, EDITS[0], call("write", {"path": "made/new.txt", "content": "new\n"}))
    (h.root / "made/new.txt").unlink()
    (h.root / "made").rmdir()
    (h.root / "made").symlink_to("made")
    await begun(h)
    done = await outcomes(h)
    assert done["new.txt"][0] == "failed"
    assert done["new.txt"][1]
    assert done["a.txt"][0] == "restored"


async def test_bytes_that_a_text_has_replaced_come_back_as_they_were(harness):
    h = await changed(
        harness,
        call("delete", {"path": "image.bin"}),
        call("write", {"path": "image.bin", "content": "no image\n"}),
    )
    assert h.text("image.bin") == "no image\n"
    await begun(h)
    assert (await outcomes(h))["image.bin"] == ("restored", "")
    assert (h.root / "image.bin").read_bytes() == BINARY


async def test_a_text_that_bytes_have_replaced_comes_back_where_that_is_chosen(harness):
    h = await changed(harness, EDITS[0])
    path = h.root / "a.txt"
    path.write_bytes(BINARY)
    with pytest.raises(Refused, match="say for each"):
        await begun(h)
    await begun(h, choices={path.as_uri(): "restore"})
    assert (await outcomes(h))["a.txt"] == ("restored", "")
    assert h.text("a.txt") == "one\n"
