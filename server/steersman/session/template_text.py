"""The text of prompt templates: arguments split and quoted, `$1` and `$@` put in, the front matter read. Text only.

Front matter is a few lines of `key: value` between two lines of `---`, and no more of YAML than that: a value is the
rest of its line, with or without quotes around it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

KEYS = ("description", "argument-hint", "model", "mode")

_WORD = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+))""", re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
# Each begins at the first backslash of a row: a match tried at every one of them would take the square of the time.
_PLACE = re.compile(r"(?<!\\)(?:(\\*)\$(?:(\d{1,2}|@|ARGUMENTS\b)|\{(\d{1,2}|@|ARGUMENTS)\})|(\\+)(?=\$))")
_LINE = re.compile(r"([A-Za-z][A-Za-z-]*)[ \t]*:[ \t]*(.*)")


class TemplateError(ValueError):
    """A template can't be used. The text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Body:
    fields: dict[str, str]
    """Of the front matter, by key."""
    text: str


def split_arguments(text: str) -> list[str]:
    """Words, as a shell would have them: quotes around a word keep it together. A quote in a word is an apostrophe, and
    one that is never closed is a character like others: nothing of the text is lost, nothing is an error."""
    words = []
    for match in _WORD.finditer(text):
        double, single, bare = match.groups()
        words.append(_ESCAPE.sub(r"\1", double) if double is not None else bare if single is None else single)
    return words


def expand(text: str, arguments: str) -> str:
    """`text` with `$1` (`${1}`) for the first of the arguments and `$@` (`$ARGUMENTS`) for all of them as they were
    typed. One that is missing is empty. `\\$` is a dollar. What has no place for arguments gets them at its end."""
    words = split_arguments(arguments)
    placed = False

    def put(match: re.Match[str]) -> str:
        nonlocal placed
        backslashes = match[1] if match[4] is None else match[4]
        kept = "\\" * (len(backslashes) // 2)
        if match[4] is not None:
            return kept if len(backslashes) % 2 else backslashes
        if len(backslashes) % 2:
            return kept + match[0][len(backslashes) :]
        placed = True
        return kept + _argument(match[2] or match[3], words, arguments)

    expanded = _PLACE.sub(put, text)
    if placed or not arguments.strip():
        return expanded
    return f"{expanded.rstrip()}\n\n{arguments.strip()}"


def read_template(text: str) -> Body:
    """The parts of a template.

    Raises:
        TemplateError: the front matter is not closed, or holds something else than its keys.
    """
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return Body({}, text.removeprefix("\ufeff").strip())
    fields: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        stripped = line.strip()
        if stripped == "---":
            return Body(fields, "".join(lines[number:]).strip())
        if not stripped or stripped.startswith("#"):
            continue
        _read_field(stripped, number, fields)
    raise TemplateError("The front matter that line 1 opens is not closed: it ends with a line of ---.")


def _read_field(line: str, number: int, fields: dict[str, str]) -> None:
    found = _LINE.fullmatch(line)
    key = found[1].lower() if found else ""
    if found is None or key not in KEYS:
        what = f"{found[1]} is not a known key" if found else "this is not `key: value`"
        raise TemplateError(f"Line {number} of the front matter: {what}. Keys: {', '.join(KEYS)}.")
    if key in fields:
        raise TemplateError(f"Line {number} of the front matter: {key} is there twice.")
    fields[key] = _unquoted(found[2].strip())


def _unquoted(value: str) -> str:
    for mark in "\"'":
        if len(value) >= 2 and value.startswith(mark) and value.endswith(mark):
            return value[1:-1]
    return value


def _argument(place: str, words: Sequence[str], whole: str) -> str:
    if not place.isdecimal():
        return whole.strip()
    number = int(place)
    return words[number - 1] if 0 < number <= len(words) else ""
