"""Reads lists of models: names, limits and prices, in the fields of every provider that has them.

It does no I/O, and tolerates anything: a value that is not as expected counts as missing. A context length that a model
was made for, but that its server may not offer, is not taken for its window.

Sources: the pages "List models" of OpenAI, Anthropic ("Models"), Google ("models.list"), OpenRouter, Together, Groq,
Mistral, Fireworks, Moonshot and xAI ("List language models"); vLLM's `ModelCard`; the README of llama.cpp's server.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from steersman.models.provider import ModelFacts, Price
from steersman.models.surrogates import whole

MAX_NAME: Final = 200
"""Most characters of a name."""
MOST_TOKENS: Final = 10**9
"""More tokens are not taken for a window."""
_MOST_DOLLARS: Final = 10**5
"""For a million tokens; more is not taken for a price."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that a server offers."""

    name: str
    facts: ModelFacts = field(default_factory=ModelFacts)
    """What the server says of it."""
    loaded: bool | None = None
    """Whether it is loaded, if the server loads models when they are needed; None: not known."""


def read_models(answer: object) -> list[ListedModel] | None:
    """The models of one page, each once, in the server's order; None if it is not a list of models.

    Most servers send `{"data": [{"id"}]}`. Others call it `models`, send the bare list, or call the id `name`. Models
    that can't chat are left out if the server says so.
    """
    items = items_of(answer)
    if items is None:
        return None
    found: dict[str, ListedModel] = {}
    for item in items:
        name = name_of(item)
        if name and chats(item):
            found.setdefault(name, ListedModel(name, facts_of(item), _loaded(item)))
    return list(found.values())


def items_of(answer: object) -> Sequence[object] | None:
    """The entries of a list of models; None if it is no such list. Without any model Ollama sends `null` for it."""
    if isinstance(answer, Mapping):
        for field in ("data", "models"):
            if field in answer:
                items = answer[field]
                return [] if items is None and answer.get("object") == "list" else _list(items)
        return None
    return _list(answer)


def name_of(item: object) -> str:
    """A model's name, empty if there is none. Google's begin with `models/`, which is left out."""
    named = item
    if isinstance(item, Mapping):
        named = next((item[key] for key in ("id", "name") if item.get(key)), None)
    if not isinstance(named, str):
        return ""
    if isinstance(item, Mapping) and "supportedGenerationMethods" in item:
        named = named.removeprefix("models/")
    return whole(named[:MAX_NAME])


def chats(item: object) -> bool:
    """False if the server says that a model doesn't chat: it makes embeddings, images or speech, or is retired."""
    if not isinstance(item, Mapping):
        return True
    methods, outputs = _list(item.get("supportedGenerationMethods")), _modalities(item, "output_modalities")
    return not (
        item.get("type") in _OTHER_TYPES
        or item.get("lifecycle") == "retired"
        or item.get("active") is False
        or item.get("supports_chat") is False
        or _at(item, "capabilities", "completion_chat") is False
        or (methods is not None and "generateContent" not in methods)
        or (outputs is not None and "text" not in outputs)
        or (_is_openais(item) and _NO_CHAT.search(name_of(item)) is not None)
    )


_OTHER_TYPES: Final = (
    "embedding",
    "embeddings",
    "image",
    "video",
    "audio",
    "transcribe",
    "moderation",
    "rerank",
)
"""Together's and LM Studio's types of models that don't chat."""


_NO_CHAT: Final = re.compile(
    r"^(?:text-embedding|text-moderation|omni-moderation|whisper|tts|dall-e|gpt-image|chatgpt-image|sora|babbage|davinci)"
    r"|-(?:tts|transcribe|realtime|audio|instruct)\b"
)
"""OpenAI's list doesn't say what a model is for, so its name has to tell ("Models", by family)."""


def _is_openais(item: Mapping[str, object]) -> bool:
    owner = item.get("owned_by")
    return isinstance(owner, str) and owner.lower() in ("openai", "openai-internal", "system")


def facts_of(item: object) -> ModelFacts:
    """What one entry says of its model."""
    if not isinstance(item, Mapping):
        return ModelFacts()
    return ModelFacts(
        context_window=_window(item),
        max_output=_first_tokens(item, *(_ANTHROPIC if "max_input_tokens" in item else _OUTPUTS)),
        images=_images(item),
        thinking=_thinking(item),
        price=_price(item),
    )


