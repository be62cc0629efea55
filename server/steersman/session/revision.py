"""A proposal as the user revises it before accepting: with other text, or with only some of its hunks.

The result has the same base as the proposal, so a file that has changed meanwhile is noticed as usual.
"""

from collections.abc import Collection, Mapping

from steersman.session.approvals import Answer
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.errors import ChangeRefused


def revised(proposal: ChangeProposal, answer: Answer) -> ChangeProposal:
    """The proposal as an answer's `edited` or `hunks` has it; its digest is the same if that changes nothing.

    Raises:
        WorkspaceError: a file or hunk is unknown, the text can't be in that file, or nothing would be left to do.
    """
    edited = answer.edited
    if edited is None:
        result = _chosen(proposal, answer.hunks or ())
    else:
        result = _without_unchanged(proposal.rewritten(_edited(proposal, edited)))
    for change in result.changes:
        if change.kind == "edit" and change.new_text == change.old_text:
            raise ChangeRefused(f"{change.path.display} would stay as it is. To leave it alone, decline.")
    return result


def _without_unchanged(proposal: ChangeProposal) -> ChangeProposal:
    """Leaves out the files that the user has made what they were, unless it is all of them."""
    same = [
        str(change.path.path)
        for change in proposal.changes
        if change.kind == "edit" and change.new_text == change.old_text
    ]
    return proposal.rewritten({}, same) if 0 < len(same) < len(proposal.changes) else proposal


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


def _chosen(proposal: ChangeProposal, ids: Collection[str]) -> ChangeProposal:
    """The proposal with only these hunks. A file with none of them stays as it is; a change without hunks, such as a
    move, is still made."""
    all_hunks = proposal.hunks()
    known = [hunk.id for own in all_hunks for hunk in own]
    unknown = sorted(set(ids).difference(known))
    if unknown:
        raise ChangeRefused(
            f"No such hunk: {', '.join(unknown)}. The hunks of this question: {', '.join(known)}."
        )
    texts: dict[str, str] = {}
    left_out: list[str] = []
    for change, own in zip(proposal.changes, all_hunks, strict=True):
        path, chosen = str(change.path.path), [hunk.id for hunk in own if hunk.id in ids]
        if own and not chosen:
            left_out.append(path)
        elif len(chosen) < len(own):
            texts[path] = change.with_hunks(chosen, own).new_text
    if len(left_out) == len(proposal.changes):
        raise ChangeRefused(f"No hunk of {_names(proposal)} is chosen. To leave it alone, decline.")
    return proposal.rewritten(texts, left_out)


def _names(proposal: ChangeProposal) -> str:
    return ", ".join(change.path.display for change in proposal.changes)
