"""Anthropic's Messages API, and servers that are compatible with it.

The stream's terminal marker is `message_stop`. A response without it is not used.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from steersman.agent.model import ModelRequest
from steersman.models.anthropic_request import AnthropicRequestBuilder
from steersman.models.anthropic_stream import AnthropicStreamParser
from steersman.models.anthropic_thinking import BINDING_BETA, ThinkingStyle
from steersman.models.base_url import ANTHROPIC_VERSION, split_base_url, with_path
from steersman.models.provider import Api


class Anthropic:
    """`POST {base_url}/v1/messages`, for an `HttpModel`. See `WireApi`.

    The model's name says whether it thinks by effort or by budget. The base URL has no version, as in Anthropic's own
    clients; one that ends with `/v1` or `/messages` works too. The key is sent as `x-api-key`.

    Args:
        images: whether the model takes images. Otherwise a text stands for each.
    """

    name: ClassVar[Api] = "anthropic"

    def __init__(self, *, images: bool = True) -> None:
        self._images = images

    def url(self, base_url: str, _model: str, *, keyed: bool) -> str:
        parts = split_base_url(base_url, "https://api.anthropic.com")
        path = parts.path.rstrip("/")
        if not path.endswith("/messages"):
            path += "/messages" if path.endswith("/v1") else "/v1/messages"
        return with_path(parts, path)

    def headers(self, model: str) -> Mapping[str, str]:
        beta = {"anthropic-beta": BINDING_BETA} if ThinkingStyle.of(model).binds else {}
        return {**ANTHROPIC_VERSION, **beta}

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        return AnthropicRequestBuilder(model_id, model, images=self._images).body

    def parser(self) -> AnthropicStreamParser:
        return AnthropicStreamParser()
