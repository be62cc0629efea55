"""What the user makes of a proposal before accepting it: other text, or only some of its hunks.

The result stands on the same base as the proposal, so that a file that has moved meanwhile is noticed as ever.
"""

from collections.abc import Collection, Mapping

from steersman.session.approvals import Answer
from steersman.workspace.changes import ChangeProposal, FileChange
from steersman.workspace.errors import ChangeRefused


def revised(proposal: ChangeProposal, answer: Answer) -> ChangeProposal:
    """The proposal as an answer's `edited` or `hunks` has it; its digest is the same if that changes nothing.

    Raises:
        WorkspaceError: a file or hunk is unknown, the text can't be in that file, or nothing would be left to do.
    """
    edited = answer.edited
    texts = _chosen(proposal, answer.hunks or ()) if edited is None else _edited(proposal, edited)
    result = proposal.rewritten(texts)
    for change in result.changes:
        if change.kind == "edit" and change.new_text == change.old_text:
            raise ChangeRefused(f"{change.path.display} would stay as it is. To leave it alone, decline.")
    return result


def _edited(proposal: ChangeProposal, edited: Mapping[str, str]) -> dict[str, str]:
    """The texts by path."""
    changes = {change.path.path.as_uri(): change for change in proposal.changes}
    unknown = [uri for uri in edited if uri not in changes]
    if unknown:
        raise ChangeRefused(f"{unknown[0]} is no file of this question; it is about {', '.join(changes)}.")
    for uri, text in edited.items():
        if "\0" in text:
            name = changes[uri].path.display
            raise ChangeRefused(
                f"The text of {name} holds a NUL character, which would make the file binary."
            )
    return {str(changes[uri].path.path): text for uri, text in edited.items()}


def _chosen(proposal: ChangeProposal, ids: Collection[str]) -> dict[str, str]:
    """The texts by path, of the files of which not all hunks are chosen."""
    hunks = {str(change.path.path): [hunk.id for hunk in change.hunks()] for change in proposal.changes}
    known = [each for own in hunks.values() for each in own]
    unknown = sorted(set(ids).difference(known))
    if unknown:
        raise ChangeRefused(
            f"No such hunk: {', '.join(unknown)}. The hunks of this question: {', '.join(known)}."
        )
    texts = {}
    for change in proposal.changes:
        own = hunks[str(change.path.path)]
        if any(each not in ids for each in own):
            texts[str(change.path.path)] = _part(change, [each for each in own if each in ids])
    return texts


def _part(change: FileChange, ids: Collection[str]) -> str:
    if not ids:
        raise ChangeRefused(f"No hunk of {change.path.display} is chosen. To leave it alone, decline.")
    return change.with_hunks(ids).new_text
