"""Errors whose kind only the message tells. Each shape is one provider's fixed wording under its own code: a message
that merely mentions a context window fits none of them."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from steersman.agent.model import FailureKind
from steersman.models.failure_body import ErrorBody

_INVALID: Final = ("invalid_request_error",)
_VLLM: Final = ("badrequesterror", "bad_request_error")


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of an error. `form` is a regular expression for the beginning of its message."""

    provider: str
    kind: FailureKind
    form: str
    example: str
    source: str
    codes: Collection[str] = ()
    """The error has one of these; empty: it has no code."""
    status: int = 400
    """The response's. Inside a stream an error has none, unless it names one itself."""

    def fits(self, status: int | None, error: ErrorBody) -> bool:
        coded = any(code in self.codes for code in error.codes) if self.codes else not error.codes
        return coded and status in (None, self.status) and re.match(self.form, error.message) is not None


OVERFLOWS: Final = (
    Shape(
        "Anthropic",
        "context_overflow",
        r"prompt is too long: \d+ tokens > \d+ maximum",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "docs.anthropic.com/en/docs/build-with-claude/context-windows",
        _INVALID,
    ),
    Shape(
        "Anthropic",
        "context_overflow",
        r"input length and `max_tokens` exceed context limit",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or "
        "`max_tokens` and try again",
        "docs.anthropic.com/en/docs/build-with-claude/context-windows",
        _INVALID,
    ),
    Shape(
        "Gemini",
        "context_overflow",
        r"The input token count (?:\(\d+\) )?exceeds the maximum number of tokens allowed",
        "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
        "recorded: google-vertex",
        ("invalid_argument",),
    ),
    Shape(
        "OpenAI (a request above the limit for a minute)",
        "context_overflow",
        r"Request too large for ",
        "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40213.",
        "platform.openai.com/docs/guides/rate-limits",
        ("tokens",),
        429,
    ),
    Shape(
        "OpenAI (too many messages)",
        "context_overflow",
        r"Invalid '(?:messages|input)': array too long",
        "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got 2049 instead.",
        "platform.openai.com/docs/api-reference/chat",
        ("array_above_max_length",),
    ),
    Shape(
        "DeepSeek",
        "context_overflow",
        r"This model's maximum context length is \d+ tokens",
        "This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens.",
        "recorded: deepseek",
        _INVALID,
    ),
    Shape(
        "Mistral",
        "context_overflow",
        r"Prompt contains \d+ tokens.{0,60} too large for model with \d+ maximum context length",
        "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        "docs.mistral.ai/resources/known-limitations",
        ("invalid_request_error", "invalid_request_invalid_args", "3051"),
    ),
    Shape(
        "Moonshot",
        "context_overflow",
        r"(?:Invalid request: )?Your request exceeded model token limit",
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
        "platform.moonshot.ai/docs/api/chat#error-response",
        _INVALID,
    ),
    Shape(
        "Qwen",
        "context_overflow",
        r"(?:<400> )?(?:InternalError\.Algo\.InvalidParameter: )?Range of input length should be ",
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
        "alibabacloud.com/help/en/model-studio/error-code",
        ("invalid_parameter_error", "invalidparameter", "invalid_request_error"),
    ),
    Shape(
        "xAI",
        "context_overflow",
        r"This model's maximum prompt length is \d+ but the request contains \d+ tokens",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "docs.x.ai/docs/key-information/debugging",
        ("invalid-argument", "client specified an invalid argument"),
    ),
    Shape(
        "OpenRouter",
        "context_overflow",
        r"This endpoint's maximum context length is \d+ tokens",
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.",
        "openrouter.ai/docs/api-reference/errors",
    ),
    Shape(
        "Together",
        "context_overflow",
        r"The input \(\d+ tokens\) is longer than the model's context length \(\d+ tokens\)",
        "The input (210000 tokens) is longer than the model's context length (131072 tokens).",
        "docs.together.ai/docs/error-codes",
        ("invalid_request_error", *_VLLM),
    ),
    Shape(
        "Together, and Text Generation Inference",
        "context_overflow",
        r"Input validation error: `inputs` tokens \+ `max_new_tokens` must be <= \d+",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9001 `inputs` tokens.",
        "docs.together.ai/docs/error-codes",
        ("invalid_request_error", "validation"),
        422,
    ),
    Shape(
        "Fireworks, and Ollama's cloud",
        "context_overflow",
        r"[Tt]he prompt is too long: \d+, model maximum context length: \d+",
        "The prompt is too long: 221782, model maximum context length: 202752",
        "docs.fireworks.ai/guides/inference-error-codes",
        _INVALID,
    ),
    Shape(
        "vLLM",
        "context_overflow",
        r"You passed \d+ input (?:tokens|characters) and requested \d+ output tokens\. "
        r"However, the model's context length is only",
        "You passed 894 input characters and requested 4096 output tokens. However, the model's context length is only "
        "4096 tokens, resulting in a maximum input length of 0 tokens.",
        "recorded: vllm",
        _VLLM,
    ),
    Shape(
        "vLLM, and SGLang",
        "context_overflow",
        r"(?:Requested token count exceeds the|This) model's maximum context length (?:is|of) \d+ tokens",
        "This model's maximum context length is 4096 tokens. However, your request has 5120 input tokens.",
        "vllm, entrypoints/openai/serving_engine.py",
        _VLLM,
    ),
    Shape(
        "vLLM",
        "context_overflow",
        r"The (?:decoder )?prompt \(.{0,40}length \d+\) is longer than the maximum model length of \d+",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "vllm, v1/engine/processor.py",
        _VLLM,
    ),
    Shape(
        "llama.cpp (before it had a type for it)",
        "context_overflow",
        r"the request exceeds the available context size",
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        "llama.cpp, tools/server",
        _INVALID,
    ),
    Shape(
        "LM Studio",
        "context_overflow",
        r"The number of tokens to keep from the initial prompt is greater than the context length",
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= "
        "n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
        "github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2256",
    ),
    Shape(
        "LM Studio",
        "context_overflow",
        r"Trying to keep the first \d+ tokens when context (?:the )?overflows",
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
        "length of only 32768 tokens, which is not enough.",
        "github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546",
    ),
    Shape(
        "Ollama",
        "context_overflow",
        r"prompt too long; exceeded max context length by \d+ tokens",
        "prompt too long; exceeded max context length by 15935 tokens",
        "ollama, server/routes.go",
    ),
    Shape(
        "Ollama (as OpenAI's API)",
        "context_overflow",
        r"prompt too long; exceeded max context length by \d+ tokens",
        "prompt too long; exceeded max context length by 15935 tokens",
        "ollama, openai/openai.go",
        ("invalid_request_error", "api_error"),
    ),
    Shape(
        "a LiteLLM proxy",
        "context_overflow",
        r"litellm\.ContextWindowExceededError: ",
        "litellm.ContextWindowExceededError: litellm.BadRequestError: the provider's own words",
        "docs.litellm.ai/docs/exception_mapping",
        ("400", "none", "invalid_request_error"),
    ),
)
"""The request was too long for the model."""

