"""The user hears of a server that cuts off the conversation; and of nothing, when it does not."""

import pytest

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Usage
from steersman.session.cut_context import CountedModel
from support.fake_tools import FakeTool
from support.model_server import ask
from support.scripted_model import ScriptedModel, answer, call

PROSE = "The quick brown fox jumps over the lazy dog and goes home. "


def notices(h) -> list[str]:
    return [data["message"] for data in h.of("notice")]


async def asked(harness, text: str, *counted: int):
    h = harness(*[answer(f"A{n}", usage=Usage(input=n, output=1)) for n in counted])
    session = None
    for _ in counted:
        session = (await h.run(text if session is None else "more", session=session)).session
    return h


async def test_prompt_tokens_far_below_what_was_sent_the_user_is_warned(harness):
    """29"""
    h = await asked(harness, PROSE * 2000, 4096)
    (notice,) = notices(h)
    assert "counted 4,096 tokens of a conversation of at least 23,600" in notice
    assert "context_window" in notice


async def test_the_warning_comes_once_in_a_run(harness):
    """29"""
    small = Usage(input=4096, output=1)
    calls = answer("", call("look"), usage=small)
    h = harness(
        calls, calls, answer("done", usage=small), answer("more", usage=small), tools=[FakeTool("look")]
    )
    run = await h.run(PROSE * 2000)
    assert len(notices(h)) == 1
    await h.run("more", session=run.session)
    assert len(notices(h)) == 2, "the next run is another matter"


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        (PROSE * 2000, 24_000),
        (PROSE * 2000, 10_000),  # a tokenizer with very long tokens
        (PROSE * 500, 300),  # too little for any server to cut
        (PROSE * 2000, 0),  # a server that doesn't count
        (PROSE * 2000, 10),  # or that makes it up
        ("x" + " " * 200_000, 2500),  # rows of blanks are few tokens
        ("=" * 100_000 + "\n" + PROSE * 100, 2000),
        ("汉字" * 30_000, 40_000),
    ],
    ids=["usual", "long-tokens", "small", "uncounted", "made-up", "blanks", "lines", "chinese"],
)
async def test_what_is_no_sign_of_it_is_not_told(harness, text, counted):
    """29"""
    assert notices(await asked(harness, text, counted)) == []


async def test_cached_tokens_are_counted_as_sent(harness):
    """29"""
    usage = Usage(input=24_000, cache_read=23_900)
    h = harness(answer("fine", usage=usage))
    await h.run(PROSE * 2000)
    assert notices(h) == []


TURN = "And now the next step, of which there is a little to say. " * 40  # some 2,300 characters


async def in_one_run(harness, prompt: str, *counted: int):
    """A run whose every answer but the last calls a tool that gives `TURN`; `counted` is the prompt of each."""
    *calls, last = [Usage(input=count, output=1) for count in counted]
    answers = [answer("", call("look"), usage=usage) for usage in calls]
    h = harness(
        *answers, answer("done", usage=last), tools=[FakeTool("look", lambda _context, _arguments: TURN)]
    )
    await h.run(prompt)
    return h


async def test_a_server_that_counts_only_what_it_has_not_kept_cuts_nothing_off(harness):
    """29"""
    h = await in_one_run(harness, PROSE * 2000, 27_000, 520, 530, 540)
    assert notices(h) == []


async def test_what_was_whole_and_is_cut_later_is_told_though_less_was_added(harness):
    """29"""
    h = await in_one_run(harness, PROSE * 2000, 27_000, 4_000)
    assert len(notices(h)) == 1


async def test_a_server_that_never_counted_the_whole_is_not_believed_to_have_kept_it(harness):
    """29"""
    h = await in_one_run(harness, PROSE * 2000, 520, 530)
    assert len(notices(h)) == 1


@pytest.mark.parametrize(("counted", "told"), [(9_439, True), (9_440, False)])
async def test_at_the_edge_of_what_a_tokenizer_can_do_nothing_is_told(harness, counted, told):
    """29"""
    assert len(PROSE * 2000) == 118_000
    assert bool(notices(await asked(harness, PROSE * 2000, counted))) == told


async def test_what_waits_for_its_provider_s_limits_tells_the_user():
    told = []
    model = ScriptedModel(answer("fine"))
    async for _ in CountedModel(model, told.append).stream(ask(), AbortSignal()):
        pass
    [request] = model.requests
    request.on_wait("It waits.")
    assert told == ["It waits."]
