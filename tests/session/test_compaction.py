"""Compaction: old messages become a summary for the model, and stay as they are in the log."""

import asyncio

import pytest

from steersman.agent.config import Budget
from steersman.agent.messages import Usage, plain_text
from steersman.agent.model import StreamError, StreamFailure
from steersman.extensions import Extension
from steersman.session.approvals import Answer
from steersman.session.errors import Refused
from steersman.session.fold import closed
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from steersman.session.summary import CUT_OFF, SYSTEM
from support.event_checker import check_conversation
from support.fake_tools import Gate
from support.manual_clock import settle
from support.scripted_model import answer, call, failure
from support.session_harness import Person, SessionHarness, elapse, keys

LONG = "x" * 4000
"""About 1,250 tokens."""
UNCOUNTED = Usage()
"""Of a provider that counts nothing: sizes are estimates."""
OVERFLOW = failure("context_overflow", "Too many tokens.")


def texts(request) -> list[str]:
    return [plain_text(m.content) for m in request.messages]


def is_summary(request) -> bool:
    return request.system == SYSTEM


def read(path):
    return answer("", call("read", {"path": path}), usage=UNCOUNTED)


async def done(h: SessionHarness, prompt: str, **options):
    """A run from its start to its end; retries wait for nothing."""
    return await h.elapsed(await h.start(prompt, **options))


async def filled(harness, *responses, turns=4, **options) -> tuple[SessionHarness, str]:
    """A session of some runs in which a file was read, each about 1,300 tokens long."""
    script = []
    for turn in range(turns):
        script += [read(f"{turn}.txt"), answer(f"A{turn}", usage=UNCOUNTED)]
    h = harness(*script, *responses, **options)
    session = None
    for turn in range(turns):
        h.put(f"{turn}.txt", LONG)
        session = (await done(h, f"task {turn}", session=session)).session
    return h, session


