"""The regular expressions that a package's modules keep, compiled when they are first used.

`re.compile` takes a tenth of a millisecond, and a module calls it when it is imported.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Later:
    """Stands in for a pattern, and has what it has as soon as that is wanted."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(_compiled(self), name)
        vars(self)[name] = value  # a method is found at once the next time
        return value

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # isinstance() asks for it, and re.sub() by that
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
    """Meanwhile those that the packages' modules make when they are imported are put off; others are made as always."""

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
