"""Awkward habits of LSP clients as switches. Each was seen in a real editor, or is to be feared."""

from dataclasses import dataclass, fields
from typing import Any

HABITS: dict[str, tuple[Any, ...]] = {
    "rich": (True, False),
    "approval": (False, True),
    "encoding": ("utf-16", "utf-8", "utf-32"),
    "edits": (
        "checks",  # the version, as VS Code, Helix and Sublime do
        "checks silently",  # and gives no reason
        "claims",  # Neovim: not made where the buffer is newer, and answered with applied: true; 0 is not checked
        "fails",  # eglot: a stale version is a JSON-RPC error
        "ignores",  # the version
        "rebases",  # Zed: made on the snapshot of that version, always applied: true
        "refuses",
        "breaks",  # every edit is a JSON-RPC error
        "says null",
        "is silent",  # and does nothing
        "does it silently",
        "answers nonsense",  # and does it
        "only after an action",  # Kate: within two seconds of a code action's command
        "misplaces",  # by a line
    ),
    "tells": ("before", "after", "late", "with typing"),
    "debounces": (False, True),
    "versions": ("counted", "from zero", "null", "missing"),
    "document_changes": (True, False),
    "applies": (True, True, True, False),
    "operations": ("none", "does", "does untold", "refuses", "claims"),
    "reloads": (True, False),
    "answers": ("item", "title"),
    "withdrawn": ("taken away", "stays", "an error"),
    "shows": ("tells", "silently", "refuses", "never", "fails", "claims"),
    "progress": ("takes", "refuses", "never answers"),
    "twice": (False, True),
    "slow": ("no", "in order", "backwards"),
}
"""Every switch and its values; the first is that of a client that behaves."""

BLIND = ("ignores", "misplaces", "claims")
"""They may make an edit where it was not meant to be, as does every client for an edit without a version."""


@dataclass(frozen=True)
class Habits:
    """One client. See `HABITS`."""

    rich: bool = True
    """It names an event token."""
    approval: bool = False
    """It has negotiated `steersman/requestApproval`."""
    encoding: str = "utf-16"
    edits: str = "checks"
    tells: str = "before"
    """When didChange comes after an edit: before or after the answer, late, or with what its user types meanwhile."""
    debounces: bool = False
    """It tells of what its user types when the user pauses."""
    versions: str = "counted"
    document_changes: bool = True
    applies: bool = True
    operations: str = "none"
    """What it does when it is to delete or to rename a file."""
    reloads: bool = True
    """It loads a clean buffer's file again when that has changed."""
    answers: str = "item"
    """What it answers to a question: the item, or its title alone."""
    withdrawn: str = "taken away"
    """What becomes of a question that the server takes back: gone without an answer, still to be clicked at, or
    answered with an error."""
    shows: str = "tells"
    """What it does to show a document."""
    progress: str = "takes"
    twice: bool = False
    """It sends every answer twice."""
    slow: str = "no"
    """Its answers about edits wait until it comes to them, the last first if need be."""

    def __repr__(self) -> str:
        odd = {
            each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default
        }
        return f"Habits({', '.join(f'{name}={value!r}' for name, value in odd.items())})"

    @property
    def name(self) -> str:
        """By which the server knows it."""
        return "Neovim" if self.edits == "claims" else "somebody's"

    def capabilities(self) -> dict[str, Any]:
        edits: dict[str, Any] = {"documentChanges": self.document_changes}
        if self.operations != "none":
            edits["resourceOperations"] = ["create", "rename", "delete"]
        return {"applyEdit": self.applies, "workspaceEdit": edits}
