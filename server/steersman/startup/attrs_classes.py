"""`lsprotocol.types` with what attrs makes of its 550 classes put off until one is used."""

import importlib
import inspect
import logging
import sys
from collections.abc import Callable
from typing import Any

import attrs

from steersman.startup.skeletons import copy_of, is_simple, is_true_to, placeholders, skeleton

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__init__", "__repr__", "__eq__", "__ne__", "__setattr__", "__getstate__", "__setstate__", "__replace__",
    "__match_args__", "__attrs_attrs__", "__attrs_props__", "__attrs_own_setattr__",
))  # fmt: skip
_FIELD = type(attrs.field())
_LSP_TYPES = "lsprotocol.types"
_RESOLVED = "_resolved_forward_references"
"""The flag in `lsprotocol._hooks` that keeps it from looking at every class to resolve the types of its fields."""


def import_lsp_types() -> bool:
    """Imports `lsprotocol.types` with its classes put off; while they are, whoever imports it gets these.

    Returns: False if the classes are made as always: something had imported them, or attrs is not as it was known.
    """
    if _LSP_TYPES in sys.modules or not _is_familiar():
        logger.info("%s is there, or attrs is not as it was known: no class is put off.", _LSP_TYPES)
        return False
    make = attrs.define

    def define(cls: type | None = None, **options: Any) -> Any:
        ours = cls is not None and cls.__module__ == _LSP_TYPES and not options
        deferred = _deferred(cls, make, _resolve) if ours and cls is not None else None
        return deferred or make(cls, **options)

    attrs.define = define  # type: ignore[assignment]  # called in the ways in which that module calls it
    try:
        importlib.import_module(_LSP_TYPES)
    finally:
        attrs.define = make
    hooks = importlib.import_module("lsprotocol._hooks")
    if vars(hooks).get(_RESOLVED) is False:
        setattr(hooks, _RESOLVED, True)  # each class does it for itself, when it is made
    return True


def _resolve(cls: type) -> None:
    """Forward references in the types of its fields become types, as lsprotocol wants them for cattrs."""
    attrs.resolve_types(cls, vars(sys.modules[_LSP_TYPES])["ALL_TYPES_MAP"], {})


def _deferred(
    original: type, make: Callable[..., Any], finish: Callable[[type], object] | None = None
) -> type | None:
    """The skeleton of a class that `attrs.define` makes; None for one that is not simple."""
    fields = tuple(inspect.get_annotations(original))
    unannotated = any(type(value) is _FIELD and name not in fields for name, value in vars(original).items())
    if unannotated or not is_simple(original) or original.__bases__ != (object,):
        return None
    return skeleton(
        original,
        make,
        fields=fields,
        more_slots=("__weakref__",),
        added=_ADDED,
        alone={
            "__init__": lambda: vars(make(copy_of(original), repr=False, eq=False, match_args=False))[
                "__init__"
            ]
        },
        finish=finish,
    )


def _is_familiar() -> bool:
    """Whether attrs makes of classes what this module takes it to make."""

    class Probe:
        number: int = attrs.field(default=0, validator=attrs.validators.instance_of(int))

    deferred = _deferred(Probe, attrs.define)
    return deferred is not None and is_true_to(deferred, attrs.define(Probe))
