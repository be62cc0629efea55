"""Which models are told of images: those that are known to take them, and those that the user says do."""

import httpx
import pytest

from steersman.agent.messages import Image, Text, UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.catalog import resolve_model
from steersman.models.vision import takes_images
from support.model_server import Canned, events_of

SEE = "anthropic:claude-sonnet-4-5 anthropic:claude-3-haiku-20240307 openai-chat:gpt-4o-mini openai-chat:gpt-4.1 \
openai-chat:gpt-5.4-mini openai-chat:o1 openai-chat:o3 openai-chat:o4-mini openai-chat:chatgpt-4o-latest \
openai-chat:google/gemini-2.5-pro openai-chat:gemma3:4b openai-chat:google/gemma-3-27b-it openai-chat:qwen2.5vl:7b \
openai-chat:Qwen/Qwen2.5-VL-7B-Instruct openai-chat:qwen3-vl:8b openai-chat:llama3.2-vision openai-chat:llava:13b \
openai-chat:meta-llama/Llama-4-Scout-17B openai-chat:pixtral-12b openai-chat:glm-4.5v openai-chat:gpt-4-turbo tape:x"

BLIND = "anthropic:claude-2.1 anthropic:claude-instant-1.2 anthropic:deepseek-chat openai-chat:gpt-3.5-turbo \
openai-chat:gpt-4 openai-chat:o1-mini openai-chat:o3-mini openai-chat:deepseek-chat openai-chat:qwen3:8b \
openai-chat:qwen3-coder openai-chat:llama3.1 openai-chat:gemma3:1b openai-chat:gpt-oss-120b \
openai-chat:gpt-4o-audio-preview openai-chat:anything openai-chat:glm-4.6 \
openai-chat:mistral-small:24b openai-chat:novlty"


@pytest.mark.parametrize(
    ("spec", "sees"), [(spec, True) for spec in SEE.split()] + [(spec, False) for spec in BLIND.split()]
)
def test_names_that_are_known_take_images_and_others_do_not(spec, sees):
    assert takes_images(*spec.split(":", 1)) is sees


@pytest.mark.parametrize(
    ("spec", "images", "sent"),
    [
        ("openai-chat:qwen3:8b", None, False),
        ("openai-chat:qwen3:8b", True, True),
        ("openai-chat:gpt-4o", None, True),
        ("openai-chat:gpt-4o", False, False),
        ("anthropic:claude-sonnet-4-5", None, True),
        ("anthropic:m", None, False),
        ("anthropic:m", True, True),
    ],
)
async def test_what_the_user_says_of_a_model_counts_before_its_name(spec, images, sent):
    server = Canned([b""])
    async with httpx.AsyncClient(transport=server) as client:
        model = resolve_model(spec, "http://127.0.0.1:9", images=images, client=client)
        message = UserMessage("u", (Text("see"), Image("aGk=", "image/png")))
        await events_of(model, ModelRequest("", [message]))
    assert (b"aGk=" in server.requests[0].content) is sent
