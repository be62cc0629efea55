"""A model behind HTTP, whatever its wire API."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ModelRequest, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.answer_body import AnswerBody, AnswerParser
from steersman.models.endpoint import Stall
from steersman.models.streaming_endpoint import streaming_endpoint

if TYPE_CHECKING:
    import httpx

    from steersman.models.provider import Api


class WireApi(Protocol):
    """What is different in each wire API."""

    @property
    def name(self) -> "Api": ...

    def url(self, base_url: str, model: str, *, keyed: bool) -> str:
        """The URL that requests are posted to.

        Args:
            base_url: as configured.
            keyed: the request has a key. An API that sends it instead of the base URL's credentials drops those.

        Raises:
            ModelConfigError: the base URL can't be used.
        """
        ...

    def headers(self, model: str) -> Mapping[str, str]:
        """The request headers of this API only."""
        ...

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        """Returns the function that makes request bodies for one model. It may keep what it has encoded.

        Args:
            model_id: `provider:name`, as `AssistantMessage.model` has it.
        """
        ...

    def parser(self) -> AnswerParser:
        """A new parser, for one answer."""
        ...


class HttpModel:
    """See `agent.model.Model` for the contract of its streams.

    Args:
        api: the wire API that its server speaks.
        name: the model's name at the server.
        base_url: the API's class says how much of the URL it is. A query (`?api-version=…`) is kept.
        api_key: None or empty for servers that want none.
        provider: the first part of the model's id; empty: the API's name.
        headers: the user's. They never replace one of the request's own, and their values are kept out of texts.
        key_source: where the key comes from, for the message if it is refused.
        client: used instead of the process's own client. The caller closes it.

    Raises:
        ModelConfigError: the base URL, the key or a header can't be used.
    """

    def __init__(
        self,
        api: WireApi,
        name: str,
        base_url: str,
        api_key: str | None = None,
        *,
        provider: str = "",
        headers: Mapping[str, str] | None = None,
        stall: Stall | None = None,
        key_source: str = "",
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        self._api = api
        self._id = f"{provider or api.name}:{name}"
        self._endpoint = streaming_endpoint(
            api.url(base_url, name, keyed=bool(key)),
            api.name,
            key,
            base_url,
            own=api.headers(name),
            headers=headers,
            stall=stall,
            key_source=key_source,
        )
        self._body = api.bodies(self._id, name)
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events. Never raises. In a complete response every block is closed by a `BlockEnd`."""
        answer = AnswerBody(self._api.parser())
        return stream_answer(self._endpoint, self._client, lambda: self._body(request), signal, answer)
