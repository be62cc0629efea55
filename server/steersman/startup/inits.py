"""The `__init__` of a dataclass with slots, written from its fields alone.

dataclass runs the text of each method that it writes, and writes several for one `__init__`. Most classes are never
compared, printed or changed.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class _Made:
    """Stands for a default that is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def written_init(
    fields: Sequence["dataclasses.Field[Any]"],
    *,
    of: type,
    frozen: bool,
    kinds: Mapping[str, object],
) -> Callable[..., None]:
    """As dataclass writes it.

    Args:
        fields: in their order; neither of the class nor of the init only.
        of: the class whose name, module and `__post_init__` it has.
        frozen: attributes of an instance can't be set as usual.
        kinds: annotations by name.

    Raises:
        TypeError: as dataclass does, where a field without a default follows one that has one.
    """
    names: dict[str, object] = {"_MADE": _MADE, "_set": object.__setattr__}
    parameters: list[str] = []
    named_only: list[str] = []
    lines: list[str] = []
    optional = False
    for field in fields:
        name, default = field.name, f"_of_{field.name}"
        is_made = field.default_factory is not dataclasses.MISSING
        has_default = is_made or field.default is not dataclasses.MISSING
        if has_default:
            names[default] = field.default_factory if is_made else field.default
        value = name
        if field.init:
            if is_made:
                value = f"{default}() if {name} is _MADE else {name}"
            if not field.kw_only:
                if optional and not has_default:
                    raise TypeError(f"non-default argument {name!r} follows default argument")
                optional = optional or has_default
            given = f"={'_MADE' if is_made else default}" if has_default else ""
            (named_only if field.kw_only else parameters).append(name + given)
        elif has_default:
            value = f"{default}()" if is_made else default
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(of, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *named_only] if named_only else ())])
    exec(f"def __init__({signature}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Any = names.pop("__init__")
    given_names = [field.name for field in fields if field.init and not field.kw_only]
    given_names += [field.name for field in fields if field.init and field.kw_only]
    init.__annotations__ = {**{name: kinds[name] for name in given_names}, "return": None}
    init.__module__, init.__qualname__ = of.__module__, f"{of.__qualname__}.__init__"
    typed: Callable[..., None] = init
    return typed
