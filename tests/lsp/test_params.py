"""Parameters of commands: one object or a string, checked strictly, with errors that name the field."""

import pytest

from steersman.lsp.arguments import parse
from steersman.lsp.errors import InvalidParams
from steersman.lsp.params import ApproveParams, EditedText, NoParams, StartParams, TextParams


@pytest.mark.parametrize(
    ("model", "arguments", "field", "says"),
    [
        (StartParams, [], "prompt", "Field required"),
        (StartParams, [None], "prompt", "Field required"),
        (StartParams, [{"prompt": 5}], "prompt", "got 5"),
        (StartParams, [{"prompt": "x", "promt": "y"}], "promt", "The command takes prompt, session"),
        (StartParams, [{"prompt": "x", "mode": "yolo"}], "mode", "'read-only', 'ask'"),
        (StartParams, [{"prompt": "x", "budget": {"turns": 0}}], "budget.turns", "greater than"),
        (StartParams, [{"prompt": "x", "budget": {"turns": True}}], "budget.turns", "got True"),
        (StartParams, [{"prompt": "x", "budget": {"turns": "5"}}], "budget.turns", "got '5'"),
        (StartParams, [{"prompt": "x", "context": {"uris": "a"}}], "context.uris", "got 'a'"),
        (StartParams, ["x", "y"], "arguments", "one object"),
        (StartParams, [["x"]], "arguments", "an object or a string, got an array"),
        (StartParams, [7], "arguments", "got 7"),
        (ApproveParams, ["yes"], "arguments", "an object, got 'yes'"),
        (ApproveParams, [{"id": "apr_1", "decision": "yes"}], "decision", "'accept'"),
        (TextParams, [{"text": None}], "text", "got None"),
        (NoParams, [{"x": 1}], "x", "no fields"),
    ],
)
def test_wrong_parameters_name_the_field_what_was_expected_and_what_came(model, arguments, field, says):
    string_as = {StartParams: "prompt", TextParams: "text"}.get(model)
    with pytest.raises(InvalidParams) as raised:
        parse(model, arguments, string_as=string_as)
    assert (raised.value.code, raised.value.field) == (-32602, field)
    assert says in raised.value.message
    assert raised.value.data == {"field": field, "schema": model.model_json_schema()}


def test_a_string_is_the_field_that_it_is_meant_for():
    assert parse(TextParams, ["left"], string_as="text") == TextParams(text="left")


def test_an_empty_array_is_an_empty_object_since_some_languages_have_one_word_for_both():
    assert parse(NoParams, [[]]) == NoParams()
    with pytest.raises(InvalidParams, match="Field required"):
        parse(TextParams, [[]])


def test_whole_numbers_are_numbers():
    params = parse(StartParams, [{"prompt": "x", "budget": {"seconds": 5, "cost": 1}}])
    assert params.budget.seconds == 5


def test_names_are_camel_case_in_the_schema():
    fields = {"id", "decision", "feedback", "edited", "hunks"}
    assert set(ApproveParams.model_json_schema()["properties"]) == fields
    assert set(EditedText.model_json_schema()["properties"]) == {"uri", "newText"}
