"""Values of command-line arguments: read, or refused with what was expected."""

import argparse


def positive(text: str) -> int:
    """Raises:
    ArgumentTypeError: no whole number of at least 1.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def seconds(text: str) -> float:
    """Raises:
    ArgumentTypeError: no number above 0.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return value
