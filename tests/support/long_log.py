"""Logs of long sessions, written without playing them: runs of turns that read a file, as a server writes them."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steersman.session.jsonlines import encode

Record = dict[str, Any]

USAGE = {"input": 900, "output": 60, "cacheRead": 700, "cacheWrite": 0, "reasoning": 0, "cost": None}
LINE = "    return a + b  # whatever the file says\n"


def write_long_log(
    path: Path, session: str, count: int, *, turns: int = 12, root: Path | None = None
) -> list[str]:
    """A log of exactly `count` records, the last run of which a crash may have cut off. Returns the runs' ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    runs: dict[str, None] = {}
    with path.open("wb") as file:
        for record in itertools.islice(long_session(session, turns, root or path.parent), count):
            if "run" in record:
                runs[record["run"]] = None
            file.write(encode(record) + b"\n")
    return list(runs)


def long_session(session: str, turns: int, root: Path) -> Iterator[Record]:
    """Its records without an end."""
    header = {"format": 1, "session": session, "version": "0", "created": 0, "roots": [root.as_uri()]}
    yield _record(1, session, "session", {**header, "platform": "Linux"})
    seq, tip = 1, None
    for number in itertools.count(1):
        run = f"run_{number:06d}"
        for turn, kind, data in _run(run, turns):
            seq += 1
            where = {"run": run} if turn is None else {"run": run, "turn": turn}
            if kind != "message_end":
                yield _record(seq, session, kind, data, **where)
            else:
                yield _record(seq, session, kind, data | {"parent": tip}, **where)
                tip = data["messageId"]


def _record(seq: int, session: str, kind: str, data: Record, **where: Any) -> Record:
    ts = 1_700_000_000_000 + seq
    return {"seq": seq, "session": session, **where, "ts": ts, "type": kind, "data": data}


def _run(run: str, turns: int) -> Iterator[tuple[int | None, str, Record]]:
    prompt = f"Please do part {run}."
    inputs = [{"kind": "prompt", "text": prompt}]
    yield None, "agent_start", {"model": "test:scripted", "mode": "ask", "inputs": inputs}
    for turn in range(1, turns + 1):
        yield turn, "turn_start", {"turn": turn}
        if turn == 1:
            message = {"messageId": f"{run}_prompt", "role": "user"}
            yield turn, "message_start", message
            yield turn, "message_end", message | {"content": [{"type": "text", "text": prompt}]}
        call = None if turn == turns else f"{run}_call_{turn}"
        yield from ((turn, kind, data) for kind, data in _answer(f"{run}_{turn}", call))
        ids = [] if call is None else [call]
        stop = "toolUse" if call else "stop"
        yield turn, "turn_end", {"turn": turn, "stopReason": stop, "toolCallIds": ids}
    end = {"stopReason": "complete", "usage": USAGE, "cost": None, "turns": turns, "undelivered": []}
    told = {"text": "Done.", "message": "Done.", "files": [], "commands": [], "denied": []}
    yield None, "agent_end", end | told


def _answer(message_id: str, call: str | None) -> Iterator[tuple[str, Record]]:
    yield "message_start", {"messageId": message_id, "role": "assistant", "model": "test:scripted"}
    content: list[Record] = [{"type": "text", "text": "I look at the next file. " * 8}]
    if call is not None:
        content.append({"type": "toolCall", "id": call, "name": "read", "arguments": '{"path": "calc.py"}'})
    stop = "toolUse" if call else "stop"
    said = {"messageId": message_id, "role": "assistant", "model": "test:scripted", "stopReason": stop}
    yield "message_end", said | {"usage": USAGE, "content": content}
    if call is not None:
        yield "tool_execution_start", {"toolCallId": call, "name": "read", "args": {"path": "calc.py"}}
        yield "tool_execution_running", {"toolCallId": call}
        result = {"toolCallId": call, "name": "read", "outcome": "ok", "isError": False, "durationMs": 1}
        yield "tool_execution_end", result | {"content": [{"type": "text", "text": LINE * 40}]}
