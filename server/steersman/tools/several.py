"""A proposal of several files: checked as a whole, then made and reported file by file.

All files are checked once more before the first is touched: until something is written, the whole proposal can be asked
about again, or refused. After that, a failure with one file ends the call: that file and those after it stay as they
are, and the result says so.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import ProposalSuperseded, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import ABORTED, MAX_ERROR, clipped, count, expected_failures
from steersman.tools.changing import (
    Recompute,
    as_it_would_be,
    carry_out,
    details_of,
    told,
    with_what_came_of_it,
)
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, same_effect
from steersman.workspace.ports import Applied, Workspace
from steersman.workspace.roots import ResolvedPath

RecomputeOf = Callable[[ResolvedPath], Recompute]
"""How the change of a file is recomputed on another base."""
_LEAST_ERROR = 300
"""Characters of the error of one file at least, however many there are."""


@dataclass(slots=True)
class Made:
    """What has become of a proposal."""

    changes: list[tuple[ChangeProposal, FileChange, Applied]] = field(default_factory=list)
    """What was written, in order, each with its part of the proposal."""
    failure: str | None = None
    """What went wrong with the file after these."""
    untried: list[FileChange] = field(default_factory=list)
    left_out: list[FileChange] = field(default_factory=list)
    """What the user rejected."""

    @property
    def number(self) -> int:
        """The number of files that were to be changed."""
        return len(self.changes) + len(self.untried) + (self.failure is not None)


async def carry_out_all(
    workspace: Workspace, proposal: ChangeProposal, recompute: RecomputeOf, context: ToolContext
) -> Made:
    """Makes the changes one after the other, each recomputed if its base has moved.

    Raises:
        ProposalSuperseded: a change would now do something else than what was approved; nothing was changed.
        ToolError: a change can't be made on what is there now; nothing was changed.
    """
    proposal = await _on_what_is_there(workspace, proposal, recompute, context.signal)
    made = Made(left_out=_left_out(proposal))
    for number, change in enumerate(proposal.changes):
        rest = proposal.changes[number + 1 :]
        name = change.path.display
        try:
            if context.signal.aborted and made.changes:
                raise ToolError(f"{name} is unchanged: {ABORTED}.")
            with expected_failures():
                part = proposal.part(change)
                done = await carry_out(workspace, part, recompute(change.path), context)
                made.changes.append((part, *done))
        except ProposalSuperseded as superseded:
            if not made.changes:
                assert isinstance(superseded.proposal, ChangeProposal)
                raise ProposalSuperseded(proposal.moved([*superseded.proposal.changes, *rest])) from None
            made.failure = (
                f"{name} was changed by somebody else meanwhile, so that the edit would do something else than what "
                "was approved. It was left as it is."
            )
        except asyncio.CancelledError:
            if not (context.signal.aborted and made.changes):
                raise
            # Its time after the abort is up, but what was written before has to be reported.
            made.failure = f"{name}: {ABORTED} while it was being changed. Read it to see whether it was."
        except ToolError as error:
            said = str(error)
            if not made.changes:
                raise error if context.signal.aborted else _first_failed(said, len(rest)) from error
            made.failure = said if name in said else f"{name}: {said}"
        if made.failure is not None:
            made.untried = list(rest)
            break
    return made


async def _on_what_is_there(
    workspace: Workspace, proposal: ChangeProposal, recompute: RecomputeOf, signal: AbortSignal
) -> ChangeProposal:
    """The same proposal on its files as they are now. Raises what `carry_out_all` raises."""
    now: list[FileChange] = []
    faults: list[str] = []
    for change in proposal.changes:
        try:
            with expected_failures():
                part = proposal.part(change)
                now.append(await as_it_would_be(workspace, part, recompute(change.path), signal))
        except ToolError as error:
            if signal.aborted:
                raise
            faults.append(str(error))
    if faults:
        raise nothing_changed(faults, len(proposal.changes))
    moved = proposal.moved(now)
    if not all(map(same_effect, proposal.changes, now)):
        raise ProposalSuperseded(moved)
    return moved


def nothing_changed(faults: Sequence[str], number: int, fit: Sequence[str] = ()) -> ToolError:
    """The error for a call on `number` files with these `faults`, one for each file. The edits of the files `fit` are
    fine."""
    room = max(_LEAST_ERROR, (MAX_ERROR - 500) // len(faults))
    lines = [
        f"Nothing was changed in any of the {number} files, since the edits of {len(faults)} of them can't be made:",
        *(f"- {clipped(fault, room)}" for fault in faults),
    ]
    if fit:
        lines.append(
            f"The edits of {', '.join(fit)} are fine. Correct the others and send the whole call again."
        )
    return ToolError("\n".join(lines))


def _first_failed(said: str, others: int) -> ToolError:
    """The error of the first file tried, which says what became of that file."""
    rest = "The other file was" if others == 1 else f"The other {others} files were"
    return ToolError(f"{said}\n{rest} not tried after that: unchanged." if others else said)


async def result_of(made: Made, signal: AbortSignal) -> ToolResult:
    """What was done, file by file. It is an error if something that was approved was not done."""
    applied = await asyncio.gather(*(with_what_came_of_it(each, signal) for _, _, each in made.changes))
    number = len(made.changes)
    texts = [
        await asyncio.to_thread(told, part, change, each, of=number)
        for (part, change, _), each in zip(made.changes, applied, strict=True)
    ]
    text = "\n\n".join([_head(made), *texts])
    details = {"changes": [details_of(change) for _, change, _ in made.changes]}
    return text_result(text, is_error=made.failure is not None, details=details)


def _head(made: Made) -> str:
    added = sum(change.added for _, change, _ in made.changes)
    removed = sum(change.removed for _, change, _ in made.changes)
    counts = f"(+{added} −{removed})"
    if made.failure is None:
        lines = [f"Changed {count(len(made.changes), 'file')} {counts}."]
    else:
        lines = [
            f"Only {len(made.changes)} of {made.number} files changed as approved {counts}. The others:",
            f"- {made.failure}",
        ]
        lines += [
            f"- {change.path.display} was not tried after that; it is unchanged." for change in made.untried
        ]
        lines.append("Read these files, and make their edits in a new call.")
    lines += [
        f"The user did not want the change of {change.path.display}: it was left as it is."
        for change in made.left_out
    ]
    return "\n".join(lines)


def _left_out(proposal: ChangeProposal) -> list[FileChange]:
    if proposal.original is None:
        return []
    kept = {change.path.path for change in proposal.changes}
    return [change for change in proposal.original.changes if change.path.path not in kept]
