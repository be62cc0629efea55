"""What a session does beside runs: it ends by itself, when it is aborted, and at the latest when the server closes."""

import asyncio

from steersman.agent.abort import AbortController
from steersman.session.approvals import WITHDRAWN, Approvals, Question
from steersman.session.operation import Operation
from support.manual_clock import ManualClock
from support.session_harness import Person


async def test_one_that_fails_is_logged_and_over(caplog):
    async def fails(signal):
        raise ValueError("hunter2")

    operation = Operation("op_1", "tool", fails)
    await operation.task
    assert operation.done
    assert not operation.abort()
    assert "the operation op_1 failed" in caplog.text


async def test_one_that_does_not_heed_the_abort_is_cancelled_after_its_patience():
    clock, heard = ManualClock(), []

    async def deaf(signal):
        try:
            await asyncio.Event().wait()
        finally:
            heard.append(signal.reason)

    operation = Operation("op_1", "tool", deaf)
    closing = asyncio.create_task(operation.close(clock, 5))
    assert await clock.elapse_until(closing) == 5
    assert (heard, operation.done) == (["the server is closing"], True)


async def test_one_that_heeds_it_takes_no_patience():
    clock = ManualClock()

    async def heeds(signal):
        await signal.wait()

    operation = Operation("op_1", "compacting", heeds)
    await operation.close(clock, 5)
    assert (clock.now, operation.done) == (1000, True)


async def test_after_an_abort_nobody_is_asked():
    controller, person = AbortController(), Person("accept")
    controller.abort()
    question = Question("q_1", "ses_1", "run_1", "call_1", "edit", "Edit a.txt", "", "digest")
    assert await Approvals(person).ask(question, controller.signal) is WITHDRAWN
    assert person.asked == []
