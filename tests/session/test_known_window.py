"""A window that the settings don't say, but somebody else does: requests are kept within it."""

import pytest

from steersman.agent.messages import Usage
from steersman.session.summary import SYSTEM
from support.scripted_model import answer, call, failure

LONG = "x" * 4000
"""About 1,250 tokens."""
UNCOUNTED = Usage()
"""Of a provider that counts nothing: sizes are estimates."""


async def long_session(harness, *, known=None, **settings):
    """A session that reads four files in four runs, with a summary at hand."""
    script = []
    for turn in range(4):
        script += [
            answer("", call("read", {"path": f"{turn}.txt"}), usage=UNCOUNTED),
            answer("ok", usage=UNCOUNTED),
        ]
    h = harness(*script, **settings)
    h.model.fallback = answer("## Goal\nall of it", usage=UNCOUNTED)
    h.services.window = lambda spec: known if spec == "test:scripted" else None
    session = None
    for turn in range(4):
        h.put(f"{turn}.txt", LONG)
        session = (await h.elapsed(await h.start(f"task {turn}", session=session))).session
    await h.elapsed(await h.start("go on " + LONG * 3, session=session))
    return h


def summaries(h) -> int:
    return len([request for request in h.model.requests if request.system == SYSTEM])


async def test_old_messages_are_summarised_before_a_request_would_not_fit(harness):
    assert summaries(await long_session(harness, known=8000)) > 0


async def test_without_it_nothing_is_summarised_before_a_request_was_too_long(harness):
    assert summaries(await long_session(harness)) == 0


@pytest.mark.parametrize(("own", "known", "some"), [(1_000_000, 8000, False), (8000, 1_000_000, True)])
async def test_what_the_settings_say_counts_in_place_of_it(harness, own, known, some):
    h = await long_session(harness, known=known, context_window=own)
    assert (summaries(h) > 0) is some


async def test_a_provider_may_be_asked_once_its_model_has_answered_and_never_before(harness):
    used: list[tuple[str, int]] = []
    h = harness(answer("", call("read", {"path": "a.txt"})), answer("done"))
    h.put("a.txt", "A")
    h.services.model_used = lambda spec: used.append((spec, len(h.of("message_end"))))
    await h.elapsed(await h.start("go"))
    assert [spec for spec, _ in used] == ["test:scripted"] * 2
    assert used[0][1] > 1, "the answer came first"


async def test_a_model_that_does_not_answer_is_not_used(harness):
    used: list[str] = []
    h = harness(failure("auth", "No."))
    h.services.model_used = used.append
    await h.elapsed(await h.start("go"))
    assert used == []