_WINDOWS: Final = (
    ("context_length",),  # OpenRouter, Together, Fireworks, Moonshot, xAI
    ("context_window",),  # Groq
    ("max_context_length",),  # Mistral
    ("max_model_len",),  # vLLM, SGLang
    ("max_input_tokens",),  # Anthropic
    ("inputTokenLimit",),  # Google
    ("meta", "n_ctx"),  # llama.cpp, of one slot
)
_OUTPUTS: Final = (
    ("top_provider", "max_completion_tokens"),  # OpenRouter
    ("max_completion_tokens",),  # Groq
    ("outputTokenLimit",),  # Google
)
_ANTHROPIC: Final = (("max_tokens",),)
"""Elsewhere this name means something else."""


def _window(item: Mapping[str, object]) -> int | None:
    """The smallest of the windows that are named: OpenRouter's first choice may offer less than the model could."""
    said = [_first_tokens(item, *_WINDOWS), tokens(_at(item, "top_provider", "context_length"))]
    return min((size for size in said if size is not None), default=None)


def _images(item: Mapping[str, object]) -> bool | None:
    inputs = _modalities(item, "input_modalities")
    if inputs is not None:
        return "image" in inputs
    return _first_bool(
        item,
        ("supports_image_in",),  # Moonshot
        ("supports_image_input",),  # Fireworks
        ("capabilities", "vision"),  # Mistral
        ("capabilities", "image_input", "supported"),  # Anthropic
    )


def _thinking(item: Mapping[str, object]) -> bool | None:
    parameters = _list(item.get("supported_parameters"))  # OpenRouter
    if parameters is not None:
        return "reasoning" in parameters
    return _first_bool(
        item,
        ("supports_reasoning",),  # Moonshot
        ("thinking",),  # Google
        ("capabilities", "reasoning"),  # Mistral
        ("capabilities", "thinking", "supported"),  # Anthropic
    )


def _price(item: Mapping[str, object]) -> Price | None:
    pricing = item.get("pricing")
    if not isinstance(pricing, Mapping):
        return _known(_prices(item, *_XAI, scale=1e-4))
    if "prompt" in pricing or "completion" in pricing:
        return _known(_prices(pricing, *_OPENROUTER, scale=1e6))
    return _known(_prices(pricing, *_TOGETHER, scale=1.0))


_OPENROUTER: Final = ("prompt", "completion", "input_cache_read", "input_cache_write")
"""Dollars for one token, as strings; -1 if that varies."""
_TOGETHER: Final = ("input", "output", "cached_input", "")
"""Dollars for a million tokens."""
_XAI: Final = (
    "prompt_text_token_price",
    "completion_text_token_price",
    "cached_prompt_text_token_price",
    "",
)
"""Cents for a hundred million tokens."""


def _prices(
    said: Mapping[str, object], prompt: str, completion: str, read: str, write: str, *, scale: float
) -> Price:
    def dollars(field: str) -> float | None:
        value = _number(said.get(field))
        if value is None or not 0 <= value * scale <= _MOST_DOLLARS:
            return None
        return round(value * scale, 9)  # decimal fractions are not exact in binary

    return Price(dollars(prompt), dollars(completion), dollars(read), dollars(write))


def _known(price: Price) -> Price | None:
    return None if price == Price() else price


def tokens(value: object) -> int | None:
    """A plausible number of tokens; None for anything else."""
    number = _number(value) if not isinstance(value, str) else None
    if number is None or not 1 <= number <= MOST_TOKENS:
        return None
    return int(number)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _loaded(item: object) -> bool | None:
    """As llama.cpp's router says it of the models that it can start."""
    status = _at(item, "status", "value")
    return status == "loaded" if isinstance(status, str) else None


def _at(value: object, *path: str) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _first_tokens(item: Mapping[str, object], *paths: tuple[str, ...]) -> int | None:
    return next((size for path in paths if (size := tokens(_at(item, *path))) is not None), None)


def _first_bool(item: Mapping[str, object], *paths: tuple[str, ...]) -> bool | None:
    return next((said for path in paths if isinstance(said := _at(item, *path), bool)), None)


def _modalities(item: Mapping[str, object], field: str) -> Sequence[object] | None:
    """OpenRouter has modalities in `architecture`, xAI next to the name."""
    inside = _list(_at(item, "architecture", field))
    return inside if inside is not None else _list(item.get(field))


def _list(value: object) -> list[object] | None:
    return value if isinstance(value, list) else None
