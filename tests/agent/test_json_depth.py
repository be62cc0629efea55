"""JSON is nested to the same depth at most, whatever Python's own limit is."""

import pytest

from steersman.agent.json_depth import MOST_LEVELS, is_too_deep
from steersman.agent.messages import MalformedArguments, ToolCall, parse_arguments


def nested(levels, value=1):
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("levels", [0, 1, 2, 7])
def test_what_has_as_many_levels_is_not_too_deep_and_one_more_is(levels):
    assert not is_too_deep(nested(levels), levels)
    assert is_too_deep(nested(levels + 1), levels)
    assert not is_too_deep([nested(levels)] * 3, levels + 1)


def test_very_deep_values_need_no_stack():
    assert is_too_deep(nested(1_000_000))


def test_arguments_that_are_nested_too_deeply_are_malformed_in_every_python():
    at_most = '{"a":' * MOST_LEVELS + "1" + "}" * MOST_LEVELS
    assert list(parse_arguments(ToolCall("c", "ls", at_most))) == ["a"]
    with pytest.raises(MalformedArguments, match="nested"):
        parse_arguments(ToolCall("c", "ls", f'{{"a":{at_most}}}'))
    with pytest.raises(MalformedArguments):
        parse_arguments(ToolCall("c", "ls", '{"a":' * 100_000))
    flat = '{"a":[' + ",".join(["[]"] * 10_000) + "]}"
    assert len(parse_arguments(ToolCall("c", "ls", flat))["a"]) == 10_000
