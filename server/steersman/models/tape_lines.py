"""Reads and writes the lines of a recorded tape, one for each turn. `tape_format` says what the fields mean."""

import json
from collections.abc import Sequence
from typing import Final, get_args

from steersman.agent.messages import MalformedArguments, ModelStop, ToolCall, Usage, parse_arguments
from steersman.agent.model import BlockKind, StreamDone, StreamError
from steersman.models.tape_entry import Entry
from steersman.models.tape_fields import failure_fields, read_recorded_failure, read_usage, usage_fields
from steersman.models.tape_request import Fingerprint, Role, Said, canonical
from steersman.models.tape_turn import RecordedBlock, RecordedTurn, Step

FIELDS: Final = "request, model, blocks, stream, folders, stopReason, usage, error, aborted, answeredBy"


def read_turn(entry: Entry, number: int, before: Sequence[Said]) -> RecordedTurn:
    """Reads the turn of a line. `before`: the messages of the turn before, with which its own may begin.

    Raises:
        TapeError: the line breaks the format.
    """
    fingerprint = _read_request(entry, before)
    blocks = tuple(_read_block(entry, value, at) for at, value in enumerate(entry.list("blocks")))
    steps, wait = _read_stream(entry, blocks)
    usage = read_usage(entry) or Usage()
    failure = read_recorded_failure(entry)
    aborted = entry.take("aborted", bool, False, "true or false")
    stop = _read_stop(entry)
    if [failure is not None, aborted, stop is not None].count(True) != 1:
        raise entry.bad("exactly one of `stopReason`, `error` and `aborted` must be there")
    answered_by = entry.string("answeredBy") or None
    end = StreamError(failure, usage) if failure else StreamDone(stop, usage, answered_by) if stop else None
    turn = RecordedTurn(
        fingerprint=fingerprint,
        blocks=blocks,
        steps=steps,
        end=end,
        wait=wait,
        usage=usage,
        folders=entry.strings("folders"),
        model=entry.string("model"),
        line=entry.line,
        number=number,
    )
    entry.end(FIELDS)
    return turn


def _read_request(entry: Entry, before: Sequence[Said]) -> Fingerprint:
    if not entry.has("request"):
        raise entry.bad("a recorded turn needs a `request`")
    fields = entry.inner("request", entry.raw("request"))
    keep = fields.count("keep") or 0
    if keep > len(before):
        raise fields.wrong("keep", f"at most {len(before)}, the messages of the turn before", keep)
    new = [_read_said(fields, value, number) for number, value in enumerate(fields.list("messages"))]
    fingerprint = Fingerprint(fields.string("system"), fields.strings("tools"), (*before[:keep], *new))
    digest = fields.string("digest")
    if digest != fingerprint.digest:
        message = f"{fingerprint.digest!r} for these messages (was the line before it changed or removed?)"
        raise fields.wrong("digest", message, digest)
    fields.end("digest, system, tools, keep, messages")
    return fingerprint


def _read_said(entry: Entry, value: object, number: int) -> Said:
    fields = entry.inner(f"messages[{number}]", value)
    roles: tuple[Role, ...] = get_args(Role)
    role = fields.word("role", roles)
    calls = []
    for at, each in enumerate(fields.list("toolCalls")):
        call = fields.inner(f"toolCalls[{at}]", each)
        has_text = call.has("argumentsText")
        arguments = call.raw("arguments")
        calls.append(
            (call.string("name"), call.string("argumentsText") if has_text else canonical(arguments))
        )
        call.end("name, arguments, argumentsText")
    said = Said(
        role=role,
        text=fields.string("text"),
        name=fields.string("name"),
        calls=tuple(calls),
    )
    fields.end("role, text, name, toolCalls")
    return said


def _read_block(entry: Entry, value: object, number: int) -> RecordedBlock:
    fields = entry.inner(f"blocks[{number}]", value)
    kinds: tuple[BlockKind, ...] = get_args(BlockKind)
    block = RecordedBlock(
        kind=fields.word("kind", kinds),
        name=fields.string("name"),
        provider_id=fields.string("id") if fields.has("id") else None,
        end_name=fields.string("endName") if fields.has("endName") else None,
        signature=fields.string("signature") if fields.has("signature") else None,
        redacted=fields.take("redacted", bool, False, "true or false"),
    )
    fields.end("kind, name, id, endName, signature, redacted")
    return block


