"""From a model's written name, `PROVIDER:NAME`, to the model. A provider's code is imported when it is asked for."""

from typing import TYPE_CHECKING, Final

from steersman.agent.model import Model
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.vision import takes_images

if TYPE_CHECKING:
    import httpx

PROVIDERS: Final = {
    "openai-chat": "openai-chat:NAME (any server with OpenAI's Chat Completions API)",
    "anthropic": "anthropic:NAME (Anthropic's Messages API)",
    "tape": "tape:FILE (a recorded conversation, replayed)",
}
OPENAI_BASE_URL: Final = "https://api.openai.com/v1"


def resolve_model(
    spec: str,
    base_url: str | None = None,
    api_key: str | None = None,
    *,
    images: bool | None = None,
    client: "httpx.AsyncClient | None" = None,
) -> Model:
    """The model that `spec` names.

    Args:
        spec: `PROVIDER:NAME`; see `PROVIDERS`.
        base_url: of an HTTP API; the provider's own if None.
        api_key: for `base_url`. Whether the two belong together is for the caller to know.
        images: whether it takes images; None: as is known of its name.
        client: for HTTP, instead of the process's own.

    Raises:
        MissingKey: no key where one is needed.
        ModelConfigError: no such provider, no name, or a tape that can't be used.
    """
    provider, colon, name = spec.partition(":")
    if provider not in PROVIDERS or not colon or not name.strip():
        known = "; ".join(PROVIDERS.values())
        hint = (
            f" Did you mean {'anthropic' if 'claude' in spec else 'openai-chat'}:{spec}?"
            if spec.strip() and not colon
            else ""
        )
        raise ModelConfigError(
            f"Unknown model {spec!r}: a model is written PROVIDER:NAME. Known: {known}.{hint}"
        )
    if provider == "tape":
        from steersman.models.tape import TapeModel  # noqa: PLC0415 - only what is asked for is imported

        return TapeModel(name)
    if base_url is None and not api_key:
        raise MissingKey(
            f"No API key for {spec!r}: set STEERSMAN_API_KEY, or STEERSMAN_BASE_URL for a server of your own."
        )
    if provider == "anthropic":
        from steersman.models.anthropic import ANTHROPIC_BASE_URL, Anthropic  # noqa: PLC0415 - as above

        shows = takes_images(provider, name) if images is None else images
        return Anthropic(name, base_url or ANTHROPIC_BASE_URL, api_key, images=shows, client=client)
    from steersman.models.chat_request import ChatQuirks  # noqa: PLC0415 - as below
    from steersman.models.openai_chat import OpenAIChat  # noqa: PLC0415 - only what is asked for is imported

    quirks = ChatQuirks(images=takes_images(provider, name) if images is None else images)
    return OpenAIChat(name, base_url or OPENAI_BASE_URL, api_key, quirks=quirks, client=client)
