"""Google's Gemini API, and servers that are compatible with it, as a model.

The stream's terminal marker is a finish reason, or why the prompt was blocked; without it nothing of a response is
used.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.answer_body import AnswerBody
from steersman.models.base_url import split_base_url, with_path
from steersman.models.endpoint import Stall
from steersman.models.gemini_request import GeminiRequestBuilder
from steersman.models.gemini_stream import GeminiStreamParser
from steersman.models.streaming_endpoint import streaming_endpoint

if TYPE_CHECKING:
    import httpx

GEMINI_BASE_URL: Final = "https://generativelanguage.googleapis.com/v1beta"
_VERSION: Final = "/v1beta"
"""Of the API reference; signatures and levels of thinking are not in `v1`."""


class Gemini:
    """A model behind `POST {base_url}/models/{name}:streamGenerateContent`. See `agent.model.Model` for the contract
    of its streams.

    Args:
        name: the model's name, with or without the `models/` of the API's own list. How it thinks, and whether it
            wants signatures, is read from it.
        base_url: with the version. Without any path, `/v1beta` is added. A query is kept.
        api_key: sent as `x-goog-api-key`, never in the URL; None or empty for servers that want none.
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
        base_url: str = GEMINI_BASE_URL,
        api_key: str | None = None,
        *,
        provider: str = "gemini",
        headers: Mapping[str, str] | None = None,
        images: bool = True,
        stall: Stall | None = None,
        key_source: str = "",
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        url = _stream_url(base_url, name, keyed=bool(key))
        self._id = f"{provider}:{name}"
        self._endpoint = streaming_endpoint(
            url,
            "gemini",
            key,
            base_url,
            headers=headers,
            stall=stall,
            key_source=key_source,
        )
        self._requests = GeminiRequestBuilder(self._id, name, images=images)
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        answer = AnswerBody(GeminiStreamParser())
        return stream_answer(
            self._endpoint, self._client, lambda: self._requests.body(request), signal, answer
        )


def _stream_url(base_url: str, name: str, *, keyed: bool) -> str:
    """The URL to post to. Credentials in the base URL give way to a key: a request has one authorization."""
    parts = split_base_url(base_url, GEMINI_BASE_URL)
    path = parts.path.rstrip("/").removesuffix("/models") or _VERSION
    model = quote(name.strip().removeprefix("models/"), safe="")
    query = f"{parts.query}&alt=sse" if parts.query else "alt=sse"
    return with_path(
        parts._replace(query=query), f"{path}/models/{model}:streamGenerateContent", credentials=not keyed
    )