class TestOverflow:
    async def test_old_messages_are_summarised_and_the_same_request_is_made_again(self, harness):
        h, session = await filled(harness, OVERFLOW, answer("## Goal\nall of it"), answer("done"))
        run = await done(h, "go on", session=session)
        assert run.end.stop_reason == "complete"
        overflowed, summing, again = h.model.requests[-3:]
        assert is_summary(summing)
        assert "task 0" in texts(summing)[0]
        assert texts(again)[0].endswith("## Goal\nall of it\n\n## Files read\n- 0.txt\n- 1.txt\n- 2.txt")
        assert texts(again)[-1] == texts(overflowed)[-1] == "go on"
        assert len(again.messages) < len(overflowed.messages)
        check_conversation(again.messages)
        end = h.of("compaction_end")[-1]
        assert end["tokensAfter"] < end["tokensBefore"]
        assert h.of("compaction_start")[-1]["reason"] == "overflow"
        assert h.of("agent_end")[-1]["text"] == "done"

    async def test_the_log_keeps_every_word_and_a_restart_tells_the_model_the_same(self, harness):
        h, session = await filled(harness, OVERFLOW, answer("SUMMARY"), answer("done"))
        await done(h, "go on", session=session)
        memory = h.session.picture
        disk = read_picture(h.path(session))
        assert keys(memory.messages) == keys(disk.messages)
        records = list(read_records(h.path(session)))
        said = [
            r["data"]["content"][0]["text"]
            for r in records
            if r["data"].get("role") == "user" and "content" in r["data"]
        ]
        assert said == ["task 0", "task 1", "task 2", "task 3", "go on"]
        await h.close()
        h.restart(answer("again"))
        await done(h, "and on", session=session)
        assert "SUMMARY" in texts(h.model.requests[0])[0]
        assert "task 0" not in "".join(texts(h.model.requests[0]))

    async def test_what_overflows_again_at_once_ends_the_run_and_is_not_tried_for_ever(self, harness):
        h, session = await filled(harness, OVERFLOW, answer("SUMMARY"), OVERFLOW)
        run = await done(h, "go on", session=session)
        assert run.end.stop_reason == "error"
        assert run.end.error.code == "context_overflow"
        assert "larger window" in run.end.error.message
        assert len(h.of("compaction_end")) == 1

    async def test_each_later_overflow_may_be_answered_again(self, harness):
        h, session = await filled(
            harness,
            OVERFLOW, answer("FIRST"), read("0.txt"), read("1.txt"), read("2.txt"),
            OVERFLOW, answer("SECOND"), answer("done"),
        )  # fmt: skip
        run = await done(h, "go on", session=session)
        assert run.end.stop_reason == "complete"
        assert [data["summary"].split("\n")[0] for data in h.of("compaction_end")] == ["FIRST", "SECOND"]
        asked = texts(h.model.requests[-2])[0]
        assert "<summary-so-far>\nFIRST" in asked, "the second carries on with the first"
        assert "SECOND" in texts(h.model.requests[-1])[0]
        assert "FIRST" not in texts(h.model.requests[-1])[0]

    async def test_one_item_that_can_not_fit_is_shortened_for_the_model_and_kept_whole_in_the_log(
        self, harness
    ):
        huge = "y" * 40_000
        h = harness(read("huge.txt"), OVERFLOW, answer("done"))
        h.put("huge.txt", "\n".join(huge[i : i + 100] for i in range(0, len(huge), 100)))
        run = await done(h, "look")
        assert run.end.stop_reason == "complete"
        (first, again) = h.model.requests[-2:]
        assert "characters left out here" in texts(again)[-1]
        assert len(texts(again)[-1]) < len(texts(first)[-1])
        assert h.results()[-1] == texts(first)[-1]
        assert h.of("compaction_end") == [], "there was nothing to summarise"

    async def test_a_summary_that_fails_ends_the_run_with_the_reason(self, harness):
        h, session = await filled(harness, OVERFLOW, failure("auth", "Bad key"))
        run = await done(h, "go on", session=session)
        assert (run.end.stop_reason, run.end.error.code) == ("error", "context_overflow")
        assert run.end.error.message == "The conversation could not be shortened: Bad key."
        assert h.of("compaction_end")[-1]["failed"] == run.end.error.message
        assert len(h.session.picture.messages) == 17, "nothing has changed"

    @pytest.mark.parametrize("stop", ["content_filter", "refusal"])
    async def test_what_was_withheld_in_the_middle_is_no_summary(self, harness, stop):
        h, session = await filled(harness, OVERFLOW, answer("I can't help with", stop=stop), answer("never"))
        run = await done(h, "go on", session=session)
        assert (run.end.stop_reason, run.end.error.code) == ("error", "context_overflow")
        assert "withheld the summary" in run.end.error.message
        assert h.of("compaction_end")[-1]["failed"] == run.end.error.message
        assert len(h.session.picture.messages) == 17, "nothing has changed"

    async def test_a_summary_that_would_not_fit_either_is_asked_for_with_less_of_each_item(self, harness):
        h, session = await filled(harness, OVERFLOW, OVERFLOW, answer("SUMMARY"), answer("done"), turns=8)
        run = await done(h, "go on", session=session)
        assert run.end.stop_reason == "complete"
        first, second = [texts(request)[0] for request in h.model.requests if is_summary(request)]
        assert len(second) < len(first)
        assert all(f"task {number}" in second for number in range(6))


class TestBeforeARequest:
    async def test_one_that_would_not_fit_is_not_made_before_old_messages_are_summarised(self, harness):
        h, session = await filled(harness, answer("SUMMARY"), answer("done"), context_window=8000)
        run = await done(h, "go on " + LONG * 3, session=session)
        assert run.end.stop_reason == "complete"
        assert is_summary(h.model.requests[-2])
        assert h.of("compaction_start")[-1]["reason"] == "threshold"
        states = [data["state"] for data in h.of("state")]
        assert "compacting" in states

    async def test_what_the_provider_counted_decides(self, harness):
        full = answer("", call("read", {"path": "0.txt"}), usage=Usage(input=95_000))
        h, session = await filled(harness, full, answer("SUMMARY"), answer("done"), context_window=100_000)
        await done(h, "go on", session=session)
        assert [is_summary(request) for request in h.model.requests[-3:]] == [False, True, False]

    async def test_without_a_summary_the_request_is_made_all_the_same(self, harness):
        h, session = await filled(harness, failure("quota", "No money"), answer("done"), context_window=8000)
        run = await done(h, "go on " + LONG * 3, session=session)
        assert run.end.stop_reason == "complete"
        assert "No money" in h.of("notice")[-1]["message"]

    async def test_a_summary_that_could_not_be_had_is_not_asked_for_at_every_request(self, harness):
        h, session = await filled(
            harness,
            failure("quota", "No money"),
            read("0.txt"),
            read("1.txt"),
            answer("done"),
            context_window=8000,
        )
        run = await done(h, "go on " + LONG * 3, session=session)
        assert run.end.stop_reason == "complete"
        assert sum(is_summary(request) for request in h.model.requests) == 1

    async def test_an_abort_during_it_ends_the_run_and_changes_nothing(self, harness):
        gate = Gate()
        h, session = await filled(harness, [gate], context_window=8000)
        run = await h.start("go on " + LONG * 3, session=session)
        await gate.reached.wait()
        h.manager.abort()
        await h.elapsed(run)
        assert run.end.stop_reason == "aborted"
        assert h.of("compaction_end") == [
            {"failed": "It was aborted.", "usage": h.of("compaction_end")[0]["usage"]}
        ]
        assert len(h.session.picture.messages) == 17

    async def test_a_steer_that_comes_during_it_joins_the_request_once(self, harness):
        gate = Gate()
        h, session = await filled(harness, [gate, *answer("SUMMARY")], answer("done"), context_window=8000)
        run = await h.start("go on " + LONG * 3, session=session)
        await gate.reached.wait()
        h.manager.add("steer", "mind the gap")
        gate.open()
        await h.elapsed(run)
        assert run.end.stop_reason == "complete"
        assert texts(h.model.requests[-1])[-1] == "mind the gap"
        assert len(h.of("compaction_end")) == 1


