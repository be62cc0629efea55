"""Who is asked about what, what an answer covers, and that nothing changes without one."""

import asyncio
import hashlib

import pytest

from steersman.agent.abort import AbortController
from steersman.session.approvals import Answer, Approvals, Question, settled_apart
from steersman.session.asking import Asker
from steersman.session.errors import Refused
from steersman.session.journal import Emitted, EventBus, Journal
from steersman.workspace.change_proposal import ChangeProposal
from support.fake_tools import FakeTool, Gate
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness, silence


def write(path: str, content: str = "x\n") -> call:
    return call("write", {"path": path, "content": content})


def delete(path: str) -> call:
    return call("delete", {"path": path})


def bash(command: str) -> call:
    return call("bash", {"command": command})


def tree(h: SessionHarness) -> str:
    """A digest of all that is in the workspace."""
    files = sorted(path for path in h.root.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(str(p).encode() + p.read_bytes() for p in files)).hexdigest()


async def _error(_: Question) -> Answer:
    raise RuntimeError("the client is gone")


@pytest.mark.parametrize(
    "reply",
    [
        Answer("decline"),
        None,
        RuntimeError("no"),
        _error,
        asyncio.CancelledError(),
        Answer("acceptForEver"),
        Answer("cancel"),
    ],
    ids=["decline", "nobody", "raises", "fails later", "is cancelled", "unknown decision", "stop"],
)
async def test_without_a_yes_nothing_changes(harness, reply):
    h = harness(
        answer("", call("edit", {"path": "a.txt", "edits": [{"oldText": "a", "newText": "b"}]})),
        answer("ok"),
        person=Person(reply),
    )
    h.put("a.txt", "a\n")
    before = tree(h)
    await h.run()
    assert tree(h) == before
    assert h.outcomes == (["aborted"] if reply == Answer("cancel") else ["denied"])
    assert len(h.of("approval_resolved")) == 1
    assert len(h.end["denied"]) == 1


async def test_without_anybody_to_ask_a_question_is_declined_and_names_the_setting(harness):
    h = harness(answer("", write("a.txt")), answer("I can't."), person=None)
    await h.run()
    assert not (h.root / "a.txt").exists()
    (denied,) = h.end["denied"]
    assert denied["by"] == "nobody"
    assert denied["setting"] == "--mode auto-edit, with --trust if the folder is not trusted yet"
    assert "nobody to ask" in h.results()[0]
    assert h.end["message"] == "1 call declined."


async def test_what_the_user_says_with_a_decline_reaches_the_model(harness):
    h = harness(answer("", write("a.txt")), answer("ok"), person=Person(Answer("decline", "call it b.txt")))
    await h.run()
    assert 'They said: "call it b.txt"' in h.results()[0]
    assert h.of("approval_resolved")[0]["feedback"] == "call it b.txt"


async def test_stop_ends_the_run_and_keeps_what_was_done(harness):
    h = harness(answer("", write("a.txt"), write("b.txt"), write("c.txt")), person=Person("accept", "cancel"))
    await h.run()
    assert h.end["stopReason"] == "aborted"
    assert h.outcomes == ["ok", "aborted", "aborted"]
    assert (h.root / "a.txt").exists()
    assert not (h.root / "b.txt").exists()


async def test_the_same_proposal_declined_twice_is_refused_unasked_and_three_in_a_row_end_the_run(harness):
    same = answer("", write("a.txt"))
    person = Person("decline", "decline", "decline")
    h = harness(same, same, same, answer("never asked"), person=person)
    await h.run()
    assert len(person.asked) == 2
    assert "declined twice" in h.results()[2]
    assert h.end["stopReason"] == "complete"
    assert h.end["endedBy"] == "declines"
    assert "Create a.txt (+1 −0)" in h.end["message"]
    assert len(h.model.requests) == 3
    assert [denied["by"] for denied in h.end["denied"]] == ["user", "user", "repeated"]


