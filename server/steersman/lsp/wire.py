"""JSON values as the server handles them, and their text on the wire."""

from collections.abc import Awaitable, Callable, Sequence

from steersman.session.jsonlines import decode, encode

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]

CommandHandler = Callable[[Sequence[JsonValue]], Awaitable[JsonValue]]
"""A command of `workspace/executeCommand`: takes its arguments, returns its result, raises CommandError to refuse."""

__all__ = ["CommandHandler", "JsonObject", "JsonValue", "decode", "encode"]
