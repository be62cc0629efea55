"""Arguments of tools: mended before validation, shown to models as a JSON Schema, and refused with errors that models
can act on."""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import BadArguments
from steersman.workspace.roots import printable

KEPT: Final = Path(__file__).with_name("schemas.json")
"""The schemas of this package's tools, made in advance: otherwise the first prompt would have to wait for them."""
_OURS: Final = f"{__package__}."

FILE_NAMES: Final = ("file_path", "filePath", "filename", "file", "target_file")
"""What other tools call the path of a file."""
DIRECTORY_NAMES: Final = ("directory", "dir", "dir_path")
"""What other tools call the path of a directory."""

_SHOWN = 60
_LISTED = 12
"""The most fields that an error names."""
_EXPECTED = {
    "string": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "list": "an array",
    "model": "an object",
    "dict": "an object",
}


class Arguments(BaseModel):
    """Base of the arguments of tools: camelCase outside, strings coerced to numbers and booleans, unknown names
    refused.

    They are refused because a call with a silently ignored argument (`replaceAll`) does something else than what was
    meant. Harmless names, and other tools' names for the same thing, are in `renames`.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        coerce_numbers_to_str=True,
        defer_build=True,  # until the first call: a starting server doesn't need it
    )

    renames: ClassVar[Mapping[str, str | None]] = {}
    """By other names that models use: the field that is meant, or None to drop the argument."""

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        """Turns other shapes into the right one, after the renaming. May change and return `raw`."""
        return raw

    @classmethod
    def bind(cls, arguments: JsonObject, tool: str) -> Self:
        """The arguments, mended, coerced and validated.

        Raises:
            BadArguments: they don't fit. The message names each field, what was expected and what came.
        """
        try:
            return cls.model_validate(cls.mend(cls.renamed(arguments)))
        except ValidationError as error:
            raise BadArguments(_explain(error.errors(include_url=False), tool, cls)) from None

    @classmethod
    def renamed(cls, arguments: JsonObject) -> dict[str, Json]:
        """The arguments under their own names. A null means that an optional field is omitted."""
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        raw: dict[str, Json] = {}
        for name, value in arguments.items():
            known = name if name in fields else cls.renames.get(name, to_camel(name))
            if known is None or (known != name and known in arguments):
                continue
            field = fields.get(known)
            if value is None and (field is None or not field.is_required()):
                continue
            raw[name if field is None else known] = value
        return raw

    def as_json(self) -> dict[str, Json]:
        """The arguments as they are used: in camelCase, without those that were not given."""
        return self.model_dump(by_alias=True, exclude_none=True)


def from_json_text(value: Json) -> Json:
    """Parses an array or object that was given as JSON text. Anything else is returned as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            parsed: Json = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return parsed
    return value


@functools.cache
def schema_of(model: type[Arguments]) -> JsonObject:
    """What `made_schema` returns for `model`, from the kept schemas or made once. Don't change it."""
    kept = _kept().get(_name(model))
    return made_schema(model) if kept is None else kept


@functools.cache
def _kept() -> dict[str, JsonObject]:
    kept: dict[str, JsonObject] = json.loads(KEPT.read_bytes())
    return kept


def schemas_to_keep() -> str:
    """The text of KEPT: the schemas of all arguments in this package. `steersman.tools.registry` has to be imported."""
    schemas = {
        _name(model): made_schema(model) for model in _below(Arguments) if model.__module__.startswith(_OURS)
    }
    return json.dumps(schemas, ensure_ascii=False, indent=1) + "\n"


def _below(model: type[Arguments]) -> Iterator[type[Arguments]]:
    for each in sorted(model.__subclasses__(), key=_name):
        yield each
        yield from _below(each)


def _name(model: type[Arguments]) -> str:
    return f"{model.__module__}.{model.__qualname__}"


def made_schema(model: type[Arguments]) -> JsonObject:
    """The JSON Schema of `model` without what makes models stumble: references, titles, null variants."""
    schema: dict[str, Json] = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    simple = _simplified(schema, definitions if isinstance(definitions, Mapping) else {})
    return simple if isinstance(simple, Mapping) else {}


def _simplified(node: Json, definitions: Mapping[str, Json]) -> Json:
    if isinstance(node, list):
        return [_simplified(item, definitions) for item in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        return _simplified(definitions[reference.rsplit("/", 1)[-1]], definitions)
    variants = node.get("anyOf")
    if isinstance(variants, list):
        real = [variant for variant in variants if variant != {"type": "null"}]
        if len(real) == 1 and isinstance(real[0], Mapping):
            node = {**real[0], **{key: value for key, value in node.items() if key != "anyOf"}}
    return {
        key: _properties(value, definitions) if key == "properties" else _simplified(value, definitions)
        for key, value in node.items()
        if not (key == "title" or (key == "default" and value is None))
    }


def _properties(value: Json, definitions: Mapping[str, Json]) -> Json:
    """Keeps the names of properties, which are not keywords: one may be called `title`."""
    assert isinstance(value, Mapping)
    return {name: _simplified(schema, definitions) for name, schema in value.items()}


def _explain(errors: Iterable[ErrorDetails], tool: str, model: type[Arguments]) -> str:
    found = list(errors)
    lines = [f"- {_field(error['loc'])}: {_problem(error)}" for error in found[:_LISTED]]
    if len(found) > _LISTED:
        lines.append(f"- … and {len(found) - _LISTED:,} more")
    names = [
        f"{field.alias or name}{'' if field.is_required() else '?'}"
        for name, field in model.model_fields.items()
    ]
    return "\n".join([f"Invalid arguments for {tool} ({', '.join(names)}):", *lines])


def _field(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        name = f"[{part}]" if isinstance(part, int) else _short(part)
        text += f".{name}" if text and isinstance(part, str) else name
    return text or "arguments"


def _problem(error: ErrorDetails) -> str:
    kind, context, got = error["type"], error.get("ctx", {}), shown_value(error["input"])
    match kind:
        case "missing":
            return "required, but missing"
        case "extra_forbidden":
            return "there is no such field"
        case "string_too_short":
            return f"must not be empty, got {got}"
        case "greater_than_equal":
            return f"expected at least {context['ge']:g}, got {got}"
        case "greater_than":
            return f"expected more than {context['gt']:g}, got {got}"
        case "less_than_equal":
            return f"expected at most {context['le']:g}, got {got}"
        case "too_short":
            least = context["min_length"]
            return f"expected at least {least} item{'' if least == 1 else 's'}, got {got}"
        case "too_long":
            return f"expected at most {context['max_length']:,} items, got {context['actual_length']:,}"
    expected = _EXPECTED.get(kind.split("_", 1)[0])
    if expected is not None:
        return f"expected {expected}, got {got}"
    return f"{error['msg']}, got {got}"


def shown_value(value: object) -> str:
    """A value for an error message: JSON, short and on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = str(value)
    return _short(text)


def _short(text: str) -> str:
    return printable(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
