"""Shows a batch: lines for people, or JSON for programs."""

import json
from typing import Any

from steersman.cli.output import Output
from steersman.cli.terminal import safe


class JsonFace:
    """Prints one event per line on standard output."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def report(self, event: dict[str, Any]) -> None:
        """Prints an event of a batch."""
        self._output.write(json.dumps(event, ensure_ascii=False).encode(errors="replace") + b"\n")


class LineFace:
    """Prints a line for each finished task on standard error."""

    def __init__(self, told: Output) -> None:
        self._told = told
        self._done, self._todo = 0, 0

    def report(self, event: dict[str, Any]) -> None:
        """Prints what an event of a batch says."""
        match event["type"]:
            case "batch_start":
                self._todo = event["todo"]
                skipped = f", {event['skipped']} finished before" if event["skipped"] else ""
                self._tell(f"{_count(event['todo'], 'task')}{skipped}.")
            case "task_end":
                self._done += 1
                cost = f" · ${event['cost']:.4f}" if event["cost"] is not None else ""
                self._tell(
                    f"[{self._done}/{self._todo}] {event['id']}: {event['status']} · {event['seconds']:.1f} s{cost} · "
                    f"{event['message'].partition(chr(10))[0]}"
                )
            case "task_unwritten":
                self._tell(f"{event['id']}: not finished: {event['message']}")
            case "notice":
                self._tell(f"! {event['message']}")
            case "batch_end":
                self._tell(_summary(event))

    def _tell(self, text: str) -> None:
        self._told.say(safe(text))


def _summary(event: dict[str, Any]) -> str:
    parts = [f"{number} {status}" for status, number in event["statuses"].items() if status != "aborted"]
    if event["unfinished"]:
        parts.append(f"{event['unfinished']} unfinished")
    cost = f", ${event['cost']:.4f}" if event["cost"] is not None else ""
    return f"{', '.join(parts) or 'Nothing'} in {event['seconds']:.1f} s{cost}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
