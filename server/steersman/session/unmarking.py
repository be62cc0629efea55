"""Removes the comments that asked for a run's work, where the work itself has not: it only answered a question, or a
command did all of it.

It is a change like any other: extensions may forbid it, the mode decides, the user is asked where the mode says so, and
it can be reverted with the rest of the run.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.hooks import Allow, Leave, PendingCall, Stop
from steersman.agent.messages import ToolCall
from steersman.agent.tool import ProposalSuperseded, ToolContext, ToolError
from steersman.session.errors import LogError
from steersman.session.facts import Denial
from steersman.session.marks import unmarked
from steersman.session.parts import Parts
from steersman.session.pointing import InstructionComment
from steersman.tools.changing import Recompute, carry_out, computed
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, edition
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.ports import Snapshot

log = logging.getLogger(__name__)

_ASKED_AT_MOST: Final = 3
"""Times that the user is asked about one file, if it keeps changing meanwhile."""
_NO_CALL: Final = ""


class Unmarking:
    """One run's."""

    def __init__(
        self,
        parts: Parts,
        *,
        leave: Callable[[PendingCall, AbortSignal], Awaitable[Leave]],
        denials: dict[str, Denial],
        stop: Callable[[], None],
    ) -> None:
        """`leave` decides about every call, and says in `denials` why not; `stop` ends the run."""
        self._parts, self._leave, self._denials, self._stop = parts, leave, denials, stop

    async def finish(self, signal: AbortSignal) -> None:
        """Proposes, file by file, to remove what is left. If that fails, the run does not."""
        with self._parts.marks.leaving() as comments:
            by_path = sorted(comments, key=lambda comment: comment.path)
            for path, of_file in groupby(by_path, key=lambda comment: comment.path):
                if signal.aborted:
                    return
                try:
                    await self._take_out(path, list(of_file), signal)
                except (ToolError, WorkspaceError, OSError) as error:
                    self._parts.notice(f"The instruction stays in {path.name}: {error}")
                except LogError:
                    log.exception("the log failed while an instruction was taken out of %s", path)
                    return

    async def _take_out(
        self, path: Path, comments: Sequence[InstructionComment], signal: AbortSignal
    ) -> None:
        workspace = self._parts.workspace
        resolved = workspace.resolve(str(path), for_write=True)
        if not await workspace.exists(resolved):
            return
        recompute = self._recompute(comments)
        change = await computed(recompute, await workspace.read(resolved))
        for _ in range(_ASKED_AT_MOST):
            if change.new_text == change.old_text:
                return
            title = f"Take the instruction out of {change.path.display} (+{change.added} −{change.removed})"
            proposal = replace(ChangeProposal.of([change]), title=title)
            allowed = await self._allowed(proposal, comments, signal)
            if allowed is None:
                return
            try:
                context = ToolContext(_NO_CALL, signal, lambda _: None, allowed)
                await carry_out(workspace, allowed, recompute, context)
                return
            except ProposalSuperseded as superseded:
                assert isinstance(superseded.proposal, ChangeProposal)
                change = superseded.proposal.changes[0]

    def _recompute(self, comments: Sequence[InstructionComment]) -> Recompute:
        workspace = self._parts.workspace

        def make(snapshot: Snapshot) -> FileChange:
            text = snapshot.as_text()
            new = text.rewrite(unmarked(text.text, comments))
            path = snapshot.path
            protected, held = workspace.rules.protected(path), workspace.held_by(path)
            return edition(snapshot, new, protected=protected, held=held)

        return make

    async def _allowed(
        self, proposal: ChangeProposal, comments: Sequence[InstructionComment], signal: AbortSignal
    ) -> ChangeProposal | None:
        """The proposal that may be carried out, perhaps revised by the user; None for a no."""
        name = proposal.changes[0].path.display
        edits = [{"oldText": comment.text, "newText": ""} for comment in comments]
        pending = PendingCall(ToolCall(_NO_CALL, "edit", ""), {"path": name, "edits": edits}, proposal)
        leave = await self._leave(pending, signal)
        denial = self._denials.pop(_NO_CALL, None)
        if isinstance(leave, Allow):
            assert leave.proposal is None or isinstance(leave.proposal, ChangeProposal)
            return leave.proposal or proposal
        if isinstance(leave, Stop):
            self._stop()
        elif denial is not None and denial.by != "user":
            self._parts.notice(f"The instruction stays in {name}: {denial.reason}")
        return None
