"""Makes the model at the end of a route. The class of its API is imported when it is needed."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steersman.agent.model import Model
from steersman.models.endpoint import Stall
from steersman.models.pricing import FREE, PricedModel
from steersman.models.provider import RateLimits
from steersman.models.routes import Route

if TYPE_CHECKING:
    import httpx

    from steersman.models.http_model import WireApi


def make_model(route: Route, key: str | None, client: "httpx.AsyncClient | None" = None) -> Model:
    """The model of a route. It sends `key`, keeps to the user's rate limits, and says what its answers cost, if known.

    Raises:
        ModelConfigError: the base URL, the key or a header can't be used.
    """
    model, limits = _priced(_speaking(route, key, client), route), route.provider.limits
    if limits == RateLimits():
        return model
    from steersman.models.throttle import ThrottledModel  # noqa: PLC0415 - few users set limits

    return ThrottledModel(model, route.provider.id, limits)


def _priced(model: Model, route: Route) -> Model:
    price = route.facts.price or (FREE if route.provider.local else None)
    return model if price is None else PricedModel(model, price)


def _speaking(route: Route, key: str | None, client: "httpx.AsyncClient | None") -> Model:
    from steersman.models.http_model import HttpModel  # noqa: PLC0415

    return HttpModel(
        _wire_api(route),
        route.name,
        route.base_url,
        key,
        provider=route.provider.id,
        headers=route.headers,
        stall=_stall(route),
        key_source=route.key_source,
        client=client,
    )


def _wire_api(route: Route) -> "WireApi":
    quirks: dict[str, Any] = {"images": route.images, **route.provider.quirks}
    if route.provider.api == "anthropic":
        from steersman.models.anthropic import Anthropic  # noqa: PLC0415

        return Anthropic(images=route.images)
    if route.provider.api == "openai-chat":
        from steersman.models.chat_request import ChatQuirks  # noqa: PLC0415
        from steersman.models.openai_chat import OpenAIChat  # noqa: PLC0415

        return OpenAIChat(ChatQuirks(**quirks))
    if route.provider.api == "openai-responses":
        from steersman.models.openai_responses import OpenAIResponses  # noqa: PLC0415
        from steersman.models.responses_request import ResponsesQuirks  # noqa: PLC0415

        return OpenAIResponses(ResponsesQuirks(**quirks))
    from steersman.models.gemini import Gemini  # noqa: PLC0415

    return Gemini(images=route.images)


def _stall(route: Route) -> Stall:
    """The user's timeouts for the provider, and the usual ones for the rest."""
    usual, own = Stall(), route.provider.timeouts
    return replace(
        usual,
        first_byte=own.first_byte or usual.first_byte,
        between=own.stall or usual.between,
        connect=own.connect or usual.connect,
    )
