"""OpenAI's Responses API, and servers that are compatible with it, as a model.

The stream's terminal marker is `response.completed` or `response.incomplete`; without one nothing of a response is
used.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.answer_body import AnswerBody
from steersman.models.base_url import split_base_url, with_path
from steersman.models.endpoint import Stall
from steersman.models.responses_request import ResponsesQuirks, ResponsesRequestBuilder
from steersman.models.responses_stream import ResponsesStreamParser
from steersman.models.streaming_endpoint import streaming_endpoint

if TYPE_CHECKING:
    import httpx

OPENAI_BASE_URL: Final = "https://api.openai.com/v1"


class OpenAIResponses:
    """A model behind `POST {base_url}/responses`. See `agent.model.Model` for the contract of its streams.

    Args:
        name: the model's name at the server; on Azure, that of its deployment.
        base_url: with the version, as OpenAI's clients have it: `https://NAME.openai.azure.com/openai/v1`. Without any
            path, `/v1` is added. A query (`?api-version=…`) is kept.
        api_key: sent as a bearer token; None or empty for servers that want none.
        headers: more of them. None takes the place of the key's, or of the request's own; no text holds their values.
        key_source: where the key comes from, for what is told when it is not taken.
        client: instead of the process's own client; the caller closes it.

    Raises:
        ModelConfigError: the base URL, the key or a header can't be used.
    """

    def __init__(
        self,
        name: str,
        base_url: str = OPENAI_BASE_URL,
        api_key: str | None = None,
        *,
        provider: str = "openai-responses",
        headers: Mapping[str, str] | None = None,
        quirks: ResponsesQuirks | None = None,
        stall: Stall | None = None,
        key_source: str = "",
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        url = _responses_url(base_url, keyed=bool(key))
        self._id = f"{provider}:{name}"
        self._endpoint = streaming_endpoint(
            url,
            "openai-responses",
            key,
            base_url,
            headers=headers,
            stall=stall,
            key_source=key_source,
        )
        self._requests = ResponsesRequestBuilder(self._id, name, quirks)
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        answer = AnswerBody(ResponsesStreamParser())
        return stream_answer(
            self._endpoint, self._client, lambda: self._requests.body(request), signal, answer
        )


def _responses_url(base_url: str, *, keyed: bool) -> str:
    """The URL to post to. Credentials in the base URL give way to a key: a request has one authorization."""
    parts = split_base_url(base_url, OPENAI_BASE_URL)
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/responses"):
        path += "/responses"
    return with_path(parts, path, credentials=not keyed)
