"""Defers `dataclass(slots=True)` for the classes of some packages until they are used."""

import dataclasses
import inspect
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar, get_origin

from steersman.startup.inits import written_init
from steersman.startup.skeletons import Decorator, copy_of, is_simple, passes_trial, placeholders, skeleton

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__init__", "__repr__", "__eq__", "__match_args__", "__replace__", "__doc__",
    "__dataclass_fields__", "__dataclass_params__",
))  # fmt: skip
_ADDED_IF_FROZEN = _ADDED | placeholders(
    ("__setattr__", "__delattr__", "__hash__", "__getstate__", "__setstate__")
)
_OPTIONS = (
    {"slots": True},
    {"slots": True, "kw_only": True},
    {"slots": True, "frozen": True},
)
"""Classes with any other options are made at once."""
_LITTLE = {"init": False, "repr": False, "eq": False, "match_args": False}
"""Options that have dataclass make nothing but the fields."""


@contextmanager
def deferred_dataclasses(*packages: str) -> Iterator[None]:
    """Within the context, simple dataclasses in modules of these packages are deferred; all others are made at once."""
    make = dataclasses.dataclass
    if not _is_familiar(make):
        logger.info("dataclasses are not as expected: none is deferred.")
        yield
        return

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        def decorate(original: type) -> type:
            ours = original.__module__.partition(".")[0] in packages and options in _OPTIONS
            return (_deferred(original, make, options) if ours else None) or make(**options)(original)

        return decorate if cls is None else decorate(cls)

    dataclasses.dataclass = dataclass
    try:
        yield
    finally:
        dataclasses.dataclass = make


def _deferred(original: type, make: Callable[..., Decorator], options: dict[str, bool]) -> type | None:
    """The skeleton of a dataclass; None for a class that is not simple."""
    annotations = inspect.get_annotations(original)
    module = sys.modules[original.__module__]
    of_instances = {name: kind for name, kind in annotations.items() if not _is_of_class(kind, module)}
    special = any(map(_is_special, of_instances.values()))
    if special or not is_simple(original) or not _adds_to_nothing(original):
        return None
    return skeleton(
        original,
        make(**options),
        fields=tuple(of_instances),
        added=_ADDED_IF_FROZEN if "frozen" in options else _ADDED,
        alone=_alone(original, make, of_instances, **options),
    )


def _alone(
    original: type, make: Callable[..., Any], kinds: Mapping[str, object], **options: bool
) -> dict[str, Callable[[], object]]:
    """Makers of the attributes that most classes need, each without the rest."""
    how = {name: options[name] for name in options.keys() & {"frozen", "kw_only"}}

    def fields() -> type:
        made: type = make(**_LITTLE, kw_only=options.get("kw_only", False))(copy_of(original))
        return made

    def compared() -> type:
        made: type = make(**{**_LITTLE, "eq": True}, unsafe_hash="frozen" in options)(copy_of(original))
        return made

    alone: dict[str, Callable[[], object]] = {
        "__init__": lambda: written_init(original, kinds, **how),
        "__dataclass_fields__": lambda: vars(fields())["__dataclass_fields__"],
        "__eq__": lambda: vars(compared())["__eq__"],
    }
    if "frozen" in options and "__hash__" not in vars(original):
        alone["__hash__"] = lambda: vars(compared())["__hash__"]
    return alone


def _adds_to_nothing(cls: type) -> bool:
    """Whether no base of the class has fields or slots."""
    return not any(
        vars(base).get("__slots__") or "__dataclass_fields__" in vars(base) for base in cls.__mro__[1:-1]
    )


def _is_of_class(kind: object, module: ModuleType) -> bool:
    if isinstance(kind, str):
        return kind.startswith("ClassVar[") and vars(module).get("ClassVar") is ClassVar
    return kind is ClassVar or get_origin(kind) is ClassVar


def _is_special(kind: object) -> bool:
    """Whether an annotation means something else than a field. Text that mentions such a name counts, to be safe."""
    if isinstance(kind, str):
        return any(name in kind for name in ("ClassVar", "InitVar", "KW_ONLY"))
    return isinstance(kind, dataclasses.InitVar) or kind in (dataclasses.InitVar, dataclasses.KW_ONLY)


def _is_familiar(make: Callable[..., Any]) -> bool:
    """Whether `make` makes of a dataclass what this module expects."""

    class Probe:
        number: int = 0
        kind: ClassVar[str] = ""

    options = {"frozen": True, "slots": True}
    return passes_trial(lambda: _deferred(Probe, make, options), lambda: make(**options)(Probe))
