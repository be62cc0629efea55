"""Google's Gemini API, and servers that are compatible with it.

The stream's terminal marker is a finish reason, or the reason why the prompt was blocked. A response without one is not
used.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final
from urllib.parse import quote

from steersman.agent.model import ModelRequest
from steersman.models.base_url import split_base_url, with_path
from steersman.models.gemini_request import GeminiRequestBuilder
from steersman.models.gemini_stream import GeminiStreamParser
from steersman.models.provider import Api

_VERSION: Final = "/v1beta"
"""That of the API reference. `v1` has no signatures and no levels of thinking."""


class Gemini:
    """`POST {base_url}/models/{name}:streamGenerateContent`, for an `HttpModel`. See `WireApi`.

    The model's name may begin with `models/`, as in the API's own list. It says how the model thinks, and whether it
    requires signatures. The base URL includes the version; if it has no path, `/v1beta` is added. The key is sent as
    `x-goog-api-key`, never in the URL.

    Args:
        images: whether the model takes images. Otherwise a text stands for each.
    """

    name: ClassVar[Api] = "gemini"

    def __init__(self, *, images: bool = True) -> None:
        self._images = images

    def url(self, base_url: str, model: str, *, keyed: bool) -> str:
        parts = split_base_url(base_url, f"https://generativelanguage.googleapis.com{_VERSION}")
        path = parts.path.rstrip("/").removesuffix("/models") or _VERSION
        model = quote(model.strip().removeprefix("models/"), safe="", errors="replace")
        parts = parts._replace(query=f"{parts.query}&alt=sse" if parts.query else "alt=sse")
        return with_path(parts, f"{path}/models/{model}:streamGenerateContent")

    def headers(self, _model: str) -> Mapping[str, str]:
        return {}

    def bodies(self, model_id: str, model: str) -> Callable[[ModelRequest], bytes]:
        return GeminiRequestBuilder(model_id, model, images=self._images).body

    def parser(self) -> GeminiStreamParser:
        return GeminiStreamParser()
