"""Input that is nearly valid: a valid message with a few bytes, tokens or members of it changed.

hypothesis draws only a short list of numbers and pieces, so examples are cheap to make and to shrink.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

Json = Any

_AT = st.integers(0, 1 << 16)
_BYTE_CHANGES = ("insert", "put over", "take out", "double", "cut", "swap")
_JSON_CHANGES = ("replace", "take out", "double", "rename", "wrap", "copy over")
BYTES = (
    *(
        b"",
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\n\n",
        b" ",
        b"\t",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
    ),
    *(
        b"\xef\xbb\xbf",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b"\\u",
        b"\\ud800",
        b":",
        b",",
        b"-",
        b"0",
        b"9" * 30,
        b"NaN",
    ),
    *(
        b"1e999",
        b"null",
        b"true",
        b'""',
        b"[" * 2000,
        b'{"a":' * 2000,
        b"x" * 300,
        b"\xf0\x9f\x98\x80",
        b"\xe2\x80\xa8",
    ),
)
"""Tokens that any text format may stumble over."""
ODD: Sequence[Json] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        0.5,
        1e308,
        2**31,
        2**53 + 1,
        2**63 - 1,
        -(2**63),
        10**30,
        "",
        " ",
        "0",
        "x" * 500,
    ),
    *(
        "\0",
        "\ud800",
        "é\u0301",
        "\u202e",
        "\n",
        "..",
        "/",
        "file:///proc/none",
        [],
        {},
        [None],
        [[]],
        {"": None},
    ),
    {"\ud800": 1},
)


def deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


odd_json = st.sampled_from([*ODD, deep(100), deep(400)])
"""Values that are JSON and rarely what is meant."""


def byte_changes(tokens: Sequence[bytes] = (), most: int = 4) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """For `change_bytes`. `tokens` of the format are put in beside those of any text."""
    piece = st.sampled_from((*tokens, *tokens, *BYTES)) | st.binary(max_size=4)
    return st.lists(st.tuples(st.sampled_from(_BYTE_CHANGES), _AT, st.integers(0, 40), piece), max_size=most)


def mutated_bytes(
    base: st.SearchStrategy[bytes], tokens: Sequence[bytes] = (), *, most: int = 4
) -> st.SearchStrategy[bytes]:
    return st.builds(change_bytes, base, byte_changes(tokens, most))


def change_bytes(data: bytes, changes: Sequence[tuple[Any, ...]]) -> bytes:
    for kind, place, length, piece in changes:
        at = place % (len(data) + 1)
        end = min(len(data), at + length)
        match kind:
            case "insert":
                data = data[:at] + piece + data[at:]
            case "put over":
                data = data[:at] + piece + data[at + len(piece) :]
            case "take out":
                data = data[:at] + data[end:]
            case "double":
                data = data[:end] + data[at:]
            case "cut":
                data = data[:at]
            case "swap":
                data = data[:at] + data[end : 2 * end - at] + data[at:end] + data[2 * end - at :]
    return data


def mutated_text(
    base: st.SearchStrategy[str], tokens: Sequence[str], *, most: int = 4
) -> st.SearchStrategy[str]:
    return st.builds(change_text, base, text_changes(tokens, most))


def text_changes(tokens: Sequence[str], most: int = 4) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """For `change_text`."""
    changes = st.tuples(st.sampled_from(_BYTE_CHANGES), _AT, st.integers(0, 20), st.sampled_from(tokens))
    return st.lists(changes, max_size=most)


def change_text(text: str, changes: Sequence[tuple[Any, ...]]) -> str:
    encoded = [
        (kind, place * 4, length * 4, piece.encode("utf-32-le", "surrogatepass"))
        for kind, place, length, piece in changes
    ]
    data = text.encode("utf-32-le", "surrogatepass")
    for kind, place, length, piece in encoded:
        at = place % (len(data) + 4)
        data = change_bytes(data, [(kind, at - at % 4, length, piece)])
    return data.decode("utf-32-le", "surrogatepass")


def mutated_json(base: st.SearchStrategy[Json], *, most: int = 3) -> st.SearchStrategy[Json]:
    """A value with some of its parts replaced, taken out, doubled, renamed, wrapped, or put where others were."""
    changes = st.lists(st.tuples(st.sampled_from(_JSON_CHANGES), _AT, _AT, odd_json), max_size=most)
    return st.builds(change_json, base, changes)


def change_json(value: Json, changes: Sequence[tuple[Any, ...]]) -> Json:
    if changes:
        value = copied(value)
    for kind, which, other, odd in changes:
        box = [value]
        slots = list(_slots(box))
        parent, key = slots[which % len(slots)]
        match kind:
            case "replace":
                parent[key] = copied(odd)
            case "wrap":
                parent[key] = [parent[key]]
            case "copy over":
                source, at = slots[other % len(slots)]
                parent[key] = copied(source[at])
            case "double" if isinstance(parent, list) and parent is not box:
                parent.insert(other % (len(parent) + 1), copied(parent[key]))
            case "take out" if parent is not box:
                del parent[key]
            case "rename" if isinstance(parent, dict):
                parent[odd if isinstance(odd, str) else str(key).swapcase()] = parent.pop(key)
        value = box[0]
    return value


def copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list) else value


def _slots(value: Json) -> Iterator[tuple[Any, Any]]:
    """Every place of a value that something stands in. Not below the hundredth level, which `deep` alone has."""
    waiting = [(value, 0)]
    while waiting:
        parent, level = waiting.pop()
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        for key in keys:
            yield parent, key
            if isinstance(parent[key], list | dict) and level < 100:
                waiting.append((parent[key], level + 1))


def pieces_of(data: bytes, places: Sequence[int]) -> list[bytes]:
    """`data` cut at these places, wherever that is."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


cuts = st.lists(_AT, max_size=5)


def from_schema(
    schema: dict[str, Json], leaf: Callable[[str], st.SearchStrategy[str]]
) -> st.SearchStrategy[Json]:
    """Values that fit a JSON Schema, as pydantic writes it. `leaf` makes the strings of a property by its name."""
    definitions = schema.get("$defs", {})

    def build(part: dict[str, Json], name: str) -> st.SearchStrategy[Json]:
        if "$ref" in part:
            return build(definitions[part["$ref"].rpartition("/")[2]], name)
        if "anyOf" in part:
            return st.one_of([build(each, name) for each in part["anyOf"]])
        if "enum" in part:
            return st.sampled_from(part["enum"])
        if "const" in part:
            return st.just(part["const"])
        match part.get("type"):
            case "object" if "properties" in part:
                properties = {key: build(value, key) for key, value in part["properties"].items()}
                required = {key: properties.pop(key) for key in part.get("required", ())}
                return st.fixed_dictionaries(required, optional=properties)
            case "array":
                return st.lists(build(part.get("items", {}), name), max_size=2)
            case "integer":
                low = int(part.get("minimum", 0))
                return st.integers(low, int(part.get("maximum", low + 9)))
            case "number":
                return st.floats(0.001, 100)
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
            case "string":
                return leaf(name)
        return odd_json

    return build(schema, "")


def json_bytes(value: Json) -> bytes:
    """As JSON. Lone surrogates are escaped, and numbers may be longer than any type."""
    return json.dumps(value).encode()
