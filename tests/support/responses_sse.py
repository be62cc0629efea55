"""Streamed responses of the Responses API, made by hand."""

from collections.abc import Sequence

from support.sse import typed_sse

Event = dict[str, object]
USAGE: Event = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
sse = typed_sse


def response(status: str, **fields: object) -> Event:
    """An event that tells the state of the whole response."""
    whole = {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "model": "m-1",
        "output": [],
        "error": None,
    }
    kind = "created" if status == "in_progress" else status
    return {"type": f"response.{kind}", "response": {**whole, **fields}}


def start(**fields: object) -> Event:
    return response("in_progress", **fields)


def end(*output: Event, **fields: object) -> Event:
    """`response.completed` with these items of output, three tokens of input and two of output."""
    return response("completed", **{"output": list(output), "usage": USAGE, **fields})


def added(index: int, item: Event) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Event) -> Event:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def delta(kind: str, index: int, item_id: str, piece: str, **fields: object) -> Event:
    """A piece of `kind`: `output_text`, `refusal`, `function_call_arguments`, …"""
    return {
        "type": f"response.{kind}.delta",
        "output_index": index,
        "item_id": item_id,
        "delta": piece,
        **fields,
    }


def message(said: str = "", *, item_id: str = "msg_1", kind: str = "output_text") -> Event:
    """A message item; one that has just begun if nothing is said."""
    key = "refusal" if kind == "refusal" else "text"
    content = [{"type": kind, key: said}] if said else []
    return {"type": "message", "id": item_id, "role": "assistant", "content": content}


def function_call(name: str, arguments: str = "", *, call_id: str = "call_1", item_id: str = "fc_1") -> Event:
    return {
        "type": "function_call",
        "id": item_id,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def reasoning(*summary: str, item_id: str = "rs_1", **fields: object) -> Event:
    parts = [{"type": "summary_text", "text": part} for part in summary]
    return {"type": "reasoning", "id": item_id, "summary": parts, **fields}


def text(index: int, *pieces: str, item_id: str = "msg_1") -> list[Event]:
    """The events of one message."""
    return [
        added(index, message(item_id=item_id)),
        *(delta("output_text", index, item_id, piece) for piece in pieces),
        {
            "type": "response.output_text.done",
            "output_index": index,
            "item_id": item_id,
            "text": "".join(pieces),
        },
        done(index, message("".join(pieces), item_id=item_id)),
    ]


def call(index: int, name: str, *pieces: str, call_id: str = "call_1", item_id: str = "fc_1") -> list[Event]:
    """The events of one function call."""
    arguments = "".join(pieces)
    return [
        added(index, function_call(name, call_id=call_id, item_id=item_id)),
        *(delta("function_call_arguments", index, item_id, piece) for piece in pieces),
        {
            "type": "response.function_call_arguments.done",
            "output_index": index,
            "item_id": item_id,
            "arguments": arguments,
        },
        done(index, function_call(name, arguments, call_id=call_id, item_id=item_id)),
    ]


def thinking(
    index: int, *parts: Sequence[str], item_id: str = "rs_1", encrypted: str | None = "gAAA"
) -> list[Event]:
    """The events of one reasoning item: the parts of its summary, each in pieces."""
    events = [added(index, reasoning(item_id=item_id, encrypted_content=""))]
    kind = "reasoning_summary_text"
    for number, pieces in enumerate(parts):
        events += [delta(kind, index, item_id, piece, summary_index=number) for piece in pieces]
        whole = {"output_index": index, "item_id": item_id, "summary_index": number, "text": "".join(pieces)}
        events.append({"type": f"response.{kind}.done", **whole})
    summary = ["".join(pieces) for pieces in parts]
    return [*events, done(index, reasoning(*summary, item_id=item_id, encrypted_content=encrypted))]


def answer(*items: list[Event], **fields: object) -> bytes:
    """A whole body: the start, these items, the end with the items that are done."""
    events = [event for item in items for event in item]
    output = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    whole = end(**{"output": output, **fields})
    return sse(start(), *events, whole)
