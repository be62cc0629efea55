"""The tables of protocol.md, made from the same models as the schema.

A document has `<!-- generated: NAME -->` … `<!-- end -->` where it wants a table; `embed` fills these sections.
"""

import re
import types
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from steersman.lsp.command_list import COMMANDS, Command
from steersman.lsp.quirks import TABLE as QUIRKS
from steersman.lsp.quirks import Known
from steersman.lsp.schema import OTHERS, field_docs, parts_of
from steersman.session.schema import EVENTS, Event

_SECTION: Final = re.compile(r"^(<!-- generated: (\S+) -->\n).*?^(<!-- end -->)$", re.MULTILINE | re.DOTALL)
_MAX_VALUES: Final = 16
"""A field with more possible values is shown without them."""


def tables() -> dict[str, str]:
    """All tables by name, as Markdown that ends with a line break."""
    return {
        "commands": _table(("command", "parameters", "answer", "meaning"), map(_command_row, COMMANDS)),
        "events": _table(("type", "data", "meaning"), _event_rows()),
        "objects": _table(("object", "fields", "meaning"), map(_object_row, _objects())),
        "quirks": _table(("client", "seen in", "what it does", "how it is known"), map(_quirk_row, QUIRKS)),
    }


def markdown() -> str:
    """All tables, each between its markers."""
    return "\n".join(f"<!-- generated: {name} -->\n{table}<!-- end -->\n" for name, table in tables().items())


def embed(document: str) -> str:
    """The document with its generated sections brought up to date.

    Raises:
        ValueError: it has no generated section, or one with an unknown name.
    """
    made = tables()
    names = [match[2] for match in _SECTION.finditer(document)]
    unknown = [name for name in names if name not in made]
    if unknown or not names:
        said = f"has no table called {unknown[0]}" if unknown else "has no generated section"
        example = "<!-- generated: events --> and <!-- end --> on lines of their own"
        raise ValueError(f"The document {said}. Write {example}; there are: {', '.join(made)}.")
    return _SECTION.sub(lambda match: match[1] + made[match[2]] + match[3], document)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell or "–" for cell in line) + " |\n" for line in lines)


def _command_row(command: Command) -> tuple[str, ...]:
    meaning = command.meaning
    if command.string_as is not None:
        meaning += f" A string is the `{command.string_as}`."
    forms = "; or ".join(_fields(answer, documented=False) for answer in command.answers)
    return f"`{command.id}`", _fields(command.params), forms, meaning


def _event_rows() -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys(form.event for form in EVENTS):
        forms = [form for form in EVENTS if form.event == name]
        meaning = "<br>or: ".join(_meaning(form) or "–" for form in forms)
        passing = "" if forms[0].durable else "Passing. "
        yield f"`{name}`", "<br>or: ".join(map(_fields, forms)), passing + meaning


def _objects() -> list[type[BaseModel]]:
    """The models that the fields of commands, answers, events and the rest are made of, sorted by name."""
    answered = [answer for command in COMMANDS for answer in command.answers]
    told: set[type[BaseModel]] = {*EVENTS, Event, *answered, *(command.params for command in COMMANDS)}
    return sorted(
        (model for model in parts_of([*told, *OTHERS]) if model not in told), key=lambda it: it.__name__
    )


def _object_row(model: type[BaseModel]) -> tuple[str, ...]:
    return f"`{model.__name__}`", _fields(model), _meaning(model)


def _quirk_row(known: Known) -> tuple[str, ...]:
    return f"`{known.client}`", known.versions, _cell(known.differs), known.seen


def _meaning(model: type[BaseModel]) -> str:
    return _cell(model.__doc__ or "")


def _fields(model: type[BaseModel], *, documented: bool = True) -> str:
    told = field_docs(model) if documented else {}
    shown = []
    for name, field in model.model_fields.items():
        optional = not field.is_required()
        notes = [_kind(field.annotation, optional=optional), _note(told.get(name, ""))]
        note = ": ".join(filter(None, notes))
        shown.append(f"`{field.alias or name}`" + "?" * optional + (f" ({note})" if note else ""))
    return _cell(", ".join(shown))


def _note(text: str) -> str:
    """A docstring as part of a sentence."""
    text = text.rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _kind(annotation: Any, *, optional: bool = False) -> str:
    """The possible values of a field, or the name of its object; "" for plain strings, numbers and booleans.

    Null is mentioned only where it differs from leaving the field out.
    """
    kinds = list(dict.fromkeys(_kinds(annotation)))
    nullable = "null" in kinds and not optional
    said = ", ".join(kind for kind in kinds if kind not in ("null", ""))
    if len(kinds) > _MAX_VALUES:
        said = ""
    if not nullable:
        return said
    return f"{said} or null" if said else "may be null"


def _kinds(annotation: Any) -> list[str]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is type(None):
        return ["null"]
    if origin is Literal:
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in parts]
    if origin in (Union, types.UnionType):
        return [kind for part in parts for kind in _kinds(part)]
    if origin is Annotated:
        return _kinds(parts[0])
    if origin is list:
        items = _kind(parts[0])
        return [f"list of {items}" if items else "list"]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [f"`{annotation.__name__}`"]
    return ["object" if origin is dict else ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
