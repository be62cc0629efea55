"""Bytes become text and bytes again: what an edit does not touch stays as it was, byte for byte."""

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.line_ends import to_lf
from steersman.workspace.text import (
    BinaryFile,
    Text,
    TextError,
    UndecodableText,
    UnencodableText,
    decode,
    view,
)
from steersman.workspace.text_edits import TextChange, splice
from support.cases import cases

MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
LEGACY = {
    "gbk": "# 这是一个用来测试的文件，里面有一些中文的注释。\nx = 1\n",
    "cp932": "# これは日本語のコメントです。ソースの表示テスト\nx = 1\n",
    "euc_jp": "# これは日本語のコメントです。ソースの表示テスト\nx = 1\n",
    "cp949": "# 이것은 한국어로 작성된 주석입니다. 시험 파일\nx = 1\n",
    "cp1252": "# Größe und Café, déjà vu: “élan”\nx = 1\n",
    "cp1251": "# Это комментарий на русском языке\nx = 1\n",
}


def edited(text: Text, old: str, new: str) -> bytes:
    at = text.text.index(old)
    return text.apply([TextChange(at, at + len(old), new)]).data()


@pytest.mark.parametrize("codec", MARKED)
def test_a_byte_order_mark_is_hidden_and_kept_and_never_doubled(codec):
    data = MARKED[codec] + "a\r\nb 𝄞\r\n".encode(codec)
    text = decode(data)
    assert (text.text, text.encoding, text.bom, text.newline) == ("a\nb 𝄞\n", codec, MARKED[codec], "\r\n")
    assert text.encode("\ufeffc\nb 𝄞\n") == MARKED[codec] + "c\r\nb 𝄞\r\n".encode(codec)


@pytest.mark.parametrize(
    "data", [b"\x7fELF\0\1", b"a\0b", codecs.BOM_UTF16_LE + b"a\0\0\0", "ab".encode("utf-16-le")]
)
def test_a_nul_is_a_binary_file(data):
    with pytest.raises(BinaryFile):
        decode(data)


@pytest.mark.parametrize(
    "data", [codecs.BOM_UTF16_LE + b"abc", codecs.BOM_UTF16_LE + b"\x00\xd8", codecs.BOM_UTF8 + b"\xff"]
)
def test_text_that_breaks_the_rules_of_its_mark_is_refused(data):
    with pytest.raises(UndecodableText):
        decode(data)


@pytest.mark.parametrize("codec", LEGACY)
def test_undeclared_8_bit_text_round_trips_and_takes_ascii_edits(codec):
    data = LEGACY[codec].encode(codec)
    text = decode(data)
    assert not text.certain
    assert text.data() == data
    assert "\ufffd" not in text.text
    assert edited(text, "x = 1", "x = 2") == data.replace(b"x = 1", b"x = 2")


@pytest.mark.parametrize("codec", ["gbk", "cp932", "euc_jp", "cp949", "cp1252"])
def test_undeclared_8_bit_text_is_shown_readably_where_the_bytes_tell(codec):
    assert decode(LEGACY[codec].encode(codec)).text == LEGACY[codec]


@pytest.mark.parametrize("codec", LEGACY)
def test_a_character_is_not_written_into_undeclared_8_bit_text(codec):
    text = decode(LEGACY[codec].encode(codec))
    with pytest.raises(
        UnencodableText, match=r"'č' \(U\+010D\).*does not declare its encoding|does not exist"
    ):
        edited(text, "x = 1", "x = 'č'")


def test_a_character_that_an_undeclared_single_byte_file_already_has_can_be_repeated():
    assert edited(decode(b"caf\xe9 !\nx\n"), "x", "th\xe9") == b"caf\xe9 !\nth\xe9\n"


def test_a_change_beside_an_undeclared_multibyte_character_is_refused_rather_than_cutting_it():
    data = b"\x83\x5c\x83\x5c|\n"  # "ソソ|" in Shift-JIS: too short to tell
    text = decode(data)
    assert text.encoding == "latin-1"
    with pytest.raises(UnencodableText, match="cut a character in half"):
        edited(text, "\\", "/")
    assert edited(text, "|", "||") == b"\x83\x5c\x83\x5c||\n"


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ("# -*- coding: gbk -*-\n", "gbk"),
        ("#!/usr/bin/python\n# vim: set fileencoding=shift_jis :\n", "shift_jis"),
        ('<?xml version="1.0" encoding="iso-8859-1"?>\n', "iso8859-1"),
        ('<html><head><meta charset="euc-jp">\n', "euc_jp"),
        ('@charset "windows-1251";\n', "cp1251"),
    ],
)
def test_a_declared_encoding_is_used_for_reading_and_for_new_characters(head, codec):
    sample = {"iso8859-1": "é", "cp1251": "я"}.get(codec, "字")
    data = (head + "x\n").encode()
    text = decode(data)
    assert (text.encoding, text.certain) == (codec, True)
    assert edited(text, "x\n", f"{sample}\n") == head.encode() + sample.encode(codec) + b"\n"
    again = decode(head.encode() + sample.encode(codec) + b"\nx\n")
    assert again.text == f"{head}{sample}\nx\n"


