"""How far two texts agree, and where a text can be cut. Knows strings only."""

_PIECE = 1 << 16
"""Characters that are compared at once: so many are copied in the processor's cache, more take new memory."""


def common_prefix(x: str, y: str) -> int:
    """The length of the common prefix, by pieces and then by halving, so that long texts are compared at C speed."""
    low, end = 0, min(len(x), len(y))
    while (high := min(low + _PIECE, end)) > low and x[low:high] == y[low:high]:
        low = high
    while low < high - 1:
        middle = (low + high) // 2
        if x[low:middle] == y[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(x: str, y: str, start: int = 0) -> int:
    """The length of the common suffix of what comes after the first `start` characters, found in the same way."""
    low, end = 0, min(len(x), len(y)) - start

    def same(near: int, far: int) -> bool:
        """Whether they agree there, counted from their ends."""
        return x[len(x) - far : len(x) - near] == y[len(y) - far : len(y) - near]

    while (high := min(low + _PIECE, end)) > low and same(low, high):
        low = high
    while low < high - 1:
        middle = (low + high) // 2
        if same(low, middle):
            low = middle
        else:
            high = middle
    return low


def inseparable(text: str, at: int) -> bool:
    """Whether a cut at `at` would part a CRLF or a surrogate pair."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (before == "\r" and after == "\n") or (
        "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    )
