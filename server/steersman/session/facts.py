"""What one run did, gathered as it goes: the summary that its end tells."""

from dataclasses import dataclass, field

from steersman.agent.events import AgentEnd, Limit
from steersman.agent.messages import JsonObject, MalformedArguments, ToolCall, Usage, parse_arguments
from steersman.session.named_paths import named_paths
from steersman.session.wire import Data
from steersman.workspace.roots import printable


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was not done because somebody or something said no."""

    tool_call_id: str
    name: str
    title: str
    reason: str
    by: str
    """`user`, `nobody`, `mode`, `rule`, `repeated` or `extension`."""
    setting: str | None = None
    """What would have allowed it."""

    def data(self) -> Data:
        """As `agent_end` lists it."""
        return {"toolCallId": self.tool_call_id, "name": self.name, **self.mark()}

    def mark(self) -> Data:
        """As the call's own `tool_execution_end` says it."""
        data: Data = {"title": self.title, "reason": self.reason, "by": self.by}
        return data if self.setting is None else data | {"setting": self.setting}

    @classmethod
    def of(cls, tool_call_id: str, name: str, mark: Data) -> "Denial":
        return cls(tool_call_id, name, mark["title"], mark["reason"], mark["by"], mark.get("setting"))


@dataclass(slots=True)
class RunFacts:
    text: str = ""
    """Of the last answer."""
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Lines added and removed, by URI, in the order of the first change."""
    commands: list[str] = field(default_factory=list)
    denied: list[Denial] = field(default_factory=list)

    def changed(self, uri: str, added: int, removed: int) -> None:
        """A change was made: `added` and `removed` in lines."""
        before = self.files.get(uri, (0, 0))
        self.files[uri] = (before[0] + added, before[1] + removed)

    def data(self, end: AgentEnd) -> Data:
        """The product's part of `agent_end`."""
        data: Data = {
            "text": self.text,
            "message": self.sentence(end),
            "files": [
                {"uri": uri, "added": added, "removed": removed}
                for uri, (added, removed) in self.files.items()
            ],
            "commands": self.commands,
            "denied": [denial.data() for denial in self.denied],
        }
        if end.last_call is not None:
            data["lastAction"] = describe_call(end.last_call)
        return data

    def sentence(self, end: AgentEnd) -> str:
        """How the run ended, in one sentence for a person."""
        did = self._did()
        if end.stop_reason == "complete":
            if end.ended_by == "declines":
                wanted = "; ".join(denial.title for denial in self.denied[-3:])
                return f"Stopped after three declined proposals ({wanted}). Say what you want instead."
            if end.truncated:
                return f"The answer was cut at the model's output limit; continue asks for the rest. {did}".strip()
            return did or "Done; nothing was changed."
        if end.stop_reason in ("max_turns", "budget"):
            last = f" The last call was `{describe_call(end.last_call)}`." if end.last_call else ""
            limit = _LIMITS[end.limit or "turns"]
            if end.limit == "cost" and end.usage.cost is None:
                return f"{_UNPRICED}{last} {did}".strip()
            return f"Stopped at the limit of {limit}.{last} Continue goes on from here. {did}".strip()
        if end.stop_reason == "aborted":
            return f"Aborted. {did}".strip()
        if end.stop_reason == "interrupted":
            return f"Interrupted. What was done is kept; continue goes on from there. {did}".strip()
        return f"{end.error.message if end.error else 'The run failed.'} {did}".strip()

    def _did(self) -> str:
        parts = []
        if self.files:
            added = sum(a for a, _ in self.files.values())
            removed = sum(r for _, r in self.files.values())
            parts.append(f"{_count(len(self.files), 'file')} changed (+{added} −{removed})")
        if self.commands:
            parts.append(f"{_count(len(self.commands), 'command')} run")
        if self.denied:
            parts.append(f"{_count(len(self.denied), 'call')} declined")
        return ", ".join(parts) + "." if parts else ""


_SHORT = 60
"""Characters of an argument that are shown."""

_UNPRICED = (
    "Stopped: the model's price is not known, so a limit of cost can't be kept. Give the price in config.toml, or set "
    "a limit of tokens."
)
_LIMITS: dict[Limit, str] = {"turns": "turns", "seconds": "time", "tokens": "tokens", "cost": "cost"}


def usage_text(usage: Usage) -> str:
    """Tokens and cost, for a person; empty if nothing was counted. An unknown cost is left out."""
    if not (usage.input or usage.output):
        return ""
    cached = f" ({usage.cache_read:,} from the cache)" if usage.cache_read else ""
    cost = f", {dollars(usage.cost)}" if usage.cost is not None else ""
    return f"{usage.input:,} tokens in{cached}, {usage.output:,} out{cost}"


def dollars(cost: float) -> str:
    """`$1.30`, `$0.0042`, and `<$0.0001` for anything smaller."""
    if 0 < cost < 0.0001:
        return "<$0.0001"
    return f"${cost:.4f}" if 0 < cost < 1 else f"${cost:.2f}"


def describe_call(call: ToolCall) -> str:
    """A call in a few words."""
    try:
        return describe(call.name, parse_arguments(call))
    except MalformedArguments:
        return call.name


def describe(name: str, arguments: JsonObject) -> str:
    """`edit src/app.py`, `edit src/app.py and 2 more files`, `bash pytest -q`: a tool and what it is about."""
    # A model may call a tool that there is not, by any name.
    name = name if len(name) <= _SHORT else f"{name[: _SHORT - 1]}…"
    for key in ("path", "command", "pattern", "from", "question"):
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            lines = value.strip().splitlines()
            short = lines[0] if len(lines) == 1 and len(lines[0]) <= _SHORT else lines[0][: _SHORT - 1] + "…"
            return printable(f"{name} {short}{_others(arguments) if key == 'path' else ''}")
    return printable(name)


def _others(arguments: JsonObject) -> str:
    """The files that single edits name besides the call's own."""
    number = len(named_paths({"path": arguments["path"], "edits": arguments.get("edits")})) - 1
    return f" and {_count(number, 'more file')}" if number else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
