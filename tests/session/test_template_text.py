"""The text of templates: arguments, places for them, escapes, front matter."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.session.template_text import (
    TemplateError,
    expand,
    read_template,
    split_arguments,
)
from support.cases import cases


def quoted(word: str) -> str:
    """The text that is read as one argument."""
    if re.fullmatch(r"[^\s\"']\S*", word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def escaped(text: str) -> str:
    """The template that expands to `text`."""
    return re.sub(r"(?<!\\)(\\*)\$", lambda match: match[1] * 2 + "\\$", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a  b\n c", ["a", "b", "c"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        ('"say \\"hi\\"" \'it\\\'', ['say "hi"', "it\\"]),
        ("don't and can't", ["don't", "and", "can't"]),
        ('"never closed', ['"never', "closed"]),
        ('""', [""]),
        ('a"b c"d', ['a"b', 'c"d']),
        ("C:\\dir", ["C:\\dir"]),
    ],
)
def test_arguments_are_words_and_quotes_keep_words_together(text, words):
    assert split_arguments(text) == words


@pytest.mark.parametrize(
    ("text", "arguments", "expanded"),
    [
        ("Fix #$1.", "12 now", "Fix #12."),
        ("$2 before $1", "a 'b c'", "b c before a"),
        ("${1}st", "1", "1st"),
        ("All: $@", "  a 'b c' ", "All: a 'b c'"),
        ("All: $ARGUMENTS!", "x", "All: x!"),
        ("$ARGUMENTSX", "x", "$ARGUMENTSX\n\nx"),
        ("None: [$3]", "a", "None: []"),
        ("Costs \\$1, not $1", "2", "Costs $1, not 2"),
        ("\\\\$1", "x", "\\x"),
        ("Just do it.\n", "please now", "Just do it.\n\nplease now"),
        ("Just do it.", "", "Just do it."),
        ("$1", "$2 '$@'", "$2"),
        ("a $ b $x", "", "a $ b $x"),
    ],
)
def test_places_are_filled(text, arguments, expanded):
    assert expand(text, arguments) == expanded


@cases(200)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_quoted_arguments_come_back_as_they_were(words):
    assert split_arguments(" ".join(map(quoted, words))) == words


@cases(200)
@given(st.text(st.sampled_from("\\$1@{}ARGUMENTSx \n") | st.characters(), max_size=60), st.text(max_size=20))
def test_an_escaped_text_expands_to_itself(text, arguments):
    place = "|$@"
    assert expand(escaped(text) + place, arguments) == f"{text}|{arguments.strip()}"


@cases(200)
@given(st.text(st.sampled_from("\\$1239@{}ARGUMENTS '\"x\n"), max_size=60), st.text(max_size=30))
def test_nothing_that_is_typed_is_lost(text, arguments):
    expanded = expand(text, arguments)
    if not re.search(r"\$", text):
        assert expanded.startswith(text.rstrip()) and arguments.strip() in expanded


def test_front_matter_is_read():
    body = read_template(
        "\ufeff---\ndescription: \"Fix: an issue\"\n# a comment\n\nArgument-Hint: 'NUMBER'\r\n"
        "mode:ask\nmodel:\n---\n\n Do $1\n"
    )
    assert body.fields == {
        "description": "Fix: an issue",
        "argument-hint": "NUMBER",
        "mode": "ask",
        "model": "",
    }
    assert body.text == "Do $1"
    assert read_template("Do it\n---\nx: y\n").fields == {}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("---\ndescription: x\n", "not closed"),
        ("---\ncolour: red\n---\nx", "Line 2 .*colour is not a known key. Keys: description"),
        ("---\nmode: ask\nmode: ask\n---\nx", "Line 3 .*twice"),
        ("---\n- list\n---\nx", "not `key: value`"),
    ],
)
def test_front_matter_that_is_not_understood_is_an_error_that_names_the_line(text, what):
    with pytest.raises(TemplateError, match=what):
        read_template(text)


@cases(200)
@given(st.text(st.sampled_from("-: \nmodeask#'\"") | st.characters(), max_size=80))
def test_any_text_is_read_or_refused(text):
    try:
        read_template(text)
    except TemplateError as error:
        assert "front matter" in str(error)


def test_a_long_row_of_backslashes_is_kept_in_one_pass():
    row = "\\" * 64 * 1024  # tried from each of them again it would take minutes
    assert expand(row, "") == row
    assert expand(f"{row}$1", "x") == f"{row[: len(row) // 2]}x"
