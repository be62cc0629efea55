"""Reads the params of `textDocument/codeAction` from plain JSON. What can't be used is left out where that is safe."""

from dataclasses import dataclass
from typing import Final

from steersman.lsp.errors import InvalidParams
from steersman.lsp.plain import as_record, record, string
from steersman.lsp.ranges import range_json, read_range
from steersman.lsp.wire import JsonObject, JsonValue
from steersman.workspace.positions import Range

MAX_DIAGNOSTICS: Final = 100
"""Diagnostics of one request that are read."""
MAX_MESSAGE: Final = 2_000
"""Characters of a diagnostic's message that are passed on."""
_AUTOMATIC: Final = 2  # CodeActionTriggerKind of LSP 3.17


@dataclass(frozen=True, slots=True)
class Problem:
    """A diagnostic of the request."""

    message: str
    as_came: JsonValue
    as_context: JsonObject
    """As in `context.diagnostics` of a command."""


@dataclass(frozen=True, slots=True)
class ActionRequest:
    uri: str
    range: Range
    problems: tuple[Problem, ...] = ()
    only: tuple[str, ...] | None = None
    """The wanted kinds, which include their sub-kinds; None for all."""
    automatic: bool = False
    """The user didn't ask: the editor wants to know whether there is anything to offer."""

    @classmethod
    def of(cls, params: JsonValue) -> "ActionRequest":
        """Reads the params.

        Raises:
            InvalidParams: the document or the range can't be read.
        """
        fields = as_record(params, "params")
        uri = string(record(fields, "textDocument"), "uri")
        context = fields.get("context")
        context = context if isinstance(context, dict) else {}
        only, given = context.get("only"), context.get("diagnostics")
        return cls(
            uri,
            read_range(fields, "range"),
            _problems(uri, given if isinstance(given, list) else []),
            tuple(kind for kind in only if isinstance(kind, str)) if isinstance(only, list) else None,
            automatic=context.get("triggerKind") == _AUTOMATIC,
        )

    def wants(self, kind: str) -> bool:
        """Whether an action of this kind is wanted: `refactor` includes `refactor.rewrite`."""
        return self.only is None or any(
            each in ("", kind) or kind.startswith(f"{each}.") for each in self.only
        )


def _problems(uri: str, given: list[JsonValue]) -> tuple[Problem, ...]:
    found: list[Problem] = []
    for item in given[:MAX_DIAGNOSTICS]:
        try:
            found.append(_problem(uri, item))
        except InvalidParams:
            continue
    return tuple(found)


def _problem(uri: str, item: JsonValue) -> Problem:
    told = as_record(item, "the diagnostic")
    message = told.get("message")
    if isinstance(message, dict):  # `MarkupContent`, in LSP 3.18
        message = message.get("value")
    if not isinstance(message, str):
        raise InvalidParams("message", "The diagnostic has no message.")
    span = read_range(told, "range")
    context: JsonObject = {
        "uri": uri,
        "range": range_json(span.start, span.end),
        "message": message[:MAX_MESSAGE],
    }
    severity, source = told.get("severity"), told.get("source")
    if type(severity) is int and 1 <= severity <= 4:
        context["severity"] = severity
    if isinstance(source, str):
        context["source"] = source[:MAX_MESSAGE]
    return Problem(message, item, context)
