"""What a prepared call needs permission for, and how a question about it is shown; both from the tool's proposal."""

import functools
from collections.abc import Sequence

from steersman.agent.hooks import PendingCall
from steersman.session.approvals import FileView, Revise, ToolView
from steersman.session.policy import Need
from steersman.session.revision import revised
from steersman.session.wire import Data
from steersman.tools.proposals import AccessProposal, ClientToolProposal, CommandProposal
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange
from steersman.workspace.hunks import Hunk

MAX_DIFF_LINES = 2000
"""Lines of one file's diff in a question. If there are more, the diff says so."""


def needs_of(pending: PendingCall) -> tuple[Need, ...]:
    """One for each file of a change. Empty if the call changes nothing and reads nothing that needs a question."""
    proposal = pending.proposal
    if proposal is None:
        return ()
    if isinstance(proposal, CommandProposal):
        return (Need("command", command=proposal.command, names_denied=proposal.mentions),)
    if isinstance(proposal, ChangeProposal):
        several = len(proposal.changes) > 1
        return tuple(
            Need(
                change.kind,
                file=change.path.display if several else None,
                outside=change.outside,
                protected=change.protected,
                conflict=change.base is not None and change.base.conflict,
                held=change.held,
            )
            for change in proposal.changes
        )
    if isinstance(proposal, ClientToolProposal):
        return (Need("tool", tool=proposal.digest),)
    if isinstance(proposal, AccessProposal):
        return (Need("read", outside=True),)
    raise TypeError(f"a proposal of an unknown kind: {type(proposal).__name__}")


def unsaved_of(pending: PendingCall) -> tuple[str, ...]:
    """Displayed paths of the files whose newest text a command would not see."""
    return pending.proposal.unsaved if isinstance(pending.proposal, CommandProposal) else ()


def command_of(pending: PendingCall) -> tuple[str | None, str | None]:
    """The command and its directory, if the call is one."""
    proposal = pending.proposal
    return (proposal.command, proposal.cwd) if isinstance(proposal, CommandProposal) else (None, None)


def tool_of(pending: PendingCall) -> ToolView | None:
    """The editor's tool and its arguments, if the call is one of its own."""
    proposal = pending.proposal
    if not isinstance(proposal, ClientToolProposal):
        return None
    return ToolView(proposal.name, dict(proposal.arguments))


def views_of(pending: PendingCall) -> tuple[FileView, ...]:
    """The files of the call's proposal as a face shows them."""
    proposal = pending.proposal
    if not isinstance(proposal, ChangeProposal):
        return ()
    return tuple(_view(*each) for each in zip(proposal.changes, proposal.hunks(), strict=True))


def revision_of(pending: PendingCall) -> Revise | None:
    """How the call's proposal can be edited; None if it changes no file."""
    proposal = pending.proposal
    return functools.partial(revised, proposal) if isinstance(proposal, ChangeProposal) else None


def _view(change: FileChange, hunks: Sequence[Hunk]) -> FileView:
    diff = change.diff(MAX_DIFF_LINES)
    return FileView(
        uri=change.path.path.as_uri(),
        display=change.path.display,
        kind=change.kind,
        diff=diff,
        sha256=change.base_sha256,
        version=change.base.version if change.base is not None else None,
        hunks=tuple(map(_hunk, hunks)),
        added=change.added,
        removed=change.removed,
        whole=diff.count("\n") <= MAX_DIFF_LINES,
        old_text=change.old_text,
        new_text=change.new_text,
    )


def _hunk(hunk: Hunk) -> Data:
    """Line numbers from 1, as in the diff's own headers."""
    return {
        "id": hunk.id,
        "oldStart": hunk.old_start + 1,
        "oldLines": hunk.old_count,
        "newStart": hunk.new_start + 1,
        "newLines": hunk.new_count,
    }