class TestOneThatIsCutOff:
    CUT = answer("## Goal\nmany words", stop="length")

    async def summary(self, harness, *responses):
        """What the next request holds in place of the old messages, and the requests for a summary."""
        h, session = await filled(harness, OVERFLOW, *responses, answer("done"))
        run = await done(h, "go on", session=session)
        assert run.end.stop_reason == "complete"
        asked = [texts(request)[0] for request in h.model.requests if is_summary(request)]
        return texts(h.model.requests[-1])[0], asked

    async def test_is_asked_for_once_more_and_shorter(self, harness):
        summary, (first, second) = await self.summary(harness, self.CUT, answer("## Next steps\nall"))
        assert (
            second
            == f"{first}\n\nYour last summary was cut off. Write at most 200 words, under all of the headings."
        )
        assert "## Next steps\nall" in summary
        assert "many words" not in summary

    async def test_twice_says_where_it_ends(self, harness):
        summary, asked = await self.summary(harness, self.CUT, answer("## Goal\nfewer", stop="length"))
        assert f"## Goal\nfewer\n\n{CUT_OFF}\n\n## Files read" in summary
        assert len(asked) == 2

    async def test_is_kept_if_no_shorter_one_is_to_be_had(self, harness):
        summary, _ = await self.summary(harness, self.CUT, failure("quota", "No money."))
        assert f"## Goal\nmany words\n\n{CUT_OFF}" in summary


class TestItsPrice:
    async def test_it_counts_as_the_run_s_and_towards_its_budget(self, harness):
        h, session = await filled(
            harness,
            answer("SUMMARY", usage=Usage(6000, 500, cost=2.0)),
            answer("", call("read", {"path": "0.txt"}), usage=Usage(10, 5, cost=0.5)),
            answer("never"),
            context_window=8000,
        )
        run = await done(h, "go on " + LONG * 3, session=session, budget=Budget(cost=1.0))
        assert (run.end.stop_reason, run.end.limit, run.end.turns) == ("budget", "cost", 1)
        assert run.end.usage == Usage(6010, 505, cost=2.5)
        assert h.of("agent_end")[-1]["cost"] == 2.5

    async def test_one_that_failed_counts_too_and_each_only_once(self, harness):
        failed = [StreamError(StreamFailure("quota", "No money"), Usage(300, 1))]
        h, session = await filled(
            harness, failed, read("0.txt"), answer("done", usage=Usage(10, 5)), context_window=8000
        )
        run = await done(h, "go on " + LONG * 3, session=session)
        assert (run.end.stop_reason, run.end.usage) == ("complete", Usage(310, 6))

    async def test_a_crash_after_it_does_not_forget_it(self, harness):
        gate = Gate()
        h, session = await filled(
            harness, answer("SUMMARY", usage=Usage(6000, 500)), [gate], context_window=8000
        )
        await h.start("go on " + LONG * 3, session=session)
        await gate.reached.wait()
        end = read_picture(h.path(session)).closers()[-1]
        assert (end["type"], end["data"]["usage"]["input"]) == ("agent_end", 6000)
        gate.open()
        await h.close()


