"""The documented rules of a Gemini request, checked strictly.

Sources, by title: the API reference's "Generating content" (the body of `models.streamGenerateContent`), "Content",
"Part" and "FunctionDeclaration"; the guides "Function calling" (as many responses as calls, in one turn right after
them, names, multimodal function responses), "Thought signatures" (the first call of each answer carries one since
Gemini 3, parts with one are not merged, which value skips the check), "Gemini thinking" (budgets and levels), "Image
understanding" (media types); Vertex AI's "Thinking" (which model takes which level). Where the API is lenient
(consecutive turns of one role, signatures before the turn that goes on) the stricter reading is taken.
"""

import base64
import json
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_TOP = {"contents", "systemInstruction", "tools", "generationConfig"}
_DATA = {"text", "inlineData", "functionCall", "functionResponse"}
_IMAGES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
_IMAGES_INSIDE = {"image/png", "image/jpeg", "image/webp"}
_LEVELS = {
    "gemini-3.8-flash": {"LOW", "MEDIUM", "HIGH"},
    "gemini-3.6-flash": {"MINIMAL", "LOW", "MEDIUM", "HIGH"},
    "gemini-3.5-flash-lite": {"MINIMAL", "LOW", "MEDIUM", "HIGH"},
    "gemini-3.1-pro-preview": {"LOW", "MEDIUM", "HIGH"},
    "gemini-3-flash-preview": {"MINIMAL", "LOW", "MEDIUM", "HIGH"},
    "gemini-flash-latest": {"LOW", "MEDIUM", "HIGH"},
}
_BUDGETS = {
    "gemini-2.5-flash": {0, *range(1, 24_577)},
    "gemini-2.5-flash-lite": {0, *range(512, 24_577)},
    "gemini-2.5-pro": {*range(128, 32_769)},
}
GEMINI_MODELS = (*_LEVELS, *_BUDGETS, "gemini-2.0-flash", "gemma-3-27b-it")
"""Those whose rules are known here."""


def check_gemini_request(body: bytes, model: str) -> dict[str, Any]:
    """Asserts that `body` is a request that a strict server takes for `model`, and returns it parsed."""
    assert model in GEMINI_MODELS
    request: dict[str, Any] = json.loads(body.decode("utf-8"))
    assert set(request) <= _TOP, set(request) - _TOP
    _check_config(request, model)
    if "systemInstruction" in request:
        assert set(request["systemInstruction"]) == {"parts"}
        [part] = request["systemInstruction"]["parts"]
        assert set(part) == {"text"} and part["text"].strip(), "an empty system text is left out"
    _check_tools(request)
    _check_contents(request["contents"], signs=model in _LEVELS)
    return request


def _check_config(request: dict[str, Any], model: str) -> None:
    config = request.get("generationConfig")
    if config is None:
        return
    assert config and set(config) <= {"maxOutputTokens", "thinkingConfig"}
    limit = config.get("maxOutputTokens", 65_536)
    assert type(limit) is int and limit > 0
    thinking = config.get("thinkingConfig")
    if thinking is None:
        return
    assert set(thinking) <= {"thinkingLevel", "thinkingBudget", "includeThoughts"}
    assert thinking.get("includeThoughts", True) is True
    if model in _LEVELS:
        assert thinking["thinkingLevel"] in _LEVELS[model] and "thinkingBudget" not in thinking
    else:
        assert model in _BUDGETS, "the model does not think"
        assert "thinkingLevel" not in thinking, "levels are for Gemini 3"
        budget = thinking["thinkingBudget"]
        assert type(budget) is int and budget in _BUDGETS[model]
        assert budget <= max(min(_BUDGETS[model] - {0}), limit // 2), (
            "the answer has room beside the thoughts"
        )


