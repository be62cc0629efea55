"""One tool call: prepare → execute → finalize. It gets exactly one result, whatever the tool does.

A call ends early by a value (`Ending`), never by an exception of a tool. Exceptions leave this module only when the
run can't go on: the sink failed, an approval hook raised, or a tool did in raise mode. Of the calls beside it, this
module knows only whether one of them stopped the run.
"""

import logging

from steersman.agent.batch_context import BatchContext
from steersman.agent.endings import (
    ABORTED,
    FAILED,
    INTERRUPTED,
    KEPT_CHANGING,
    NOT_BEGUN,
    NOT_EXECUTED,
    Ending,
    result_message,
    still_running,
    unknown_tool,
)
from steersman.agent.events import ToolExecutionEnd, ToolExecutionRunning, ToolExecutionStart
from steersman.agent.hooks import Allow, Block, PendingCall, Stop
from steersman.agent.live_output import LiveOutput
from steersman.agent.messages import (
    JsonObject,
    MalformedArguments,
    Outcome,
    ToolCall,
    ToolResultMessage,
    parse_arguments,
)
from steersman.agent.tasks import WorkAborted, WorkLeftRunning
from steersman.agent.tool import (
    BadArguments,
    BoundCall,
    Proposal,
    ProposalSuperseded,
    ToolContext,
    ToolDenied,
    ToolError,
    ToolResult,
    text_result,
)

log = logging.getLogger(__name__)


class ToolRaised(Exception):
    """A tool in raise mode, or an approval hook, raised `original`."""

    def __init__(self, original: Exception) -> None:
        super().__init__()
        self.original = original


