"""Keeps keys out of texts that people, logs and models see."""

import html
import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

MASK: Final = "[redacted]"
_SHORTEST: Final = 4
"""Shorter secrets are placeholders for servers that want some key; masking them would only garble messages."""

_LOOKS_LIKE_A_KEY: Final = re.compile(
    r"(?i:bearer\s+)[^\s\"'<>,;]{8,}|\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf)[-_][A-Za-z0-9_\-]{16,}|\bAIza[A-Za-z0-9_\-]{30,}"
)


class Redactor:
    """Replaces every secret that it knows, in each spelling a server may echo, and what looks like a key."""

    __slots__ = ("_pattern",)

    def __init__(self, secrets: Iterable[str]) -> None:
        spellings = {
            spelling
            for secret in secrets
            if len(secret) >= _SHORTEST
            for spelling in (
                secret,
                quote(secret, safe=""),
                quote_plus(secret),
                html.escape(secret),
                json.dumps(secret)[1:-1],
                json.dumps(secret, ensure_ascii=False)[1:-1],
            )
        }
        longest_first = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def __call__(self, text: str) -> str:
        if self._pattern is not None:
            text = self._pattern.sub(MASK, text)
        return _LOOKS_LIKE_A_KEY.sub(MASK, text)


def secrets_of_url(url: str) -> list[str]:
    """What of a base URL may be secret: the user information and the values of the query, as written and decoded."""
    parts = urlsplit(url)
    userinfo = parts.netloc.rpartition("@")[0]
    found = [userinfo, *userinfo.split(":"), *(value for _, value in parse_qsl(parts.query))]
    found += [pair.partition("=")[2] for pair in parts.query.split("&")]
    return [word for word in dict.fromkeys([*found, *map(unquote, found)]) if word]
