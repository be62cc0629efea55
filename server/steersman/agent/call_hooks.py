"""The two hooks around the execution of a call: one lets it run, the other checks what it returned.

A hook that fails never means yes: the call is not run, or its result is withheld.
"""

import logging

from steersman.agent.batch_context import BatchContext
from steersman.agent.endings import FAILED, NOT_BEGUN, Ending
from steersman.agent.foreign import require, require_result
from steersman.agent.hooks import Allow, Block, PendingCall, Stop
from steersman.agent.tool import ToolResult, text_result

log = logging.getLogger(__name__)


async def ask(pending: PendingCall, shared: BatchContext) -> Allow | Ending:
    """May this call run? An abort meanwhile is a no, and after one nobody is asked."""
    hook = shared.config.hooks.before_tool_call
    if shared.stopping():
        return NOT_BEGUN
    if hook is None:
        return Allow()
    name = pending.call.name
    try:
        answer = await shared.supervise(hook(pending, shared.signal), f"the approval of {name}")
        require(answer, Allow, Block, Stop)
    except Exception as error:
        if shared.signal.aborted:
            return NOT_BEGUN
        log.exception("before_tool_call raised on %s", name)
        return Ending("failed", FAILED, failure=error)
    if shared.stopping():
        return NOT_BEGUN
    if isinstance(answer, Stop):
        shared.stopped = True
        return Ending("aborted", answer.reason)
    return Ending("denied", answer.reason) if isinstance(answer, Block) else answer


async def checked(pending: PendingCall, result: ToolResult, shared: BatchContext) -> ToolResult:
    """The result as it may be told and kept: what `after_tool_call` makes of it."""
    hook = shared.config.hooks.after_tool_call
    if hook is None:
        return result
    try:
        replaced = await shared.supervise(hook(pending, result, shared.signal), "after_tool_call")
        if replaced is not None:
            require_result(replaced)
    except Exception:
        log.exception("after_tool_call failed on %s", pending.call.name)
        return text_result("The result was withheld: a check of it failed.", is_error=True)
    return result if replaced is None else replaced
