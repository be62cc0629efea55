"""Glob patterns over paths with `/`, compiled to regular expressions that match in bounded time.

`*` and `?` stop at `/`; `**`, as a component of its own, spans components; `[…]`, `{a,b}` and `\\` work as in a shell.
"""

import re
from functools import lru_cache

from steersman.workspace.errors import WorkspaceError

MAX_PATTERN = 1000
"""Longest pattern, in characters."""
MAX_ALTERNATIVES = 256
"""Most patterns that the braces of one pattern may expand to."""
_ANY_FOLDERS = "(?:[^/]++/)*"


class GlobError(WorkspaceError):
    """The pattern is too long or expands to too much."""


@lru_cache(maxsize=512)
def compile_glob(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """A regular expression whose `fullmatch` accepts the paths that `pattern` covers.

    Raises:
        GlobError: it is longer than MAX_PATTERN, or its braces expand to more than MAX_ALTERNATIVES.
    """
    alternatives = "|".join(_translate(one) for one in expand_braces(pattern))
    return re.compile(f"(?s:{alternatives})", re.IGNORECASE if ignore_case else 0)


def expand_braces(pattern: str) -> list[str]:
    """`a{b,c}` as `ab` and `ac`. A brace without its partner or without a comma is literal.

    Raises:
        GlobError: see `compile_glob`.
    """
    if len(pattern) > MAX_PATTERN:
        raise GlobError(f"the pattern is longer than {MAX_PATTERN} characters")
    done: list[str] = []
    waiting = [(pattern, 0)]
    while waiting:
        text, start = waiting.pop()
        found = _first_brace(text, start)
        if found is None:
            done.append(text)
        else:
            opening, closing, parts = found
            if len(parts) == 1:
                waiting.append((text, opening + 1))
            else:
                head, tail = text[:opening], text[closing + 1 :]
                waiting.extend((head + part + tail, opening) for part in reversed(parts))
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            raise GlobError(f"the braces of the pattern expand to more than {MAX_ALTERNATIVES} patterns")
    return done


def _first_brace(text: str, start: int) -> tuple[int, int, list[str]] | None:
    """The first balanced `{…}` from `start`: where it opens and closes, and its parts."""
    opening = start
    while (opening := _find_plain(text, "{", opening)) >= 0:
        depth, part_start, parts, index = 0, opening + 1, list[str](), opening
        while index < len(text):
            char = text[index]
            if char == "\\":
                index += 1
            elif char == "{":
                depth += 1
            elif char == "," and depth == 1:
                parts.append(text[part_start:index])
                part_start = index + 1
            elif char == "}":
                depth -= 1
                if depth == 0:
                    return opening, index, [*parts, text[part_start:index]]
            index += 1
        opening += 1
    return None


def _find_plain(text: str, char: str, start: int) -> int:
    """The first `char` from `start` on without a backslash before it; -1 if there is none."""
    while (found := text.find(char, start)) > 0 and text[found - 1] == "\\":
        start = found + 1
    return found


def _translate(pattern: str) -> str:
    """What stands between two `**` is matched at its first place for good, as in `_component`: it is always the same
    number of components, so that a later place could only leave less to what follows."""
    segments: list[list[str]] = [[]]
    for component in pattern.split("/"):
        if component != "**":
            segments[-1].append(_component(component))
        elif segments[-1] or len(segments) == 1:
            segments.append([])
    first, last = segments[0], segments[-1]
    if len(segments) == 1:
        return "/".join(first)
    start = "".join(f"{component}/" for component in first)
    middle = "".join(f"(?>{_ANY_FOLDERS}?{'/'.join(segment)}/)" for segment in segments[1:-1])
    # At the end: everything below, at least one component.
    return start + middle + (f"{_ANY_FOLDERS}{'/'.join(last)}" if last else ".+")


def _component(component: str) -> str:
    """One component. Text between two stars is matched where it first occurs, without backtracking into it."""
    chunks = [""]
    index = 0
    while index < len(component):
        char = component[index]
        index += 1
        if char == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
        elif char == "?":
            chunks[-1] += "[^/]"
        elif char == "[" and (closing := _class_end(component, index)) is not None:
            chunks[-1] += _character_class(component[index:closing])
            index = closing + 1
        elif char == "\\" and index < len(component):
            chunks[-1] += re.escape(component[index])
            index += 1
        else:
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[1:-1])
    return f"{chunks[0]}{middle}[^/]*{chunks[-1]}"


def _class_end(text: str, start: int) -> int | None:
    """Where the `]` is that closes a class whose contents begin at `start`."""
    first = start + 1 if text[start : start + 1] in ("!", "^") else start
    found = text.find("]", first + 1)
    return None if found < 0 else found


def _character_class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    items: list[str] = []
    index = 0
    while index < len(body):
        first = last = body[index]
        if index + 2 < len(body) and body[index + 1] == "-":
            last = body[index + 2]
            index += 2
        if first > last:
            return "(?!)"  # an empty range such as [z-a]
        items.append(re.escape(first) if first == last else f"{re.escape(first)}-{re.escape(last)}")
        index += 1
    return f"(?!/)[{'^' if negated else ''}{''.join(items)}]"
