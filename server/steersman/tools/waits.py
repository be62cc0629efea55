"""Waits of a tool for somebody who may never answer: a person, an editor."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.tasks import until_aborted
from steersman.agent.tool import ToolError

T = TypeVar("T")


async def answered_or_aborted(work: Coroutine[Any, Any, T], signal: AbortSignal, aborted: str) -> T:
    """What `work` returns. At an abort it is cancelled, and its end awaited: it withdraws what it has asked.

    Raises:
        ToolError: the abort came before the answer; the text is `aborted`.
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
