"""Defers what attrs makes of the 550 classes of `lsprotocol.types` until they are used."""

import importlib
import inspect
import logging
import sys
from collections.abc import Callable
from typing import Any

import attrs

from steersman.startup.skeletons import copy_of, is_simple, passes_trial, placeholders, skeleton

logger = logging.getLogger(__name__)

_ADDED = placeholders((
    "__init__", "__repr__", "__eq__", "__ne__", "__setattr__", "__getstate__", "__setstate__", "__replace__",
    "__match_args__", "__attrs_attrs__", "__attrs_props__", "__attrs_own_setattr__",
))  # fmt: skip
_FIELD = type(attrs.field())
_LSP_TYPES = "lsprotocol.types"
_LSP_HOOKS = "lsprotocol._hooks"
_RESOLVED = "_resolved_forward_references"
"""The flag in that module which says that the types of all fields are resolved, for which it looks at every class."""
_TYPES_BY_NAME = "ALL_TYPES_MAP"
"""What forward references are looked up in, in `lsprotocol.types`."""


def import_lsp_types() -> bool:
    """Imports `lsprotocol.types` with its classes deferred. Everybody who imports it gets these classes.

    Returns: whether they are deferred. They are not if something has imported them before, or if attrs does not make
    of a class what is expected; then nothing is done.
    """
    if _LSP_TYPES in sys.modules or not _is_familiar():
        logger.info("%s is loaded, or attrs is not as expected: no class is deferred.", _LSP_TYPES)
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
    _take_over_resolving()
    return True


def _take_over_resolving() -> None:
    """Has each class resolve its own types when it is made. A lsprotocol that does it otherwise is left alone."""
    try:
        hooks = importlib.import_module(_LSP_HOOKS)
    except ImportError:
        return
    if vars(hooks).get(_RESOLVED) is False and hasattr(sys.modules[_LSP_TYPES], _TYPES_BY_NAME):
        setattr(hooks, _RESOLVED, True)


def _resolve(cls: type) -> None:
    """Resolves forward references in the types of the fields, as lsprotocol does for cattrs."""
    by_name = getattr(sys.modules[_LSP_TYPES], _TYPES_BY_NAME, None)
    if by_name is not None:
        attrs.resolve_types(cls, by_name, {})


def _deferred(
    original: type, make: Callable[..., Any], finish: Callable[[type], object] | None = None
) -> type | None:
    """The skeleton of a class that is given to `attrs.define`; None if it is not simple."""
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
    """Whether attrs makes of a class what this module expects."""

    class Probe:
        number: int = attrs.field(default=0, validator=attrs.validators.instance_of(int))

    return passes_trial(lambda: _deferred(Probe, attrs.define), lambda: attrs.define(Probe))
