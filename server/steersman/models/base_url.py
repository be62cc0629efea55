"""What people configure, a base URL and a key, becomes the URL and the header values of a request."""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from steersman.models.errors import ModelConfigError


def split_base_url(base_url: str, example: str) -> SplitResult:
    """The parts of a base URL. `example` is shown to whoever wrote one that can't be used.

    Raises:
        ModelConfigError: not http or https, no host, or no port that can be asked.
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
    """The URL with another path; its query is kept, its user information only with `credentials`."""
    netloc = parts.netloc if credentials else parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, path, parts.query, ""))


def openai_url(base_url: str, path: str, example: str, *, keyed: bool) -> str:
    """Where OpenAI's APIs, and those that are like them, are asked.

    Args:
        path: of the API, after the version.
        example: see `split_base_url`.
        keyed: credentials in the base URL give way to a key: a request has one authorization.

    Raises:
        ModelConfigError: see `split_base_url`.
    """
    parts = split_base_url(base_url, example)
    own = parts.path.rstrip("/") or "/v1"
    return with_path(parts, own if own.endswith(path) else own + path, credentials=not keyed)


def header_value(key: str) -> str:
    """The key, if a header can carry it.

    Raises:
        ModelConfigError: it can't; the message does not repeat the key.
    """
    if not key.isascii() or not key.isprintable():
        raise ModelConfigError("The API key holds a character that no HTTP header can carry; copy it again.")
    return key


def with_own(more: Mapping[str, str] | None, own: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request: `own`, and those of `more` that are none of them. Names are told apart without case.

    Raises:
        ModelConfigError: a value can't be carried; the message does not repeat it.
    """
    added = {name.lower(): value for name, value in (more or {}).items()}
    for name, value in added.items():
        if not value.isascii() or not value.isprintable():
            raise ModelConfigError(f"The header {name} holds a character that no HTTP header can carry.")
    return added | dict(own)
