"""What is known of clients by name. Only observed behaviour that neither capabilities nor answers reveal.

There is one table: the code takes its flags, `protocol.md` shows its rows.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a client does without declaring it."""

    document_changes: bool = False
    """It accepts `documentChanges`, and then checks versions, although it doesn't declare the capability."""
    least_version: int = 0
    """An edit with a lower version is not checked."""
    hides_errors: bool = False
    """It only logs errors of commands."""
    number_prompt: bool = False
    """Its prompt for a choice takes digits that the user is typing into the buffer at that moment."""


@dataclass(frozen=True, slots=True)
class Known:
    """One habit of one client. Only `flag` and `value` are for the code, the rest is for people."""

    client: str
    """`clientInfo.name`, in any case."""
    versions: str
    """The versions in which it was observed. It is assumed for all versions."""
    flag: str
    """The field of `Quirks` that is set."""
    value: bool | int
    differs: str
    seen: str
    """How it is known."""


TABLE: Final = (
    Known(
        "Neovim",
        "0.11.4, 0.12-dev",
        "document_changes",
        True,
        "does not declare `documentChanges`, takes them and then checks the version: without one an edit of a text "
        "that has moved on is made in the wrong place",
        "running",
    ),
    Known(
        "Neovim",
        "0.11.4, 0.12-dev",
        "least_version",
        1,
        "opens documents with version 0, and takes a version of 0 in an edit for none; an edit says at least 1",
        "running",
    ),
    Known(
        "Neovim",
        "0.11.4, 0.12-dev",
        "number_prompt",
        True,
        "its own prompt for a choice takes digits and Enter that are typed into the buffer just then: no choice "
        "decides anything, a code action or a command does",
        "running",
    ),
    Known(
        "helix",
        "25.7.1",
        "hides_errors",
        True,
        "only logs the error of a command: it is shown as a message too",
        "in its source",
    ),
)


def quirks_of(client: str) -> Quirks:
    """The quirks of the client with this name; none if it isn't known."""
    name = client.lower()
    return Quirks(**{each.flag: each.value for each in TABLE if each.client.lower() == name})  # type: ignore[arg-type]  # by the table
