"""The text of open documents, as the client's notifications make it."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.documents import Documents
from steersman.lsp.errors import InvalidParams
from support.cases import cases

URI = "file:///a.py"


class Listener:
    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.heard: list[tuple[str, str | None]] = []

    def _hear(self, what: str, uri: str) -> None:
        document = self.documents.get(uri)
        self.heard.append((what, document.text if document else None))

    def on_open(self, uri: str) -> None:
        self._hear("open", uri)

    def on_change(self, uri: str) -> None:
        self._hear("change", uri)

    def on_save(self, uri: str) -> None:
        self._hear("save", uri)

    def on_close(self, uri: str) -> None:
        self._hear("close", uri)


@pytest.fixture
def documents() -> Documents:
    return Documents()


@pytest.fixture
def listener(documents) -> Listener:
    listener = Listener(documents)
    documents.listeners.append(listener)
    return listener


def opened(documents: Documents, text: str, version: object = 0) -> None:
    documents.did_open(
        {"textDocument": {"uri": URI, "languageId": "python", "version": version, "text": text}}
    )


def edit(text: str, line: int, character: int, end_line: int | None = None, end: int | None = None) -> dict:
    return {
        "text": text,
        "range": {
            "start": {"line": line, "character": character},
            "end": {
                "line": line if end_line is None else end_line,
                "character": character if end is None else end,
            },
        },
    }


def changed(documents: Documents, *changes: object, version: object = 1) -> None:
    documents.did_change({"textDocument": {"uri": URI, "version": version}, "contentChanges": list(changes)})


def text(documents: Documents) -> str | None:
    document = documents.get(URI)
    assert document is not None
    return document.text


def test_an_opened_document_has_its_text_version_and_language(documents):
    opened(documents, "a\n", version=3)
    document = documents.get(URI)
    assert (document.text, document.version, document.language_id) == ("a\n", 3, "python")
    assert [each.uri for each in documents] == [URI]


def test_changes_of_one_message_apply_each_to_what_the_one_before_left(documents):
    opened(documents, "one\ntwo\n")
    changed(documents, edit("1", 0, 0, 0, 3), edit("0\n", 0, 0), edit("2", 2, 0, 2, 3), version=5)
    assert text(documents) == "0\n1\n2\n"
    assert documents.get(URI).version == 5


def test_a_change_without_a_range_is_the_whole_text(documents):
    opened(documents, "one")
    changed(documents, {"text": "two"})
    assert text(documents) == "two"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_at_lf_crlf_and_cr(documents, end):
    opened(documents, f"a{end}b{end}c")
    changed(documents, edit("X", 2, 0, 2, 1))
    assert text(documents) == f"a{end}b{end}X"


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_other_character_ends_a_line(documents, character):
    opened(documents, f"a{character}b\nc\n")
    changed(documents, edit("X", 1, 0, 1, 1))
    assert text(documents) == f"a{character}b\nX\n"


def test_an_edit_past_the_end_of_a_line_lands_at_its_end(documents):
    opened(documents, "ab\ncd\n")
    changed(documents, edit("X", 0, 99))
    assert text(documents) == "abX\ncd\n"


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_positions_are_counted_in_the_negotiated_encoding(documents, encoding, units):
    documents.encoding = encoding
    opened(documents, "😀b")
    changed(documents, edit("X", 0, units, 0, units + 1))
    assert text(documents) == "😀X"


def test_the_listener_sees_the_text_after_every_single_change(documents, listener):
    opened(documents, "")
    changed(documents, edit("a", 0, 0), edit("b", 0, 1))
    documents.did_save({"textDocument": {"uri": URI}})
    documents.did_close({"textDocument": {"uri": URI}})
    assert listener.heard == [
        ("open", ""),
        ("change", "a"),
        ("change", "ab"),
        ("save", "ab"),
        ("close", None),
    ]
    assert documents.get(URI) is None


def test_a_change_before_the_open_is_logged_and_its_text_unknown(documents, listener, caplog):
    with caplog.at_level(logging.ERROR):
        changed(documents, edit("a", 0, 0))
    assert "never opened" in caplog.text
    assert text(documents) is None
    assert listener.heard == [("change", None)]
    opened(documents, "known")
    assert text(documents) == "known"


@pytest.mark.parametrize(
    "change",
    [
        5,
        {},
        {"text": 5},
        {"text": "x", "range": {}},
        {"text": "x", "range": {"start": {"line": "0", "character": 0}, "end": {"line": 0, "character": 0}}},
        {"text": "x", "range": {"start": {"line": -1, "character": 0}, "end": {"line": 1, "character": 0}}},
        {"text": "x", "range": {"start": {"line": True, "character": 0}, "end": {"line": 0, "character": 0}}},
    ],
)
def test_an_ill_formed_change_makes_the_text_unknown_until_it_is_sent_whole(documents, listener, change):
    opened(documents, "a")
    changed(documents, edit("b", 0, 0), change)
    assert text(documents) is None
    changed(documents, edit("b", 0, 0))
    assert text(documents) is None
    changed(documents, {"text": "whole"}, edit("!", 0, 5))
    assert text(documents) == "whole!"


def test_a_document_that_is_not_named_is_refused_naming_the_field(documents):
    for params, field in ((None, "params"), ({}, "textDocument"), ({"textDocument": {"uri": 5}}, "uri")):
        for notification in (
            documents.did_open,
            documents.did_change,
            documents.did_save,
            documents.did_close,
        ):
            with pytest.raises(InvalidParams) as raised:
                notification(params)
            assert raised.value.field == field


def test_a_second_open_replaces_the_first(documents):
    opened(documents, "a")
    opened(documents, "b", version=7)
    assert (text(documents), documents.get(URI).version) == ("b", 7)


def test_a_null_or_missing_version_is_no_version(documents):
    opened(documents, "a", version=None)
    changed(documents, edit("b", 0, 0), version=None)
    assert (text(documents), documents.get(URI).version) == ("ba", None)


def test_closing_what_is_not_open_is_no_event(documents, listener):
    documents.did_close({"textDocument": {"uri": URI}})
    assert listener.heard == []


def test_a_listener_that_fails_changes_nothing_and_the_next_is_told(documents, caplog):
    class Failing(Listener):
        def on_change(self, uri: str) -> None:
            raise RuntimeError("listener")

    second = Listener(documents)
    documents.listeners += [Failing(documents), second]
    opened(documents, "a")
    changed(documents, edit("b", 0, 0), edit("c", 0, 0))
    assert text(documents) == "cba"
    assert "listener" in caplog.text
    assert second.heard == [("open", "a"), ("change", "ba"), ("change", "cba")]


TEXTS = st.text(st.sampled_from("ab\n\r\f\u2028é😀"), max_size=12)


@cases(200)
@given(TEXTS, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), TEXTS), max_size=5), st.booleans())
def test_one_message_or_many_give_the_same_text(start, insertions, crlf):
    changes = [edit(new, line, character) for line, character, new in insertions]
    together, apart = Documents(), Documents()
    for documents in (together, apart):
        opened(documents, start.replace("\n", "\r\n") if crlf else start)
    changed(together, *changes)
    for change in changes:
        changed(apart, change)
    assert text(together) == text(apart)
