"""A pattern that is put off is told from the one that it stands for by nothing that a module does with it."""

import copy
import pickle
import re
import types

import pytest

from steersman.startup.patterns import deferred_patterns

SOURCE = """
import re
WORD = re.compile(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
BYTES = re.compile(rb"x+")
AGAIN = re.compile(WORD)
def made_later():
    return re.compile("later")
LATER = made_later()
"""


@pytest.fixture
def module():
    """A module that was imported while patterns are put off; the first look at one is the test's."""
    module = types.ModuleType("mine.words")
    with deferred_patterns("mine"):
        exec(compile(SOURCE, "words.py", "exec"), vars(module))
    return module


def plain(pattern):
    return re.compile(pattern.pattern, pattern.flags)


LOOKS = {
    "a method": lambda pattern: pattern.fullmatch("Word")["first"],
    "a function of re": lambda pattern: re.sub(pattern, "-", "one two"),
    "its text": lambda pattern: (pattern.pattern, pattern.flags, pattern.groups, dict(pattern.groupindex)),
    "its class": lambda pattern: isinstance(pattern, re.Pattern),
    "repr": repr,
    "equality": lambda pattern: (pattern == plain(pattern), pattern != plain(pattern), pattern == "x"),
    "hash": lambda pattern: hash(pattern) == hash(plain(pattern)),
    "a key": lambda pattern: {pattern: 1}[plain(pattern)],
    "a copy": lambda pattern: copy.deepcopy(copy.copy(pattern)) == pattern,
    "pickle": lambda pattern: pickle.loads(pickle.dumps(pattern)) == plain(pattern),
    "what it has not": lambda pattern: hasattr(pattern, "missing"),
}


@pytest.mark.parametrize("look", LOOKS)
def test_whatever_is_looked_at_first_is_there(module, look):
    assert type(module.WORD) is not re.Pattern
    assert LOOKS[look](module.WORD) == LOOKS[look](re.compile(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE))


def test_patterns_of_bytes_too(module):
    assert type(module.BYTES) is not re.Pattern
    assert module.BYTES.findall(b"axxbx") == [b"xx", b"x"]


def test_only_what_a_module_of_the_package_keeps_is_put_off(module):
    assert type(module.LATER) is re.Pattern
    other = types.ModuleType("theirs.words")
    with deferred_patterns("mine"):
        exec(compile(SOURCE, "words.py", "exec"), vars(other))
        here = re.compile("here")
    assert {type(other.WORD), type(here), type(module.made_later())} == {re.Pattern}


def test_a_wrong_pattern_fails_at_its_first_use_and_again():
    module = types.ModuleType("mine.wrong")
    with deferred_patterns("mine"):
        exec("import re\nWRONG = re.compile('(')", vars(module))
    for _ in range(2):
        with pytest.raises(re.error):
            module.WRONG.match("")
