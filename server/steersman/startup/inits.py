"""The `__init__` of a dataclass with slots, written from its fields alone.

dataclass runs the text of each method that it writes, and writes several for one `__init__`. Most classes are never
compared, printed or changed.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any


class _Made:
    """Stands for a default that is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def written_init(
    original: type, kinds: Mapping[str, object], *, frozen: bool = False, kw_only: bool = False
) -> Callable[..., None]:
    """As dataclass writes it.

    Args:
        original: the class as it was declared. No base of it has fields.
        kinds: the annotations of its fields, which are all of instances and none for the init only.
        frozen: attributes of an instance can't be set as usual.

    Raises:
        TypeError: as dataclass does, where a field without a default follows one that has one.
    """
    own = vars(original)
    names: dict[str, object] = {"_MADE": _MADE, "_set": object.__setattr__}
    parameters: dict[str, str] = {}
    named_only: dict[str, str] = {}
    lines: list[str] = []
    optional = False
    for name in kinds:
        declared = own.get(name, dataclasses.MISSING)
        field = declared if isinstance(declared, dataclasses.Field) else None
        is_made = field is not None and field.default_factory is not dataclasses.MISSING
        value: Any = declared if field is None else field.default_factory if is_made else field.default
        has_default = value is not dataclasses.MISSING
        default = f"_of_{name}"
        if has_default:
            names[default] = value
        value = name
        if field is None or field.init:
            if is_made:
                value = f"{default}() if {name} is _MADE else {name}"
            given = f"{name}={'_MADE' if is_made else default}" if has_default else name
            if kw_only if field is None or field.kw_only is dataclasses.MISSING else field.kw_only:
                named_only[name] = given
            elif optional and not has_default:
                raise TypeError(f"non-default argument {name!r} follows default argument")
            else:
                parameters[name], optional = given, has_default
        elif has_default:
            value = f"{default}()" if is_made else default
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(original, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(
        ["self", *parameters.values(), *(["*"] if named_only else ()), *named_only.values()]
    )
    exec(f"def __init__({signature}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Any = names.pop("__init__")
    init.__annotations__ = {**{name: kinds[name] for name in (*parameters, *named_only)}, "return": None}
    init.__module__, init.__qualname__ = original.__module__, f"{original.__qualname__}.__init__"
    typed: Callable[..., None] = init
    return typed