async def test_three_declines_in_one_batch_ask_no_fourth_time(harness):
    person = Person()
    h = harness(answer("", *(write(f"{name}.txt") for name in "abcd")), person=person)
    await h.run()
    assert len(person.asked) == 3
    assert h.end["endedBy"] == "declines"


async def test_what_was_declined_twice_is_asked_about_again_in_the_next_task(harness):
    same = answer("", write("a.txt"))
    gate = Gate()
    person = Person("decline", "decline", "accept")
    h = harness(same, same, [gate, *answer("I give up.")], same, answer("done"), person=person)
    run = await h.start()
    await gate.reached.wait()
    h.manager.add("followUp", "all right, make it")
    gate.open()
    await run.wait()
    assert h.outcomes == ["denied", "denied", "ok"]


async def test_an_accept_between_declines_counts_anew(harness):
    person = Person("decline", "decline", "accept", "decline", "decline")
    h = harness(answer("", *(write(f"{name}.txt") for name in "abcde")), answer("ok"), person=person)
    await h.run()
    assert "endedBy" not in h.end


async def test_after_declines_ended_a_run_the_next_one_asks_again(harness):
    person = Person(otherwise="decline")
    h = harness(
        answer("", *(write(f"{name}.txt") for name in "abc")), answer("", write("a.txt")), person=person
    )
    h.model.fallback = answer("done")
    run = await h.run()
    await h.run("now do it", session=run.session)
    assert len(person.asked) == 4


async def test_without_anybody_to_ask_allow_rules_hold(harness, guard):
    h = harness(
        answer("", bash("echo hi"), bash("echo hi && echo more")),
        answer("ok"),
        guard=guard,
        allow_commands=("echo *",),
    )
    await h.run()
    assert h.outcomes == ["ok", "denied"]
    assert "allow_commands" in h.end["denied"][0]["setting"]


async def test_a_command_that_names_a_secret_is_asked_about_in_every_mode(harness, guard):
    person = Person("decline")
    h = harness(
        answer("", bash("cat .env"), bash("true")), answer("ok"), guard=guard, mode="full-auto", person=person
    )
    await h.run()
    assert h.outcomes == ["denied", "ok"]
    assert ".env" in person.asked[0].reason


# Grants


async def test_accept_for_run_covers_edits_until_the_next_task(harness):
    gate = Gate()
    person = Person("acceptForRun", "accept")
    h = harness(
        answer("", write("a.txt"), write("b.txt")),
        [gate, *answer("done")],
        answer("", write("c.txt")),
        answer("done"),
        person=person,
    )
    run = await h.start()
    await gate.reached.wait()
    h.manager.add("followUp", "more")
    gate.open()
    await run.wait()
    assert person.titles == ["Create a.txt (+1 −0)", "Create c.txt (+1 −0)"]


async def test_accept_for_run_ends_with_the_run_and_accept_for_session_does_not(harness):
    person = Person("acceptForRun", "acceptForSession")
    h = harness(answer("", write("a.txt")), answer("ok"), person=person)
    run = await h.run()
    h.model.responses += [answer("", write("b.txt")), answer("ok"), answer("", write("c.txt")), answer("ok")]
    await h.run("more", session=run.session)
    await h.run("more", session=run.session)
    assert len(person.asked) == 2
    await h.close()
    h.restart(answer("", write("d.txt")), answer("ok"))
    await h.run("more", session=run.session)
    assert len(person.asked) == 3, "no restart carries a grant"


async def test_a_grant_of_edits_covers_no_delete_no_protected_and_no_outside_path(harness, tmp_path):
    outside = tmp_path / "elsewhere.txt"
    person = Person("acceptForSession", otherwise="accept")
    h = harness(
        answer(
            "", write("a.txt"), delete("old.txt"), write("AGENTS.md"), write(str(outside)), write("b.txt")
        ),
        answer("ok"),
        person=person,
    )
    h.put("old.txt")
    await h.run()
    assert person.kinds == ["create", "delete", "protected", "outside"]
    for question in person.asked[1:]:
        assert "acceptForRun" not in question.decisions
        assert "acceptForSession" not in question.decisions


