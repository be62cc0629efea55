"""One tool call: prepare → execute → finalize. It gets exactly one result, whatever the tool does.

A call ends early with a value (`Ending`), never with a tool's exception. Exceptions leave this module only when the run
can't go on: the sink failed, an approval hook raised, or a tool did in raise mode. Of the other calls of its batch a
call knows only whether one of them stopped the run.
"""

import logging

from steersman.agent.batch_context import BatchContext
from steersman.agent.call_hooks import ask, checked
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
from steersman.agent.foreign import require_json, require_result
from steersman.agent.hooks import PendingCall
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
    """One committed call on its way to its result."""

    def __init__(self, call: ToolCall, shared: BatchContext) -> None:
        self.call = call
        self.result: ToolResultMessage | None = None
        self.terminate = False
        """It was executed, and its result asks to end the run's work."""
        self._shared, self._recorder = shared, shared.recorder
        self._tool = shared.tools.get(call.name)
        self._arguments: JsonObject | None = None
        self._proposal: Proposal | None = None
        self._live = LiveOutput(call, shared.config.hooks, shared.recorder)
        self._started = False
        self._work_began: float | None = None
        self._failed_as: Outcome = "failed"

    @property
    def is_parallel(self) -> bool:
        """An unknown tool runs nothing, so it doesn't make its batch sequential."""
        return self._tool is None or self._tool.execution == "parallel"

    async def prepare(self) -> BoundCall | None:
        """Binds, proposes and asks. Returns what may be executed; None if the call has ended already."""
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
        if self._shared.stopping():
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
        """Ends the call before anything is done for it."""
        self._arguments = _parsed(self.call)
        await self._start()
        await self._end(ending)

    def give_up(self) -> ToolResultMessage:
        """Sets and returns the result of a call that won't get another. `close` tells it."""
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
            arguments = bound.arguments
            require_json(arguments)
            self._arguments = arguments
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
        """Computes what the call would change. Returns how the call ends if that fails."""
        shared = self._shared
        if shared.stopping():
            return NOT_BEGUN
        try:
            self._proposal = await shared.supervise(bound.propose(shared.signal), self.call.name)
        except ToolError as error:
            result = await checked(self._pending, self._failed(error), shared)
            return Ending("aborted" if shared.signal.aborted else self._failed_as, result.text)
        except Exception as error:
            if shared.signal.aborted and isinstance(error, WorkAborted | WorkLeftRunning):
                return NOT_BEGUN
            return self._crashed(error)
        return None

    async def _ask(self) -> Ending | None:
        """Returns how the call ends if it may not run."""
        answer = await ask(self._pending, self._shared)
        if isinstance(answer, Ending):
            return answer
        self._proposal = answer.proposal or self._proposal
        return None

    # Execute and finalize

    async def _work_until_settled(self, bound: BoundCall) -> ToolResult | Ending:
        """Executes, and asks again each time that the proposal turns out to be superseded."""
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
            require_result(result)
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
        result = await checked(self._pending, result, self._shared)
        self.terminate = result.terminate
        outcome: Outcome = "ok"
        if result.is_error:
            outcome = "aborted" if self._shared.signal.aborted else self._failed_as
        await self._settle(result_message(self.call, outcome, result))

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
        """Seconds of work. The time that a user took to answer doesn't count."""
        return 0.0 if self._work_began is None else self._now() - self._work_began

    def _now(self) -> float:
        return self._shared.config.clock.monotonic()

    def _failed(self, error: ToolError) -> ToolResult:
        """The result of an expected failure. Its text is for the model."""
        if isinstance(error, ToolDenied):
            self._failed_as = "denied"
        return text_result(str(error), is_error=True)

    def _crashed(self, error: Exception) -> Ending:
        """The end after an unexpected exception. Its text goes to the application log and nowhere else."""
        log.error("the tool %s raised", self.call.name, exc_info=error)
        raised = self._shared.config.on_tool_exception == "raise"
        return Ending("failed", FAILED, failure=error if raised else None)


def _parsed(call: ToolCall) -> JsonObject | None:
    try:
        return parse_arguments(call)
    except MalformedArguments:
        return None
