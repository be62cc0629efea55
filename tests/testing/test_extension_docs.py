"""The examples of docs/extensions.md are run as they stand."""

import re
from pathlib import Path

import steersman.testing.agent  # noqa: F401 - here, so that the runs inside don't import it anew
from steersman.extensions import Extension

DOCS = Path(__file__).parent.parent.parent / "docs" / "extensions.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_do_what_is_said_of_them(pytester):
    blocks = BLOCK.findall(DOCS.read_text("utf-8"))
    for number, text in enumerate(blocks):
        pytester.path.joinpath(f"test_{number}.py").write_text(text)
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=sum("def test_" in text for text in blocks))
    assert len(blocks) == 5


def test_every_hook_is_in_the_table():
    table = DOCS.read_text("utf-8").split("## The hooks")[1].split("## Redacting")[0]
    hooks = [name for name, value in vars(Extension).items() if callable(value) and not name.startswith("_")]
    assert [name for name in hooks if f"`{name}(" not in table] == []