async def test_a_grant_of_a_command_is_that_exact_string(harness, guard):
    person = Person("acceptForRun", otherwise="decline")
    h = harness(
        answer("", bash("echo a"), bash("echo a"), bash("echo  a")), answer("ok"), person=person, guard=guard
    )
    await h.run()
    assert h.outcomes == ["ok", "ok", "denied"]
    assert [question.command for question in person.asked] == ["echo a", "echo  a"]


async def test_a_decision_that_was_not_offered_grants_nothing(harness):
    person = Person("acceptForSession", otherwise="decline")
    h = harness(answer("", delete("a.txt"), write("b.txt")), answer("ok"), person=person)
    h.put("a.txt")
    await h.run()
    assert h.outcomes == ["denied", "denied"]
    assert len(person.asked) == 2


# One terminal answer


async def test_a_question_can_be_answered_by_its_id_and_the_face_takes_it_away(harness):
    person = Person(silence)
    h = harness(answer("", write("a.txt")), answer("ok"), person=person)
    run = await h.start()
    question = await _asked(h, person)
    assert h.manager.status()["approvals"][0]["id"] == question.id
    assert run.state == "waitingApproval"
    h.services.approvals.answer(question.id, Answer("accept"))
    await run.wait()
    assert h.outcomes == ["ok"]
    assert person.taken_away == [question.id]
    assert h.manager.status()["approvals"] == []


async def test_a_later_answer_is_told_that_it_came_too_late(harness):
    person = Person(silence)
    h = harness(answer("", write("a.txt")), answer("ok"), person=person)
    run = await h.start()
    question = await _asked(h, person)
    h.services.approvals.answer(question.id, Answer("decline"))
    with pytest.raises(Refused) as refused:
        h.services.approvals.answer(question.id, Answer("accept"))
    assert refused.value.code == "alreadyAnswered"
    await run.wait()
    assert h.outcomes == ["denied"]
    with pytest.raises(Refused) as refused:
        h.services.approvals.answer("apr_unknown", Answer("accept"))
    assert refused.value.code == "unknownApproval"


async def test_an_answer_that_was_not_offered_leaves_the_question_open(harness):
    person = Person(silence)
    h = harness(answer("", delete("a.txt")), answer("ok"), person=person)
    h.put("a.txt")
    run = await h.start()
    question = await _asked(h, person)
    with pytest.raises(Refused) as refused:
        h.services.approvals.answer(question.id, Answer("acceptForRun"))
    assert refused.value.code == "badAnswer"
    assert refused.value.data["decisions"] == ["accept", "decline", "cancel"]
    assert h.services.approvals.get(question.id) is question
    h.services.approvals.answer(question.id, Answer("accept"))
    await run.wait()
    assert not (h.root / "a.txt").exists()


async def test_an_abort_withdraws_the_question_and_the_tool_does_not_run(harness):
    person = Person(silence)
    h = harness(answer("", write("a.txt"), write("b.txt")), person=person)
    run = await h.start()
    question = await _asked(h, person)
    h.manager.abort()
    await run.wait()
    assert person.taken_away == [question.id]
    assert h.of("state")[-1] == {"state": "aborting"}, "left only by the end"
    assert len(person.asked) == 1
    assert h.of("approval_resolved") == [
        {
            "id": question.id,
            "toolCallId": question.tool_call_id,
            "decision": "withdrawn",
            "by": "withdrawn",
        }
    ]
    assert h.outcomes == ["aborted", "aborted"]
    assert h.end["denied"] == []
    assert not (h.root / "a.txt").exists()
    with pytest.raises(Refused) as refused:
        h.services.approvals.answer(question.id, Answer("accept"))
    assert refused.value.code == "alreadyAnswered"


