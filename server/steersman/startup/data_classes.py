"""`dataclass(slots=True)` of one package, put off until a class is used."""

import dataclasses
import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, get_origin

from steersman.startup.skeletons import Decorator, is_simple, is_true_to, placeholders, skeleton

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__init__", "__repr__", "__eq__", "__match_args__", "__replace__", "__doc__",
    "__dataclass_fields__", "__dataclass_params__",
))  # fmt: skip
_ADDED_IF_FROZEN = _ADDED | placeholders(
    ("__setattr__", "__delattr__", "__hash__", "__getstate__", "__setstate__")
)
_OPTIONS = ({"slots": True}, {"slots": True, "frozen": True})
"""Those of classes that are put off."""


@contextmanager
def deferred_dataclasses(package: str) -> Iterator[None]:
    """Meanwhile simple dataclasses of the package's modules are put off; those of others are made as always."""
    make = dataclasses.dataclass
    if not _is_familiar(make):
        logger.info("dataclasses are not as they were known: none is put off.")
        yield
        return

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        decorator: Callable[..., Any] = make(**options)

        def decorate(original: type) -> type:
            ours = original.__module__.startswith(f"{package}.") and options in _OPTIONS
            deferred = _deferred(original, decorator, frozen="frozen" in options) if ours else None
            return deferred or decorator(original)

        return decorate if cls is None else decorate(cls)

    dataclasses.dataclass = dataclass
    try:
        yield
    finally:
        dataclasses.dataclass = make


def _deferred(original: type, decorator: Decorator, *, frozen: bool) -> type | None:
    """The skeleton of a dataclass; None for a class that is not simple."""
    annotations = inspect.get_annotations(original)
    if not is_simple(original) or any(_is_special(kind) for kind in annotations.values()):
        return None
    fields = tuple(name for name, kind in annotations.items() if not _is_of_class(kind))
    return skeleton(original, decorator, fields=fields, added=_ADDED_IF_FROZEN if frozen else _ADDED)


def _is_of_class(kind: object) -> bool:
    return kind is ClassVar or get_origin(kind) is ClassVar


def _is_special(kind: object) -> bool:
    """Whether an annotation means more than a field; one that is text might, if it has such a name in it."""
    if isinstance(kind, str):
        return any(name in kind for name in ("ClassVar", "InitVar", "KW_ONLY"))
    return isinstance(kind, dataclasses.InitVar) or kind in (dataclasses.InitVar, dataclasses.KW_ONLY)


def _is_familiar(make: Callable[..., Any]) -> bool:
    """Whether dataclasses become what this module takes them to become."""

    class Probe:
        number: int = 0
        kind: ClassVar[str] = ""

    decorator = make(frozen=True, slots=True)
    deferred = _deferred(Probe, decorator, frozen=True)
    return deferred is not None and is_true_to(deferred, decorator(Probe))
