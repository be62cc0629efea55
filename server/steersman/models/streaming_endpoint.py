"""The endpoint of a model whose answers stream: with which headers it is asked, and what no text may hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from steersman.models.base_url import header_value, with_own
from steersman.models.endpoint import Endpoint, Stall
from steersman.models.secrets import Redactor, secrets_of_url

if TYPE_CHECKING:
    from steersman.models.provider import Api

KEY_HEADERS: Final[Mapping["Api", tuple[str, str]]] = {
    "openai-chat": ("authorization", "Bearer "),
    "openai-responses": ("authorization", "Bearer "),
    "anthropic": ("x-api-key", ""),
    "gemini": ("x-goog-api-key", ""),
}
"""Where the key stands, and what stands before it there."""


def streaming_endpoint(
    url: str,
    api: "Api",
    key: str,
    base_url: str,
    *,
    own: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    stall: Stall | None = None,
    key_source: str = "",
) -> Endpoint:
    """Args:
        url: where the requests go.
        key: empty for servers that want none.
        base_url: as it was configured; what is secret in it is taken out of texts, as the key is.
        own: headers that only this API has.
        headers: the user's. None takes the place of the key's, or of the request's own; no text holds their values.
        key_source: where the key comes from, for what is told when it is not taken.

    Raises:
        ModelConfigError: no header can carry the key, or one of the values.
    """
    ours = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        # Compressing small pieces delays them, and costs more than it saves.
        "accept-encoding": "identity",
        **(own or {}),
    }
    if key:
        name, scheme = KEY_HEADERS[api]
        ours[name] = scheme + header_value(key)
    redact = Redactor([key, *secrets_of_url(base_url), *(headers or {}).values()])
    return Endpoint(url, with_own(headers, ours), stall or Stall(), redact, key_source)