async def test_after_an_abort_nothing_is_asked_any_more():
    person = Person("accept")
    told: list[Emitted] = []
    bus = EventBus()
    bus.listen(told.append)
    asker = Asker(Approvals(person), Journal("ses_1", None, bus, lambda: 0.0), lambda state: None)
    controller = AbortController()
    controller.abort()
    question = Question("apr_1", "ses_1", "run_1", "call_1", "edit", "Edit", "Because.", "digest")
    assert (await asker.ask(question, controller.signal)).by == "withdrawn"
    assert told == person.asked == []


async def test_a_base_that_moved_while_the_user_read_asks_a_new_question(harness):
    async def reads_slowly(question: Question) -> Answer:
        h.put("a.txt", "two\none\n")
        return Answer("accept")

    person = Person(reads_slowly, "decline")
    edit = call("edit", {"path": "a.txt", "edits": [{"oldText": "one\n", "newText": "1\n"}]})
    h = harness(answer("", edit), answer("ok"), person=person)
    h.put("a.txt", "one\ntwo\n")
    await h.run()
    texts = h.text("a.txt")
    assert texts in ("two\none\n", "two\n1\n")
    assert len({question.id for question in person.asked}) == len(person.asked)
    if len(person.asked) == 2:
        assert texts == "two\none\n", "declined"


# Edited


TEN = "".join(f"{number}\n" for number in range(10))


def edit_both_ends() -> call:
    pairs = [{"oldText": "0\n", "newText": "zero\n"}, {"oldText": "9\n", "newText": "nine\n"}]
    return call("edit", {"path": "a.txt", "edits": pairs})


async def test_what_the_user_has_edited_is_written_and_a_later_edit_stands_on_it(harness):
    async def rewrites(question: Question) -> Answer:
        return Answer("accept", edited={question.changes[0].uri: "mine\n" + TEN})

    second = call("edit", {"path": "a.txt", "edits": [{"oldText": "mine", "newText": "ours"}]})
    h = harness(
        answer("", edit_both_ends()), answer("", second), answer("ok"), person=Person(rewrites, "accept")
    )
    h.put("a.txt", TEN)
    await h.run()
    assert h.text("a.txt") == "ours\n" + TEN
    assert "The user changed your text" in h.results()[0]
    assert "The user changed your text" not in h.results()[1]
    assert [data.get("edited") for data in h.of("approval_resolved")] == [True, None]
    assert ["supersedes" in data for data in h.of("approval_requested")] == [False, False]


async def test_some_hunks_with_a_grant_cover_the_edits_that_follow(harness):
    async def takes_the_first(question: Question) -> Answer:
        return Answer("acceptForRun", hunks=(question.changes[0].hunks[0]["id"],))

    person = Person(takes_the_first)
    h = harness(answer("", edit_both_ends()), answer("", write("b.txt")), answer("ok"), person=person)
    h.put("a.txt", TEN)
    await h.run()
    assert h.text("a.txt") == TEN.replace("0\n", "zero\n")
    assert (h.text("b.txt"), len(person.asked)) == ("x\n", 1)


@pytest.mark.parametrize(
    "reply",
    [
        Answer("accept", edited={"file:///elsewhere.txt": ""}),
        Answer("accept", hunks=("none",)),
        Answer("accept", hunks=()),
        Answer("accept", edited={}, hunks=()),
    ],
    ids=["unknown file", "unknown hunk", "no hunk", "both"],
)
async def test_edits_that_do_not_fit_change_nothing(harness, reply):
    h = harness(answer("", edit_both_ends()), answer("ok"), person=Person(reply))
    h.put("a.txt", TEN)
    await h.run()
    assert h.text("a.txt") == TEN
    assert h.outcomes == ["denied"]