class Dispatch:
    """One committed call on its way to its result. Steps return how it ends, or None to go on."""

    def __init__(self, call: ToolCall, shared: BatchContext) -> None:
        self.call = call
        self.result: ToolResultMessage | None = None
        self.terminate = False
        """It was executed, and its result asks for the end of the work."""
        self._shared, self._hooks, self._recorder = shared, shared.config.hooks, shared.recorder
        self._tool = shared.tools.get(call.name)
        self._arguments: JsonObject | None = None
        self._proposal: Proposal | None = None
        self._live = LiveOutput(call, self._hooks, self._recorder)
        self._started = False
        self._work_began: float | None = None
        self._failed_as: Outcome = "failed"

    @property
    def is_parallel(self) -> bool:
        """Unknown tools run nothing, so they hold up nobody."""
        return self._tool is None or self._tool.execution == "parallel"

    async def prepare(self) -> BoundCall | None:
        """Up to the leave to execute. None: the call has ended already."""
        bound = self._bind()
        await self._start()
        if isinstance(bound, Ending):
            await self._end(bound)
        elif ending := await self._propose(bound) or await self._ask():
            await self._end(ending)
        else:
            return bound
        return None

    async def execute(self, bound: BoundCall) -> None:
        if self._shared.stopping():  # a call before it, or beside it, has stopped the run
            await self._end(NOT_BEGUN)
            return
        await self._recorder.emit(ToolExecutionRunning(self.call.id))
        self._work_began = self._now()
        outcome = await self._work_until_settled(bound)
        if isinstance(outcome, Ending):
            await self._end(outcome)
        else:
            await self._finish(outcome)

    async def refuse(self, ending: Ending) -> None:
        """Ends the call without looking at it."""
        self._arguments = _parsed(self.call)
        await self._start()
        await self._end(ending)

    def give_up(self) -> ToolResultMessage:
        """The result of a call that has none and will get no other. `close` then tells it."""
        stopping = self._shared.stopping()
        if self._work_began is not None:
            ending = Ending("aborted" if stopping else "failed", INTERRUPTED)
        else:
            ending = NOT_BEGUN if stopping else Ending("notExecuted", NOT_EXECUTED)
        self.result = ending.result(self.call)
        return self.result

    async def close(self, result: ToolResultMessage) -> None:
        if not self._started:
            await self._recorder.close(ToolExecutionStart(self.call, _parsed(self.call)))
            self._started = True
        await self._recorder.close(ToolExecutionEnd(result, self._duration))

    # Prepare

    def _bind(self) -> BoundCall | Ending:
        call = self.call
        self._arguments = _parsed(call)
        if self._tool is None:
            return unknown_tool(call.name, list(self._shared.tools))
        try:
            bound = self._tool.bind(parse_arguments(call))
            self._arguments = bound.arguments
            return bound
        except MalformedArguments as error:
            text = f"Not executed: the arguments of {call.name} are {error}. Send the call again with one JSON object."
            return Ending("badArguments", text)
        except BadArguments as error:
            return Ending("badArguments", str(error))
        except ToolError as error:
            result = self._failed(error)
            return Ending(self._failed_as, result.text)
        except Exception as error:
            return self._crashed(error)

    async def _propose(self, bound: BoundCall) -> Ending | None:
        shared = self._shared
        if shared.stopping():
            return NOT_BEGUN
        try:
            self._proposal = await shared.supervise(bound.propose(shared.signal), self.call.name)
        except ToolError as error:
            checked = await self._checked(self._failed(error))
            return Ending("aborted" if shared.signal.aborted else self._failed_as, checked.text)
        except Exception as error:
            if shared.signal.aborted and isinstance(error, WorkAborted | WorkLeftRunning):
                return NOT_BEGUN
            return self._crashed(error)
        return None

    async def _ask(self) -> Ending | None:
        """Before the work: may it be done? An abort meanwhile is a no, and after one nobody is asked."""
        shared, hook = self._shared, self._hooks.before_tool_call
        if shared.stopping():
            return NOT_BEGUN
        if hook is None:
            return None
        name = self.call.name
        try:
            leave = await shared.supervise(hook(self._pending, shared.signal), f"the approval of {name}")
            _require(leave, Allow, Block, Stop)  # nothing else means yes
        except Exception as error:
            if shared.signal.aborted:
                return NOT_BEGUN
            log.exception("before_tool_call raised on %s", name)
            return Ending("failed", FAILED, failure=error)
        if shared.stopping():
            return NOT_BEGUN
        if isinstance(leave, Stop):
            shared.stopped = True
            return Ending("aborted", leave.reason)
        if isinstance(leave, Block):
            return Ending("denied", leave.reason)
        self._proposal = leave.proposal or self._proposal
        return None

    # Execute and finalize

    async def _work_until_settled(self, bound: BoundCall) -> ToolResult | Ending:
        """Executes, and asks again each time the proposal turns out to be superseded."""
        again = self._shared.config.limits.supersedes
        while not self._shared.signal.aborted:
            outcome = await self._work(bound)
            if not isinstance(outcome, ProposalSuperseded):
                return outcome
            if again == 0:
                return Ending("failed", KEPT_CHANGING)
            again -= 1
            self._proposal = outcome.proposal
            if ending := await self._ask():
                return ending
        return NOT_BEGUN

    async def _work(self, bound: BoundCall) -> ToolResult | Ending | ProposalSuperseded:
        shared, name = self._shared, self.call.name
        context = ToolContext(self.call.id, shared.signal, self._live.listen(), self._proposal)
        try:
            result = await shared.supervise(bound.execute(context), name)
            _require(result, ToolResult)
            return result
        except ToolError as error:
            return self._failed(error)
        except ProposalSuperseded as superseded:
            return superseded
        except WorkLeftRunning:
            return still_running(2 * shared.config.limits.grace)
        except Exception as error:
            if not shared.signal.aborted:
                return self._crashed(error)
            if not isinstance(error, WorkAborted):
                log.exception("%s raised after an abort", name)
            return Ending("aborted", f"{ABORTED} Its effects may be partial.")
        finally:
            self._live.settle()

    async def _finish(self, result: ToolResult) -> None:
        checked = await self._checked(result)
        self.terminate = checked.terminate
        outcome: Outcome = "ok"
        if checked.is_error:
            outcome = "aborted" if self._shared.signal.aborted else self._failed_as
        await self._settle(result_message(self.call, outcome, checked))

    async def _checked(self, result: ToolResult) -> ToolResult:
        """What `after_tool_call` makes of it. Without its word nothing of the result leaves this module."""
        hook = self._hooks.after_tool_call
        if hook is None:
            return result
        shared = self._shared
        try:
            replaced = await shared.supervise(hook(self._pending, result, shared.signal), "after_tool_call")
            _require(replaced, ToolResult, type(None))
        except Exception:
            log.exception("after_tool_call failed on %s", self.call.name)
            return text_result("The result was withheld: a check of it failed.", is_error=True)
        return result if replaced is None else replaced

    # Events

    @property
    def _pending(self) -> PendingCall:
        return PendingCall(self.call, self._arguments or {}, self._proposal)

    async def _start(self) -> None:
        await self._recorder.emit(ToolExecutionStart(self.call, self._arguments))
        self._started = True

    async def _end(self, ending: Ending) -> None:
        await self._settle(ending.result(self.call))
        if ending.failure is not None:
            raise ToolRaised(ending.failure)

    async def _settle(self, result: ToolResultMessage) -> None:
        await self._recorder.emit(ToolExecutionEnd(result, self._duration))
        self.result = result

    @property
    def _duration(self) -> float:
        """Of the work: what the user took to answer is not the tool's."""
        return 0.0 if self._work_began is None else self._now() - self._work_began

    def _now(self) -> float:
        return self._shared.config.clock.monotonic()

    def _failed(self, error: ToolError) -> ToolResult:
        """An expected failure: its text is for the model."""
        if isinstance(error, ToolDenied):
            self._failed_as = "denied"
        return text_result(str(error), is_error=True)

    def _crashed(self, error: Exception) -> Ending:
        """An unexpected exception: its text goes to the application log, and nowhere else."""
        log.error("the tool %s raised", self.call.name, exc_info=error)
        raised = self._shared.config.on_tool_exception == "raise"
        return Ending("failed", FAILED, failure=error if raised else None)


def _require(answer: object, *kinds: type) -> None:
    """What a tool or a hook answers is not ours: wrong types must not get further than where it was asked.

    Raises:
        TypeError: `answer` is none of `kinds`.
    """
    if not isinstance(answer, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"expected {names}, got {type(answer).__name__}")


def _parsed(call: ToolCall) -> JsonObject | None:
    try:
        return parse_arguments(call)
    except MalformedArguments:
        return None
