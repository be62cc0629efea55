"""One turn's batch of tool calls: prepare → execute → finalize. Every call gets exactly one result.

A call ends early by a value (`_Ending`), never by an exception of a tool. Exceptions leave this module only when the
run can't go on: the sink failed, an approval hook raised, or a tool did in raise mode; `close` then closes the rest.
"""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.config import LoopConfig
from steersman.agent.events import (
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    ToolExecutionUpdate,
    utf16_length,
)
from steersman.agent.hooks import Allow, Block, Leave, PendingCall, Stop
from steersman.agent.messages import (
    AssistantMessage,
    JsonObject,
    MalformedArguments,
    Outcome,
    Text,
    ToolCall,
    ToolResultMessage,
    parse_arguments,
)
from steersman.agent.recorder import Recorder
from steersman.agent.tasks import WorkAborted, WorkLeftRunning, supervise
from steersman.agent.tool import (
    BadArguments,
    BoundCall,
    Proposal,
    ProposalSuperseded,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    text_result,
)

log = logging.getLogger(__name__)
T = TypeVar("T")

FAILED = "Tool execution failed."
NOT_EXECUTED = "Not executed after an earlier failure."
ABORTED_BEFORE = "Aborted before execution."
ABORTED = "Operation aborted."
TRUNCATED = (
    "Not executed: the response was cut off, so the arguments of this call may be incomplete. "
    "Send the call again, complete; split large content over several smaller calls."
)


class ToolRaised(Exception):
    """A tool in raise mode, or an approval hook, raised. The original is the cause."""

    def __init__(self, original: Exception) -> None:
        super().__init__()
        self.original = original


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a call ends without (more) execution."""

    outcome: Outcome
    text: str
    failure: Exception | None = None
    """What is raised to the caller after this call is closed."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    call: ToolCall
    bound: BoundCall
    proposal: Proposal | None

    @property
    def pending(self) -> PendingCall:
        return PendingCall(self.call, self.bound.arguments, self.proposal)


