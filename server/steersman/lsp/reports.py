"""Reads `$/steersman/diagnostics`: the diagnostics of all the client's language servers for one document.

Diagnostics that can't be used are left out.
"""

import logging
from typing import Final

from steersman.lsp.errors import InvalidParams
from steersman.lsp.plain import as_record, optional_integer, record, string
from steersman.lsp.ranges import read_position
from steersman.lsp.wire import JsonValue
from steersman.tools.problems import SEVERITIES, Problem

log = logging.getLogger(__name__)

METHOD: Final = "$/steersman/diagnostics"
MAX_SCANNED = 2_000
"""Diagnostics of one notification that are read."""
MAX_PROBLEMS = 500
"""Problems of one file that are kept, the most severe ones."""
MAX_MESSAGE = 2_000
"""Characters of one message that are kept."""
_MAX_NAME = 200


class ReportedProblems:
    """The usable part of a notification."""

    def __init__(self, params: JsonValue) -> None:
        """Reads the params.

        Raises:
            InvalidParams: there is no URI or no list of diagnostics.
        """
        fields = as_record(params, "params")
        self.uri = string(fields, "uri")
        version = fields.get("version")
        self.version = version if type(version) is int else None
        given = fields.get("diagnostics")
        if given == {}:  # Lua may encode an empty list so
            given = []
        if not isinstance(given, list):
            raise InvalidParams("diagnostics", "diagnostics: expected an array.")
        found: list[Problem] = []
        faults: list[str] = []
        for item in given[:MAX_SCANNED]:
            try:
                found.append(_problem(item))
            except InvalidParams as error:
                faults.append(error.message)
        if faults:
            of = f"{len(faults)} of {len(given)} diagnostics"
            log.warning("%s of %.200s can't be used and are left out; the first: %s", of, self.uri, faults[0])
        found.sort(key=lambda problem: problem.gravity)
        self.problems = tuple(found[:MAX_PROBLEMS])
        self.left_out = len(found[MAX_PROBLEMS:]) + len(given[MAX_SCANNED:])


def _problem(item: JsonValue) -> Problem:
    told = as_record(item, "the diagnostic")
    start = read_position(record(told, "range"), "start")
    severity = optional_integer(told, "severity")
    severity = 1 if severity is None else severity
    if not 1 <= severity <= len(SEVERITIES):
        raise InvalidParams("severity", f"severity: expected 1 to {len(SEVERITIES)}.")
    return Problem(
        severity=SEVERITIES[severity - 1],
        message=string(told, "message")[:MAX_MESSAGE],
        start=start,
        source=_label(told.get("source")),
        code=_label(told.get("code")),
    )


def _label(value: JsonValue) -> str:
    """A code or a source as text; "" if it has another form. Some clients send a code with a link."""
    if isinstance(value, dict):
        value = value.get("value")
    return str(value)[:_MAX_NAME] if isinstance(value, str) or type(value) is int else ""
