"""Turns what people configure (a base URL, a key, headers) into the URL and the headers of a request."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from steersman.models.errors import ModelConfigError

if TYPE_CHECKING:
    from steersman.models.provider import Api

_KEY_HEADERS: Final[Mapping["Api", tuple[str, str]]] = {
    "openai-chat": ("authorization", "Bearer "),
    "openai-responses": ("authorization", "Bearer "),
    "anthropic": ("x-api-key", ""),
    "gemini": ("x-goog-api-key", ""),
}
"""The header that carries the key, and what precedes the key in it."""
ANTHROPIC_VERSION: Final = {"anthropic-version": "2023-06-01"}
"""Every request to Anthropic has this header. There is no other version ("API versioning" in the reference)."""


def split_base_url(base_url: str, example: str) -> SplitResult:
    """The parts of a base URL. `example` is shown to the user if the URL can't be used.

    Raises:
        ModelConfigError: not http or https, no host, or an impossible port.
    """
    parts = _usable_parts(base_url)
    if parts is None:
        # The URL itself is not repeated: it may hold a key.
        raise ModelConfigError(
            f"The base URL must begin with http:// or https:// and name a host, like {example}."
        )
    return parts


def _usable_parts(base_url: str) -> SplitResult | None:
    try:
        parts = urlsplit(base_url.strip())
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def with_path(parts: SplitResult, path: str, *, credentials: bool = True) -> str:
    """The URL with another path. It keeps its query and, if `credentials`, its user information."""
    netloc = parts.netloc if credentials else parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, path, parts.query, ""))


def openai_url(base_url: str, path: str, example: str, *, keyed: bool) -> str:
    """The URL for requests to OpenAI's APIs, and to those that are like them.

    Args:
        path: the API's, after the version.
        example: see `split_base_url`.
        keyed: there is a key; credentials in the base URL are dropped then, since a request has one authorization.

    Raises:
        ModelConfigError: see `split_base_url`.
    """
    parts = split_base_url(base_url, example)
    own = parts.path.rstrip("/") or "/v1"
    return with_path(parts, own if own.endswith(path) else own + path, credentials=not keyed)


def key_headers(api: "Api", key: str) -> dict[str, str]:
    """The header that carries the key; none if `key` is empty.

    Raises:
        ModelConfigError: see `header_value`.
    """
    if not key:
        return {}
    name, before = _KEY_HEADERS[api]
    return {name: before + header_value(key)}


def header_value(key: str) -> str:
    """The key, if a header can carry it.

    Raises:
        ModelConfigError: it can't. The message does not repeat the key.
    """
    if not can_be_carried(key):
        raise ModelConfigError("The API key holds a character that no HTTP header can carry; copy it again.")
    return key


def can_be_carried(value: str) -> bool:
    """Whether a header can carry the value."""
    return value.isascii() and value.isprintable()


def with_own(more: Mapping[str, str] | None, own: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request: `own`, and those of `more` with other names. The case of names doesn't matter.

    Raises:
        ModelConfigError: a header can't carry its value. The message does not repeat the value.
    """
    added = {name.lower(): value for name, value in (more or {}).items()}
    for name, value in added.items():
        if not can_be_carried(value):
            raise ModelConfigError(f"The header {name} holds a character that no HTTP header can carry.")
    return added | dict(own)
