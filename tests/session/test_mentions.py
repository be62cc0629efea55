"""What is a mention in a text and what is none, and what it may mean."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.session.mentions import Target, mentions
from support.cases import cases


def mention(path: str, first: int | None = None, last: int | None = None) -> str:
    """The text that mentions `path`."""
    lines = Target(path, first, last).lines
    if re.fullmatch(r"[^\s\"@#\\](?:[^\s\"#]*[^\s\"#.,;:!?)\]}>'`*…])?", path):
        return f"@{path}{lines}"
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'@"{escaped}"{lines}'


def paths(text):
    return [[f"{target.path}{target.lines}" for target in found.targets] for found in mentions(text)]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("@a.py", [["a.py"]]),
        ("look at @src/a.py, and (@b) or [@c]", [["src/a.py,", "src/a.py"], ["b)", "b"], ["c]", "c"]]),
        ("@a.py#L3", [["a.py#L3", "a.py#L3"]]),
        ("@a.py#L3-L9", [["a.py#L3-L9", "a.py#L3-L9"]]),
        ("@a.py#L3-9.", [["a.py#L3-9.", "a.py#L3-L9", "a.py#L3-9"]]),
        ("@a.py#L9-L3", [["a.py#L3-L9", "a.py#L9-L3"]]),
        ('@"my notes.md"', [["my notes.md"]]),
        ('@"a \\"b\\" \\\\c"#L2-L4 rest', [['a "b" \\c#L2-L4']]),
        ("@selection and @diagnostics", [["selection"], ["diagnostics"]]),
        ("line\n@next", [["next"]]),
    ],
)
def test_what_a_mention_may_mean_first_things_first(text, targets):
    assert paths(text) == targets


@pytest.mark.parametrize(
    "text",
    [
        "someone@example.com",
        "a@b",
        "\\@escaped",
        "@",
        "@ home",
        '@""',
        '@"never closed',
        "```\n@app.route('/')\n```",
        "~~~python\n@property\n",
        "`@inline`",
        "@" + "x" * 2000,
        "@x(" * 2000,
    ],
)
def test_what_is_no_mention(text):
    assert paths(text) == []


def test_behind_a_block_of_code_mentions_are_mentions_again():
    assert paths("@a\n```\n@b\n```\n@c\n   ````x\n@d\n```\n@e\n````\n@f") == [["a"], ["c"], ["f"]]


def test_only_what_can_be_nothing_but_a_path_is_evidently_meant_as_one():
    evident = {
        found.text: found.evident for found in mentions('@src/x @a.py @"x" @property @a.b.longextension')
    }
    assert evident == {
        "src/x": True,
        "a.py": True,
        '"x"': True,
        "property": False,
        "a.b.longextension": False,
    }


NAMES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), min_size=1, max_size=60)


@cases(300)
@given(NAMES, st.none() | st.tuples(st.integers(1, 999), st.integers(1, 999)))
def test_a_mention_that_is_made_means_what_it_was_made_of(path, lines):
    if re.search(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", path):
        return  # ends of lines to Python, and to no file manager
    first, last = sorted(lines) if lines else (None, None)
    (found,) = mentions(f"see {mention(path, first, last)} please")
    wanted = Target(path, first, last)
    assert found.targets[-1 if found.quoted or not lines else 0] == wanted


@cases(300)
@given(st.text(st.sampled_from("@ab/.#L19-\"\\'`~ \n,)é\U0001f600"), max_size=80))
def test_whatever_is_typed_mentions_are_parts_of_it(text):
    at = 0
    for found in mentions(text):
        assert text[found.start] == "@" and found.start >= at
        assert text.startswith(found.text, found.start + 1)
        assert found.targets and all(target.path for target in found.targets)
        assert all(
            target.first is None or 1 <= target.first <= (target.last or 0) for target in found.targets
        )
        at = found.start + 1 + len(found.text)
