"""Typed access to the fields of one JSON object of a tape, with errors that name the line and the field."""

import json
from collections.abc import Mapping
from typing import TypeVar

from steersman.models.errors import TapeError

_T = TypeVar("_T")
_W = TypeVar("_W", bound=str)


class Entry:
    """One JSON object of a tape. Each field is taken out of it, and at the `end` none may be left."""

    def __init__(self, where: str, line: int, fields: Mapping[str, object]) -> None:
        self.line = line
        self.where = where
        self._fields = dict(fields)

    @classmethod
    def parse(cls, source: str, line: int, text: str) -> "Entry":
        where = f"{source}, line {line}"
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise TapeError(f"{where}: not valid JSON: {error.msg} at column {error.colno}.") from None
        except ValueError:
            raise TapeError(f"{where}: a number has too many digits.") from None
        except RecursionError:
            raise TapeError(f"{where}: nested too deeply.") from None
        if not isinstance(value, dict):
            raise TapeError(f"{where}: each line is a JSON object, {{…}}.")
        return cls(where, line, value)

    def inner(self, name: str, value: object) -> "Entry":
        if not isinstance(value, dict):
            raise self.wrong(name, "an object", value)
        return Entry(f"{self.where}: {name}", self.line, value)

    def has(self, name: str) -> bool:
        return name in self._fields

    def bad(self, what: str) -> TapeError:
        return TapeError(f"{self.where}: {what}.")

    def wrong(self, name: str, expected: str, value: object) -> TapeError:
        return self.bad(f"`{name}` must be {expected}, not {json.dumps(value)[:80]}")

    def raw(self, name: str) -> object:
        return self._fields.pop(name, None)

    def take(self, name: str, kind: type[_T], default: _T, expected: str) -> _T:
        value = self._fields.pop(name, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(name, expected, value)
        return value

    def string(self, name: str) -> str:
        return self.take(name, str, "", "a string")

    def count(self, name: str, least: int = 0) -> int | None:
        value = self._fields.pop(name, None)
        if value is None:
            return None
        if type(value) is not int or value < least:
            raise self.wrong(name, f"a whole number, at least {least}", value)
        return value

    def number(self, name: str) -> float | None:
        value = self._fields.pop(name, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self.wrong(name, "a number, not negative", value)
        return float(value)

    def strings(self, name: str) -> tuple[str, ...]:
        value = self._fields.pop(name, [])
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self.wrong(name, "a string or a list of strings", value)
        return tuple(texts)

    def word(self, name: str, words: tuple[_W, ...], default: _W | None = None) -> _W:
        value = self._fields.pop(name, "" if default is None else default)
        for word in words:
            if word == value:
                return word
        raise self.wrong(name, "one of " + ", ".join(words), value)

    def list(self, name: str) -> list[object]:
        return self.take(name, list, [], "a list")

    def end(self, known: str) -> None:
        if self._fields:
            unknown = ", ".join(f"`{name}`" for name in self._fields)
            raise self.bad(f"unknown field {unknown}; known here: {known}")
