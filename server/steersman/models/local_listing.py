"""What programs for one's own machine tell besides their list of models: which program it is, which models are loaded,
and with which windows.

Only the window that a model is served with counts. It may be smaller than what the model was made for, and these
programs silently cut a prompt that doesn't fit. Sources: Ollama's API pages ("List running models", "Show model
details"), LM Studio's "REST API v0", the README of llama.cpp's server.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from steersman.models.endpoint import HttpFailure
from steersman.models.fetching import Server
from steersman.models.listed_facts import ListedModel, items_of, name_of, tokens
from steersman.models.provider import ModelFacts

if TYPE_CHECKING:
    from steersman.models.fetching import Client

Program = Literal["ollama", "lmstudio", "llamacpp", "vllm"]
"""The known programs, by the ids of their providers."""

_MOST_SHOWN: Final = 64
"""Most models that Ollama is asked about one by one."""
_AT_ONCE: Final = 8
_NUM_CTX: Final = re.compile(r"^num_ctx\s+(\d{1,10})\s*$", re.MULTILINE)


@dataclass(slots=True)
class Found:
    """What is known of a server so far. When time is up, it is used as it is."""

    models: list[ListedModel]
    program: Program | None = None
    """None: none of the known ones."""


async def look_closer(server: Server, client: "Client", answer: object, found: Found) -> None:
    """Asks the server for more, and adds it to `found`. Questions that fail change nothing.

    Args:
        answer: the server's list of models, from which `found` was read.
    """
    said = (item.get("owned_by") for item in items_of(answer) or () if isinstance(item, Mapping))
    owners = {owner for owner in said if isinstance(owner, str)}
    asking = _Asking(server, client, found)
    if "llamacpp" in owners:
        found.program = "llamacpp"
        await asking.llamacpp()
    elif "vllm" in owners:
        found.program = "vllm"  # its list says everything, and has only loaded models
        found.models = [replace(model, loaded=True) for model in found.models]
    elif not owners & _OTHERS:
        version, tags, models = await asyncio.gather(
            asking.get("/api/version"), asking.get("/api/tags"), asking.get("/api/v0/models")
        )
        if isinstance(version.get("version"), str) and isinstance(tags.get("models"), list):
            found.program = "ollama"
            await asking.ollama(tags)
        elif any(isinstance(item, Mapping) and "state" in item for item in items_of(models) or ()):
            found.program = "lmstudio"
            asking.lmstudio(models)


_OTHERS: Final = frozenset({"koboldcpp", "sglang", "lmdeploy"})
"""Other programs, of which some answer Ollama's questions too."""


@dataclass(frozen=True, slots=True)
class _Asking:
    server: Server
    client: "Client"
    found: Found

    async def get(self, path: str, body: object = None) -> Mapping[str, object]:
        """The answer; empty if it is not an object, or if there is none."""
        try:
            answer = await self.server.ask(self.client, self.server.root + path, body=body)
        except HttpFailure:
            return {}
        return answer if isinstance(answer, dict) else {}

    async def llamacpp(self) -> None:
        """The server has one model, or it is a router and only its list tells anything."""
        if len(self.found.models) != 1 or self.found.models[0].loaded is not None:
            return
        model = self.found.models[0]
        self.found.models = [replace(model, loaded=True)]
        props = await self.get("/props")
        settings, modalities = props.get("default_generation_settings"), props.get("modalities")
        served = tokens(settings.get("n_ctx")) if isinstance(settings, dict) else None
        vision = modalities.get("vision") if isinstance(modalities, dict) else None
        said = ModelFacts(served, images=vision if isinstance(vision, bool) else None)
        self.found.models = [ListedModel(model.name, said.over(model.facts), loaded=True)]

    async def ollama(self, tags: Mapping[str, object]) -> None:
        """A model that isn't loaded gets the window that its file names, if any. Nothing else tells it beforehand."""
        running = await self.get("/api/ps")
        windows = {
            name_of(item): tokens(item.get("context_length"))
            for item in items_of(running) or ()
            if isinstance(item, Mapping)
        }
        names = dict.fromkeys(filter(None, map(name_of, items_of(tags) or ())))
        models = {name: ListedModel(name, ModelFacts(windows.get(name)), name in windows) for name in names}
        self.found.models = list(models.values())
        turn = asyncio.Semaphore(_AT_ONCE)

        async def show(name: str) -> None:
            async with turn:
                shown = await self.get("/api/show", {"model": name})
            if _only_embeds(shown):
                del models[name]
            else:
                model = models[name]
                models[name] = replace(model, facts=model.facts.over(_ollama_facts(shown)))
            self.found.models = list(models.values())

        await asyncio.gather(*(show(name) for name in list(names)[:_MOST_SHOWN]))

    def lmstudio(self, answer: Mapping[str, object]) -> None:
        items = [item for item in items_of(answer) or () if isinstance(item, Mapping)]
        self.found.models = [
            ListedModel(name_of(item), _lmstudio_facts(item), item.get("state") == "loaded")
            for item in items
            if name_of(item) and item.get("type") in ("llm", "vlm", None)
        ]


def _ollama_facts(shown: Mapping[str, object]) -> ModelFacts:
    window, capabilities = _named_window(shown), shown.get("capabilities")
    if not isinstance(capabilities, list):
        return ModelFacts(window)
    return ModelFacts(window, images="vision" in capabilities, thinking="thinking" in capabilities)


def _named_window(shown: Mapping[str, object]) -> int | None:
    """`num_ctx` of the model's file, but at most what the model was made for, as in Ollama itself."""
    parameters, info = shown.get("parameters"), shown.get("model_info")
    match = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    named = tokens(int(match[1])) if match else None
    if named is None or not isinstance(info, dict):
        return named
    sizes = [tokens(value) for key, value in info.items() if key.endswith(".context_length")]
    return min([named, *(size for size in sizes if size is not None)])


def _only_embeds(shown: Mapping[str, object]) -> bool:
    capabilities = shown.get("capabilities")
    return isinstance(capabilities, list) and "embedding" in capabilities and "completion" not in capabilities


def _lmstudio_facts(item: Mapping[str, object]) -> ModelFacts:
    kind = item.get("type")
    return ModelFacts(
        context_window=tokens(item.get("loaded_context_length")),
        images=kind == "vlm" if isinstance(kind, str) else None,
    )
