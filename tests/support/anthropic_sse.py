"""Streamed responses of the Messages API, made by hand."""

from support.sse import typed_sse

sse = typed_sse


def start(**message: object) -> dict[str, object]:
    """`message_start`, with three tokens of input unless `usage` says otherwise."""
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": []}
    return {"type": "message_start", "message": {**whole, "usage": {"input_tokens": 3}, **message}}


def block(index: int, kind: str, *deltas: dict[str, object], **fields: object) -> list[dict[str, object]]:
    """The events of one content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, object]]:
    return block(index, "text", *({"type": "text_delta", "text": piece} for piece in pieces), text="")


def thinking(index: int, *pieces: str, signature: str = "sig") -> list[dict[str, object]]:
    deltas: list[dict[str, object]] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    return block(
        index,
        "thinking",
        *deltas,
        {"type": "signature_delta", "signature": signature},
        thinking="",
        signature="",
    )


def call(index: int, name: str, *pieces: str, call_id: str = "toolu_1") -> list[dict[str, object]]:
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    return block(index, "tool_use", *deltas, id=call_id, name=name, input={})


def stop(reason: str | None = "end_turn", **more: object) -> list[dict[str, object]]:
    """`message_delta` with two tokens of output, and `message_stop`."""
    delta = {"stop_reason": reason, "stop_sequence": None, **more}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]


def answer(*blocks: list[dict[str, object]], reason: str | None = "end_turn") -> bytes:
    """A whole body: the start, these blocks, the end."""
    return sse(start(), *(event for events in blocks for event in events), *stop(reason))
