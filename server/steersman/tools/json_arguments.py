"""Checks arguments of a tool whose JSON Schema is somebody else's, as far as that is cheap and certain.

What is refused here is invalid however the schema is read. References, combinations and deeper levels are left to the
owner of the schema.
"""

import json
from collections.abc import Mapping
from typing import Final

from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import BadArguments
from steersman.tools.schema import shown_value
from steersman.workspace.roots import printable

MAX_SCHEMA: Final = 20_000
"""Bytes of a schema as JSON: every request to a model includes it."""
MAX_DEPTH: Final = 20
_LISTED: Final = 12
_TYPES: Final[Mapping[str, tuple[str, tuple[type, ...]]]] = {
    "string": ("a string", (str,)),
    "integer": ("an integer", (int, float)),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", (bool,)),
    "array": ("an array", (list, tuple)),
    "object": ("an object", (Mapping,)),
    "null": ("null", (type(None),)),
}


def schema_fault(schema: Mapping[str, object]) -> str | None:
    """Why this can't be the schema of a tool's arguments; None if it can."""
    if schema.get("type") != "object":
        return 'its type is not "object"'
    if _depth(schema) > MAX_DEPTH:
        return f"it is more than {MAX_DEPTH} levels deep"
    if len(json.dumps(schema)) > MAX_SCHEMA:
        return f"it has more than {MAX_SCHEMA:,} bytes"
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return "its properties are not an object"
    if not all(isinstance(each, Mapping | bool) for each in properties.values()):
        return "the schema of a property is not an object"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return "required is not a list of names"
    return None


def check_arguments(arguments: JsonObject, schema: JsonObject, tool: str) -> None:
    """Checks the names, and the types and values on the top level.

    Raises:
        BadArguments: they don't fit. The message names each field, what was expected and what came.
    """
    properties, required = schema.get("properties"), schema.get("required")
    known: Mapping[str, Json] = properties if isinstance(properties, Mapping) else {}
    needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    faults = [(name, "required, but missing") for name in needed if name not in arguments]
    closed = schema.get("additionalProperties") is False and not (
        {"patternProperties", "$ref", "allOf", "anyOf", "oneOf"} & set(schema)
    )
    for name, value in arguments.items():
        if name in known:
            fault = _fault(value, known[name])
            if fault is not None:
                faults.append((name, f"{fault}, got {shown_value(value)}"))
        elif closed:
            faults.append((name, "there is no such field"))
    if not faults:
        return
    lines = [f"- {printable(name[:60])}: {fault}" for name, fault in faults[:_LISTED]]
    if len(faults) > _LISTED:
        lines.append(f"- … and {len(faults) - _LISTED:,} more")
    names = ", ".join(f"{printable(name[:60])}{'' if name in needed else '?'}" for name in known)
    raise BadArguments("\n".join([f"Invalid arguments for {tool} ({names}):", *lines]))


def _fault(value: Json, schema: Json) -> str | None:
    """What was expected instead of the value; None if it is fine."""
    if not isinstance(schema, Mapping):
        return None
    kinds = schema.get("type")
    wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    names = [kind for kind in wanted if isinstance(kind, str)]
    if names and all(kind in _TYPES for kind in names) and not any(_is(value, kind) for kind in names):
        return "expected " + " or ".join(_TYPES[kind][0] for kind in names)
    choices = schema.get("enum")
    scalars = isinstance(choices, list) and all(isinstance(each, str) for each in choices)
    if scalars and isinstance(choices, list) and isinstance(value, str) and value not in choices:
        shown = ", ".join(shown_value(choice) for choice in choices[:_LISTED])
        return f"expected one of {shown}" + (" …" if len(choices) > _LISTED else "")
    return None


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind][1])


def _depth(schema: object) -> int:
    """The levels of objects and arrays, counted up to one beyond MAX_DEPTH."""
    level, depth = [schema], 0
    while level and depth <= MAX_DEPTH:
        level = [
            inner
            for each in level
            if isinstance(each, Mapping | list)
            for inner in (each.values() if isinstance(each, Mapping) else each)
        ]
        depth += 1
    return depth
