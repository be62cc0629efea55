"""How deep JSON from outside may be nested.

Python's own limit depends on its version and on how deep its caller is. What one version refuses, another would pass on
to code that can't handle it.
"""

from typing import Final

MOST_LEVELS: Final = 500
"""Lists and objects in each other: far more than anybody means, and few enough for every encoder."""

MOST_READ: Final = 1024
"""Levels that JSON is read to at all. orjson has this limit; what only the standard library reads gets the same."""


def is_too_deep(value: object, most: int = MOST_LEVELS) -> bool:
    """Whether a JSON value has more than `most` lists and objects in each other. Doesn't recurse."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(each, dict | list) for each in level)
