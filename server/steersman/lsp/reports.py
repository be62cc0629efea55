"""What a client tells by `$/steersman/diagnostics`: the diagnostics of all its language servers on one document.

Whatever of them can't be used is left out; the rest counts.
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
"""Diagnostics of one notification that are looked at."""
MAX_PROBLEMS = 500
"""Of one file that are kept, the gravest."""
MAX_MESSAGE = 2_000
"""Characters of one message that are kept."""
_MAX_NAME = 200


class Told:
    """One notification, as far as it can be used."""

    def __init__(self, params: JsonValue) -> None:
        """Raises:
        InvalidParams: it can't be said what it is about, or it has no list of diagnostics.
        """
        fields = as_record(params, "params")
        self.uri = string(fields, "uri")
        version = fields.get("version")
        self.version = version if type(version) is int else None
        given = fields.get("diagnostics")
        if given == {}:  # an empty list as some Lua encodes it
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
    """A code or a source that is no such thing is no reason to lose the problem. Some clients link codes to pages."""
    if isinstance(value, dict):
        value = value.get("value")
    return str(value)[:_MAX_NAME] if isinstance(value, str) or type(value) is int else ""
