"""How far two texts agree, and where a text may be cut. Knows strings only."""

_PIECE = 1 << 16
"""Characters compared at a time: copies of this size stay in the processor's cache."""


def common_prefix(x: str, y: str) -> int:
    """The length of the common prefix. Pieces are compared, then halves of one, so that C code does the work."""
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
    """The length of the common suffix, without the first `start` characters of each. Found in the same way."""
    low, end = 0, min(len(x), len(y)) - start

    def same(near: int, far: int) -> bool:
        """Whether they agree in this range, counted from their ends."""
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
    """Whether a cut at `at` would split a CRLF or a surrogate pair."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (before == "\r" and after == "\n") or (
        "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    )
