"""Events and messages as JSON, and back: the form in which they are logged, sent and printed.

An event is `{seq?, session, run?, turn?, ts, type, data}`. Kernel objects become plain dicts here and nowhere else.
"""

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from steersman.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    Input,
    MessageDiscarded,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from steersman.agent.messages import (
    AssistantContent,
    AssistantMessage,
    CustomMessage,
    Image,
    Message,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)

Data = dict[str, Any]  # Any: JSON that is about to be serialised, or has just been read


def usage_data(usage: Usage) -> Data:
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "reasoning": usage.reasoning,
        "cost": usage.cost,
    }


def usage_from(data: Mapping[str, Any] | None) -> Usage:
    if not data:
        return Usage()
    return Usage(
        input=data.get("input") or 0,
        output=data.get("output") or 0,
        cache_read=data.get("cacheRead") or 0,
        cache_write=data.get("cacheWrite") or 0,
        reasoning=data.get("reasoning") or 0,
        cost=data.get("cost"),
    )


def content_data(content: Sequence[AssistantContent | Image]) -> list[Data]:
    return [_block_data(block) for block in content]


def _block_data(block: AssistantContent | Image) -> Data:
    if isinstance(block, Text) and block.attached is not None:
        return {"type": "text", "text": block.text, "attached": block.attached}
    if isinstance(block, Text | Refusal):
        return {"type": block.type, "text": block.text}
    if isinstance(block, Image):
        return {"type": "image", "data": block.data, "mimeType": block.mime_type}
    if isinstance(block, Thinking):
        data: Data = {"type": "thinking", "text": block.text}
        if block.redacted:
            data["redacted"] = True
    else:
        data = {"type": "toolCall", "id": block.id, "name": block.name, "arguments": block.arguments}
        if block.provider_id is not None:
            data["providerId"] = block.provider_id
    if block.signature is not None:
        data["signature"] = block.signature
    return data


def content_from(blocks: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    """The content blocks of `blocks`. The caller knows which kinds its message may hold."""
    return tuple(_block_from(block) for block in blocks)


def _block_from(block: Mapping[str, Any]) -> AssistantContent | Image:
    kind = block["type"]
    if kind == "text":
        return Text(block["text"], block.get("attached"))
    if kind == "image":
        return Image(block["data"], block["mimeType"])
    if kind == "thinking":
        return Thinking(block["text"], block.get("signature"), block.get("redacted", False))
    if kind == "refusal":
        return Refusal(block["text"])
    if kind == "toolCall":
        return ToolCall(
            block["id"], block["name"], block["arguments"], block.get("providerId"), block.get("signature")
        )
    raise ValueError(f"unknown content block: {kind!r}")


def message_data(message: UserMessage | AssistantMessage | CustomMessage) -> Data:
    """As the data of its `message_end`."""
    data: Data = {"messageId": message.id, "role": message.role}
    if isinstance(message, AssistantMessage):
        data |= {
            "model": message.model,
            "stopReason": message.stop_reason,
            "usage": usage_data(message.usage),
        }
    elif isinstance(message, CustomMessage):
        data["kind"] = message.kind
    elif message.source is not None:
        data["source"] = message.source
    data["content"] = content_data(message.content)
    return data


def message_from(data: Mapping[str, Any]) -> Message:
    """The message of a `message_end` that was committed."""
    content = content_from(data["content"])
    role = data["role"]
    if role == "user":
        return UserMessage(data["messageId"], content, data.get("source"))
    if role == "custom":
        return CustomMessage(data["messageId"], data["kind"], content)
    return AssistantMessage(
        data["messageId"], content, data["model"], data["stopReason"], usage_from(data.get("usage"))
    )


def result_data(result: ToolResultMessage) -> Data:
    data: Data = {
        "toolCallId": result.tool_call_id,
        "name": result.tool_name,
        "outcome": result.outcome,
        "isError": result.is_error,
        "content": content_data(result.content),
    }
    if result.details is not None:
        data["details"] = result.details
    return data


def result_from(data: Mapping[str, Any]) -> ToolResultMessage:
    """The result of a `tool_execution_end`."""
    return ToolResultMessage(
        data["toolCallId"], data["name"], content_from(data["content"]), data["outcome"], data.get("details")
    )


def typed_text(message: UserMessage | CustomMessage) -> str:
    """What was said, without what was attached to it."""
    blocks = (block for block in message.content if isinstance(block, Text) and block.attached is None)
    return "\n".join(block.text for block in blocks)


def attachments(content: Sequence[object]) -> list[str]:
    """What was attached, by name, in its order."""
    return [block.attached for block in content if isinstance(block, Text) and block.attached is not None]


def input_data(item: Input) -> Data:
    data: Data = {"kind": item.kind, "text": typed_text(item.message)}
    if isinstance(item.message, UserMessage) and item.message.source is not None:
        data["source"] = item.message.source
    attached = attachments(item.message.content)
    return data | {"attached": attached} if attached else data


def queued_data(item: Input) -> Data:
    """An item of the queue: `{id, kind, text, attached?}`."""
    return {"id": item.id, **input_data(item)}


def event_data(event: AgentEvent) -> Data:
    """The `data` of a kernel event, but for what only the product knows of `agent_end`."""
    if isinstance(event, MessageUpdate):
        return {
            "messageId": event.message_id,
            "index": event.index,
            "kind": event.kind,
            "offset": event.offset,
            "text": event.text,
        }
    if isinstance(event, ToolExecutionUpdate):
        return {"toolCallId": event.call_id, "offset": event.offset, "text": event.text}
    if isinstance(event, MessageStart):
        data: Data = {"messageId": event.message_id, "role": event.role}
        return data if event.model is None else data | {"model": event.model}
    if isinstance(event, MessageEnd):
        return message_data(event.message)
    if isinstance(event, MessageDiscarded):
        return _discarded_data(event)
    if isinstance(event, ToolExecutionStart):
        call = event.call
        if event.arguments is None:
            return {"toolCallId": call.id, "name": call.name, "args": {}, "argsText": call.arguments}
        return {"toolCallId": call.id, "name": call.name, "args": event.arguments}
    if isinstance(event, ToolExecutionRunning):
        return {"toolCallId": event.call_id}
    if isinstance(event, ToolExecutionEnd):
        return {**result_data(event.result), "durationMs": round(event.duration * 1000)}
    if isinstance(event, TurnStart):
        return {"turn": event.turn}
    if isinstance(event, TurnEnd):
        return {"turn": event.turn, "stopReason": event.stop_reason, "toolCallIds": list(event.tool_call_ids)}
    if isinstance(event, AgentEnd):
        return _agent_end_data(event)
    if isinstance(event, AgentStart):
        return {}
    assert_never(event)


def _discarded_data(event: MessageDiscarded) -> Data:
    data: Data = {
        "messageId": event.message_id,
        "discarded": event.reason,
        "partial": content_data(event.partial),
        "usage": usage_data(event.usage),
    }
    if event.failure is not None:
        data["failure"] = {"kind": event.failure.kind, "message": event.failure.message}
    return data


def _agent_end_data(event: AgentEnd) -> Data:
    data: Data = {
        "stopReason": event.stop_reason,
        "usage": usage_data(event.usage),
        "cost": event.usage.cost,
        "turns": event.turns,
        "undelivered": [input_data(item) for item in event.undelivered],
    }
    if event.truncated:
        data["truncated"] = True
    if event.limit is not None:
        data["limit"] = event.limit
    if event.ended_by is not None:
        data["endedBy"] = event.ended_by
    if event.error is not None:
        data["error"] = {"code": event.error.code, "message": event.error.message}
    return data
