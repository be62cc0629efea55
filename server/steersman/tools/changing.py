"""What edit, write, delete and move share: applying a change whose base may have moved, and reporting it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json
from steersman.agent.tool import ProposalSuperseded, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import ABORTED, clipped, with_notes
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, rebased, same_effect
from steersman.workspace.diff import unified_diff
from steersman.workspace.ports import Applied, BaseMoved, Snapshot, Workspace
from steersman.workspace.roots import ResolvedPath

ATTEMPTS = 20
"""How often an edit is recomputed if the file changes between the computation and the lock. If several runs edit a file
at once, one of them succeeds in each round: this is also how many may do so."""
INLINE_CHARACTERS = 100_000
"""Texts up to this length are compared on the event loop, longer ones in a thread."""
_DIFF_LINES = 120
_DIFF_LINE = 400
_DIFF_CHARACTERS = 12_000
_LEAST_LINES, _LEAST_CHARACTERS = 12, 600
"""What a diff may take at least, however many are in one result."""

Recompute = Callable[[Snapshot], FileChange]
"""Recomputes a change on another base. Raises what the first computation may raise."""

Amend = Callable[[FileChange], FileChange]
"""Adjusts every change of a text for the session, before anybody is asked about it. May be called in any thread."""


def unchanged(change: FileChange) -> FileChange:
    """The `Amend` that leaves a change as it is."""
    return change


async def computed(recompute: Recompute, snapshot: Snapshot) -> FileChange:
    """Calls `recompute` on the event loop or, for a long text, in a thread."""
    if snapshot.text is None or len(snapshot.text.text) <= INLINE_CHARACTERS:
        return recompute(snapshot)
    return await asyncio.to_thread(recompute, snapshot)


def approved(context: ToolContext) -> ChangeProposal | None:
    """The approved proposal, if there is one.

    Raises:
        ToolError: it is another tool's.
    """
    proposal = context.proposal
    if proposal is not None and not isinstance(proposal, ChangeProposal):
        raise ToolError("The approved proposal is another tool's.")
    return proposal


async def carry_out(
    workspace: Workspace, proposal: ChangeProposal, recompute: Recompute | None, context: ToolContext
) -> tuple[FileChange, Applied]:
    """Applies the single change of a proposal, recomputed if its base has moved. Without `recompute`, a moved base is
    an error.

    Raises:
        ProposalSuperseded: the change would now do something else than what was approved.
        ToolError: it can't be made on what is there now.
        WorkspaceError: see `Workspace.apply`.
    """
    change = proposal.changes[0]
    for _ in range(ATTEMPTS):
        if context.signal.aborted:
            raise ToolError(f"{ABORTED}; nothing was changed.")
        try:
            return change, await workspace.apply(change)
        except BaseMoved as moved:
            new = await _on_new_base(proposal, change, moved, recompute)
            if not same_effect(change, new):
                raise ProposalSuperseded(ChangeProposal.of([new], original=proposal.original)) from None
            change = new
    raise _keeps_changing(change)


async def as_it_would_be(
    workspace: Workspace, proposal: ChangeProposal, recompute: Recompute | None, signal: AbortSignal
) -> FileChange:
    """The single change of a proposal, recomputed if its base has moved. Nothing is touched. It may do something else
    than what was approved.

    Raises:
        ToolError: it can't be made on what is there now.
        WorkspaceError: see `Workspace.check`.
    """
    change = proposal.changes[0]
    for _ in range(ATTEMPTS):
        if signal.aborted:
            raise ToolError(f"{ABORTED}; nothing was changed.")
        try:
            await workspace.check(change)
        except BaseMoved as moved:
            change = await _on_new_base(proposal, change, moved, recompute)
        else:
            return change
    raise _keeps_changing(change)


def _keeps_changing(change: FileChange) -> ToolError:
    return ToolError(f"{change.path.display} keeps changing. This call changed nothing. Try again later.")


async def _on_new_base(
    proposal: ChangeProposal, change: FileChange, moved: BaseMoved, recompute: Recompute | None
) -> FileChange:
    current = moved.current
    if current is None:
        raise ToolError(
            f"{change.path.display} is gone: it was deleted or moved meanwhile. Nothing was changed."
        )
    if recompute is None or change.kind != "edit":
        what = "was made" if change.kind == "create" else "was changed"
        raise ToolError(
            f"{change.path.display} {what} by somebody else meanwhile. This call changed nothing: read it again, "
            "then decide."
        )
    again = recompute if proposal.original is None else lambda snapshot: rebased(change, snapshot)
    return await computed(again, current)


async def change_result(
    proposal: ChangeProposal, change: FileChange, applied: Applied, context: ToolContext
) -> ToolResult:
    """What was done: the change itself, so that the model need not read the file to see it, and what followed."""
    applied = await with_what_came_of_it(applied, context.signal)
    if len(change.old_text) + len(change.new_text) <= INLINE_CHARACTERS:
        text = told(proposal, change, applied)
    else:
        text = await asyncio.to_thread(told, proposal, change, applied)
    return text_result(text, details={"changes": [details_of(change)]})


async def with_what_came_of_it(applied: Applied, signal: AbortSignal) -> Applied:
    """`applied` with the notes that only come some time after the change."""
    if applied.afterwards is None:
        return applied
    return replace(applied, notes=(*applied.notes, *await applied.afterwards(signal)), afterwards=None)


def told(proposal: ChangeProposal, change: FileChange, applied: Applied, *, of: int = 1) -> str:
    """What the model is told about one change. A result tells of `of` changes, and each gets its share of the room."""
    shown = _Room(max(_LEAST_LINES, _DIFF_LINES // of), max(_LEAST_CHARACTERS, _DIFF_CHARACTERS // of))
    notes = list(applied.notes)
    if applied.created_directories:
        notes.append(f"Made the directories {', '.join(applied.created_directories)}")
    if applied.unsaved:
        notes.append("The change is in the editor and not saved yet: commands don't see it")
    body = _done(change)
    if applied.text is not None and applied.text != change.new_text:
        body += f"\n{_changed_further(change, applied.text, applied.changed_by_saving, shown)}"
    elif change.kind == "edit":
        body += f"\n{shown.bounded(change.diff(shown.lines))}"
    if proposal.original is not None:
        proposed = proposal.original.changes[0].new_text
        body += (
            "\nThe user changed your text before accepting it. What was written, compared with your text:\n"
        )
        body += shown.diff(change.path, proposed, change.new_text)
    return with_notes(body, notes)


def _changed_further(change: FileChange, now: str, by_saving: bool, shown: "_Room") -> str:
    """Who changed the text further, and how."""
    who = "The user changed the file meanwhile as well"
    if by_saving:
        who = "The editor changed the text further when it saved it"
    if now == change.old_text:
        return f"{who}: it is back to what it was before this change."
    return f"{who}. What is there now, compared with the text before:\n{shown.diff(change.path, change.old_text, now)}"


def _done(change: FileChange) -> str:
    name = change.path.display
    counts = f"(+{change.added} −{change.removed})"
    match change.kind:
        case "create":
            return f"Created {name} {counts}."
        case "edit":
            return f"Changed {name} {counts}:"
        case "delete":
            return f"Deleted {name}."
        case "move":
            return f"Moved {name} to {'' if change.target is None else change.target.display}."


@dataclass(frozen=True, slots=True)
class _Room:
    """The room for a diff in a result."""

    lines: int
    characters: int

    def diff(self, path: ResolvedPath, old: str, new: str) -> str:
        name = path.display.lstrip("/")
        return self.bounded(unified_diff(old, new, f"a/{name}", f"b/{name}", max_lines=self.lines))

    def bounded(self, diff: str) -> str:
        lines = [clipped(line, _DIFF_LINE) for line in diff.removesuffix("\n").split("\n")]
        return clipped("\n".join(lines), self.characters)


def details_of(change: FileChange) -> dict[str, Json]:
    """The change as the details of a result, which are for faces."""
    details: dict[str, Json] = {
        "kind": change.kind,
        "uri": change.path.path.as_uri(),
        "added": change.added,
        "removed": change.removed,
    }
    if change.target is not None:
        details["target"] = change.target.path.as_uri()
    return details