class TestAskedFor:
    async def test_without_a_run_it_is_done_now_with_what_the_user_asks_of_it(self, harness):
        h, session = await filled(harness, answer("SUMMARY"), answer("done"), turns=6, context_window=8000)
        told = await h.manager.compact(session, h.roots, "keep the names")
        assert told == {"session": session, "operation": told["operation"]}
        assert h.manager.status()["sessions"][0]["state"] == "compacting"
        await h.session.operation.task
        assert "keep the names" in texts(h.model.requests[-1])[0]
        assert [event.run for event in h.events if event.type == "compaction_end"] == [None]
        await done(h, "go on", session=session)
        assert "SUMMARY" in texts(h.model.requests[-1])[0]

    async def test_meanwhile_no_run_begins_and_an_abort_ends_it(self, harness):
        gate = Gate()
        h, session = await filled(harness, [gate], turns=6, context_window=8000)
        await h.manager.compact(session, h.roots)
        await gate.reached.wait()
        with pytest.raises(Refused) as caught:
            await h.start("go on", session=session)
        assert caught.value.code == "busy"
        assert h.manager.abort() is True
        await elapse(h.clock, h.session.operation.task)
        assert h.of("compaction_end")[-1]["failed"] == "It was aborted."
        assert h.manager.abort() is False

    async def test_with_a_live_run_it_comes_before_the_next_request(self, harness):
        gate = Gate()
        slow = [gate, *read("0.txt")]
        h, session = await filled(
            harness, slow, answer("SUMMARY"), answer("done"), turns=6, context_window=80_000
        )
        run = await h.start("go on", session=session)
        await gate.reached.wait()
        told = await h.manager.compact(None, h.roots)
        assert told == {"session": session, "run": run.id}
        gate.open()
        await run.wait()
        assert [is_summary(request) for request in h.model.requests[-3:]] == [False, True, False]

    async def test_asked_for_while_trust_is_asked_it_comes_before_the_first_request(self, harness):
        async def meanwhile(_):
            assert await h.manager.compact(None, h.roots) == {"session": session, "run": h.session.live.id}
            return Answer("accept")

        h, session = await filled(
            harness,
            answer("SUMMARY"),
            answer("done"),
            turns=6,
            context_window=80_000,
            person=Person(meanwhile),
        )
        h.services.trusts_all = False
        h.put("AGENTS.md", "Speak like a pirate.")
        await (await h.start("go on", session=session)).wait()
        assert [is_summary(request) for request in h.model.requests[-2:]] == [True, False]

    async def test_a_run_that_makes_no_request_any_more_says_that_nothing_was_done(self, harness):
        gate = Gate()
        h, session = await filled(harness, [gate, *answer("done")], turns=6, context_window=80_000)
        run = await h.start("go on", session=session)
        await gate.reached.wait()
        await h.manager.compact(None, h.roots)
        gate.open()
        await run.wait()
        assert h.of("compaction_end") == []
        assert "nothing was summarised" in h.of("notice")[-1]["message"]

    async def test_of_a_short_conversation_there_is_nothing_to_do(self, harness):
        h = harness(answer("hello"))
        run = await done(h, "hi")
        with pytest.raises(Refused) as caught:
            await h.manager.compact(run.session, h.roots)
        assert caught.value.code == "nothingToDo"

    async def test_a_server_that_closes_meanwhile_leaves_a_whole_log(self, harness):
        gate = Gate()
        h, session = await filled(harness, [gate], turns=6, context_window=8000)
        await h.manager.compact(session, h.roots)
        await gate.reached.wait()
        closing = asyncio.create_task(h.close())
        await elapse(h.clock, closing)
        assert closed(read_picture(h.path(session))).compacting is False


class TestTheCharacterBudget:
    async def test_the_newest_units_within_it_are_told_and_nothing_is_summarised(self, harness):
        h, session = await filled(harness, answer("done"), context_max_chars=5000)
        await done(h, "go on", session=session)
        (request,) = h.model.requests[-1:]
        assert sum(map(len, texts(request))) <= 5000
        assert texts(request)[-1] == "go on"
        check_conversation(request.messages)
        assert h.of("compaction_start") == []

    async def test_what_can_not_fit_is_an_error_before_any_request(self, harness):
        h = harness(answer("never asked"), context_max_chars=100)
        run = await done(h, "x" * 101)
        assert (run.end.stop_reason, run.end.error.code) == ("error", "context_overflow")
        assert "--context-chars" in run.end.error.message
        assert h.model.requests == []


