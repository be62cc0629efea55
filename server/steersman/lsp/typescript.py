"""TypeScript types made from the protocol's JSON Schema, for clients written in TypeScript.

Handles the keywords that `schema.json_schema` uses and refuses all others, so that nothing becomes `any` unnoticed.
"""

import json
import re
from typing import Any, Final

Schema = dict[str, Any]  # Any: JSON

_HEAD: Final = """\
// Made by `steersman schema --typescript`; changes belong in the server's models.
// `Event` is told apart by its `type`; `Commands` says what each command takes and answers.
"""
_WIDTH: Final = 110
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_SIMPLE: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_KEYWORDS: Final = {
    *("$ref", "const", "enum", "anyOf", "oneOf", "type", "items", "properties", "required"),
    *("additionalProperties", "description", "default", "minimum", "maximum", "exclusiveMinimum", "pattern"),
    *("minLength", "maxLength"),
}


def typescript(document: Schema) -> str:
    """The types of all definitions of the document, in its order.

    Raises:
        ValueError: a schema has an unknown keyword.
    """
    declarations = [_declaration(name, schema) for name, schema in document["$defs"].items()]
    return "\n".join([_HEAD, *declarations])


def _declaration(name: str, schema: Schema) -> str:
    comment = _comment(schema, "")
    if schema.get("properties"):
        return f"{comment}export interface {name} {_object(schema, '')}\n"
    return f"{comment}{_line(f'export type {name} =', _type(schema, ''), '')}"


def _line(left: str, shown: str, indent: str) -> str:
    """`left shown;`, or, if that is too long for one line, a union with one member per line."""
    if len(left) + len(shown) + 2 <= _WIDTH or "\n" in shown or shown.endswith("]"):
        return f"{left} {shown};\n"
    return left + "".join(f"\n{indent}  | {member}" for member in shown.split(" | ")) + ";\n"


def _type(schema: Schema, indent: str) -> str:
    """A type as an expression. `indent`: that of the line on which it begins."""
    unknown = schema.keys() - _KEYWORDS
    if unknown:
        raise ValueError(f"no TypeScript for the keywords {', '.join(sorted(unknown))}")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(each, indent) for each in alternatives))
    match schema.get("type"):
        case None:
            return "unknown"
        case "array":
            item = _type(schema.get("items", {}), indent)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case "object":
            return _object(schema, indent)
        case kind:
            return _SIMPLE[kind]


def _object(schema: Schema, indent: str) -> str:
    properties, more = schema.get("properties", {}), schema.get("additionalProperties")
    if not properties:
        value = "never" if more is False else _type(more if isinstance(more, dict) else {}, indent)
        return f"Record<string, {value}>"
    inner = indent + "  "
    lines = []
    for name, field in properties.items():
        key = name if _IDENTIFIER.match(name) else json.dumps(name)
        mark = "" if name in schema.get("required", ()) else "?"
        lines.append(_comment(field, inner) + _line(f"{inner}{key}{mark}:", _type(field, inner), inner))
    if more:
        lines.append(f"{inner}[more: string]: unknown;\n")
    return "{\n" + "".join(lines) + indent + "}"


def _comment(schema: Schema, indent: str) -> str:
    text = schema.get("description")
    if not text:
        return ""
    lines = text.replace("*/", "*\\/").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"
