"""Streamed responses of the Gemini API, made by hand."""

import json


def sse(*chunks: object) -> bytes:
    """A body with these chunks, with the line ends that the API sends."""
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for chunk in chunks)


def chunk(*parts: dict[str, object], finish: str | int | None = None, **top: object) -> dict[str, object]:
    """A chunk with one candidate. `message` is its finish message."""
    candidate: dict[str, object] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    if "message" in top:
        candidate["finishMessage"] = top.pop("message")
    return {"candidates": [candidate], "modelVersion": "gemini-x", "responseId": "r1", **top}


def text(piece: str, signature: str | None = None) -> dict[str, object]:
    return _signed({"text": piece}, signature)


def thought(piece: str, signature: str | None = None) -> dict[str, object]:
    return _signed({"text": piece, "thought": True}, signature)


def call(
    name: str, args: object = None, *, call_id: str | None = None, signature: str | None = None
) -> dict[str, object]:
    """A part with a call; without `args` or an id where they are not given."""
    function = {"id": call_id, "name": name, "args": args}
    known = {key: value for key, value in function.items() if value is not None}
    return _signed({"functionCall": known}, signature)


def usage(prompt: int, candidates: int | None = None, **more: int) -> dict[str, object]:
    """`usageMetadata`; further counts by their own names."""
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": candidates, **more}
    return {key: value for key, value in counts.items() if value is not None}


def answer(*parts: dict[str, object], finish: str | int | None = "STOP") -> bytes:
    """A whole body: a chunk for each part, the last of them with the finish reason and three and two tokens."""
    *first, last = parts or ({"text": ""},)
    return sse(*map(chunk, first), chunk(last, finish=finish, usageMetadata=usage(3, 2)))


def _signed(part: dict[str, object], signature: str | None) -> dict[str, object]:
    return part if signature is None else {**part, "thoughtSignature": signature}
