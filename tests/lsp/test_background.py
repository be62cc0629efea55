"""Tasks beside the handling of messages: each has an owner, and none is lost."""

import asyncio

from steersman.lsp.background import Background
from support.manual_clock import settle


async def test_closing_cancels_what_runs_and_waits_for_its_end():
    ended = []

    async def work():
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(0)
            ended.append("work")

    background = Background()
    background.begin(work())
    await settle()
    await background.close()
    assert ended == ["work"]


async def test_what_can_not_be_cancelled_is_waited_for():
    ended = asyncio.Event()
    background = Background()
    background.begin(_waiting(ended))
    closing = asyncio.ensure_future(background.close(cancel=False))
    await settle()
    assert not closing.done()
    ended.set()
    await closing


async def test_a_failure_is_logged_and_closing_goes_on(caplog):
    async def work():
        raise RuntimeError("broken")

    background = Background()
    background.begin(work())
    await settle()
    assert "broken" in caplog.text
    await background.close()


async def test_after_closing_nothing_begins():
    begun = []

    async def work():
        begun.append("work")

    background = Background()
    await background.close()
    background.begin(work())
    await settle()
    assert begun == []


async def _waiting(event):
    await event.wait()
