"""Any server that speaks OpenAI's Chat Completions API, as a model.

The stream's terminal marker is a finish reason or `[DONE]`. Without either, a response is usable only if it has
calls and all of them are complete JSON.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.base_url import split_base_url, with_path
from steersman.models.chat_body import ChatBody
from steersman.models.chat_request import ChatQuirks, ChatRequestBuilder
from steersman.models.endpoint import Stall
from steersman.models.streaming_endpoint import streaming_endpoint

if TYPE_CHECKING:
    import httpx


class OpenAIChat:
    """A model behind `POST {base_url}/chat/completions`. See `agent.model.Model` for the contract of its streams.

    Args:
        name: the model's name at the server.
        base_url: with the version, as OpenAI's clients have it: `http://127.0.0.1:8080/v1`. Without any path, `/v1`
            is added. A query (`?api-version=…`) is kept.
        api_key: sent as a bearer token; None or empty for servers that want none.
        headers: more of them. None takes the place of the key's, or of the request's own; no text holds their values.
        key_source: where the key comes from, for what is told when it is not taken.
        client: instead of the process's own client; the caller closes it.

    Raises:
        ModelConfigError: the base URL or the key can't be used.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str | None,
        *,
        provider: str = "openai-chat",
        headers: Mapping[str, str] | None = None,
        quirks: ChatQuirks | None = None,
        stall: Stall | None = None,
        key_source: str = "",
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        url = _completions_url(base_url, keyed=bool(key))
        self._id = f"{provider}:{name}"
        self._endpoint = streaming_endpoint(
            url,
            "openai-chat",
            key,
            base_url,
            headers=headers,
            stall=stall,
            key_source=key_source,
        )
        self._requests = ChatRequestBuilder(self._id, name, quirks or ChatQuirks())
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        return stream_answer(
            self._endpoint, self._client, lambda: self._requests.body(request), signal, ChatBody()
        )


def _completions_url(base_url: str, *, keyed: bool) -> str:
    """The URL to post to. Credentials in the base URL give way to a key: a request has one authorization."""
    parts = split_base_url(base_url, "http://127.0.0.1:8080/v1")
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return with_path(parts, path, credentials=not keyed)