def _check_tools(request: dict[str, Any]) -> None:
    if "tools" not in request:
        return
    [entry] = request["tools"]
    assert set(entry) == {"functionDeclarations"} and entry["functionDeclarations"]
    names = []
    for declaration in entry["functionDeclarations"]:
        assert set(declaration) <= {"name", "description", "parametersJsonSchema"}
        assert _NAME.fullmatch(declaration["name"])
        assert isinstance(declaration["description"], str)
        names.append(declaration["name"])
        schema = declaration.get("parametersJsonSchema")
        if schema is not None:
            assert schema["type"] == "object"
            assert any(schema[key] for key in set(schema) - {"type"}), "unset where there are no parameters"
    assert len(names) == len(set(names)), "names of functions are unique"


def _check_contents(contents: list[dict[str, Any]], *, signs: bool) -> None:
    assert contents, "there is at least one content"
    assert contents[-1]["role"] == "user", "the model answers the user"
    seen: set[str] = set()
    unanswered: list[dict[str, Any]] = []
    for place, content in enumerate(contents):
        assert set(content) == {"role", "parts"}
        assert content["role"] == ("model" if place % 2 else "user"), "turns alternate, the user begins"
        assert isinstance(content["parts"], list) and content["parts"]
        for part in content["parts"]:
            assert len(_DATA & set(part)) == 1, "a part has one kind of data"
            assert set(part) <= _DATA | {"thought", "thoughtSignature"}
        if content["role"] == "user":
            _check_user(content["parts"], unanswered, signs=signs)
            unanswered = []
        else:
            unanswered = _check_answer(content["parts"], seen, signs=signs)
    assert not unanswered


def _check_user(parts: list[dict[str, Any]], unanswered: list[dict[str, Any]], *, signs: bool) -> None:
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    assert len(responses) == len(unanswered), "as many responses as calls, in the turn right after them"
    assert all("functionResponse" in part for part in parts[: len(responses)]), "responses come first"
    for call, response in zip(unanswered, responses, strict=True):
        assert response["name"] == call["name"], "responses are in the order of the calls"
        assert response.get("id") == call.get("id"), "a response has the id of its call"
        _check_response(response, signs=signs)
    for part in parts[len(responses) :]:
        assert len(part) == 1, "only a model thinks and signs"
        if "text" in part:
            assert part["text"].strip(), "texts hold more than white space"
        else:
            _check_inline(part["inlineData"], _IMAGES)


def _check_response(response: dict[str, Any], *, signs: bool) -> None:
    assert set(response) <= {"id", "name", "response", "parts"}
    [(key, said)] = response["response"].items()
    assert key in ("output", "error") and isinstance(said, str) and said.strip()
    if "parts" in response:
        assert signs and response["parts"], "images inside responses are for Gemini 3"
        for part in response["parts"]:
            assert set(part) == {"inlineData"}
            _check_inline(part["inlineData"], _IMAGES_INSIDE)


def _check_answer(parts: list[dict[str, Any]], seen: set[str], *, signs: bool) -> list[dict[str, Any]]:
    calls = []
    for part in parts:
        signature = part.get("thoughtSignature")
        assert signature is None or (isinstance(signature, str) and signature)
        if "text" in part:
            assert part["text"].strip() or signature, "only a signature may come without text"
            assert "thought" not in part or (part["thought"] is True and signature), "summaries stay here"
            continue
        call = part["functionCall"]
        assert "thought" not in part
        assert set(call) <= {"id", "name", "args"} and isinstance(call["args"], dict)
        assert _NAME.fullmatch(call["name"])
        if "id" in call:
            assert isinstance(call["id"], str) and call["id"] and call["id"] not in seen, "ids are unique"
            seen.add(call["id"])
        assert not signs or calls or signature, "the first call of an answer is signed"
        calls.append(call)
    assert calls or any(part["text"].strip() and "thought" not in part for part in parts), (
        "an answer says something"
    )
    return calls


def _check_inline(blob: dict[str, Any], taken: set[str]) -> None:
    assert set(blob) == {"mimeType", "data"} and blob["mimeType"] in taken
    assert base64.b64decode(blob["data"], validate=True)
