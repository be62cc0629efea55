"""Keeps keys out of texts that people, logs and models get to see."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

MASK: Final = "[redacted]"
_SHORTEST: Final = 4
"""Shorter secrets are placeholders for servers that require some key. Masking them would only garble messages."""
_SHORTEST_IN_BASE64: Final = 8
"""The Base64 of shorter secrets may occur in other texts by chance."""

_LOOKS_LIKE_A_KEY: Final = re.compile(
    r"(?i:bearer\s+)[^\s\"'<>,;]{8,}|\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf)[-_][A-Za-z0-9_\-]{16,}|\bAIza[A-Za-z0-9_\-]{30,}"
)


_URL_SAFE: Final = str.maketrans("+/", "-_")


_learned: Final[dict[str, None]] = {}


def learn(secret: str) -> None:
    """Adds a secret to all redactors of this process, for a key that was not known when they were made."""
    _learned[secret] = None


class Redactor:
    """Masks all known secrets, in every spelling that a server may echo, and everything that looks like a key.

    Secrets that take time to find can be given as a function, which is called when a text has to be masked.
    """

    __slots__ = ("_count", "_pattern", "_secrets")

    def __init__(self, secrets: Iterable[str] | Callable[[], Iterable[str]]) -> None:
        self._secrets = secrets if callable(secrets) else tuple(secrets)
        self._pattern: re.Pattern[str] | None = None
        self._count = -1
        """How many learned secrets are in the pattern; -1: there is no pattern yet."""

    def _compile(self) -> None:
        learned = tuple(_learned)
        known = (*(self._secrets() if callable(self._secrets) else self._secrets), *learned)
        spellings = {
            spelling for secret in known if len(secret) >= _SHORTEST for spelling in _spellings(secret)
        }
        longest_first = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._count = len(learned)

    def __call__(self, text: str) -> str:
        if self._count != len(_learned):
            self._compile()
        if self._pattern is not None:
            text = self._pattern.sub(MASK, text)
        return _LOOKS_LIKE_A_KEY.sub(MASK, text)


def _spellings(secret: str) -> Iterator[str]:
    yield secret
    # A variable of the environment may hold bytes that are no text; Python keeps them as halves of surrogate pairs.
    yield quote(secret, errors="surrogatepass")
    yield quote(secret, safe="", errors="surrogatepass")
    yield quote_plus(secret, errors="surrogatepass")
    yield html.escape(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    if len(secret) >= _SHORTEST_IN_BASE64:
        yield from _in_base64(secret.encode(errors="surrogatepass"))


def _in_base64(data: bytes) -> Iterator[str]:
    """The Base64 characters that depend on `data` alone, at each of its three possible offsets in what was encoded,
    such as `user:key` for Basic authentication."""
    for before in range(3):
        start, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        text = base64.b64encode(bytes(before) + data).decode()[start:end]
        yield text
        yield text.translate(_URL_SAFE)
        yield quote(text, safe="")


def secrets_of_url(url: str) -> list[str]:
    """The parts of a base URL that may be secret: its user information and query values, as written and decoded."""
    parts = urlsplit(url)
    userinfo = parts.netloc.rpartition("@")[0]
    found = [userinfo, *userinfo.split(":"), *(value for _, value in parse_qsl(parts.query))]
    found += [pair.partition("=")[2] for pair in parts.query.split("&")]
    return [word for word in dict.fromkeys([*found, *map(unquote, found)]) if word]
