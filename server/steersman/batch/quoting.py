"""File names as git writes them into a patch."""

from typing import Final

_LETTERS: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def quoted(name: bytes) -> str:
    """As it is if all its bytes are printable ASCII without quotes and backslashes; else quoted like a C string."""
    if all(0x20 <= byte < 0x7F and byte not in (34, 92) for byte in name):
        return name.decode("ascii")
    return '"' + "".join(map(_escaped, name)) + '"'


def after_marks(name: bytes) -> str:
    """For a line that begins with `---` or `+++`. A name with spaces is followed by a tab, or patch(1) would cut it."""
    text = quoted(name)
    return text + "\t" if " " in text and not text.startswith('"') else text


def _escaped(byte: int) -> str:
    if byte in _LETTERS:
        return "\\" + _LETTERS[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
