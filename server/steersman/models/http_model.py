"""A model that is asked over HTTP, whatever its wire API."""

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
    """What one wire API has of its own."""

    @property
    def name(self) -> "Api": ...

    def url(self, base_url: str, model: str, *, keyed: bool) -> str:
        """Where requests are posted to.

        Args:
            base_url: as it was configured.
            keyed: the request has a key: where it stands as the credentials of a base URL would, they give way.

        Raises:
            ModelConfigError: the base URL can't be used.
        """
        ...

    def headers(self, model: str) -> Mapping[str, str]:
        """Those that only this API has."""
        ...

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        """What makes the bodies of requests to one model. It may keep what it has encoded.

        Args:
            model_id: `provider:name`, as messages of the history name who made them.
        """
        ...

    def parser(self) -> AnswerParser:
        """A fresh one, for one answer."""
        ...


class HttpModel:
    """See `agent.model.Model` for the contract of its streams.

    Args:
        api: how its server is spoken to.
        name: the model's name at the server.
        base_url: which part of the URL it is, the class of the API says. A query (`?api-version=…`) is kept.
        api_key: None or empty for servers that want none.
        provider: the beginning of the model's id; empty: the API's name.
        headers: more of them. None takes the place of the key's, or of the request's own; no text holds their values.
        key_source: where the key comes from, for what is told when it is not taken.
        client: instead of the process's own client; the caller closes it.

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
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        answer = AnswerBody(self._api.parser())
        return stream_answer(self._endpoint, self._client, lambda: self._body(request), signal, answer)