def test_utf_8_is_believed_over_a_declaration_that_the_bytes_contradict():
    assert decode("# coding: latin-1\né\n".encode()).encoding == "utf-8"


def test_an_encoding_that_the_caller_knows_is_used_if_the_bytes_agree():
    assert decode("中".encode("gbk"), "gbk").text == "中"
    assert decode("é\n".encode(), "utf-16").encoding == "utf-8"
    assert decode(b"a\xff", "shift_jis").certain is False
    assert decode(b"a", "no such encoding").encoding == "utf-8"


@pytest.mark.parametrize("name", ["iso-2022-jp", "utf-7", "hz", "cp037", "big5hkscs", "rot13", "base64"])
def test_encodings_in_which_a_slice_is_not_a_slice_are_not_used(name):
    assert decode(b"abc", name).encoding == "utf-8"


@pytest.mark.parametrize("char", ["\0", "\ufffd", "\ud800"])
def test_what_is_no_text_is_not_written(char):
    with pytest.raises(UnencodableText):
        edited(decode(b"a\n"), "a", char)


def test_a_replacement_character_that_is_in_the_file_stays_usable():
    assert edited(decode("a \ufffd\n".encode()), "a", "\ufffd") == "\ufffd \ufffd\n".encode()


def test_inserted_lines_take_the_line_end_of_their_neighbourhood():
    text = decode(b"a\r\nb\nc\rd")
    assert edited(text, "a\n", "a\nA\n") == b"a\r\nA\r\nb\nc\rd"
    assert edited(text, "b", "b\nB") == b"a\r\nb\nB\nc\rd"
    assert edited(text, "c\n", "c\nC\n") == b"a\r\nb\nc\rC\rd"
    assert edited(text, "d", "d\nD") == b"a\r\nb\nc\rd\rD"


def test_lines_that_a_change_repeats_keep_their_own_line_ends():
    text = decode(b"a\r\nb\nc\rd\n")
    assert edited(text, "a\nb\nc\nd\n", "a\nB\nc\nd\n") == b"a\r\nB\nc\rd\n"


def test_a_file_without_line_ends_gets_them_as_written():
    assert edited(decode(b"a"), "a", "a\nb\n") == b"a\nb\n"
    assert decode(b"").encode("a\r\nb\n") == b"a\r\nb\n"


def test_line_ends_of_new_text_are_not_taken_literally_where_the_file_has_its_own():
    assert decode(b"a\nb\n").encode("a\r\nx\r\nb\r\n") == b"a\nx\nb\n"
    assert decode(b"a\r\nb\r\n").encode("a\nx\nb\n") == b"a\r\nx\r\nb\r\n"


def test_the_final_line_end_or_its_absence_stays():
    assert edited(decode(b"a\r\nb"), "a", "x") == b"x\r\nb"
    assert edited(decode(b"a\nb\n"), "b", "x") == b"a\nx\n"


def test_an_inserted_line_end_does_not_merge_with_a_bare_neighbour():
    assert decode(edited(decode(b"a\rX\nb"), "X", "\n")).text == "a\n\n\nb"


def test_a_deletion_that_would_join_two_line_ends_into_one_is_refused():
    with pytest.raises(UnencodableText, match="bare carriage return"):
        edited(decode(b"a\rX\nb"), "X", "")


def test_the_dominant_line_end_is_the_most_frequent_and_the_first_of_equals():
    assert [decode(data).newline for data in (b"", b"a", b"a\rb\n", b"a\r\nb\nc\n", b"a\n\r\n\r\n")] == [
        "\n",
        "\n",
        "\r",
        "\n",
        "\r\n",
    ]


def test_a_buffer_is_seen_as_a_file_is():
    assert view("a\r\nb").rewrite("a\nc\nb").raw == "a\r\nc\r\nb"


def test_overlapping_changes_are_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="overlaps"):
        decode(b"abc").apply([TextChange(0, 2, ""), TextChange(1, 3, "")])


