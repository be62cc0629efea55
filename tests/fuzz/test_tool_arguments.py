"""Arguments of tool calls as models write them, whole or broken: an object that can be kept, or an error in words."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import MalformedArguments, ToolCall, parse_arguments
from steersman.agent.tool import BadArguments, Tool
from steersman.session.jsonlines import decode, encode
from steersman.workspace.guard import Guard
from support.cases import cases
from support.mutations import Json, from_schema, json_bytes, mutated_json, mutated_text
from support.workspace import make_bench

NAMES = ("read", "write", "edit", "delete", "move", "bash", "grep", "find", "ls")
TOKENS = (
    *(
        "",
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        "\\u",
        "\\ud800",
        "\\udc00",
        ":",
        ",",
        "1e999",
        "NaN",
        "Infinity",
        "9" * 5000,
        "-0",
    ),
    *(
        "[" * 3000,
        '{"a":' * 3000,
        "\n",
        "\0",
        "\ufeff",
        "\u2028",
        "'",
        "//",
        "/*",
        "```json\n",
        "\n```",
        "<",
        "null",
        "true",
    ),
)
TEXTS = st.sampled_from(["a.txt", "", "..", "x\ny", "ü😀", "\u202e", "a" * 300, "*.py", "(", "[", "ls"])


@pytest.fixture(scope="module")
def tools(tmp_path_factory) -> dict[str, Tool]:
    with Guard() as guard:
        yield make_bench(tmp_path_factory.mktemp("bench"), guard).tools


@pytest.fixture(scope="module")
def arguments(tools) -> dict[str, st.SearchStrategy[str]]:
    return {name: arguments_of(tools[name]) for name in NAMES}


def arguments_of(tool: Tool) -> st.SearchStrategy[str]:
    """Nearly what its schema says, as text, some of it broken off."""
    values = mutated_json(from_schema(dict(tool.parameters), lambda _: TEXTS))
    return mutated_text(values.map(lambda value: json_bytes(value).decode()), TOKENS, most=2)


@cases(60)
@given(name=st.sampled_from(NAMES), data=st.data())
def test_arguments_are_an_object_that_can_be_kept_or_an_error_in_words(tools, arguments, name, data):
    raw = data.draw(arguments[name])
    try:
        parsed = parse_arguments(ToolCall("c", name, raw))
    except MalformedArguments as error:
        assert str(error)
        return
    assert isinstance(parsed, dict)
    line = encode(parsed)
    assert b"\n" not in line
    assert decode(line) == _kept(parsed)
    try:
        bound = tools[name].bind(parsed)
    except BadArguments as error:
        assert len(str(error)) < 20_000
        return
    assert encode(bound.arguments)


def _kept(value: Json) -> Json:
    """Whole numbers beyond 64 bits are read as others are that are so large."""
    if isinstance(value, dict):
        return {key: _kept(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_kept(each) for each in value]
    return float(value) if type(value) is int and not -(2**63) <= value < 2**64 else value


def test_the_names_are_those_of_tools(tools, tmp_path: Path):
    assert set(NAMES) <= set(tools)
    assert json.dumps({name: dict(tools[name].parameters) for name in NAMES})
