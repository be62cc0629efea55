"""The endpoint of a model whose answers stream: its request headers, and the secrets that no text may hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from steersman.models.base_url import key_headers, with_own
from steersman.models.endpoint import Endpoint, Stall
from steersman.models.secrets import Redactor, secrets_of_url

if TYPE_CHECKING:
    from steersman.models.provider import Api


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
    """Makes the endpoint.

    Args:
        url: where the requests go.
        key: empty for servers that want none.
        base_url: as configured. What is secret in it is kept out of texts, like the key.
        own: the headers of this API only.
        headers: the user's. They never replace one of the others, and their values are kept out of texts.
        key_source: where the key comes from, for the message if it is refused.

    Raises:
        ModelConfigError: no header can carry the key, or one of the user's values.
    """
    ours = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        # Compressing small pieces delays them, and costs more than it saves.
        "accept-encoding": "identity",
        **(own or {}),
        **key_headers(api, key),
    }
    redact = Redactor([key, *secrets_of_url(base_url), *(headers or {}).values()])
    return Endpoint(url, with_own(headers, ours), stall or Stall(), redact, key_source)
