"""Makes a recorded turn portable: without keys, and with placeholders for the workspace folders."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from steersman.agent.messages import MalformedArguments, ToolCall, parse_arguments
from steersman.agent.model import StreamDone
from steersman.models.tape_normal import folder_name, folder_pattern
from steersman.models.tape_request import map_texts
from steersman.models.tape_turn import RecordedTurn, folder_in, recut, replaced


def redacted(turn: RecordedTurn, redact: Callable[[str], str]) -> RecordedTurn:
    """`turn` with keys masked in every text and name. Whole blocks are searched, since deltas may cut a key in two."""
    pieces = []
    for number, block in enumerate(turn.blocks):
        was = turn.text_of(number)
        text = _redacted_arguments(was, redact) if block.kind == "toolCall" else redact(was)
        pieces.append(turn.pieces_of(number) if text == was else recut(text, turn.pieces_of(number)))

    def some(text: str | None) -> str | None:
        return redact(text) if text is not None else None

    blocks = tuple(
        replace(
            block,
            name=redact(block.name),
            provider_id=some(block.provider_id),
            end_name=some(block.end_name),
            signature=some(block.signature),
        )
        for block in turn.blocks
    )
    end = turn.end
    if isinstance(end, StreamDone):
        end = replace(end, model=some(end.model))
    elif end is not None:
        end = replace(end, failure=replace(end.failure, message=redact(end.failure.message)))
    return replace(turn.with_pieces(pieces), blocks=blocks, end=end, model=redact(turn.model))


def _redacted_arguments(text: str, redact: Callable[[str], str]) -> str:
    """Arguments as the model wrote them, or, if they contain a key, rewritten with the key masked."""
    try:
        value = parse_arguments(ToolCall("", "", text))
        masked = map_texts(value, redact)
    except (MalformedArguments, RecursionError):
        return redact(text)
    return text if masked == value else json.dumps(masked, ensure_ascii=False)


def portable(turn: RecordedTurn, folders: tuple[str, ...]) -> RecordedTurn:
    """`turn` with a placeholder for each of the workspace's `folders` in its texts."""
    pieces = [turn.pieces_of(number) for number in range(len(turn.blocks))]
    texts = ["".join(each) for each in pieces]
    marks = tuple(_unused(folder_name(number), texts) for number in range(len(folders)))
    # The longest first, since a folder may be inside another one.
    for folder, mark in sorted(zip(folders, marks, strict=True), key=lambda each: -len(each[0])):
        for number, block in enumerate(turn.blocks):
            pattern = re.compile(folder_pattern(folder_in(block.kind, folder)))
            pieces[number] = replaced(pieces[number], pattern, mark)
    turn = turn.with_pieces(pieces)
    used = any(mark in turn.text_of(number) for mark in marks for number in range(len(turn.blocks)))
    return replace(turn, folders=marks) if used else turn


def _unused(name: str, texts: list[str]) -> str:
    """`name`, or a similar one that occurs in none of the texts."""
    count, mark = 1, name
    while any(mark in text for text in texts):
        count += 1
        mark = f"{name[:-1]} #{count}>"
    return mark