@pytest.mark.parametrize("codec", [*MARKED, *LEGACY, "gb18030", "big5"])
def test_the_bytes_of_a_long_text_are_those_of_its_pieces(codec):
    line = "x = 'é中ソ表𝄞' # coding\r\n".encode(codec, "ignore").decode(codec)
    data = MARKED.get(codec, b"") + (f"# coding: {codec}\r\n" + line * 20_000).encode(codec)
    text = decode(data)
    pieces = list(text.pieces())
    assert len(pieces) > 2
    assert b"".join(pieces) == text.data() == data


def test_a_character_that_a_text_can_not_have_is_found_in_its_last_piece():
    with pytest.raises(UnencodableText, match="half a character"):
        view("x" * 200_000 + "\ud800").data()


fragments = st.sampled_from(
    ["a", "b", "\n", "\r\n", "\r", " ", "é", "中", "ソ", "表", "𝄞", "\\", "0", "\u2028", "\f"]
)
prose = st.lists(fragments, max_size=30).map("".join)


@st.composite
def files(draw):
    codec = draw(st.sampled_from([*MARKED, *LEGACY, "gb18030", "big5", "bytes"]))
    if codec == "bytes":
        return draw(st.binary(max_size=40))
    bom = MARKED.get(codec, b"") if draw(st.booleans()) or codec.startswith(("utf-16", "utf-32")) else b""
    return bom + draw(prose).encode(codec, "ignore")


@st.composite
def cuts(draw, length):
    ends = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    return [TextChange(start, end, draw(prose)) for start, end in pairs]


def raw_offsets(text: Text) -> list[int]:
    """Where each character of the model's text begins in the raw text; worked out the slow way."""
    starts = []
    at = 0
    while at < len(text.raw):
        starts.append(at)
        at += 2 if text.raw.startswith("\r\n", at) else 1
    return [*starts, at]


@cases(400)
@given(st.data())
def test_bytes_outside_the_replaced_spans_are_identical(data):
    original = data.draw(files())
    try:
        text = decode(original)
    except TextError:
        return
    assert text.data() == original
    assert text.text == to_lf(text.raw)
    assert "\ufffd" not in text.text or "\ufffd".encode() in original or text.bom
    changes = data.draw(cuts(len(text.text)))
    try:
        after = text.apply(changes)
    except UnencodableText:
        return
    own_ends = "\n" in text.text
    as_written = [TextChange(c.start, c.end, to_lf(c.new_text) if own_ends else c.new_text) for c in changes]
    assert after.text == to_lf(splice(text.text, as_written))
    result = after.data()
    where = raw_offsets(text)
    size = [len(text.bom) + len(text.raw[:at].encode(text.encoding)) for at in where]
    lead, tail = (changes[0].start, changes[-1].end) if changes else (0, 0)
    assert result.startswith(original[: size[lead]])
    assert result.endswith(original[size[tail] :])
    position = size[lead]
    for before, following in pairwise(changes):
        kept = original[size[before.end] : size[following.start]]
        position = result.index(kept, position) + len(kept)


@cases(200)
@given(st.data())
def test_a_new_text_is_what_is_read_back(data):
    text, new = decode(data.draw(prose).encode()), data.draw(prose)
    try:
        result = text.encode(new)
    except UnencodableText:
        return
    assert decode(result).text == to_lf(new)


@cases(200)
@given(st.binary(max_size=60), st.integers(0, 60), st.sampled_from(["x", "x = 1\n", "\\"]))
def test_an_ascii_edit_in_undeclared_text_changes_no_other_character_in_any_encoding(data, at, new):
    try:
        text = decode(data)
    except TextError:
        return
    if text.encoding != "latin-1" or text.certain or at > len(text.text):
        return
    try:
        result = text.apply([TextChange(at, at, new)]).data()
    except UnencodableText:
        return
    offset = raw_offsets(text)[at]
    for codec in ("gb18030", "cp932", "big5", "cp949", "euc_jp"):
        try:
            meant = data.decode(codec)
        except UnicodeDecodeError:
            continue
        inserted = result[offset : len(result) - len(data) + offset].decode("ascii")
        assert result.decode(codec) == data[:offset].decode(codec) + inserted + data[offset:].decode(codec)
        assert data[:offset].decode(codec) + data[offset:].decode(codec) == meant


def test_many_line_breaks_put_into_long_lines_get_the_line_end_of_each():
    words = [f"w{number}" for number in range(300)]
    text = decode((" ".join(words) + "\r\n" + "last\n").encode())
    places = [text.text.index(f"{word} ") + len(word) for word in words[:-1]]
    new = text.apply([TextChange(place, place + 1, "\n") for place in places])
    assert new.data() == ("\r\n".join(words) + "\r\nlast\n").encode()
