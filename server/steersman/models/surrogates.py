"""Mends halves of surrogate pairs: providers that escape UTF-16 unit by unit may cut a character in two."""


def whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone halves replaced by U+FFFD, so that it can be encoded."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateMender:
    """Joins pairs that were split over two deltas of one block."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[int, str] = {}

    def mend(self, index: int, text: str) -> str:
        """What can be shown of block `index` now. A half at the end of `text` waits for its other half."""
        text = self._held.pop(index, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held[index] = text[-1]
            text = text[:-1]
        return whole(text)

    def rest(self, index: int) -> str:
        """What is still held back of block `index` at its end."""
        return whole(self._held.pop(index, ""))
