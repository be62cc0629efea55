"""The comment that asked for the work is taken out at the end, whatever happens to its file meanwhile."""

import pytest

from steersman.session.approvals import Answer, Question
from steersman.session.errors import Refused
from steersman.session.pointing import InstructionComment, Pointed
from support.scripted_model import answer
from support.session_harness import Person

ASKS = "# steersman: explain this\n"
CODE = "x = 1\n"


def pointing(h) -> Pointed:
    path = h.put("a.py", ASKS + CODE)
    return Pointed(comments=[InstructionComment(path, "python", "explain this", 1, 1, 0, 1, ASKS + CODE)])


async def test_what_is_written_while_the_user_is_asked_is_kept_and_asked_about_again(harness):
    async def edits_meanwhile(_: Question) -> Answer:
        h.put("a.py", ASKS.replace("\n", "  \n") + CODE)
        return Answer("accept")

    person = Person(edits_meanwhile, "accept")
    h = harness(answer("It sets x."), person=person)
    await h.run("explain this", pointed=pointing(h))
    assert h.text("a.py") == CODE
    assert h.end["stopReason"] == "complete"


@pytest.mark.parametrize("reply", ["accept", "decline"])
async def test_while_the_user_is_asked_it_is_worked_on_and_can_not_be_given_again(harness, reply):
    asked: list[Refused] = []

    async def gives_it_again(_: Question) -> Answer:
        with pytest.raises(Refused) as refused:
            h.manager.refuse_if_worked_on(pointed.comments)
        asked.append(refused.value)
        return Answer(reply)

    h = harness(answer("It sets x."), person=Person(gives_it_again))
    pointed = pointing(h)
    await h.run("explain this", pointed=pointed)
    assert [each.code for each in asked] == ["busy"]
    h.manager.refuse_if_worked_on(pointed.comments)


@pytest.mark.parametrize("meanwhile", ["removed", "deleted"])
async def test_a_comment_that_is_gone_by_then_is_not_asked_about(harness, meanwhile):
    person = Person()
    h = harness(answer("It sets x."), person=person)
    pointed = pointing(h)
    if meanwhile == "removed":
        h.put("a.py", CODE)
    else:
        (h.root / "a.py").unlink()
    await h.run("explain this", pointed=pointed)
    assert person.asked == []
    assert h.end["stopReason"] == "complete"


async def test_a_no_leaves_it_and_stop_ends_the_run(harness):
    for reply, reason in (("decline", "complete"), ("cancel", "aborted")):
        h = harness(answer("It sets x."), person=Person(reply))
        await h.run("explain this", pointed=pointing(h))
        assert h.text("a.py") == ASKS + CODE
        assert h.end["stopReason"] == reason


async def test_a_file_that_changes_each_time_that_it_is_asked_about_is_left_in_the_end(harness):
    lines = iter(range(10))

    async def edits_meanwhile(_: Question) -> Answer:
        h.put("a.py", f"{ASKS}{CODE}# {next(lines)}\n")
        return Answer("accept")

    person = Person(otherwise=edits_meanwhile)
    h = harness(answer("It sets x."), person=person)
    await h.run("explain this", pointed=pointing(h))
    assert h.end["stopReason"] == "complete"
    assert len(person.asked) <= 3
