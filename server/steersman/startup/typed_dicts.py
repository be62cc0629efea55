"""Defers the `TypedDict`s of one module until somebody asks for the keys of one.

Before Python 3.14 each annotation that is text is compiled when its class is made. A deferred class keeps it as text,
which `get_type_hints` reads alike. pydantic has 90 such classes, which describe schemas to type checkers.
"""

import logging
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from steersman.startup.skeletons import defer, make, passes_trial, placeholders

# Each module takes it from where it is complete for its Python, and so does pydantic. They are two implementations.
if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__required_keys__", "__optional_keys__", "__readonly_keys__", "__mutable_keys__", "__total__", "__closed__",
    "__extra_items__", "__orig_bases__",
))  # fmt: skip


class _Maker:
    """Makes the classes of typed dictionaries, as their metaclass does, or defers them."""

    def __init__(self) -> None:
        self.meta: Any = type(cast("Any", TypedDict)("Probe", {}))
        self._new = self.meta.__new__

    def now(
        self, name: str, bases: tuple[type, ...], namespace: dict[str, Any], options: dict[str, Any]
    ) -> type:
        for base in bases:
            make(base)  # the metaclass reads its namespace, which no placeholder notices
        made: type = self._new(self.meta, name, bases, dict(namespace), **options)
        return made

    def later(
        self, name: str, bases: tuple[type, ...], namespace: dict[str, Any], options: dict[str, Any]
    ) -> type:
        cls: type = type.__new__(self.meta, name, (dict,), {**_ADDED, **namespace})
        defer(cls, lambda: self.now(name, bases, namespace, options))
        return cls


@contextmanager
def deferred_typed_dicts(module: str) -> Iterator[None]:
    """Within the context, those of the module are deferred; those of others are made at once."""
    maker = _Maker()
    if not _is_familiar(maker):
        logger.info("TypedDict is not as expected: none is deferred.")
        yield
        return

    (bare,) = types.resolve_bases((TypedDict,))

    def new(_: type, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> type:
        simple = bases == (bare,) and "__annotations__" in namespace
        ours = simple and namespace.get("__module__") == module
        return (maker.later if ours else maker.now)(name, bases, namespace, options)

    known = maker.meta.__new__
    maker.meta.__new__ = new
    try:
        yield
    finally:
        maker.meta.__new__ = known


def _is_familiar(maker: _Maker) -> bool:
    """Whether the metaclass makes of a typed dictionary what this module expects."""
    names = {"__module__": __name__, "__qualname__": "Probe", "__annotations__": {"number": "int"}}
    bases: tuple[type, ...] = ()
    return passes_trial(
        lambda: maker.later("Probe", bases, names, {"total": False}),
        lambda: maker.now("Probe", bases, names, {"total": False}),
    )
