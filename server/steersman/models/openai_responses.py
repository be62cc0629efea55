"""OpenAI's Responses API, and servers that are compatible with it.

The stream's terminal marker is `response.completed` or `response.incomplete`. A response without one is not used.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from steersman.agent.model import ModelRequest
from steersman.models.base_url import openai_url
from steersman.models.provider import Api
from steersman.models.responses_request import ResponsesQuirks, ResponsesRequestBuilder
from steersman.models.responses_stream import ResponsesStreamParser


class OpenAIResponses:
    """`POST {base_url}/responses`, for an `HttpModel`. See `WireApi`.

    On Azure the model's name is that of its deployment. The base URL includes the version, as in OpenAI's own clients:
    `https://NAME.openai.azure.com/openai/v1`. If it has no path, `/v1` is added. The key is sent as a bearer token.
    """

    name: ClassVar[Api] = "openai-responses"

    def __init__(self, quirks: ResponsesQuirks | None = None) -> None:
        self._quirks = quirks

    def url(self, base_url: str, _model: str, *, keyed: bool) -> str:
        return openai_url(base_url, "/responses", "https://api.openai.com/v1", keyed=keyed)

    def headers(self, _model: str) -> Mapping[str, str]:
        return {}

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        return ResponsesRequestBuilder(model_id, model, self._quirks).body

    def parser(self) -> ResponsesStreamParser:
        return ResponsesStreamParser()
