"""The four wire APIs, each with an answer of its own in parts: what a server sends, and which model reads it."""

from collections.abc import Callable

from steersman.agent.model import Model
from steersman.models.anthropic import Anthropic
from steersman.models.gemini import Gemini
from steersman.models.http_model import HttpModel, WireApi
from steersman.models.openai_chat import OpenAIChat
from steersman.models.openai_responses import OpenAIResponses
from support import anthropic_sse, gemini_sse, responses_sse, sse
from support.injected import Wire


def _made(api: WireApi) -> Callable[..., Model]:
    return lambda **options: HttpModel(api, "m", **options)


CHAT = Wire(
    "openai-chat",
    _made(OpenAIChat()),
    opening=sse.sse(sse.text("Hello"), done=False),
    call=sse.sse(sse.call('{"path": ', index=0, id="1", name="ls"), done=False),
    finish=sse.sse(sse.chunk({}, "stop"), done=False),
    end=sse.DONE,
    error=lambda kind, message: sse.sse({"error": {"type": kind, "message": message}}, done=False),
    finish_is_end=True,
)

_SAID = anthropic_sse.text(0, "Hello")
MESSAGES = Wire(
    "anthropic",
    _made(Anthropic()),
    opening=anthropic_sse.sse(anthropic_sse.start(), *_SAID[:-1]),
    call=anthropic_sse.sse(_SAID[-1], *anthropic_sse.call(1, "ls", '{"path": ')[:-1]),
    finish=anthropic_sse.sse(_SAID[-1], *anthropic_sse.stop()[:-1]),
    end=anthropic_sse.sse(*anthropic_sse.stop()[-1:]),
    error=lambda kind, message: anthropic_sse.sse(
        {"type": "error", "error": {"type": kind, "message": message}}
    ),
    finish_is_end=False,
)

_TEXT = responses_sse.text(0, "Hello")
RESPONSES = Wire(
    "openai-responses",
    _made(OpenAIResponses()),
    opening=responses_sse.sse(responses_sse.start(), *_TEXT[:-2]),
    call=responses_sse.sse(*_TEXT[-2:], *responses_sse.call(1, "ls", '{"path": ')[:-2]),
    finish=responses_sse.sse(*_TEXT[-2:]),
    end=responses_sse.sse(responses_sse.end(responses_sse.message("Hello"))),
    error=lambda kind, message: responses_sse.sse(
        responses_sse.response("failed", error={"code": kind, "message": message})
    ),
    finish_is_end=False,
)

_GOOGLE = {
    "overloaded_error": (503, "UNAVAILABLE"),
    "authentication_error": (401, "UNAUTHENTICATED"),
    "server_error": (500, "INTERNAL"),
}


def _google_error(kind: str, message: str) -> bytes:
    code, status = _GOOGLE[kind]
    return gemini_sse.sse({"error": {"code": code, "status": status, "message": message}})


GEMINI = Wire(
    "gemini",
    _made(Gemini()),
    opening=gemini_sse.sse(gemini_sse.chunk(gemini_sse.text("Hello"))),
    call=gemini_sse.sse(gemini_sse.chunk(gemini_sse.call("ls", {"path": "."}))),
    finish=gemini_sse.sse(gemini_sse.chunk(finish="STOP", usageMetadata=gemini_sse.usage(3, 2))),
    end=b"",
    error=_google_error,
    finish_is_end=True,
)

WIRES = (CHAT, RESPONSES, MESSAGES, GEMINI)
