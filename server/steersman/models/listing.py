"""What models a server offers: `GET {base}/models`, bounded in time and size. No run needs it."""

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.base_url import header_value, split_base_url, with_path
from steersman.models.catalog import OPENAI_BASE_URL
from steersman.models.failures import failure_of_response
from steersman.models.http import Endpoint, HttpFailure, Stall, new_client
from steersman.models.secrets import Redactor, secrets_of_url
from steersman.models.transport_failures import transport_failure

if TYPE_CHECKING:
    import httpx

SECONDS: Final = 5.0
"""For the whole answer."""
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_NAMES: Final = 1000
MAX_NAME: Final = 200
"""Characters of one name."""

_ENDINGS: Final = ("/chat/completions", "/messages", "/responses")
"""What some people leave at the end of a base URL."""


@dataclass(frozen=True, slots=True)
class Listing:
    host: str
    """Without credentials."""
    names: tuple[str, ...]
    """In the server's order, at most `MAX_NAMES`."""
    left_out: int = 0


async def list_models(
    provider: str,
    base_url: str | None,
    api_key: str | None,
    *,
    seconds: float = SECONDS,
    client: "httpx.AsyncClient | None" = None,
) -> Listing:
    """Asks a provider's server. No text that this gives or raises holds the key.

    Args:
        provider: see `catalog.PROVIDERS`; one that has a server.
        base_url: the provider's own if None.
        seconds: for everything, from the connection to the last byte.
        client: instead of one of its own; the caller closes it.

    Raises:
        ModelConfigError: the base URL or the key can't be used.
        HttpFailure: there is no such list: not reachable, refused, too slow, or something else came.
    """
    endpoint = _endpoint(provider, base_url or _own_base_url(provider), (api_key or "").strip())
    asking = client or new_client()
    try:
        async with asyncio.timeout(seconds):
            body = await _get(asking, endpoint)
    except TimeoutError:
        raise _failure("timeout", f"{endpoint.host} did not answer within {seconds:g} seconds.") from None
    except HttpFailure:
        raise
    except Exception as error:
        failure = transport_failure(error, endpoint.host, endpoint.redact)
        raise _failure(failure.kind, failure.message + _cause(error)) from error
    finally:
        if client is None:
            await asking.aclose()
    names = _names(body)
    if names is None:
        raise _failure(
            "protocol", f"{endpoint.host} answered GET /models with something that is no list of models."
        )
    return Listing(endpoint.host, tuple(names[:MAX_NAMES]), max(0, len(names) - MAX_NAMES))


def _endpoint(provider: str, base_url: str, key: str) -> Endpoint:
    parts = split_base_url(base_url, "http://127.0.0.1:8080/v1")
    path = parts.path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    headers = {"accept": "application/json"}
    if provider == "anthropic":
        headers["anthropic-version"] = "2023-06-01"
    if key:
        name, scheme = ("x-api-key", "") if provider == "anthropic" else ("authorization", "Bearer ")
        headers[name] = scheme + header_value(key)
    url = with_path(parts, (path or "/v1") + "/models", credentials=not key)
    return Endpoint(url, headers, Stall(), Redactor([key, *secrets_of_url(base_url)]))


def _own_base_url(provider: str) -> str:
    if provider == "anthropic":
        from steersman.models.anthropic import ANTHROPIC_BASE_URL  # noqa: PLC0415 - only what is asked for

        return ANTHROPIC_BASE_URL
    return OPENAI_BASE_URL


async def _get(client: "httpx.AsyncClient", endpoint: Endpoint) -> bytes:
    async with client.stream("GET", endpoint.url, headers=endpoint.headers) as response:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise _failure("protocol", f"{endpoint.host} sent a list of more than {MAX_BYTES} bytes.")
        if not 200 <= response.status_code < 300:
            raise HttpFailure(
                failure_of_response(
                    endpoint.host, response.status_code, response.headers, bytes(body), redact=endpoint.redact
                )
            )
        return bytes(body)


def _names(body: bytes) -> list[str] | None:
    """`{"data": [{"id"}]}` as most have it; some servers say `models`, send the bare list, or name it `name`."""
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    items = answer.get("data", answer.get("models")) if isinstance(answer, dict) else answer
    if not isinstance(items, list):
        return None
    named = [item.get("id") or item.get("name") if isinstance(item, dict) else item for item in items]
    return list(dict.fromkeys(name[:MAX_NAME] for name in named if isinstance(name, str) and name))


def _cause(error: BaseException) -> str:
    """What the system said, where the client's own exception hides it."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    if not isinstance(error, OSError) or not error.errno or error.errno < 0:
        return ""
    return f" ({os.strerror(error.errno)})"


def _failure(kind: FailureKind, message: str) -> HttpFailure:
    return HttpFailure(StreamFailure(kind, message))