class Batch:
    """The calls of one committed assistant message."""

    def __init__(
        self,
        message: AssistantMessage,
        tools: Sequence[Tool],
        config: LoopConfig,
        recorder: Recorder,
        signal: AbortSignal,
    ) -> None:
        self.calls = message.tool_calls
        self._cut = message.cut
        self._tools = {tool.name: tool for tool in tools}
        self._config, self._hooks, self._recorder, self._signal = config, config.hooks, recorder, signal
        self._started: dict[str, float] = {}
        self._results: dict[str, ToolResultMessage] = {}
        self._keep_going = False
        self.stopped = False
        """The one who was asked chose Stop: the run is to end as aborted."""

    @property
    def results(self) -> list[ToolResultMessage]:
        """In declared order."""
        return [self._results[call.id] for call in self.calls if call.id in self._results]

    @property
    def terminate(self) -> bool:
        """Every call of the batch was executed and asks for the end of the work."""
        return bool(self.calls) and not self._keep_going

    async def run(self) -> None:
        """Gives every call its result.

        Raises:
            SinkFailed, ToolRaised: the run can't go on. The caller then calls `close`.
        """
        if self._cut:
            for call in self.calls:
                await self._start(call, _parsed(call))
                await self._end(call, _Ending("truncated", TRUNCATED))
        elif self._config.execution == "auto" and all(self._is_parallel(call) for call in self.calls):
            await self._run_parallel()
        else:
            await self._run_sequential()

    async def close(self) -> None:
        """Closes every call that has no result yet. Never raises."""
        for call in self.calls:
            if call.id in self._results:
                continue
            if call.id not in self._started:
                self._started[call.id] = self._config.clock.monotonic()
                await self._recorder.close(ToolExecutionStart(call, _parsed(call)))
            if self._signal.aborted:
                ending = _Ending("aborted", ABORTED_BEFORE)
            else:
                ending = _Ending("notExecuted", NOT_EXECUTED)
            result = _message(call, ending.outcome, text_result(ending.text))
            self._results[call.id] = result
            await self._recorder.close(ToolExecutionEnd(result, self._duration(call)))

    # The two ways through a batch

    async def _run_sequential(self) -> None:
        for call in self.calls:
            prepared = await self._prepare(call)
            if isinstance(prepared, _Prepared):
                await self._execute(prepared)

    async def _run_parallel(self) -> None:
        prepared = [await self._prepare(call) for call in self.calls]
        ready = [item for item in prepared if isinstance(item, _Prepared)]
        if len(ready) == 1:
            await self._execute(ready[0])
            return
        tasks = [asyncio.create_task(self._execute(item)) for item in ready]
        try:
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        except asyncio.CancelledError:
            await asyncio.gather(
                *tasks, return_exceptions=True
            )  # gather has cancelled them: wait for their end
            raise
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    def _is_parallel(self, call: ToolCall) -> bool:
        """Unknown tools run nothing, so they hold up nobody."""
        tool = self._tools.get(call.name)
        return tool is None or tool.execution == "parallel"

    # Prepare

    async def _prepare(self, call: ToolCall) -> _Prepared | None:
        """Up to the leave to execute. None: the call has ended already."""
        bound = self._bind(call)
        await self._start(call, _parsed(call) if isinstance(bound, _Ending) else bound.arguments)
        if self._stopping:
            bound = _Ending("aborted", ABORTED_BEFORE)
        prepared = bound if isinstance(bound, _Ending) else await self._propose(call, bound)
        if isinstance(prepared, _Prepared):
            prepared = await self._ask(prepared)
        if isinstance(prepared, _Prepared):
            return prepared
        await self._end(call, prepared)
        return None

    def _bind(self, call: ToolCall) -> BoundCall | _Ending:
        tool = self._tools.get(call.name)
        if tool is None:
            return _Ending("unknownTool", _unknown_tool(call.name, list(self._tools)))
        try:
            return tool.bind(parse_arguments(call))
        except MalformedArguments as error:
            text = f"Not executed: the arguments of {call.name} are {error}. Send the call again with one JSON object."
            return _Ending("badArguments", text)
        except BadArguments as error:
            return _Ending("badArguments", str(error))
        except ToolError as error:
            return _Ending("failed", str(error))
        except Exception as error:
            return self._crashed(call, error)

    async def _propose(self, call: ToolCall, bound: BoundCall) -> _Prepared | _Ending:
        try:
            return _Prepared(call, bound, await self._supervise(bound.propose(self._signal), call.name))
        except ToolError as error:
            checked = await self._checked(PendingCall(call, bound.arguments, None), _error_result(error))
            return _Ending("aborted" if self._signal.aborted else "failed", checked.text)
        except (WorkAborted, WorkLeftRunning) as error:
            return _Ending("aborted", ABORTED_BEFORE) if self._signal.aborted else self._crashed(call, error)
        except Exception as error:
            return self._crashed(call, error)

    async def _ask(self, prepared: _Prepared) -> _Prepared | _Ending:
        """Before the work: may it be done? An abort meanwhile is a no."""
        leave: Leave = Allow()
        if hook := self._hooks.before_tool_call:
            try:
                leave = await self._supervise(
                    hook(prepared.pending, self._signal), f"the approval of {prepared.call.name}"
                )
            except Exception as error:
                if self._signal.aborted:
                    return _Ending("aborted", ABORTED_BEFORE)
                log.exception("before_tool_call raised on %s", prepared.call.name)
                return _Ending("failed", FAILED, failure=error)
        if self._stopping:
            return _Ending("aborted", ABORTED_BEFORE)
        if isinstance(leave, Stop):
            self.stopped = True
            return _Ending("aborted", leave.reason)
        if isinstance(leave, Block):
            return _Ending("denied", leave.reason)
        return _Prepared(prepared.call, prepared.bound, leave.proposal or prepared.proposal)

    # Execute and finalize

    async def _execute(self, prepared: _Prepared) -> None:
        call = prepared.call
        if self._stopping:  # a call before it, or the next in a parallel batch, has stopped the run
            await self._end(call, _Ending("aborted", ABORTED_BEFORE))
            return
        await self._recorder.emit(ToolExecutionRunning(call.id))
        ending: _Ending | ToolResult = _Ending("aborted", ABORTED_BEFORE)
        asked = 0
        while not self._signal.aborted:
            try:
                ending = await self._work(prepared)
                break
            except ProposalSuperseded as superseded:
                asked += 1
                if asked > self._config.limits.supersedes:
                    ending = _Ending(
                        "failed",
                        "Not done: the file kept changing while the change was being approved. Read it again first.",
                    )
                    break
                again = await self._ask(_Prepared(call, prepared.bound, superseded.proposal))
                if isinstance(again, _Ending):
                    ending = again
                    break
                prepared = again
        if isinstance(ending, _Ending):
            await self._end(call, ending)
        else:
            await self._finish(prepared.pending, ending)

    async def _work(self, prepared: _Prepared) -> ToolResult | _Ending:
        call = prepared.call
        live = _LiveOutput(call, self._config, self._recorder)
        context = ToolContext(call.id, self._signal, live.update, prepared.proposal)
        try:
            return await self._supervise(prepared.bound.execute(context), call.name)
        except ToolError as error:
            return _error_result(error)
        except ProposalSuperseded:
            raise
        except WorkLeftRunning:
            grace = self._config.limits.grace
            text = f"{ABORTED} The tool did not stop within {2 * grace:g} s and was still running when the run ended: "
            return _Ending("aborted", text + "its effects may be partial.")
        except Exception as error:
            if self._signal.aborted:
                if not isinstance(error, WorkAborted):
                    log.exception("%s raised after an abort", call.name)
                return _Ending("aborted", f"{ABORTED} Its effects may be partial.")
            return self._crashed(call, error)
        finally:
            live.settled = True

    async def _finish(self, pending: PendingCall, result: ToolResult) -> None:
        checked = await self._checked(pending, result)
        if not checked.terminate:
            self._keep_going = True
        outcome: Outcome = "ok"
        if checked.is_error:
            outcome = "aborted" if self._signal.aborted else "failed"
        await self._settle(pending.call, _message(pending.call, outcome, checked))

    async def _checked(self, pending: PendingCall, result: ToolResult) -> ToolResult:
        """What `after_tool_call` makes of it. Without its word nothing of the result leaves this module."""
        hook = self._hooks.after_tool_call
        if hook is None:
            return result
        try:
            replaced = await self._supervise(hook(pending, result, self._signal), "after_tool_call")
        except Exception:
            log.exception("after_tool_call failed on %s", pending.call.name)
            return text_result("The result was withheld: a check of it failed.", is_error=True)
        return result if replaced is None else replaced

    async def _end(self, call: ToolCall, ending: _Ending) -> None:
        self._keep_going = True
        await self._settle(call, _message(call, ending.outcome, text_result(ending.text)))
        if ending.failure is not None and not self._signal.aborted:
            raise ToolRaised(ending.failure)

    async def _settle(self, call: ToolCall, result: ToolResultMessage) -> None:
        await self._recorder.emit(ToolExecutionEnd(result, self._duration(call)))
        self._results[call.id] = result

    # Shared

    @property
    def _stopping(self) -> bool:
        return self.stopped or self._signal.aborted

    async def _start(self, call: ToolCall, arguments: JsonObject | None) -> None:
        await self._recorder.emit(ToolExecutionStart(call, arguments))
        self._started[call.id] = self._config.clock.monotonic()

    def _duration(self, call: ToolCall) -> float:
        return self._config.clock.monotonic() - self._started[call.id]

    def _crashed(self, call: ToolCall, error: Exception) -> _Ending:
        """An unexpected exception: its text goes to the application log, and nowhere else."""
        log.error("the tool %s raised", call.name, exc_info=error)
        return _Ending("failed", FAILED, failure=error if self._config.on_tool_exception == "raise" else None)

    async def _supervise(self, work: Awaitable[T], what: str) -> T:
        config = self._config
        return await supervise(
            work,
            what=what,
            signal=self._signal,
            clock=config.clock,
            strays=config.strays,
            patience=config.limits.grace,
            grace=config.limits.grace,
        )


