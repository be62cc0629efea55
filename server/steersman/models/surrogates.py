"""Halves of surrogate pairs in strings: providers cut a character in two when they escape UTF-16 unit by unit."""


def whole(text: str) -> str:
    """`text` with its surrogate pairs joined and lone halves replaced by U+FFFD, so that it can be encoded."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateMender:
    """Joins pairs that were split over two deltas of one block."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[int, str] = {}

    def mend(self, index: int, text: str) -> str:
        """What can be shown of block `index` now: a half that ends `text` waits for its other half."""
        text = self._held.pop(index, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held[index] = text[-1]
            text = text[:-1]
        return whole(text)

    def rest(self, index: int) -> str:
        """What was held back of block `index`, at its end."""
        return whole(self._held.pop(index, ""))
