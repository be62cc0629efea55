"""Stops what tools and hooks of others return before it gets any further if it isn't what they promise.

What no log can keep would otherwise come to light only there, where all that can be done is to end the run.
"""

from collections.abc import Mapping, Sequence

from steersman.agent.json_depth import MOST_LEVELS
from steersman.agent.messages import Image, Text
from steersman.agent.tool import ToolResult


def require(answer: object, *kinds: type) -> None:
    """Raises TypeError: `answer` is none of `kinds`."""
    if not isinstance(answer, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"expected {names}, got {type(answer).__name__}")


def require_result(result: object) -> None:
    """Raises TypeError: `result` is no result, or one that can't be kept."""
    require(result, ToolResult)
    assert isinstance(result, ToolResult)
    require(result.content, tuple, list)
    for block in result.content:
        require(block, Text, Image)
        for part in (block.text,) if isinstance(block, Text) else (block.data, block.mime_type):
            require(part, str)
    require(result.details, Mapping, type(None))
    require_json(result.details)


def require_json(value: object) -> None:
    """Doesn't recurse, and ends with a value that holds itself, too.

    Raises:
        TypeError: `value`, or something in it, has no form in JSON, or it is too deep.
    """
    left = [(value, 0)]
    while left:
        each, depth = left.pop()
        if each is None or isinstance(each, str | int | float):
            continue
        if depth > MOST_LEVELS:
            raise TypeError(f"nested in more than {MOST_LEVELS} levels")
        if isinstance(each, Mapping):
            left += [(inner, depth + 1) for inner in each.values()]
        elif isinstance(each, Sequence) and not isinstance(each, bytes | bytearray | memoryview):
            left += [(inner, depth + 1) for inner in each]
        else:
            raise TypeError(f"expected JSON, got {type(each).__name__}")
