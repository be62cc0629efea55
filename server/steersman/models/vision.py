"""Which models take images, by their names. A model that takes none refuses a request with one, and so every later
request of the conversation. So a model of unknown name gets none, unless the user says otherwise.

The names are from the providers' own lists ("Models", "Vision") and those of common open models.
"""

import re
from typing import Final

_TAKES: Final = re.compile(
    r"^(?:claude-(?!2|instant)|gemini-|gemma-?3(?!-1b|:1b|n)|gemma-?4|chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-5"
    r"|o1(?!-mini|-preview)|o3(?!-mini)|o4-mini|grok-4|llama-?4|pixtral|mistral-(?:small|medium)-?3(?!:|-small-24b)"
    r"|llava|bakllava|moondream|minicpm-v|internvl|molmo|smolvlm|kimi-vl|qwen3\.5|phi-4-multimodal)"
    r"|vision|multimodal|\bomni\b|[-_.\d]vl(?:\b|[-_:\d])|glm-4(?:\.\d)?v"
)
_TAKES_NOT: Final = re.compile(r"audio|realtime|transcribe|search-preview|gpt-4o-mini-tts")


def takes_images(provider: str, name: str) -> bool:
    """Whether `provider:name` is known to take images. A tape takes them, since nothing is sent anywhere."""
    if provider == "tape":
        return True
    last = name.rsplit("/", 1)[-1].lower()
    return bool(_TAKES.search(last)) and not _TAKES_NOT.search(last)
