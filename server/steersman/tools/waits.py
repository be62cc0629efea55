"""Waiting for somebody who may never answer: a person, an editor."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.tasks import until_aborted
from steersman.agent.tool import ToolError

T = TypeVar("T")


async def answered_or_aborted(work: Coroutine[Any, Any, T], signal: AbortSignal, aborted: str) -> T:
    """What `work` returns. An abort cancels it and waits for its end, so that it can withdraw its question.

    Raises:
        ToolError: the abort came before the answer. `aborted` is the message.
        Exception: what `work` raised.
    """
    task = asyncio.ensure_future(work)
    try:
        await until_aborted(task, signal)
    finally:
        task.cancel()
        await asyncio.wait({task})
    if task.cancelled():
        raise ToolError(aborted)
    return task.result()