class _LiveOutput:
    """Passes a running tool's output on, until it has settled."""

    def __init__(self, call: ToolCall, config: LoopConfig, recorder: Recorder) -> None:
        self._call, self._recorder = call, recorder
        self._transform = config.hooks.transform_update
        self._withheld = config.hooks.after_tool_call is not None and self._transform is None
        self._offset = 0
        self.settled = False

    def update(self, text: str) -> None:
        if self.settled or self._withheld or not text:
            return
        shown: str | None = text
        if self._transform:
            try:
                shown = self._transform(self._call, text)
            except Exception:
                log.exception("transform_update failed on %s: its live output is withheld", self._call.name)
                self._withheld = True
                return
        if shown:
            self._recorder.tell(ToolExecutionUpdate(self._call.id, self._offset, shown))
            self._offset += utf16_length(shown)


def _message(call: ToolCall, outcome: Outcome, result: ToolResult) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, result.content, outcome, result.details)


def _error_result(error: ToolError) -> ToolResult:
    return ToolResult((Text(str(error)),), is_error=True)


def _parsed(call: ToolCall) -> JsonObject | None:
    try:
        return parse_arguments(call)
    except MalformedArguments:
        return None


def _unknown_tool(name: str, known: list[str]) -> str:
    if not known:
        return f"Unknown tool: {name}. There are no tools in this run; answer in text."
    folded = {tool.lower().replace("-", "_"): tool for tool in known}
    close = get_close_matches(name.lower().replace("-", "_"), folded, n=1)
    hint = f" Did you mean {folded[close[0]]}?" if close else ""
    return f"Unknown tool: {name}.{hint} Available: {', '.join(known)}."
