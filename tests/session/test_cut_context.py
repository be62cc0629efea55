"""The user hears of a server that cuts off the conversation; and of nothing, when it does not."""

import pytest

from steersman.agent.messages import Usage
from support.fake_tools import FakeTool
from support.scripted_model import answer, call

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
