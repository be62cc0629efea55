"""Arguments: other names and shapes are mended, values coerced, errors say what to do, and schemas are simple."""

import json
from collections.abc import Mapping

import pytest

from steersman.agent.messages import Json
from steersman.agent.tool import BadArguments
from steersman.tools.schema import KEPT, schemas_to_keep
from support.workspace import Bench


def bound(bench: Bench, name: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    return bench.tools[name].bind(arguments).arguments


@pytest.mark.parametrize(
    ("name", "given", "used"),
    [
        ("read", {"file_path": "a", "offset": "42"}, {"path": "a", "offset": 42}),
        ("read", {"path": "a", "limit": 5.0, "offset": None}, {"path": "a", "limit": 5}),
        ("read", {"path": "a", "file_path": "b"}, {"path": "a"}),
        ("write", {"file_path": "a", "contents": ""}, {"path": "a", "content": ""}),
        ("write", {"path": "a", "content": 42}, {"path": "a", "content": "42"}),
        ("move", {"source": "a", "destination": "b"}, {"from": "a", "to": "b"}),
        ("bash", {"cmd": "ls", "description": "lists"}, {"command": "ls"}),
        ("bash", {"command": ["bash", "-lc", "ls | wc"]}, {"command": "ls | wc"}),
        ("bash", {"command": ["echo", "a b"]}, {"command": "echo 'a b'"}),
        ("bash", {"command": "ls", "timeout": "10"}, {"command": "ls", "timeout": 10.0}),
        ("ls", {}, {}),
    ],
)
def test_arguments_are_put_right_and_coerced(
    bench: Bench, name: str, given: Mapping[str, Json], used: Mapping[str, Json]
) -> None:
    assert bound(bench, name, given) == used


def test_booleans_are_coerced(bench: Bench) -> None:
    used = bound(bench, "grep", {"query": "x", "ignore_case": "true", "literal": "false", "-C": "2"})
    assert (used["pattern"], used["ignoreCase"], used["literal"], used["context"]) == ("x", True, False, 2)


EDITS = [{"oldText": "a", "newText": "b"}]


@pytest.mark.parametrize(
    "given",
    [
        {"path": "f", "edits": EDITS},
        {"path": "f", "edits": EDITS[0]},
        {"path": "f", "edits": json.dumps(EDITS)},
        {"path": "f", "edits": json.dumps(EDITS[0])},
        {"path": "f", "edits": [json.dumps(EDITS[0])]},
        {"file_path": "f", "old_string": "a", "new_string": "b"},
        {"path": "f", "oldText": "a", "newText": "b"},
        {"path": "f", "edits": EDITS, "oldText": "", "newText": ""},
        {"path": "f", "edits": [{"old_string": "a", "new_str": "b"}]},
        {"path": "f", "old_string": "a", "new_string": "b", "replace_all": False},
        {"path": "f", "replacements": [{"search": "a", "replace": "b"}]},
    ],
)
def test_every_usual_shape_of_an_edit_is_understood(bench: Bench, given: Mapping[str, Json]) -> None:
    assert bound(bench, "edit", given) == {"path": "f", "edits": EDITS}


def test_text_that_looks_like_json_stays_text(bench: Bench) -> None:
    edits: Json = [{"oldText": "[1]", "newText": '{"a": 1}'}]
    assert bound(bench, "edit", {"path": "f", "edits": edits})["edits"] == edits
    assert bound(bench, "write", {"path": "f", "content": "[1, 2]"})["content"] == "[1, 2]"


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("read", {}, "- path: required, but missing"),
        ("read", {"path": ["a"]}, '- path: expected a string, got ["a"]'),
        ("read", {"path": None}, "- path: expected a string, got null"),
        ("read", {"path": "a", "offset": "last"}, '- offset: expected an integer, got "last"'),
        ("read", {"path": "a", "offset": 1.5}, "- offset: expected an integer, got 1.5"),
        ("read", {"path": "a", "limit": -1}, "- limit: expected at least 1, got -1"),
        ("edit", {"path": "a", "edits": []}, "- edits: expected at least 1 item, got []"),
        ("edit", {"path": "a", "edits": [{"oldText": "x"}]}, "- edits[0].newText: required, but missing"),
        ("edit", {"path": "a", "edits": "replace it"}, '- edits: expected an array, got "replace it"'),
        ("edit", {"path": "a", "edits": [3]}, "- edits[0]: expected an object, got 3"),
        ("edit", {"path": "a", "edits": EDITS, "replaceAll": True}, "- replaceAll: there is no such field"),
        ("edit", {"path": "a", "edits": EDITS, "oldText": "x"}, "- oldText: there is no such field"),
        ("write", {"path": "a", "content": {"k": 1}}, '- content: expected a string, got {"k": 1}'),
        ("grep", {"pattern": ""}, '- pattern: must not be empty, got ""'),
        ("grep", {"pattern": "x", "literal": "maybe"}, '- literal: expected true or false, got "maybe"'),
        ("bash", {"command": "ls", "timeout": 120_000}, "- timeout: expected at most 3600, got 120000"),
        ("bash", {"command": "ls", "timeout": 0}, "- timeout: expected more than 0, got 0"),
    ],
)
def test_an_error_names_the_field_what_was_expected_and_what_came(
    bench: Bench, name: str, given: Mapping[str, Json], says: str
) -> None:
    with pytest.raises(BadArguments) as raised:
        bench.tools[name].bind(given)
    lines = str(raised.value).splitlines()
    assert lines[0].startswith(f"Invalid arguments for {name} (")
    assert says in lines


def test_an_error_shows_only_the_beginning_of_what_came(bench: Bench) -> None:
    with pytest.raises(BadArguments) as raised:
        bench.tools["read"].bind({"path": {"x": "y" * 10_000}})
    assert len(str(raised.value)) < 300


def test_schemas_are_simple(bench: Bench) -> None:
    for tool in bench.tools.values():
        text = json.dumps(tool.parameters)
        for noise in ("$defs", "$ref", "anyOf", "allOf", '"title"', "null"):
            assert noise not in text, (tool.name, noise)
        assert tool.parameters["type"] == "object"


def test_schemas_name_what_the_design_names(bench: Bench) -> None:
    fields = {
        name: (set(tool.parameters["properties"]), set(tool.parameters.get("required", [])))
        for name, tool in bench.tools.items()
    }
    assert fields == {
        "read": ({"path", "offset", "limit"}, {"path"}),
        "ls": ({"path", "limit"}, set()),
        "find": ({"pattern", "path", "limit"}, {"pattern"}),
        "grep": (
            {"pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"},
            {"pattern"},
        ),
        "edit": ({"path", "edits"}, {"path", "edits"}),
        "write": ({"path", "content"}, {"path", "content"}),
        "delete": ({"path"}, {"path"}),
        "move": ({"from", "to"}, {"from", "to"}),
        "bash": ({"command", "timeout"}, {"command"}),
    }


def test_only_tools_without_effects_are_parallel(bench: Bench) -> None:
    parallel = {name for name, tool in bench.tools.items() if tool.execution == "parallel"}
    assert parallel == {"read", "ls", "find", "grep"}


def test_the_schemas_that_are_kept_are_current() -> None:
    how = "run: steersman schema --tools --out server/steersman/tools/schemas.json"
    assert KEPT.read_text("utf-8") == schemas_to_keep(), how
