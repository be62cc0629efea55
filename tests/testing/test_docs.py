"""The examples of docs/testing.md are run as they stand."""

import re
from pathlib import Path

import steersman.testing.agent  # noqa: F401 - here, so that the runs inside don't import it anew

DOCS = Path(__file__).parent.parent.parent / "docs" / "testing.md"
BLOCK = re.compile(r"^```(\w+)( fails)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_do_what_is_said_of_them(pytester):
    passing = failing = 0
    said = ""
    for number, (kind, fails, text) in enumerate(BLOCK.findall(DOCS.read_text("utf-8"))):
        if kind == "python":
            pytester.path.joinpath(f"test_{number}.py").write_text(text)
            passing, failing = passing + (not fails), failing + bool(fails)
        elif kind == "yaml":
            path = pytester.path / text.splitlines()[0].removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "text":
            said = text
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=passing, failed=failing)
    assert (passing, failing) == (7, 1)
    result.stdout.fnmatch_lines([f"*{line.replace('[', '[[]')}*" for line in said.splitlines()])
