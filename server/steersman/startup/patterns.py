"""Defers `re.compile` at the top of some packages' modules until a pattern is used.

A call takes a tenth of a millisecond, and each import makes some.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Later:
    """Stands in for a pattern, which is compiled when something of it is first used."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(_compiled(self), name)
        vars(self)[name] = value  # found without __getattr__ the next time
        return value

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # isinstance() reads it, and re.sub() and the like call isinstance()
        return re.Pattern

    def __repr__(self) -> str:
        return repr(_compiled(self))

    def __eq__(self, other: object) -> bool:
        return bool(_compiled(self) == (_compiled(other) if type(other) is _Later else other))

    def __hash__(self) -> int:
        return hash(_compiled(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return re.compile, self._arguments

    def __copy__(self) -> "_Later":
        return self

    def __deepcopy__(self, _: object) -> "_Later":
        return self


def _compiled(later: _Later) -> "re.Pattern[Any]":
    return _compile(*later._arguments)


_compile = re.compile


@contextmanager
def deferred_patterns(*packages: str) -> Iterator[None]:
    """Within the context, patterns at the top of these packages' modules are deferred; others are compiled at once."""

    def later(pattern: Any, flags: Any = 0) -> Any:
        caller = sys._getframe(1)
        of_module = caller.f_code.co_name == "<module>"
        ours = of_module and str(caller.f_globals.get("__name__")).partition(".")[0] in packages
        return (
            _Later(pattern, flags) if ours and isinstance(pattern, str | bytes) else _compile(pattern, flags)
        )

    re.compile = later
    try:
        yield
    finally:
        re.compile = _compile
