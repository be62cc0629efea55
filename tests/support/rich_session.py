"""Runs of one session in which about everything happens that can."""

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
