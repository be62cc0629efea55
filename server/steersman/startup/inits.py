"""Writes the `__init__` of a dataclass with slots from its fields alone.

dataclass itself writes and compiles several methods together with it, and most classes need none of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field
from itertools import pairwise
from types import FunctionType
from typing import Any, NamedTuple


class _Made:
    """The type of the marker for arguments whose default is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


class _Field(NamedTuple):
    name: str
    default: object
    """MISSING if it has none."""
    is_made: bool
    """`default` is a factory, called for each instance."""
    is_given: bool
    """It is an argument of `__init__`."""
    named_only: bool
    """It is a keyword-only argument."""

    @property
    def has_default(self) -> bool:
        return self.default is not MISSING

    @property
    def argument(self) -> str:
        if not self.has_default:
            return self.name
        return f"{self.name}={'_MADE' if self.is_made else self.global_name}"

    @property
    def value(self) -> str:
        made = f"{self.global_name}()" if self.is_made else self.global_name
        if not self.is_given:
            return made
        return f"{made} if {self.name} is _MADE else {self.name}" if self.is_made else self.name

    @property
    def global_name(self) -> str:
        """What the default is called in the written text."""
        return f"_of_{self.name}"


def written_init(
    original: type, kinds: Mapping[str, object], *, frozen: bool = False, kw_only: bool = False
) -> Callable[..., None]:
    """The `__init__` that dataclass would write.

    Args:
        original: the class as it was declared. No base of it has fields.
        kinds: the fields' annotations; no `ClassVar`, `InitVar` or `KW_ONLY` among them.
        frozen: attributes of an instance can't be set as usual.
        kw_only: all arguments are keyword-only, unless a field says otherwise.

    Raises:
        TypeError: a field without a default follows one that has one, as with dataclass.
    """
    fields = [_field(name, vars(original).get(name, MISSING), kw_only=kw_only) for name in kinds]
    given = [field for field in fields if field.is_given and not field.named_only]
    named_only = [field for field in fields if field.is_given and field.named_only]
    _require_order(given)
    arguments = ["self", *(field.argument for field in given)]
    if named_only:
        arguments += ["*", *(field.argument for field in named_only)]
    assign = "_set(self, {!r}, {})" if frozen else "self.{} = {}"
    lines = [assign.format(each.name, each.value) for each in fields if each.is_given or each.has_default]
    if hasattr(original, "__post_init__"):
        lines.append("self.__post_init__()")
    defaults = {each.global_name: each.default for each in fields if each.has_default}
    names: dict[str, Any] = {"_MADE": _MADE, "_set": object.__setattr__, **defaults}
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines or ["pass"]), names)
    init: FunctionType = names.pop("__init__")
    init.__annotations__ = {**{each.name: kinds[each.name] for each in given + named_only}, "return": None}
    init.__module__, init.__qualname__ = original.__module__, f"{original.__qualname__}.__init__"
    return init


def _field(name: str, declared: object, *, kw_only: bool) -> _Field:
    if not isinstance(declared, Field):
        return _Field(name, declared, is_made=False, is_given=True, named_only=kw_only)
    is_made = declared.default_factory is not MISSING
    return _Field(
        name,
        declared.default_factory if is_made else declared.default,
        is_made,
        declared.init,
        kw_only if declared.kw_only is MISSING else bool(declared.kw_only),
    )


def _require_order(given: Sequence[_Field]) -> None:
    for before, field in pairwise(given):
        if before.has_default and not field.has_default:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")
