"""Asks a model's server for something else than an answer: the JSON value at a path, bounded in size.

No exception from here has a key in its text.
"""

import json
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import SplitResult

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.base_url import ANTHROPIC_VERSION, key_headers, split_base_url, with_own, with_path
from steersman.models.content_encoding import body_of
from steersman.models.endpoint import HttpFailure
from steersman.models.failures import failure_of_response
from steersman.models.provider import Api
from steersman.models.secrets import Redactor, secrets_of_url
from steersman.models.transport_failures import transport_failure
from steersman.models.wire_values import encode

if TYPE_CHECKING:
    import httpx

    from steersman.models.local_client import LocalClient

    Client: TypeAlias = httpx.AsyncClient | LocalClient

MAX_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of one answer."""

_ENDINGS: Final = ("/chat/completions", "/messages", "/responses")
"""What some people leave at the end of a base URL."""


@dataclass(frozen=True, slots=True)
class Server:
    """The server to ask, and how requests to it are authorised."""

    parts: SplitResult = field(repr=False)
    path: str
    """The path of the base URL, with the version: `/v1`."""
    headers: Mapping[str, str] = field(repr=False)
    redact: Redactor = field(repr=False)
    sends_credentials: bool
    """The base URL's user information is sent."""
    key_source: str = ""
    """Where the key comes from, for messages. Empty: not known."""

    @classmethod
    def at(
        cls,
        base_url: str,
        api_key: str | None,
        api: Api,
        headers: Mapping[str, str] | None = None,
        key_source: str = "",
    ) -> "Server":
        """
        Args:
            headers: the user's. They never replace that of the key.
            key_source: where the key comes from, for the message if it is refused.

        Raises:
            ModelConfigError: the base URL or the key can't be used.
        """
        key = (api_key or "").strip()
        parts = split_base_url(base_url, "http://127.0.0.1:8080/v1")
        path = parts.path.rstrip("/")
        for ending in _ENDINGS:
            path = path.removesuffix(ending)
        version = ANTHROPIC_VERSION if api == "anthropic" else {}
        key_header = key_headers(api, key)
        sent = {"accept": "application/json", **version, **key_header}
        secrets = [key, *secrets_of_url(base_url), *(headers or {}).values()]
        own = "/v1beta" if api == "gemini" else "/v1"
        # As the APIs' own requests have it: see `WireApi.url`.
        sends_credentials = "authorization" not in key_header
        redact = Redactor(secrets)
        return cls(parts, path or own, with_own(headers, sent), redact, sends_credentials, key_source)

    @property
    def host(self) -> str:
        """The server's name for messages, without credentials."""
        return self.parts.netloc.rpartition("@")[2]

    @property
    def root(self) -> str:
        """The path without the version."""
        return self.path.removesuffix("/v1")

    @property
    def is_local(self) -> bool:
        """Whether `LocalClient` can ask it."""
        from steersman.models.local_client import is_local  # noqa: PLC0415 - as late as in `http`

        return is_local(with_path(self.parts, self.path, credentials=self.sends_credentials))

    async def ask(self, client: "Client", path: str, *, query: str = "", body: object = None) -> object:
        """The JSON value at a path of this server: a GET, or a POST of `body`.

        Raises:
            HttpFailure: it could not be reached, it refused, or it answered something else.
        """
        both = "&".join(filter(None, (self.parts.query, query)))
        url = with_path(self.parts._replace(query=both), path, credentials=self.sends_credentials)
        try:
            answer = await self._send(client, url, b"" if body is None else encode(body))
        except HttpFailure:
            raise
        except Exception as error:
            failure = transport_failure(error, self.host, self.redact)
            raise HttpFailure(_with_cause(failure, error)) from error
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self.failure(
                "protocol", f"{self.host} answered {path} with something that is not JSON."
            ) from None

    async def _send(self, client: "Client", url: str, content: bytes) -> bytes:
        headers = dict(self.headers) | ({"content-type": "application/json"} if content else {})
        method = "POST" if content else "GET"
        async with client.stream(method, url, headers=headers, content=content) as response:
            body = bytearray()
            async for piece in body_of(response):
                body += piece
                if len(body) > MAX_BYTES:
                    raise self.failure("protocol", f"{self.host} sent more than {MAX_BYTES} bytes.")
            if not 200 <= response.status_code < 300:
                raise HttpFailure(
                    failure_of_response(
                        self.host,
                        response.status_code,
                        response.headers,
                        bytes(body),
                        redact=self.redact,
                        key_source=self.key_source,
                    )
                )
            return bytes(body)

    def failure(self, kind: FailureKind, message: str) -> HttpFailure:
        return HttpFailure(StreamFailure(kind, message))


def _with_cause(failure: StreamFailure, error: BaseException) -> StreamFailure:
    """The failure, with the system's own message if the client's exception hides it."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    if (
        isinstance(error, ssl.SSLError)
        or not isinstance(error, OSError)
        or not error.errno
        or error.errno < 0
    ):
        return failure
    said = os.strerror(error.errno)
    return failure if said in failure.message else replace(failure, message=f"{failure.message} ({said})")
