"""JSON values as the server handles them, and their text on the wire."""

from steersman.session.jsonlines import decode, encode

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]

__all__ = ["JsonObject", "JsonValue", "decode", "encode"]
