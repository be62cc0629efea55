"""Anthropic's Messages API, and servers that are compatible with it, as a model.

The stream's terminal marker is `message_stop`; without it nothing of a response is used.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.answer_body import AnswerBody
from steersman.models.anthropic_request import AnthropicRequestBuilder
from steersman.models.anthropic_stream import AnthropicStreamParser
from steersman.models.anthropic_thinking import BINDING_BETA, ThinkingStyle
from steersman.models.base_url import split_base_url, with_path
from steersman.models.endpoint import Stall
from steersman.models.streaming_endpoint import streaming_endpoint

if TYPE_CHECKING:
    import httpx

ANTHROPIC_BASE_URL: Final = "https://api.anthropic.com"
_VERSION: Final = "2023-06-01"
"""The only version of the API that its reference names ("API versioning")."""


class Anthropic:
    """A model behind `POST {base_url}/v1/messages`. See `agent.model.Model` for the contract of its streams.

    Args:
        name: the model's name at the server. Whether it thinks by effort or by budget is read from it.
        base_url: without the version, as Anthropic's clients have it; one that ends with `/v1` or with `/messages` is
            understood too. A query is kept.
        api_key: sent as `x-api-key`; None or empty for servers that want none.
        images: whether the model takes images; words stand for them otherwise.
        headers: more of them. None takes the place of the key's, or of the request's own; no text holds their values.
        key_source: where the key comes from, for what is told when it is not taken.
        client: instead of the process's own client; the caller closes it.

    Raises:
        ModelConfigError: the base URL or the key can't be used.
    """

    def __init__(
        self,
        name: str,
        base_url: str = ANTHROPIC_BASE_URL,
        api_key: str | None = None,
        *,
        provider: str = "anthropic",
        headers: Mapping[str, str] | None = None,
        images: bool = True,
        stall: Stall | None = None,
        key_source: str = "",
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        url = _messages_url(base_url)
        own = {"anthropic-version": _VERSION}
        if ThinkingStyle.of(name).binds:
            own["anthropic-beta"] = BINDING_BETA
        self._id = f"{provider}:{name}"
        self._endpoint = streaming_endpoint(
            url,
            "anthropic",
            key,
            base_url,
            own=own,
            headers=headers,
            stall=stall,
            key_source=key_source,
        )
        self._requests = AnthropicRequestBuilder(self._id, name, images=images)
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        answer = AnswerBody(AnthropicStreamParser())
        return stream_answer(
            self._endpoint, self._client, lambda: self._requests.body(request), signal, answer
        )


def _messages_url(base_url: str) -> str:
    parts = split_base_url(base_url, ANTHROPIC_BASE_URL)
    path = parts.path.rstrip("/")
    if not path.endswith("/messages"):
        path += "/messages" if path.endswith("/v1") else "/v1/messages"
    return with_path(parts, path)
