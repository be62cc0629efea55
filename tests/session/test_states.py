"""What a run is doing, as `state` tells it and as `status` says it."""

from support.fake_tools import Gate
from support.scripted_model import answer, call, failure
from support.session_harness import Person


async def test_the_states_of_a_run_are_told_in_order(harness):
    async def held(_request, signal):
        for step in answer("half")[:2]:
            yield step
        h.manager.abort()
        await signal.wait()

    h = harness(
        failure("overloaded"),
        answer("", call("write", {"path": "a.txt", "content": "x\n"})),
        held,
        person=Person("accept"),
    )
    run = await h.manager.start(h.request())
    seen = [run.state]
    h.services.bus.listen(
        lambda event: event.type == "state" and seen.append(h.manager.status()["sessions"][0]["state"])
    )
    run.release()
    await h.elapsed(run)
    told = [data["state"] for data in h.of("state")]
    assert told == [
        "streaming",
        "retrying",
        "streaming",
        "waitingApproval",
        "tool",
        "streaming",
        "aborting",
    ]
    assert seen == ["idle", *told], "status says the same"
    assert (run.state, h.manager.status()["sessions"][0]["state"]) == ("idle", "idle")


async def test_a_session_whose_run_was_cut_off_is_interrupted_until_it_goes_on(harness):
    gate = Gate()
    h = harness([gate, *answer("late")])
    run = await h.start()
    await gate.reached.wait()
    await h.close()
    assert h.end["stopReason"] == "interrupted"
    h.restart(answer("whole"))
    await h.manager.resume(run.session)
    assert h.manager.status()["sessions"][0]["state"] == "interrupted"
    again = await h.run(None, session=run.session)
    assert (again.session, h.end["text"]) == (run.session, "whole")
    assert h.manager.status()["sessions"][0]["state"] == "idle"
