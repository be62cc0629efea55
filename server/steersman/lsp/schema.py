"""The protocol as one JSON Schema document (2020-12): events, commands and their answers, options, errors.

It is made from the models. A client's types and the tables of protocol.md are made from it in turn.
"""

import ast
import functools
import inspect
import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from steersman.lsp import (
    answers,
    client_asks,
    client_documents,
    client_results,
    params,
    reported,
)
from steersman.lsp.command_list import COMMANDS
from steersman.session.schema import EVENTS, Event
from steersman.session.schema_parts import EventData, Wire

Schema = dict[str, Any]  # Any: JSON


OTHERS: Final[tuple[type[BaseModel], ...]] = (
    answers.InitializationOptions,
    answers.ExperimentalCapabilities,
    answers.ApprovalRequest,
    params.ApprovalAnswer,
    params.ApprovalTextsParams,
    answers.ApprovalTextsAnswer,
    answers.SaveRequest,
    client_documents.SaveAnswer,
    answers.OpenDocumentsRequest,
    client_documents.OpenDocumentsAnswer,
    client_documents.OpenDocumentsChanged,
    client_asks.InputRequest,
    client_results.InputAnswer,
    client_asks.CallToolRequest,
    client_results.CallToolAnswer,
    reported.ReportedDiagnostics,
    answers.InvalidParamsData,
    answers.RefusedData,
)


def json_schema() -> Schema:
    """The whole document. Written as JSON, it is the same byte for byte for the same version."""
    models: list[type[BaseModel]] = [*EVENTS, Event, *OTHERS]
    for command in COMMANDS:
        models += [command.params, *command.answers]
    unique = list(dict.fromkeys(models))
    _, generated = models_json_schema(
        [(model, "validation") for model in unique],
        ref_template="#/$defs/{model}",
        schema_generator=_Generator,
    )
    definitions: Schema = generated["$defs"]
    for model in parts_of(unique):
        _complete(definitions[model.__name__], model)
    envelope = definitions["Event"]
    forms = {_event_name(form): _event(envelope, form) for form in EVENTS}
    definitions |= forms
    definitions["Event"] = {
        "description": "One event. `type` says which; a `message_end` that holds `discarded` is the second form.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in forms],
    }
    definitions["JsonValue"] = {"description": "Any JSON value."}
    definitions["Commands"] = _commands()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Steersman protocol",
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


class _Generator(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        """No: a field's title would only repeat its name."""
        return False

    def tagged_union_schema(self, schema: Any) -> Schema:
        """Leaves out OpenAPI's `discriminator`, which is not a keyword of JSON Schema."""
        union = super().tagged_union_schema(schema)
        union.pop("discriminator", None)
        return union


def _complete(definition: Schema, model: type[BaseModel]) -> None:
    """Adds what pydantic doesn't know of a model: descriptions from the source, and which fields are left out rather
    than null."""
    definition.pop("title", None)
    if model.__doc__:
        definition["description"] = inspect.cleandoc(model.__doc__)
    told = field_docs(model)
    for name, field in model.model_fields.items():
        shown = definition["properties"][field.alias or name]
        if name in told:
            shown["description"] = told[name]
        if (
            issubclass(model, Wire | answers.RefusedData)
            and field.default is None
            and not field.is_required()
        ):
            _drop_null(shown)


def _drop_null(shown: Schema) -> None:
    """The server leaves a field out instead of sending null."""
    shown.pop("default", None)
    rest = [form for form in shown.pop("anyOf", []) if form != {"type": "null"}]
    if len(rest) == 1:
        shown |= rest[0] | shown
    elif rest:
        shown["anyOf"] = rest


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings of a model's fields, by their Python names."""
    told: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            told |= _docs_of_module(base.__module__).get(base.__name__, {})
    return told


@functools.cache
def _docs_of_module(name: str) -> dict[str, dict[str, str]]:
    """By class and field. Read from the source here, since pydantic would read it at every import of the models."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: dict(_docs_of_class(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for item, after in itertools.pairwise(node.body):
        match item, after:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


def parts_of(models: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models, and all models that their fields are made of."""
    found: dict[type[BaseModel], None] = {}

    def visit(kind: Any) -> None:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            if kind not in found:
                found[kind] = None
                for field in kind.model_fields.values():
                    visit(field.annotation)
            return
        for part in getattr(kind, "__args__", ()):
            visit(part)

    for model in models:
        visit(model)
    return list(found)


def _event_name(form: type[EventData]) -> str:
    return form.__name__.removesuffix("Data") + "Event"


def _event(envelope: Schema, form: type[EventData]) -> Schema:
    properties = envelope["properties"] | {
        "type": {"const": form.event},
        "data": {"$ref": f"#/$defs/{form.__name__}"},
    }
    if not form.durable:
        del properties["seq"]
    return {
        "type": "object",
        "properties": properties,
        "required": envelope["required"],
        "additionalProperties": False,
    }


def _commands() -> Schema:
    """By id: what each command takes as its only argument, and what it answers."""
    properties = {}
    for command in COMMANDS:
        taken: Schema = {"$ref": f"#/$defs/{command.params.__name__}"}
        if command.string_as is not None:
            taken = {"anyOf": [taken, {"type": "string", "description": f"`{command.string_as}`"}]}
        given = [{"$ref": f"#/$defs/{answer.__name__}"} for answer in command.answers]
        properties[command.id] = {
            "type": "object",
            "description": command.meaning,
            "properties": {"params": taken, "answer": given[0] if len(given) == 1 else {"anyOf": given}},
            "required": ["params", "answer"],
            "additionalProperties": False,
        }
    return {
        "type": "object",
        "description": "The commands of `workspace/executeCommand`.",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