async def test_edits_that_do_not_fit_leave_a_question_that_is_answered_by_its_id_open(harness):
    person = Person(silence)
    h = harness(answer("", edit_both_ends()), answer("ok"), person=person)
    h.put("a.txt", TEN)
    run = await h.start()
    question = await _asked(h, person)
    approvals = h.services.approvals
    with pytest.raises(Refused, match="No such hunk: 7-x") as refused:
        approvals.answer(question.id, Answer("accept", hunks=("7-x",)))
    assert refused.value.code == "badAnswer"
    approvals.answer(question.id, Answer("accept", hunks=(question.changes[0].hunks[1]["id"],)))
    await run.wait()
    assert h.text("a.txt") == TEN.replace("9\n", "nine\n")


async def test_a_long_text_is_compared_beside_the_event_loop_with_the_same_result():
    def revise(answer: Answer) -> ChangeProposal:
        asyncio.get_running_loop()
        raise AssertionError("on the event loop")

    question = Question(
        "apr_1", "ses_1", "run_1", "call_1", "edit", "Edit", "Because.", "digest", revise=revise
    )
    with pytest.raises(RuntimeError, match="no running event loop"):
        await settled_apart(question, Answer("accept", edited={"file:///a.txt": "x" * 100_001}))
    with pytest.raises(AssertionError):
        await settled_apart(question, Answer("accept", edited={"file:///a.txt": "x"}))


async def test_read_only_refuses_changes_unasked_and_says_what_would_allow_them(harness):
    person = Person()
    h = harness(answer("", write("a.txt")), answer("ok"), mode="read-only", person=person)
    await h.run()
    assert person.asked == []
    assert h.outcomes == ["denied"]
    assert h.end["denied"][0]["by"] == "mode"
    assert "any mode but read-only" in h.results()[0]


async def test_the_question_shows_what_would_change(harness):
    person = Person("decline")
    edit = call("edit", {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]})
    h = harness(answer("", edit), answer("ok"), person=person)
    path = h.put("a.txt", "one\n")
    await h.run()
    (change,) = h.of("approval_requested")[0]["changes"]
    assert change["uri"] == path.as_uri()
    assert change["base"]["sha256"] == hashlib.sha256(b"one\n").hexdigest()
    assert "-one\n+two" in change["diff"]
    assert (change["added"], change["removed"]) == (1, 1)
    (hunk,) = change["hunks"]
    assert (hunk["oldStart"], hunk["newStart"]) == (1, 1)


async def test_a_tool_without_a_proposal_needs_no_leave(harness):
    person = Person()
    h = harness(answer("", call("look")), answer("ok"), tools=[FakeTool("look")], person=person)
    await h.run()
    assert h.outcomes == ["ok"]
    assert person.asked == []


async def _asked(h: SessionHarness, person: Person) -> Question:
    """The question, once it is shown."""
    await person.shown.wait()
    return person.asked[-1]


async def test_an_answer_whose_edits_fail_unexpectedly_is_a_no():
    def fails(_: Answer):
        raise ZeroDivisionError

    question = Question(
        "apr_1", "ses_1", "run_1", "call_1", "edit", "Edit", "Because.", "digest", revise=fails
    )
    person = Person(Answer("accept", edited={"file:///a.txt": "x"}))
    said = await Approvals(person).ask(question, AbortController().signal)
    assert said.decision == "decline"


async def test_a_question_that_is_cancelled_while_it_waits_is_told_as_withdrawn():
    told: list[Emitted] = []
    bus = EventBus()
    bus.listen(told.append)
    person = Person(otherwise=silence)
    asker = Asker(Approvals(person), Journal("ses_1", None, bus, lambda: 0.0), lambda state: None)
    question = Question("apr_1", "ses_1", "run_1", "call_1", "edit", "Edit", "Because.", "digest")
    asking = asyncio.ensure_future(asker.ask(question, AbortController().signal))
    await person.shown.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert person.taken_away == ["apr_1"]
    assert [(event.type, event.data.get("decision")) for event in told] == [
        ("approval_requested", None),
        ("approval_resolved", "withdrawn"),
    ]
