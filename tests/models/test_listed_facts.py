"""What lists of models say, as each provider writes it; and that no list whatever can do harm."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.listed_facts import MAX_NAME, MOST_TOKENS, read_models
from steersman.models.local_listing import Found, look_closer
from steersman.models.provider import ModelFacts, Price

OPENROUTER = {
    "id": "vendor/chat-1",
    "context_length": 200_000,
    "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
    "pricing": {
        "prompt": "0.000003",
        "completion": "0.000015",
        "input_cache_read": "0.0000003",
        "input_cache_write": "0.00000375",
        "request": "0",
    },
    "top_provider": {"context_length": 131_072, "max_completion_tokens": 32_768, "is_moderated": False},
    "supported_parameters": ["tools", "reasoning", "max_tokens"],
}
TOGETHER = {
    "id": "moonshotai/Kimi-K2",
    "type": "chat",
    "context_length": 262_144,
    "pricing": {"hourly": 0, "input": 1.2, "output": 4, "base": 0, "finetune": 0},
}
GROQ = {
    "id": "llama-4",
    "owned_by": "Meta",
    "active": True,
    "context_window": 131_072,
    "max_completion_tokens": 32_768,
}
MISTRAL = {
    "id": "mistral-large",
    "capabilities": {"completion_chat": True, "function_calling": True, "vision": True},
    "max_context_length": 128_000,
    "aliases": ["mistral-large-latest"],
}
FIREWORKS = {
    "id": "accounts/fireworks/models/m",
    "supports_chat": True,
    "supports_image_input": False,
    "context_length": 163_840,
}
MOONSHOT = {"id": "kimi-k2", "context_length": 262_144, "supports_image_in": True, "supports_reasoning": True}
ANTHROPIC = {
    "type": "model",
    "id": "claude-sonnet",
    "display_name": "Claude Sonnet",
    "lifecycle": "active",
    "max_input_tokens": 200_000,
    "max_tokens": 64_000,
    "capabilities": {"image_input": {"supported": True}, "thinking": {"supported": True, "types": {}}},
}
GOOGLE = {
    "name": "models/gemini-pro",
    "displayName": "Gemini Pro",
    "inputTokenLimit": 1_048_576,
    "outputTokenLimit": 65_536,
    "supportedGenerationMethods": ["generateContent", "countTokens"],
    "thinking": True,
}
VLLM = {"id": "qwen3", "object": "model", "owned_by": "vllm", "root": "qwen3", "max_model_len": 40_960}
DEEPSEEK = {"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}


@pytest.mark.parametrize(
    ("item", "name", "facts"),
    [
        (
            OPENROUTER,
            "vendor/chat-1",
            ModelFacts(131_072, 32_768, images=True, thinking=True, price=Price(3, 15, 0.3, 3.75)),
        ),
        (TOGETHER, "moonshotai/Kimi-K2", ModelFacts(262_144, price=Price(1.2, 4))),
        (GROQ, "llama-4", ModelFacts(131_072, 32_768)),
        (MISTRAL, "mistral-large", ModelFacts(128_000, images=True)),
        (FIREWORKS, "accounts/fireworks/models/m", ModelFacts(163_840, images=False)),
        (MOONSHOT, "kimi-k2", ModelFacts(262_144, images=True, thinking=True)),
        (ANTHROPIC, "claude-sonnet", ModelFacts(200_000, 64_000, images=True, thinking=True)),
        (GOOGLE, "gemini-pro", ModelFacts(1_048_576, 65_536, thinking=True)),
        (VLLM, "qwen3", ModelFacts(40_960)),
        (DEEPSEEK, "deepseek-chat", ModelFacts()),
    ],
)
def test_each_provider_is_read_as_it_writes(item, name, facts):
    (model,) = read_models({"data": [item]})
    assert (model.name, model.facts) == (name, facts)


@pytest.mark.parametrize(
    "answer",
    [
        {"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]},
        {"models": [{"name": "a"}, {"name": "b"}]},
        [{"id": "a"}, {"id": "b"}],
        ["a", "b"],
        {"data": [{"id": "a"}, {"id": "a"}, {"id": 3}, None, {}, {"id": "b"}]},
    ],
)
def test_every_shape_of_a_list_that_servers_send_is_read(answer):
    assert [model.name for model in read_models(answer)] == ["a", "b"]


@pytest.mark.parametrize("answer", [None, 3, "a", {}, {"data": 3}, {"data": None}, {"error": "no"}])
def test_what_is_no_list_of_models_is_none(answer):
    assert read_models(answer) is None


def test_a_list_of_nothing_that_is_sent_as_null_is_empty():
    assert read_models({"object": "list", "data": None}) == []


@pytest.mark.parametrize(
    "item",
    [
        {"id": "x", "type": "embedding"},
        {"id": "x", "type": "image"},
        {"id": "x", "active": False},
        {"id": "x", "supports_chat": False},
        {"id": "x", "lifecycle": "retired"},
        {"id": "x", "capabilities": {"completion_chat": False}},
        {"id": "x", "architecture": {"output_modalities": ["image"]}},
        {"name": "models/x", "supportedGenerationMethods": ["embedContent"]},
    ],
)
def test_a_model_that_answers_no_messages_is_left_out(item):
    assert read_models({"data": [item, {"id": "chats"}]})[0].name == "chats"


def test_of_openais_list_what_has_the_name_of_a_chat_model_is_left():
    no_chat = [
        "whisper-1",
        "text-embedding-3-small",
        "gpt-4o-mini-tts",
        "gpt-realtime",
        "dall-e-3",
        "gpt-image-1",
    ]
    chat = ["gpt-5.4", "gpt-4o", "o3-mini", "chatgpt-4o-latest", "gpt-4o-search-preview", "codex-mini-latest"]
    answer = {"data": [{"id": name, "owned_by": "system"} for name in (*no_chat, *chat)]}
    assert [model.name for model in read_models(answer)] == chat
    mine = {"data": [{"id": "whisper-chat", "owned_by": "me"}]}
    assert [model.name for model in read_models(mine)] == ["whisper-chat"]


@pytest.mark.parametrize(
    ("pricing", "price"),
    [
        ({"prompt": "-1", "completion": "-1"}, None),
        ({"prompt": "0", "completion": "0"}, Price(0, 0)),
        ({"prompt": "free", "completion": None}, None),
        ({"prompt": "nan", "completion": "inf"}, None),
        ({"prompt": True, "completion": ["1"]}, None),
        ({"prompt": "1e300", "completion": "0.000001"}, Price(output=1)),
        ({"input": 0.15, "output": 0.6, "cached_input": 0.075}, Price(0.15, 0.6, 0.075)),
        ({}, None),
    ],
)
def test_a_price_that_is_not_known_is_not_said_to_be_nothing(pricing, price):
    (model,) = read_models([{"id": "m", "pricing": pricing}])
    assert model.facts.price == price


@pytest.mark.parametrize("size", [0, -1, True, "131072", 10**30, float("inf"), float("nan"), None, [4096]])
def test_a_window_that_can_be_none_is_not_known(size):
    (model,) = read_models([{"id": "m", "context_length": size, "max_completion_tokens": size}])
    assert model.facts == ModelFacts()


ENTRIES = (OPENROUTER, TOGETHER, GROQ, MISTRAL, FIREWORKS, MOONSHOT, ANTHROPIC, GOOGLE, VLLM)
MORE_WORDS = (
    "data models object prompt completion input output status value owned_by meta n_ctx image_input supported "
    "default_generation_settings modalities vision model_info parameters version state"
)
words = st.sampled_from(sorted({key for entry in ENTRIES for key in entry} | set(MORE_WORDS.split())))
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=6),
    max_leaves=20,
)


@given(anything | st.fixed_dictionaries({"data": st.lists(anything, max_size=4)}))
def test_whatever_json_comes_is_read_without_harm(answer):
    models = read_models(json.loads(json.dumps(answer)))
    for model in models or ():
        assert 0 < len(model.name) <= MAX_NAME
        model.name.encode()
        facts = model.facts
        for size in (facts.context_window, facts.max_output):
            assert size is None or 1 <= size <= MOST_TOKENS
        assert facts.images in (None, True, False)
        assert facts.thinking in (None, True, False)
    assert models is None or len({model.name for model in models}) == len(models)


class Anybody:
    """A server that gives whatever JSON there is, in turn, to whatever it is asked."""

    root = ""

    def __init__(self, answers):
        self.answers = answers

    async def ask(self, client, path, *, body=None):
        return self.answers.pop() if self.answers else {}


@given(
    st.sampled_from(["llamacpp", "vllm", "library", "organization_owner"]),
    st.lists(anything, max_size=8),
    st.lists(anything, max_size=3),
)
async def test_whatever_a_program_tells_beside_its_list_is_read_without_harm(owner, answers, items):
    listed = {"data": [{"id": "m", "owned_by": owner}, *items]}
    found = Found(read_models(listed))
    await look_closer(Anybody(answers), None, listed, found)
    for model in found.models:
        assert 0 < len(model.name) <= MAX_NAME
        assert model.facts.context_window is None or 1 <= model.facts.context_window <= MOST_TOKENS
