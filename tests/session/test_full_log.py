"""A log that takes nothing more: what was asked for beside a run is refused, and nothing has changed."""

import pytest

from steersman.session.errors import Refused
from support.scripted_model import answer, call
from support.session_harness import failing_log


def log_without(kind):
    return failing_log(lambda record: record["type"] == kind)


async def test_a_session_keeps_its_title(harness):
    h = harness(answer("done"), log_class=log_without("session_renamed"))
    await h.run("make tea")
    with pytest.raises(Refused) as caught:
        await h.manager.library.rename(h.session.id, "Coffee")
    assert (caught.value.code, h.session.picture.title) == ("readOnly", "make tea")
    assert h.of("session_renamed") == []


async def test_a_session_keeps_its_mode(harness):
    h = harness(answer("done"), log_class=log_without("config"))
    await h.run()
    with pytest.raises(Refused) as caught:
        await h.manager.configure(session=h.session.id, mode="read-only")
    assert caught.value.code == "readOnly"
    assert h.of("config") == []


async def test_a_session_is_not_taken_back(harness):
    h = harness(answer("one"), answer("two"), log_class=log_without("head"))
    await h.run("first")
    await h.run("second", session=h.session.id)
    second = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"][1]
    with pytest.raises(Refused) as caught:
        await h.manager.library.go_back(h.session.id, second)
    assert caught.value.code == "readOnly"
    assert [message.role for message in h.session.picture.messages] == ["user", "assistant"] * 2


@pytest.mark.parametrize(
    ("kind", "told"), [("revert_start", ["notice"]), ("revert_end", ["revert_end", "notice"])]
)
async def test_a_revert_ends_with_a_notice_and_the_next_is_refused(harness, kind, told):
    h = harness(
        answer("", call("write", {"path": "a.txt", "content": "a\n"})),
        answer("done"),
        log_class=log_without(kind),
        mode="full-auto",
    )
    await h.run()
    (message, *_) = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    before = len(h.events)
    await h.manager.reverts.revert(h.session.id, message)
    await h.session.operation.task
    since = [event for event in h.events[before:] if event.type in ("notice", "revert_end")]
    assert [event.type for event in since] == told
    assert "no space left on device" in since[-1].data["message"]
    if kind == "revert_start":
        assert h.text("a.txt") == "a\n"
    else:
        assert since[0].data["cut"]
    with pytest.raises(Refused) as caught:
        h.session.operate("tool", lambda signal: None)
    assert caught.value.code == "readOnly"


async def test_a_log_that_can_not_be_deleted_leaves_its_session_as_it_was(harness):
    """Such as one that somebody has put a directory in the place of, meanwhile."""
    h = harness(answer("done"))
    await h.run()
    session, path = h.session.id, h.path()
    kept = path.rename(path.with_suffix(".kept"))
    path.mkdir()
    with pytest.raises(Refused) as caught:
        await h.manager.library.delete(session)
    path.rmdir()
    kept.rename(path)
    assert (caught.value.code, h.session.id) == ("readOnly", session)
    assert str(path) in str(caught.value)
    await h.manager.library.delete(session)
    assert not path.exists()