async def test_a_crash_in_the_middle_of_it_is_closed_and_nothing_is_lost(harness):
    h, session = await filled(harness, OVERFLOW, answer("SUMMARY"), answer("done"))
    await done(h, "go on", session=session)
    await h.close()
    lines = h.path(session).read_bytes().splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if b'"compaction_start"' in line)
    h.path(session).write_bytes(b"".join(lines[: start + 1]))
    h.events.clear()
    h.restart(answer("going on"))
    run = await done(h, "again", session=session)
    assert run.end.stop_reason == "complete"
    (cut,) = [r for r in read_records(h.path(session)) if r["type"] == "compaction_end"]
    assert cut["data"]["failed"] == "It was interrupted."
    assert "task 0" in texts(h.model.requests[0])
    h.events.clear()


async def test_going_back_to_before_a_compaction_tells_the_old_words_again(harness):
    h, session = await filled(harness, OVERFLOW, answer("SUMMARY"), answer("done"), answer("other"))
    first = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    await done(h, "go on", session=session)
    await h.manager.library.go_back(session, first[3])
    await done(h, "other way", session=session)
    assert texts(h.model.requests[-1])[0] == "task 0"
    assert texts(h.model.requests[-1])[-1] == "other way"


async def test_what_was_read_on_a_branch_that_was_left_is_not_in_the_next_summary(harness):
    h, session = await filled(
        harness,
        read("left.txt"), answer("left"), read("0.txt"), answer("1"), read("1.txt"), answer("2"),
        OVERFLOW, answer("FIRST"), answer("done"),
        OVERFLOW, answer("SECOND"), answer("done"),
    )  # fmt: skip
    h.put("left.txt", LONG)
    await done(h, "on the way", session=session)
    await done(h, "further", session=session)
    await done(h, "and further", session=session)
    await done(h, "go on", session=session)
    assert "left.txt" in h.of("compaction_end")[-1]["files"]["read"]
    users = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    await h.manager.library.go_back(session, users[4])
    await done(h, "another way", session=session)
    assert "left.txt" not in h.of("compaction_end")[-1]["files"]["read"]


class TestAnAbort:
    async def test_while_a_failed_summary_waits_to_be_asked_for_again_ends_the_waiting(self, harness):
        h, session = await filled(harness, failure("overloaded", "Busy."), turns=6, context_window=8000)
        await h.manager.compact(session, h.roots)
        await settle()
        assert is_summary(h.model.requests[-1])
        assert h.manager.abort()
        await h.manager.operated(session)
        assert h.of("compaction_end")[-1]["failed"] == "It was aborted."
        assert len([request for request in h.model.requests if is_summary(request)]) == 1

    async def test_while_an_extension_makes_what_is_summarised_asks_no_model(self, harness):
        begun, seen = asyncio.Event(), []

        class Waits(Extension):
            async def transform_context(self, messages, signal):
                seen.append(len(messages))
                if len(seen) == 13:  # two requests of each run were made before
                    begun.set()
                    await signal.wait()
                    raise RuntimeError("stopped")
                return messages

        h, session = await filled(harness, turns=6, context_window=8000, extensions={"waits": Waits})
        await h.manager.compact(session, h.roots)
        await begun.wait()
        assert h.manager.abort()
        await h.manager.operated(session)
        assert h.of("compaction_end")[-1]["failed"] == "It was aborted."
        assert not any(is_summary(request) for request in h.model.requests)


@pytest.mark.parametrize("known", [True, False])
async def test_what_can_be_neither_summarised_nor_shortened_ends_the_run_and_says_what_to_do(harness, known):
    """The model's own words are never cut, and the last answer is never summarised."""
    window = {"context_window": 8000} if known else {}
    long = answer("y" * 40_000, call("read", {"path": "0.txt"}), piece=4000, usage=UNCOUNTED)
    h = harness(long, OVERFLOW, **window)
    h.put("0.txt", "x")
    run = await done(h, "look")
    assert (run.end.stop_reason, run.end.error.code) == ("error", "context_overflow")
    assert "larger window" in run.end.error.message
    assert len(h.model.requests) == (1 if known else 2)
    assert h.of("compaction_start") == []
