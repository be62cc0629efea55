"""OpenAI's Chat Completions API, and any server that speaks it.

The stream's terminal marker is a finish reason or `[DONE]`. Without either, a response can only be used if it has
calls and the arguments of all of them are complete JSON.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from steersman.agent.model import ModelRequest
from steersman.models.base_url import openai_url
from steersman.models.chat_request import ChatQuirks, ChatRequestBuilder
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.provider import Api


class OpenAIChat:
    """`POST {base_url}/chat/completions`, for an `HttpModel`. See `WireApi`.

    The base URL includes the version, as in OpenAI's own clients: `http://127.0.0.1:8080/v1`. If it has no path, `/v1`
    is added. The key is sent as a bearer token.
    """

    name: ClassVar[Api] = "openai-chat"

    def __init__(self, quirks: ChatQuirks | None = None) -> None:
        self._quirks = quirks

    def url(self, base_url: str, _model: str, *, keyed: bool) -> str:
        return openai_url(base_url, "/chat/completions", "http://127.0.0.1:8080/v1", keyed=keyed)

    def headers(self, _model: str) -> Mapping[str, str]:
        return {}

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        return ChatRequestBuilder(model_id, model, self._quirks).body

    def parser(self) -> ChatStreamParser:
        return ChatStreamParser()
