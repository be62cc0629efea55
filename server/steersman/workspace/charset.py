"""How bytes without a byte order mark may be read. Pure functions on bytes; text.py decides.

A legacy encoding can't be told from the bytes. It is taken from a declaration where there is one. Otherwise
`likely` makes a guess for showing the text, and text.py lets nothing be written that depends on it.
"""

from __future__ import annotations

import codecs
import re

# Codecs in which ASCII is ASCII and no character depends on its neighbours, so that a slice of the text is a slice
# of the bytes. That is not so in ISO-2022, UTF-7, HZ, EBCDIC, Big5-HKSCS and the JIS X 0213 family.
_SAFE = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp125\d|cp(437|737|775|85\d|86[0-69]|866|874)|koi8-[rut]|mac-\w+|tis-620|"
    r"gb2312|gbk|gb18030|big5|cp950|shift_jis|cp932|euc_jp|euc_kr|cp949"
)
_HEAD = 1024
_DECLARATIONS = (
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*(?:#|//|--|;|%|\"|/\*)[^\n]*?coding[:=][ \t]*([-\w.]+)"),
    re.compile(rb"\A\s*<\?xml[^>]*\sencoding\s*=\s*[\"']([-\w.]+)"),
    re.compile(rb"\A\s*<[^\0]*?<meta[^>]*charset\s*=\s*[\"']?([-\w.]+)", re.IGNORECASE),
    re.compile(rb"\A@charset \"([-\w.]+)\""),
)
_MULTIBYTE = ("gb18030", "cp932", "euc_jp", "cp949", "big5")
_ENOUGH = 8  # wide characters; fewer prove nothing


def safe_codec(name: str) -> str | None:
    """Python's name of an encoding in which slices are safe; None for any other, and for unknown ones."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return found if _SAFE.fullmatch(found) else None


def declared(data: bytes) -> str | None:
    """The codec that a file names at its head: a coding comment, XML, HTML or CSS; None without one."""
    head = data[:_HEAD]
    for pattern in _DECLARATIONS:
        match = pattern.search(head)
        if match:
            return safe_codec(match.group(1).decode("ascii", "replace"))
    return None


def round_trip(data: bytes, codec: str) -> str | None:
    """The text of `data` if encoding it gives `data` again, else None."""
    try:
        text = data.decode(codec)
        if codec == "utf-8":  # each text has only one encoding in it, and the decoder accepts no other
            return text
        return text if text.encode(codec) == data else None
    except UnicodeError:
        return None


def likely(data: bytes) -> str:
    """The codec to show 8-bit text with.

    An East Asian codec if the characters are mostly those that are typical of such text; cp1252 if no such codec fits
    and the bytes stand alone between ASCII, as accented letters do; otherwise latin-1, which shows every byte.
    """
    readings = {codec: text for codec in _MULTIBYTE if (text := round_trip(data, codec)) is not None}
    for codec, text in readings.items():
        wide = re.sub(r"[\x00-\x7f]+", "", text)
        if len(wide) >= _ENOUGH and _typical(wide, codec):
            return codec
    longest = max((len(run) for run in re.findall(rb"[\x80-\xff]+", data)), default=0)
    if not readings and longest <= 2 and round_trip(data, "cp1252") is not None:
        return "cp1252"
    return "latin-1"


def _typical(wide: str, codec: str) -> bool:
    if codec in ("cp932", "euc_jp"):
        return _share(r"[\u3041-\u3096\u30a1-\u30fc]", wide) >= 0.3
    if codec == "cp949":
        return _share(r"[\uac00-\ud7a3\u3000-\u303f]", wide) >= 0.9
    data = wide.encode(codec)
    if codec == "big5":  # level 1 and punctuation
        return len(re.findall(rb"[\xa1-\xc6][\x40-\xfe]", data)) >= 0.9 * len(wide)
    # GB 2312 level 1 and punctuation. Korean read as GB lies entirely in its first half; kana alone is Japanese.
    common = re.findall(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]", data)
    late = [pair for pair in common if 0xC9 <= pair[0] <= 0xD7]
    return len(common) >= 0.95 * len(wide) and len(late) >= 0.2 * len(wide)


def _share(pattern: str, text: str) -> float:
    return len(re.findall(pattern, text)) / len(text)


def whole_characters(view: str, at: int) -> bool:
    """Whether a cut at `at` in a latin-1 view splits no character, whatever the ASCII-based encoding really is.

    After an ASCII byte all such encodings are between two characters: the byte is a character or ends one. The only
    exception is a digit inside a four-byte character of GB 18030.
    """
    if at == 0 or at == len(view):
        return True
    before = view[at - 1]
    inside = "0" <= before <= "9" and at >= 2 and view[at - 2] >= "\x80" and view[at] >= "\x80"
    return before < "\x80" and not inside
