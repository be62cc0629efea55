"""A class that is there, with its name, slots and own methods, while what a decorator adds to it is still to be made.

In the places of what is missing are placeholders: the first look at one, by whomever, has the decorator make its
class, and what it made is put into the skeleton, which stays the class that everybody knows.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import NamedTuple

Decorator = Callable[[type], type]
"""Makes a class with slots out of a plain one, as `attrs.define` and `dataclass(slots=True)` do."""


class _Unmade(NamedTuple):
    """How what a skeleton lacks will be made."""

    whole: Callable[[], type]
    """Makes a class that has all of it."""
    alone: Mapping[str, Callable[[], object]]
    """Make one attribute each, of those that most classes need no more than."""
    finish: Callable[[type], object] | None = None


_unmade: dict[type, _Unmade] = {}
_making = threading.RLock()
_OF_LAYOUT = ("__dict__", "__weakref__")
"""What a class without slots has for its instances."""


class _Placeholder:
    """An attribute that the decorator would have added. Whoever looks at it gets what the decorator makes."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> object:
        for cls in owner.__mro__:
            if vars(cls).get(self._name) is self:
                _make_alone(cls, self._name)
        return getattr(owner if instance is None else instance, self._name)


def placeholders(names: Sequence[str]) -> dict[str, object]:
    """One for each name, for any number of skeletons."""
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
    """The class that `decorator(original)` would be, for now without what it adds.

    Args:
        original: a simple class, see `is_simple`.
        fields: names of its fields, each of which becomes a slot.
        added: placeholders for all that the decorator may set in a class; what the class has itself stays.
        alone: make one of these attributes without the decorator's others: most classes have instances, few of which
            are compared, printed or looked into.
        finish: called with the class once it is made.
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
    put_off(cls, lambda: decorator(original), alone=alone, finish=finish)
    return cls


def copy_of(original: type) -> type:
    """For a decorator that is told to make little: it leaves traces in what it decorates."""
    own = {name: value for name, value in vars(original).items() if name not in _OF_LAYOUT}
    # dataclass writes a text where there is none, which takes long.
    names = {**own, "__qualname__": original.__qualname__, "__doc__": "A copy."}
    return type(original.__name__, original.__bases__, names)


def put_off(
    cls: type,
    whole: Callable[[], type],
    *,
    alone: Mapping[str, Callable[[], object]] | None = None,
    finish: Callable[[type], object] | None = None,
) -> None:
    """Says how the class that `whole` makes, whose attributes take the places of the placeholders in `cls`, is made;
    see `skeleton` for the rest."""
    _unmade[cls] = _Unmade(whole, alone or {}, finish)


def _make_alone(cls: type, name: str) -> None:
    """Makes one attribute of a class, and all of them if it is none that is made alone."""
    with _making:
        unmade = _unmade.get(cls)
        if unmade is None or not isinstance(vars(cls)[name], _Placeholder):
            return  # made by another thread
        if name in unmade.alone:
            setattr(cls, name, unmade.alone[name]())
        else:
            make(cls)


def make(cls: type) -> None:
    """Makes what is left of a class, if anything is."""
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
    """Makes what is left of a package's classes. For a thread, while nobody waits for one of them; it ends when it
    is `enough`."""
    for cls in [cls for cls in list(_unmade) if cls.__module__.startswith(f"{package}.")]:
        if enough():
            return
        make(cls)
        time.sleep(0)  # a thread that is waited for goes first


def is_simple(cls: type) -> bool:
    """Whether the class can be made anew: it has no slots, and no method that refers to its class."""
    own = vars(cls)
    return (
        type(cls) is type
        and "__slots__" not in own
        and not any(isinstance(value, _MAY_REFER) and _refers_to_class(value) for value in own.values())
    )


def is_skeleton(cls: type) -> bool:
    """Whether nobody has looked at what the class lacks."""
    return cls in _unmade


def is_true_to(cls: type, made: type) -> bool:
    """Whether all that is in a class as it is made has a place in the skeleton of a trial, and the slots are the same.
    The skeleton is of no use afterwards."""
    del _unmade[cls]
    mine, its = vars(cls), vars(made)
    return its.keys() <= mine.keys() and its.get("__slots__") == mine.get("__slots__")


_MAY_REFER = (FunctionType, classmethod, staticmethod, property)


def _refers_to_class(value: object) -> bool:
    """Whether a method holds on to something, which may be its class."""
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    elif isinstance(value, property):
        return any(_refers_to_class(each) for each in (value.fget, value.fset, value.fdel))
    return isinstance(value, FunctionType) and value.__closure__ is not None
