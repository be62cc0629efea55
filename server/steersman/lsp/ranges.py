"""Positions and ranges between LSP's JSON and `workspace.positions`."""

from steersman.lsp.errors import InvalidParams
from steersman.lsp.plain import integer, record
from steersman.lsp.wire import JsonObject
from steersman.workspace.positions import Position, Range


def read_position(parent: JsonObject, name: str) -> Position:
    """The member of `parent` that has to be a `Position`.

    Raises:
        InvalidParams: it is none; LSP counts lines and characters from 0.
    """
    given = record(parent, name)
    line, character = integer(given, "line"), integer(given, "character")
    if min(line, character) < 0:
        raise InvalidParams(name, f"{name}: lines and characters are counted from 0.")
    return Position(line, character)


def read_range(parent: JsonObject, name: str) -> Range:
    """The member of `parent` that has to be a `Range`.

    Raises:
        InvalidParams: it is none.
    """
    span = record(parent, name)
    return Range(read_position(span, "start"), read_position(span, "end"))


def position_json(position: Position) -> JsonObject:
    return {"line": position.line, "character": position.character}


def range_json(start: Position, end: Position) -> JsonObject:
    return {"start": position_json(start), "end": position_json(end)}
