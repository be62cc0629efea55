"""The protocol as one JSON Schema document (2020-12): events, commands and their answers, options, errors.

It is read off the models; a client's types and the tables of protocol.md are made from it.
"""

import ast
import functools
import inspect
import itertools
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from steersman.lsp import (
    answers,
    client_asks,
    client_results,
    model_answers,
    params,
    reported,
    session_answers,
    session_params,
)
from steersman.session.schema import EVENTS, Event
from steersman.session.schema_parts import EventData, Wire

Schema = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `workspace/executeCommand`."""

    name: str
    """Without `steersman.`."""
    meaning: str
    params: type[params.Params]
    answers: tuple[type[BaseModel], ...]
    """The forms that its answer can have."""
    string_as: str | None = None
    """The field that a bare string in place of the object is meant for."""

    @property
    def id(self) -> str:
        return f"steersman.{self.name}"


COMMANDS: Final = (
    Command("start", "Begins a run.", params.StartParams, (answers.StartAnswer,), "prompt"),
    Command(
        "continue",
        "Goes on after a limit, a cut answer, an error or an interruption.",
        params.ContinueParams,
        (answers.StartAnswer,),
        "session",
    ),
    Command("steer", "Says something to a live run, now.", params.TextParams, (answers.SteerAnswer,), "text"),
    Command(
        "followUp",
        "Says something when the run would end; begins a run when none is live.",
        params.TextParams,
        (answers.QueuedAnswer, answers.StartedAnswer),
        "text",
    ),
    Command(
        "doComment",
        "Does what a comment says, and takes the comment out of its file.",
        params.DoCommentParams,
        (answers.StartedAnswer, answers.SteerAnswer, answers.QueuedAnswer),
    ),
    Command(
        "ask",
        "Asks the user for a prompt, by `steersman/input`, and says it. Answers when they have.",
        params.AskParams,
        (answers.StartedAnswer, answers.QueuedAnswer, answers.ClosedAnswer),
    ),
    Command(
        "queue",
        "What waits to be said to a live run: shown, changed, put in another order, taken out.",
        params.QueueParams,
        (answers.QueueAnswer,),
        "op",
    ),
    Command("abort", "Stops a run. Harmless twice.", params.AbortParams, (answers.AbortAnswer,), "run"),
    Command("approvals", "The pending questions.", params.NoParams, (answers.ApprovalsAnswer,)),
    Command("approve", "Answers a question.", params.ApproveParams, (answers.ApproveAnswer,)),
    Command(
        "showQuestion",
        "Shows what a question is about: the diff, or the command.",
        params.ShowQuestionParams,
        (answers.ShowQuestionAnswer,),
        "id",
    ),
    Command(
        "status", "What is open, runs and waits for an answer.", params.NoParams, (answers.StatusAnswer,)
    ),
    Command(
        "events",
        "The durable events after a number, and what is being streamed.",
        params.EventsParams,
        (answers.EventsAnswer,),
        "session",
    ),
    Command(
        "configure",
        "Sets model, mode and thinking of a session, or of all new runs.",
        params.ConfigureParams,
        (answers.ConfigureAnswer,),
    ),
    Command(
        "models",
        "The models that there are to name, asked from the providers; why others can't be used, and what to do.",
        params.ModelsParams,
        (model_answers.ModelsAnswer,),
        "provider",
    ),
    Command(
        "templates",
        "The prompt templates, called by `/name`.",
        params.TemplatesParams,
        (answers.TemplatesAnswer,),
        "root",
    ),
    Command(
        "sessions",
        "The kept sessions.",
        session_params.SessionsParams,
        (session_answers.SessionsAnswer,),
        "root",
    ),
    Command(
        "resume",
        "Opens a kept session, to go on where it stands or from one of its messages.",
        session_params.ResumeParams,
        (session_answers.ResumeAnswer,),
        "session",
    ),
    Command(
        "fork",
        "Goes on from before a message, in a copy or in place. Changes no file.",
        session_params.ForkParams,
        (session_answers.ForkAnswer, session_answers.WentBackAnswer),
        "session",
    ),
    Command(
        "compact",
        "Has old messages summarised for the model. Nothing is lost: the log keeps them.",
        session_params.CompactParams,
        (session_answers.CompactAnswer,),
        "instructions",
    ),
    Command(
        "checkpoints",
        "The messages of a session to which its changes of files can be taken back.",
        session_params.CheckpointsParams,
        (session_answers.CheckpointsAnswer,),
        "session",
    ),
    Command(
        "revert",
        "Takes back what was changed since a checkpoint, or tells what that would do.",
        session_params.RevertParams,
        (session_answers.RevertPreview, session_answers.OperationAnswer),
    ),
    Command(
        "export",
        "Writes a session's transcript to a file: an HTML page that needs nothing else, or Markdown.",
        session_params.ExportParams,
        (session_answers.ExportAnswer,),
        "session",
    ),
    Command(
        "transcript",
        "Shows a session's transcript, which goes on with it.",
        session_params.TranscriptParams,
        (session_answers.TranscriptAnswer,),
        "session",
    ),
    Command(
        "rename", "Gives a session a title.", session_params.RenameParams, (session_answers.RenameAnswer,)
    ),
    Command(
        "delete",
        "Deletes a session for good. What it did to files stays.",
        session_params.DeleteParams,
        (session_answers.DeleteAnswer,),
    ),
)
"""In the order in which they are documented."""

OTHERS: Final[tuple[type[BaseModel], ...]] = (
    answers.InitializationOptions,
    answers.ExperimentalCapabilities,
    answers.ApprovalRequest,
    params.ApprovalAnswer,
    params.ApprovalTextsParams,
    answers.ApprovalTextsAnswer,
    answers.SaveRequest,
    params.SaveAnswer,
    answers.OpenDocumentsRequest,
    params.OpenDocumentsAnswer,
    params.OpenDocumentsChanged,
    client_asks.InputRequest,
    client_results.InputAnswer,
    client_asks.CallToolRequest,
    client_results.CallToolAnswer,
    reported.ReportedDiagnostics,
    answers.InvalidParamsData,
    answers.RefusedData,
)


def json_schema() -> Schema:
    """The whole document. The same for the same version, byte for byte, once it is written as JSON."""
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
        """A field's title would only repeat its name."""
        return False

    def tagged_union_schema(self, schema: Any) -> Schema:
        """Without OpenAPI's `discriminator`, which is no keyword of JSON Schema."""
        union = super().tagged_union_schema(schema)
        union.pop("discriminator", None)
        return union


def _complete(definition: Schema, model: type[BaseModel]) -> None:
    """Says of one model what pydantic doesn't: descriptions from the source, and what is left out rather than null."""
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
    """What the server has nothing to say of it leaves out."""
    shown.pop("default", None)
    rest = [form for form in shown.pop("anyOf", []) if form != {"type": "null"}]
    if len(rest) == 1:
        shown |= rest[0] | shown
    elif rest:
        shown["anyOf"] = rest


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings of a model's fields, by their names in Python."""
    told: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            told |= _docs_of_module(base.__module__).get(base.__name__, {})
    return told


@functools.cache
def _docs_of_module(name: str) -> dict[str, dict[str, str]]:
    """By class and field, from the source: pydantic would have to read it whenever the models are imported."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: dict(_docs_of_class(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for item, after in itertools.pairwise(node.body):
        match item, after:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


def parts_of(models: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models and all that they are made of."""
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
    """By id: what each takes as its only argument, and what it answers."""
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
