"""A checker of values against the part of JSON Schema 2020-12 that the protocol's document uses. Any other keyword is
an error of the document."""

import re
from typing import Any

_DONE = {"type", "description", "title", "default"}
_TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}


def faults(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "$") -> list[str]:
    """Where and how a value doesn't fit; nothing if it does."""
    kind = schema.get("type")
    if kind is not None and (
        not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")
    ):
        return [f"{at}: {value!r} is no {kind}"]
    found: list[str] = []
    for keyword, wanted in schema.items():
        match keyword:
            case "$ref":
                found += faults(value, document["$defs"][wanted.removeprefix("#/$defs/")], document, at)
            case "const" if value != wanted:
                found.append(f"{at}: {value!r} is not {wanted!r}")
            case "enum" if value not in wanted:
                found.append(f"{at}: {value!r} is none of {wanted}")
            case "anyOf" | "oneOf":
                tried = [faults(value, each, document, at) for each in wanted]
                fitting = len([each for each in tried if not each])
                if fitting == 0:
                    found.append(f"{at}: fits none of {wanted}: {tried}")
                if keyword == "oneOf" and fitting > 1:
                    found.append(f"{at}: fits {fitting} of {wanted}")
            case "items":
                found += [
                    fault
                    for i, item in enumerate(value)
                    for fault in faults(item, wanted, document, f"{at}[{i}]")
                ]
            case "properties":
                for name, each in wanted.items():
                    if name in value:
                        found += faults(value[name], each, document, f"{at}.{name}")
            case "required":
                found += [f"{at}: {name} is missing" for name in wanted if name not in value]
            case "additionalProperties":
                for name in value.keys() - schema.get("properties", {}).keys():
                    more = wanted if isinstance(wanted, dict) else {}
                    found += (
                        [f"{at}: {name} is not known"]
                        if wanted is False
                        else faults(value[name], more, document, f"{at}.{name}")
                    )
            case "minimum" if value < wanted:
                found.append(f"{at}: {value} is below {wanted}")
            case "maximum" if value > wanted:
                found.append(f"{at}: {value} is above {wanted}")
            case "exclusiveMinimum" if value <= wanted:
                found.append(f"{at}: {value} is not above {wanted}")
            case "pattern" if not re.search(wanted, value):
                found.append(f"{at}: {value!r} does not match {wanted}")
            case "minLength" if len(value) < wanted:
                found.append(f"{at}: {len(value)} characters, fewer than {wanted}")
            case "maxLength" if len(value) > wanted:
                found.append(f"{at}: {len(value)} characters, more than {wanted}")
            case (
                "const"
                | "enum"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "pattern"
                | "minLength"
                | "maxLength"
            ):
                continue
            case other if other not in _DONE:
                raise LookupError(f"{at}: the keyword {other} is not known")
    return found
