"""Who decides about a tool call: the extensions, which can only forbid it, then the policy, which has the last word."""

from dataclasses import replace

from steersman.agent.abort import AbortSignal
from steersman.agent.hooks import Allow, Leave, PendingCall
from steersman.session.extended import SessionExtensions
from steersman.session.facts import Denial
from steersman.session.gate import Gate, title_of


class Vetoes:
    """One run's."""

    def __init__(self, extensions: SessionExtensions, gate: Gate, denials: dict[str, Denial]) -> None:
        """`denials`: gets the reason why a call was not done, by its id."""
        self._extensions, self._gate, self._denials = extensions, gate, denials

    async def before_tool_call(self, pending: PendingCall, signal: AbortSignal) -> Leave:
        """The kernel's hook of this name."""
        if (veto := await self._veto(pending, signal)) is not None:
            return veto
        leave = await self._gate.before_tool_call(pending, signal)
        if isinstance(leave, Allow) and leave.proposal is not None:  # the user has made another change of it
            veto = await self._veto(replace(pending, proposal=leave.proposal), signal)
        return veto or leave

    async def _veto(self, pending: PendingCall, signal: AbortSignal) -> Leave | None:
        found = await self._extensions.veto(pending, signal)
        if found is None:
            return None
        name, veto = found
        call, reason = pending.call, f"The extension {name} forbids this: {veto.reason}"
        self._denials[call.id] = Denial(call.id, call.name, title_of(pending), reason, "extension")
        return replace(veto, reason=reason)
