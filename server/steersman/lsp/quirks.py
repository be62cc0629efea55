"""What is known of clients by their names: only what no capability tells, and what was seen.

One table. The code takes flags from it, `protocol.md` its rows; whatever can be seen in a client's answers, texts or
capabilities is not in it.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a client does and does not say."""

    document_changes: bool = False
    """It takes `documentChanges`, and then checks versions, though it doesn't declare them."""
    least_version: int = 0
    """A lower version in an edit switches its check off."""
    hides_errors: bool = False
    """It only logs the error of a command."""
    number_prompt: bool = False
    """Its own prompt for a choice takes numbers from what is being typed into the buffer at that moment."""


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that one client does. For people, but for `flag` and `value`."""

    client: str
    """`clientInfo.name`; its case doesn't count."""
    versions: str
    """Those in which it was seen; it is taken to hold for all."""
    flag: str
    """The field of `Quirks` that it sets."""
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
    """Those of the client of a name; of one that isn't known, none."""
    name = client.lower()
    return Quirks(**{each.flag: each.value for each in TABLE if each.client.lower() == name})  # type: ignore[arg-type]  # by the table
