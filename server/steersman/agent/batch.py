"""One turn's batch of tool calls: runs them in the right order, and leaves none without a result."""

import asyncio

from steersman.agent.abort import AbortSignal
from steersman.agent.batch_context import BatchContext
from steersman.agent.config import LoopConfig
from steersman.agent.dispatch import Dispatch
from steersman.agent.endings import TRUNCATED, Ending
from steersman.agent.messages import AssistantMessage, ToolResultMessage
from steersman.agent.recorder import Recorder


class Batch:
    """The calls of one committed assistant message."""

    def __init__(
        self, message: AssistantMessage, config: LoopConfig, recorder: Recorder, signal: AbortSignal
    ) -> None:
        self.calls = message.tool_calls
        self._cut = message.cut
        self._execution = config.execution
        self._shared = BatchContext(config, recorder, signal, {tool.name: tool for tool in config.tools})
        self._dispatches = [Dispatch(call, self._shared) for call in self.calls]

    @property
    def stopped(self) -> bool:
        """See `BatchContext.stopped`."""
        return self._shared.stopped

    @property
    def results(self) -> list[ToolResultMessage]:
        """In declared order."""
        return [dispatch.result for dispatch in self._dispatches if dispatch.result is not None]

    @property
    def terminate(self) -> bool:
        """Every call of the batch was executed and asks to end the run's work."""
        return bool(self._dispatches) and all(dispatch.terminate for dispatch in self._dispatches)

    async def run(self) -> None:
        """Gives every call its result.

        Raises:
            SinkFailed, ToolRaised: the run can't go on. The caller then calls `close`.
        """
        if self._cut:
            for dispatch in self._dispatches:
                await dispatch.refuse(Ending("truncated", TRUNCATED))
        elif self._execution == "auto" and all(dispatch.is_parallel for dispatch in self._dispatches):
            await self._run_parallel()
        else:
            await self._run_sequential()

    async def close(self) -> None:
        """Closes every call that has no result yet. All have one before the first event is told."""
        left = [dispatch for dispatch in self._dispatches if dispatch.result is None]
        given_up = [(dispatch, dispatch.give_up()) for dispatch in left]
        for dispatch, result in given_up:
            await dispatch.close(result)

    async def _run_sequential(self) -> None:
        for dispatch in self._dispatches:
            bound = await dispatch.prepare()
            if bound is not None:
                await dispatch.execute(bound)

    async def _run_parallel(self) -> None:
        """Prepares the calls one by one, since people are asked one question at a time; then executes all at once."""
        prepared = [(dispatch, await dispatch.prepare()) for dispatch in self._dispatches]
        work = [dispatch.execute(bound) for dispatch, bound in prepared if bound is not None]
        if len(work) == 1:
            await work[0]
            return
        tasks = [asyncio.create_task(each) for each in work]
        # Cancelled, it cancels them and still waits until all have ended.
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
