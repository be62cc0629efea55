"""What to say of a written model name that names no model."""

import difflib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

from steersman.models.provider import Provider

_WRITTEN: Final = "a model is written PROVIDER:NAME"


def no_model(spec: str, known: Mapping[str, Provider], file: str) -> str:
    """Why `spec` names no model, and what was probably meant, for a person.

    Args:
        known: the providers, by id.
        file: the user's configuration, as it is named to people.
    """
    prefix, colon, _ = spec.partition(":")
    if not spec.strip():
        return f"No model is named: {_WRITTEN}."
    if prefix in known or prefix == "tape":
        return f"Unknown model {spec!r}: {_WRITTEN}, and there is no name."
    if colon:
        return _no_provider(spec, prefix, known, file)
    first, slash, rest = spec.partition("/")
    if slash and first in known:
        return f"Unknown model {spec!r}: {_WRITTEN}. Did you mean {first}:{rest}?"
    meant = " or ".join(f"{each.id}:{spec}" for each in known.values() if _is_named_by(each, spec))
    if meant:
        return f"Unknown model {spec!r}: {_WRITTEN}. Did you mean {meant}?"
    return f"Unknown model {spec!r}: {_WRITTEN}, such as openai-chat:{spec} for a server of your own."


def _no_provider(spec: str, prefix: str, known: Mapping[str, Provider], file: str) -> str:
    near = difflib.get_close_matches(prefix.lower(), [*known, "tape"], n=3)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    if any(map(str.isdigit, prefix)):  # as Ollama names its models
        meant += f"A model of Ollama is written ollama:{spec}. "
    return (
        f"Unknown provider {prefix!r} in {spec!r}. {meant}A provider of your own is defined in "
        f"[providers.{prefix or 'NAME'}] of {file}, with api and base_url."
    )


def _is_named_by(provider: Provider, name: str) -> bool:
    return any(fnmatchcase(name.lower(), each) for each in provider.names)
