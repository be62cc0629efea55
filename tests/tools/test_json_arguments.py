"""Arguments against somebody else's JSON Schema: what is refused is wrong in every reading of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.tool import BadArguments
from steersman.tools.json_arguments import MAX_DEPTH, MAX_SCHEMA, check_arguments, schema_fault
from support.cases import cases
from support.json_schema import faults

DEPLOY = {
    "type": "object",
    "properties": {
        "stage": {"type": "string", "enum": ["test", "live"]},
        "copies": {"type": "integer"},
        "share": {"type": "number"},
        "force": {"type": "boolean"},
        "hosts": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object"},
        "note": {"type": ["string", "null"]},
        "extra": {},
        "any": True,
        "odd": {"type": "date"},
    },
    "required": ["stage"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"copies": 3},
        {"copies": 3.0},
        {"share": 1},
        {"share": 0.5},
        {"force": False},
        {"hosts": []},
        {"hosts": [1]},
        {"labels": {}},
        {"note": None},
        {"note": "x"},
        {"extra": [{}]},
        {"any": 1},
        {"odd": 1},
    ],
    ids=repr,
)
def test_what_fits_is_taken(more):
    check_arguments({"stage": "test", **more}, DEPLOY, "deploy")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "- stage: required, but missing"),
        ({"stage": "prod"}, '- stage: expected one of "test", "live", got "prod"'),
        ({"stage": 3}, "- stage: expected a string, got 3"),
        ({"stage": "test", "copies": "3"}, '- copies: expected an integer, got "3"'),
        ({"stage": "test", "copies": 1.5}, "- copies: expected an integer, got 1.5"),
        ({"stage": "test", "copies": True}, "- copies: expected an integer, got true"),
        ({"stage": "test", "share": False}, "- share: expected a number, got false"),
        ({"stage": "test", "force": 1}, "- force: expected true or false, got 1"),
        ({"stage": "test", "hosts": "a"}, '- hosts: expected an array, got "a"'),
        ({"stage": "test", "labels": []}, "- labels: expected an object, got []"),
        ({"stage": "test", "note": 1}, "- note: expected a string or null, got 1"),
        ({"stage": "test", "sure": 1}, "- sure: there is no such field"),
    ],
)
def test_what_does_not_fit_is_named(arguments, says):
    with pytest.raises(BadArguments) as raised:
        check_arguments(arguments, DEPLOY, "deploy")
    head, *lines = str(raised.value).splitlines()
    assert head.startswith("Invalid arguments for deploy (stage, copies?, share?,")
    assert lines == [says]


def test_names_of_a_schema_are_shown_on_one_line():
    schema = {"type": "object", "properties": {"a\nb": {"type": "string"}, "x" * 100: {}}}
    with pytest.raises(BadArguments) as raised:
        check_arguments({"a\nb": 1}, schema, "deploy")
    head, fault = str(raised.value).split("\n")
    assert head == f"Invalid arguments for deploy (a\\nb?, {'x' * 60}?):"
    assert fault == "- a\\nb: expected a string, got 1"


def test_many_faults_are_not_all_listed():
    with pytest.raises(BadArguments) as raised:
        check_arguments({f"x{n}\n": n for n in range(1000)}, DEPLOY, "deploy")
    lines = str(raised.value).splitlines()
    assert len(lines) == 14
    assert lines[-1] == "- … and 989 more"


def test_names_that_other_parts_of_a_schema_may_allow_are_let_through():
    for keyword in ("patternProperties", "$ref", "allOf", "anyOf", "oneOf"):
        check_arguments({"x": 1}, {"type": "object", "additionalProperties": False, keyword: {}}, "t")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.text(max_size=2), SCALARS, max_size=2)
NAMES = st.sampled_from("abcd")
PROPERTIES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]),
        "enum": st.lists(st.text(max_size=3), min_size=1, max_size=3),
        "description": st.text(max_size=3),
    },
)
SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(NAMES, PROPERTIES, max_size=4),
        "required": st.lists(NAMES, max_size=3),
        "additionalProperties": st.booleans(),
    },
)


@cases(300)
@given(SCHEMAS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_nothing_is_refused_that_the_schema_takes(schema, arguments):
    strict = {key: value for key, value in schema.items() if value is not True}
    fits = not faults(arguments, strict, {})
    try:
        check_arguments(arguments, schema, "t")
    except BadArguments:
        assert not fits


# Schemas


def nested(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (DEPLOY, None),
        ({"type": "object"}, None),
        (nested(10), None),
        ({}, 'its type is not "object"'),
        ({"type": "array"}, 'its type is not "object"'),
        ({"type": ["object"]}, 'its type is not "object"'),
        ({"type": "object", "properties": []}, "its properties are not an object"),
        ({"type": "object", "properties": {"a": "string"}}, "the schema of a property is not an object"),
        ({"type": "object", "required": "a"}, "required is not a list of names"),
        ({"type": "object", "required": [1]}, "required is not a list of names"),
        (nested(500), f"it is more than {MAX_DEPTH} levels deep"),
        ({"type": "object", "description": "x" * MAX_SCHEMA}, "it has more than 20,000 bytes"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_can_be_a_tools_schema(schema, says):
    assert schema_fault(schema) == says
