"""Finds the session, or the message of one, that a word on the command line names."""

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.session.errors import SessionError
from steersman.session.listing import newest_first, own_folder, read_header

if TYPE_CHECKING:
    from steersman.session.home import Home

_SHOWN = 5


class NoSuchName(SessionError):
    """No id fits, or several do."""


def session_named(home: "Home", word: str) -> str:
    """The id of the session that `word` names: an id or the beginning of one, with or without `ses_`.

    Raises:
        NoSuchName: no id fits, or several do.
    """
    return named(word, [path.stem for path in newest_first(home.sessions)], "session")


def named(word: str, ids: Sequence[str], what: str) -> str:
    """The id that `word` names: one of `ids` or the beginning of one, with or without its prefix (`ses_`).

    Args:
        what: what the ids are of, for messages.

    Raises:
        NoSuchName: no id fits, or several do.
    """
    if word in ids:
        return word
    found = [each for each in ids if word and (each.startswith(word) or _tail(each).startswith(word))]
    if len(found) == 1:
        return found[0]
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise NoSuchName(f"Several {what}s begin with {word}: {', '.join(found[:_SHOWN])}{more}.")
    near = difflib.get_close_matches(word, [*ids, *map(_tail, ids)], _SHOWN, 0.6)
    meant = list(dict.fromkeys(each for each in ids if each in near or _tail(each) in near))
    hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
    raise NoSuchName(f"There is no {what} {word}.{hint}")


def _tail(name: str) -> str:
    return name.partition("_")[2] or name


def folder_of(home: "Home", session: str) -> Path | None:
    """The folder in which a session was begun; None if there was none, or if its log can't be read."""
    header = read_header(home.sessions / f"{session}.jsonl")
    folder = own_folder(header) if header is not None else None
    return Path(folder) if folder else None


def in_short(path: str | Path) -> str:
    """A path as people write it, with ~ for the user's home."""
    text, home = str(path), os.path.expanduser("~").rstrip("/")  # noqa: PTH111 - Path.home() raises without one
    return f"~{text[len(home) :]}" if home and (text == home or text.startswith(f"{home}/")) else text