def _read_stream(entry: Entry, blocks: Sequence[RecordedBlock]) -> tuple[tuple[Step, ...], float]:
    """The steps, and the seconds between the last one and the end, which is written like a ping."""
    begun: set[int] = set()
    ended: set[int] = set()
    steps = []
    for number, value in enumerate(entry.list("stream")):
        where = f"stream[{number}]"
        step = _read_step(value)
        if step is None:
            raise entry.wrong(where, "[ms], [ms, block] or [ms, block, text]", value)
        if step.block is not None:
            if step.block >= len(blocks):
                raise entry.bad(f"`{where}` names block {step.block}, but `blocks` has only {len(blocks)}")
            if step.block in ended or (step.text is not None and step.block not in begun):
                raise entry.bad(f"`{where}`: block {step.block} has not begun, or has already ended")
            if step.text is None:
                (ended if step.block in begun else begun).add(step.block)
        steps.append(step)
    if not steps or steps[-1].block is not None:
        raise entry.bad("`stream` must end with [ms], the time until the answer's end")
    if len(begun) < len(blocks):
        raise entry.bad(f"`blocks` has {len(blocks)}, but only {len(begun)} of them begin in `stream`")
    return tuple(steps[:-1]), steps[-1].wait


def _read_step(value: object) -> Step | None:
    if not isinstance(value, list) or not 1 <= len(value) <= 3:
        return None
    ms, block, text = [*value, None, None][:3]
    if type(ms) is not int or ms < 0:
        return None
    if len(value) > 1 and (type(block) is not int or block < 0):
        return None
    return None if len(value) == 3 and not isinstance(text, str) else Step(ms / 1000, block, text)


def _read_stop(entry: Entry) -> ModelStop | None:
    if not entry.has("stopReason"):
        return None
    words: tuple[ModelStop, ...] = get_args(ModelStop)
    return entry.word("stopReason", words)


def turn_line(turn: RecordedTurn, before: Sequence[Said]) -> bytes:
    """Writes the line that `read_turn` reads, with its line end. `before`: the messages of the turn before."""
    fields: dict[str, object] = {"request": _request_fields(turn.fingerprint, before)}
    if turn.model:
        fields["model"] = turn.model
    fields["blocks"] = [_block_fields(block) for block in turn.blocks]
    fields["stream"] = _stream_fields(turn)
    if turn.folders:
        fields["folders"] = list(turn.folders)
    if isinstance(turn.end, StreamDone):
        fields["stopReason"] = turn.end.stop_reason
        if turn.end.model:
            fields["answeredBy"] = turn.end.model
    elif turn.end is not None:
        fields["error"] = failure_fields(turn.end.failure)
    else:
        fields["aborted"] = True
    usage = usage_fields(turn.usage)
    return encode_line(fields | ({"usage": usage} if usage else {}))


def encode_line(fields: object) -> bytes:
    try:
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _request_fields(fingerprint: Fingerprint, before: Sequence[Said]) -> dict[str, object]:
    keep = 0
    for old, new in zip(before, fingerprint.messages, strict=False):
        if old is not new and old != new:
            break
        keep += 1
    return {
        "digest": fingerprint.digest,
        "system": fingerprint.system,
        "tools": list(fingerprint.tools),
        "keep": keep,
        "messages": [_said_fields(said) for said in fingerprint.messages[keep:]],
    }


def _said_fields(said: Said) -> dict[str, object]:
    fields: dict[str, object] = {"role": said.role, "text": said.text}
    if said.name:
        fields["name"] = said.name
    if said.calls:
        fields["toolCalls"] = [_call_fields(name, arguments) for name, arguments in said.calls]
    return fields


def _call_fields(name: str, arguments: str) -> dict[str, object]:
    try:
        value = parse_arguments(ToolCall("", name, arguments))
        # Written as JSON only if it reads back as the same text.
        if canonical(value) == arguments:
            return {"name": name, "arguments": value}
    except (MalformedArguments, RecursionError):
        pass
    return {"name": name, "argumentsText": arguments}


def _block_fields(block: RecordedBlock) -> dict[str, object]:
    fields: dict[str, object] = {"kind": block.kind}
    if block.name:
        fields["name"] = block.name
    late = {"id": block.provider_id, "endName": block.end_name, "signature": block.signature}
    fields |= {name: value for name, value in late.items() if value is not None}
    return fields | ({"redacted": True} if block.redacted else {})


def _stream_fields(turn: RecordedTurn) -> list[list[object]]:
    """Milliseconds are rounded from the beginning of the stream, so that errors don't add up."""
    fields: list[list[object]] = []
    now, told = 0.0, 0
    for step in (*turn.steps, Step(turn.wait)):
        now += step.wait
        total = round(now * 1000)
        content = [] if step.block is None else [step.block, *([] if step.text is None else [step.text])]
        fields.append([total - told, *content])
        told = total
    return fields
