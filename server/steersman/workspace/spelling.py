"""Names that differ only in their Unicode form: models write é as one character, some systems as two."""

import os
import unicodedata
from collections.abc import Iterable


def existing_spelling(path: str) -> str:
    """An absolute path, with each name that isn't there replaced by the one existing name that differs from it only in
    its Unicode form. Links and `..` are left as they are."""
    if path.isascii() or os.path.lexists(path):
        return path
    names = [name for name in path.split("/") if name]
    spelled = ""
    for index, name in enumerate(names):
        existing = name if name.isascii() else _existing_name(spelled, name)
        if existing is None:  # nor is there anything below it
            return "/".join((spelled, *names[index:]))
        spelled = f"{spelled}/{existing}"
    return spelled


def _existing_name(folder: str, name: str) -> str | None:
    if os.path.lexists(f"{folder}/{name}"):
        return name
    try:
        return same_name(name, os.listdir(folder or "/"))  # noqa: PTH208  (paths are not needed)
    except OSError:
        return None


def composed(text: str) -> str:
    """Equal for all Unicode forms of a text."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def same_name(name: str, among: Iterable[str]) -> str | None:
    """The one of `among` that is `name`, perhaps in another Unicode form; None: there is none, or several."""
    wanted = composed(name)
    same = [other for other in among if composed(other) == wanted]
    if name in same:
        return name
    return same[0] if len(same) == 1 else None
