"""The `TypedDict`s of one module, put off until somebody asks for the keys of one.

Before Python 3.14 each annotation that is text is compiled when its class is made; here it stays text, which
`get_type_hints` reads the same. pydantic has 90 such classes, which describe schemas to type checkers.
"""

import logging
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from typing_extensions import TypedDict

from steersman.startup.skeletons import is_true_to, make, placeholders, put_off

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__required_keys__", "__optional_keys__", "__readonly_keys__", "__mutable_keys__", "__total__", "__closed__",
    "__extra_items__", "__orig_bases__",
))  # fmt: skip


class _Maker:
    """How the classes of typed dictionaries are made, by their metaclass, and how they are put off."""

    def __init__(self) -> None:
        self.meta: Any = type(cast("Any", TypedDict)("Probe", {}))
        self._new = self.meta.__new__

    def now(
        self, name: str, bases: tuple[type, ...], namespace: dict[str, Any], options: dict[str, Any]
    ) -> type:
        for base in bases:
            make(base)  # its namespace is read, without a look at its attributes
        made: type = self._new(self.meta, name, bases, dict(namespace), **options)
        return made

    def later(
        self, name: str, bases: tuple[type, ...], namespace: dict[str, Any], options: dict[str, Any]
    ) -> type:
        cls: type = type.__new__(self.meta, name, (dict,), {**_ADDED, **namespace})
        put_off(cls, lambda: self.now(name, bases, namespace, options))
        return cls


@contextmanager
def deferred_typed_dicts(module: str) -> Iterator[None]:
    """Meanwhile those of the module are put off; those of others are made as always."""
    maker = _Maker()
    if not _is_familiar(maker):
        logger.info("TypedDict is not as it was known: none is put off.")
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
    """Whether typed dictionaries become what this module takes them to become."""
    names = {"__module__": __name__, "__qualname__": "Probe", "__annotations__": {"number": "int"}}
    bases: tuple[type, ...] = ()
    deferred = maker.later("Probe", bases, names, {"total": False})
    return is_true_to(deferred, maker.now("Probe", bases, names, {"total": False}))
