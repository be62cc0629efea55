"""How far two texts agree, and where a text can be cut. Knows strings only."""


def common_prefix(x: str, y: str) -> int:
    """The length of the common prefix, by halving, so that long lines are compared at C speed."""
    low, high = 0, min(len(x), len(y))
    if x[:high] == y[:high]:
        return high
    while low < high - 1:
        middle = (low + high) // 2
        if x[low:middle] == y[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(x: str, y: str) -> int:
    """The length of the common suffix, found in the same way."""
    low, high = 0, min(len(x), len(y))
    if x[len(x) - high :] == y[len(y) - high :]:
        return high
    while low < high - 1:
        middle = (low + high) // 2
        if x[len(x) - middle : len(x) - low] == y[len(y) - middle : len(y) - low]:
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
