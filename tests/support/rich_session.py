"""Runs of one session in which nearly everything happens that can."""

from collections.abc import Sequence

from steersman.session.approvals import Answer
from steersman.session.journal import Emitted
from support.scripted_model import Step, answer, call, failure
from support.session_harness import Person, SessionHarness


async def rich_session(h: SessionHarness) -> str:
    """Plays runs in which about everything happens that can. Returns the session's id. Needs `RICH` as responses and
    `rich_person` as the one who is asked."""
    h.put("a.txt", "one\n")
    h.put("old.txt", "old\n")

    def queue(event: Emitted) -> None:
        if event.type == "tool_execution_end" and event.data["name"] == "write" and not event.data["isError"]:
            h.manager.add("steer", "mind the gap")
            h.manager.add("followUp", "and tidy up")

    stop = h.services.bus.listen(queue)
    run = await h.elapsed(await h.start("do it"))
    stop()
    cut = h.services.bus.listen(
        lambda event: event.type == "message_update" and event.data["text"] and h.manager.abort()
    )
    await h.run("too much", session=run.session)
    cut()
    await h.run("again", session=run.session)
    return run.session


RICH: tuple[Sequence[Step], ...] = (
    answer("Let me look.", call("read", {"path": "a.txt"}), call("ls", {"path": "."}), thinking="Hmm."),
    failure("overloaded", "Too busy.", after="half"),
    answer(
        "",
        call("write", {"path": "b.txt", "content": "x\n"}),
        call("edit", {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two 😀"}]}),
        call("delete", {"path": "old.txt"}),
        call("wirte", {"path": "c.txt"}),
        call("read", "{not json"),
        call("read", {"path": "none.txt"}),
    ),
    answer("", call("write", {"path": "big.txt", "content": "x"}), stop="length"),
    answer("Done."),
    answer("Tidy."),
    answer("Never committed."),
    failure("bad_request", "No."),
)


def rich_person() -> Person:
    return Person("accept", Answer("decline", "not that one"), "accept")


LONG: tuple[Sequence[Step], ...] = (
    answer("", call("write", {"path": "made.txt", "content": "made\n"})),
    *[answer(f"A{number} {'x' * 4000}", piece=1000) for number in range(4)],
    answer("## Goal\nall of it"),
)


async def long_session(h: SessionHarness) -> str:
    """What a user does with a kept session: names it, has it shortened, takes changes back, goes back, exports it.
    Returns its id.
    Needs `LONG` as responses and the mode auto-edit."""
    session = (await h.run("make it")).session
    for number in range(3):
        await h.run(f"and {number}", session=session)
    await h.manager.library.rename(session, "My work")
    await h.manager.compact(session, h.roots)
    assert h.session.operation is not None
    await h.session.operation.task
    first = next(data["messageId"] for data in h.of("message_end") if data.get("role") == "user")
    await h.manager.reverts.revert(session, first)
    await h.session.operation.task
    await h.manager.library.go_back(session, first)
    await h.manager.exports.begin(session, "markdown")
    await h.manager.exports.settled()
    return session
