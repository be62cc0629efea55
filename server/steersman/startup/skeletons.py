"""Skeletons: classes with their names, slots and own methods, but not yet with what a decorator adds to them.

Placeholders stand for the missing attributes. The first access to one has the decorator build its class, whose
attributes are then copied to the skeleton: that stays the class that everybody refers to.
"""

import inspect
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import NamedTuple

Decorator = Callable[[type], type]
"""Makes a class with slots out of a plain one, as `attrs.define` and `dataclass(slots=True)` do."""

logger = logging.getLogger(__name__)


class _Unmade(NamedTuple):
    """How to make what a skeleton lacks."""

    whole: Callable[[], type]
    """Makes a class that has all of it."""
    alone: Mapping[str, Callable[[], object]]
    """Each makes one attribute without the others: for those that most classes need."""
    finish: Callable[[type], object] | None = None
    """Called with the skeleton once it lacks nothing any more."""


_unmade: dict[type, _Unmade] = {}
_making = threading.RLock()
_OF_LAYOUT = ("__dict__", "__weakref__")
"""Descriptors that a class without slots has for its instances."""


class _Placeholder:
    """An attribute that the decorator would have added. Accessing it has it made, and gives what was made."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> object:
        if not isinstance(instance, type):
            self._replace_in(owner)
            return getattr(owner if instance is None else instance, self._name)
        # From Python 3.13 on inspect.signature() binds the __init__ that it finds in a class to the class itself.
        self._replace_in(instance)
        value = inspect.getattr_static(instance, self._name)
        return value.__get__(instance, owner) if hasattr(type(value), "__get__") else value

    def _replace_in(self, looked_at: type) -> None:
        for cls in looked_at.__mro__:
            if vars(cls).get(self._name) is self:
                _make_alone(cls, self._name)


def placeholders(names: Sequence[str]) -> dict[str, object]:
    """A placeholder for each name. Any number of skeletons can share them."""
    return {name: _Placeholder(name) for name in names}


def skeleton(
    original: type,
    decorator: Decorator,
    *,
    fields: tuple[str, ...],
    more_slots: tuple[str, ...] = (),
    added: dict[str, object],
    alone: Mapping[str, Callable[[], object]],
    finish: Callable[[type], object] | None = None,
) -> type:
    """The class that `decorator(original)` would be, for now without what the decorator adds.

    Args:
        original: a simple class, see `is_simple`.
        fields: names of its fields, each of which becomes a slot.
        more_slots: further slots that the decorator adds.
        added: placeholders for every attribute that the decorator may set; those of the class itself stay.
        alone: each makes one attribute without the decorator's others: most classes are only instantiated.
        finish: called with the class once all of it is made.
    """
    own = vars(original)
    names = {**added, **own}
    for name in own.keys() & added.keys():
        if own[name] is None:
            names[name] = added[name]
    for name in (*fields, *_OF_LAYOUT):
        names.pop(name, None)
    names["__slots__"] = (*fields, *more_slots)
    names["__qualname__"] = original.__qualname__
    cls = type(original.__name__, original.__bases__, names)
    defer(cls, lambda: decorator(original), alone=alone, finish=finish)
    return cls


def copy_of(original: type) -> type:
    """A copy to apply a decorator to for one attribute alone: it leaves traces in what it decorates."""
    own = {name: value for name, value in vars(original).items() if name not in _OF_LAYOUT}
    # Without a docstring dataclass would write one, which is slow.
    names = {**own, "__qualname__": original.__qualname__, "__doc__": "A copy."}
    return type(original.__name__, original.__bases__, names)


def defer(
    cls: type,
    whole: Callable[[], type],
    *,
    alone: Mapping[str, Callable[[], object]] | None = None,
    finish: Callable[[type], object] | None = None,
) -> None:
    """Makes `cls` a skeleton: attributes of the class that `whole` makes will replace its placeholders.

    `alone` and `finish` are those of `skeleton`.
    """
    _unmade[cls] = _Unmade(whole, alone or {}, finish)


def _make_alone(cls: type, name: str) -> None:
    """Makes one attribute of a class; all of them, if this one can't be made alone."""
    with _making:
        unmade = _unmade.get(cls)
        if unmade is None or not isinstance(vars(cls)[name], _Placeholder):
            return  # made by another thread
        if name in unmade.alone:
            setattr(cls, name, unmade.alone[name]())
        else:
            make(cls)


def make(cls: type) -> None:
    """Makes all that a class still lacks, if it lacks anything."""
    with _making:
        unmade = _unmade.get(cls)
        if unmade is None:
            return
        made = vars(unmade.whole())
        for name in [name for name, value in vars(cls).items() if isinstance(value, _Placeholder)]:
            if name in made:
                setattr(cls, name, made[name])
            else:
                delattr(cls, name)
        del _unmade[cls]
        if unmade.finish is not None:
            unmade.finish(cls)


def make_all(package: str, *, enough: Callable[[], bool]) -> None:
    """Makes all that a package's classes still lack, until `enough()`. Meant for a thread, while nobody waits."""
    for cls in [cls for cls in list(_unmade) if cls.__module__.startswith(f"{package}.")]:
        if enough():
            return
        make(cls)
        time.sleep(0)  # lets a thread that somebody waits for go first


def is_simple(cls: type) -> bool:
    """Whether the class can be built anew: it has no slots, and no method refers to the class itself."""
    own = vars(cls)
    return (
        type(cls) is type
        and "__slots__" not in own
        and not any(isinstance(value, _MAY_REFER) and _refers_to_class(value) for value in own.values())
    )


def is_skeleton(cls: type) -> bool:
    """Whether the class still lacks something."""
    return cls in _unmade


def passes_trial(deferred: Callable[[], type | None], made: Callable[[], type]) -> bool:
    """Whether a decorator still makes of a class what this package expects. If not, nothing must be deferred.

    Args:
        deferred: makes the skeleton of a trial class; None if it can't.
        made: makes the same class as the decorator does now. The skeleton must have the same slots, and a placeholder
            or a value for each of its attributes.
    """
    skeleton: type | None = None
    try:
        skeleton = deferred()
        if skeleton is None:
            return False
        mine, its = vars(skeleton), vars(made())
        return its.keys() <= mine.keys() and its.get("__slots__") == mine.get("__slots__")
    except Exception:  # whatever another version raises, it is not as expected
        logger.info("The trial of a deferred class failed.", exc_info=True)
        return False
    finally:
        if skeleton is not None:
            _unmade.pop(skeleton, None)


_MAY_REFER = (FunctionType, classmethod, staticmethod, property)


def _refers_to_class(value: object) -> bool:
    """Whether a method has a closure: what it holds may be its class (`super`, `__class__`)."""
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    elif isinstance(value, property):
        return any(_refers_to_class(each) for each in (value.fget, value.fset, value.fdel))
    return isinstance(value, FunctionType) and value.__closure__ is not None
