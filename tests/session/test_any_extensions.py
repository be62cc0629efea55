"""Whatever well-behaved extensions do together, a run keeps the rules of events, log and conversation."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.fake_tools import FakeTool
from support.scripted_model import answer, call
from support.session_harness import SessionHarness, elapse
from support.well_behaved import extensions_of, habits

steps = st.lists(st.sampled_from(["say", "tool", "twice", "abort"]), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=st.lists(habits, min_size=1, max_size=3), steps=steps)
def test_any_combination_keeps_the_rules(drawn, steps):
    with tempfile.TemporaryDirectory() as base:
        asyncio.run(_story(Path(base), drawn, steps))


async def _story(base, drawn, steps):
    async def work(context, arguments):
        context.update("half ")
        context.update("way")
        return "done"

    async def abort(signal):
        h.manager.abort()

    answers = {
        "say": answer("said"),
        "tool": answer("", call("tool")),
        "twice": answer("", call("tool"), call("write", {"path": "a", "content": "b"})),
        "abort": [abort, *answer("late")],
    }
    h = SessionHarness(
        base,
        *[answers[step] for step in steps],
        tools=[FakeTool(work=work), FakeTool("write", work=work)],
        mode="full-auto",
        extensions=extensions_of(drawn),
    )
    h.model.fallback = answer("done")
    run = await h.start()
    await h.elapsed(run)
    again = await h.start("again", session=run.session)
    await h.elapsed(again)
    assert run.end.stop_reason in ("complete", "aborted")
    assert again.end.stop_reason in ("complete", "aborted")
    h.verify()
    closing = asyncio.ensure_future(h.close())
    await elapse(h.clock, closing)