OTHERS: Final = (
    Shape(
        "Anthropic",
        "quota",
        r"Your credit balance is too low to access the ",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.",
        "support.anthropic.com, How do I pay for my API usage?",
        _INVALID,
    ),
    Shape(
        "Anthropic",
        "quota",
        r"You have reached your specified (?:API|workspace API) usage limits",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        "docs.anthropic.com/en/api/rate-limits#spend-limits",
        _INVALID,
    ),
    Shape(
        "xAI",
        "auth",
        r"Incorrect API key provided",
        "Incorrect API key provided. You can obtain an API key from https://console.x.ai.",
        "recorded: xai",
        ("invalid-argument", "client specified an invalid argument"),
    ),
    Shape(
        "xAI",
        "not_found",
        r"Model not found: ",
        "Model not found: grok-none",
        "recorded: xai",
        ("invalid-argument", "client specified an invalid argument"),
    ),
    Shape(
        "xAI",
        "quota",
        r"Your (?:newly created )?team .{0,80}(?:doesn't have any credits|has either used all available credits)",
        "Your newly created team doesn't have any credits or licenses yet. You can purchase those on the console.",
        "docs.x.ai/docs/key-information/debugging",
        ("the caller does not have permission to execute the specified operation",),
        403,
    ),
    Shape(
        "OpenRouter",
        "not_found",
        r"\S{1,200} is not a valid model ID$",
        "openai/gpt-none is not a valid model ID",
        "recorded: openrouter",
    ),
    Shape(
        "OpenAI",
        "not_found",
        r"invalid model ID$",
        "invalid model ID",
        "platform.openai.com/docs/guides/error-codes",
        _INVALID,
    ),
    Shape(
        "DeepSeek",
        "not_found",
        r"Model Not Exist$",
        "Model Not Exist",
        "api-docs.deepseek.com/quick_start/error_codes",
        _INVALID,
    ),
)
"""Other kinds that no code tells."""

SHAPES: Final = OVERFLOWS + OTHERS
