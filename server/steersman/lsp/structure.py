"""Makes lsprotocol's types from plain JSON, with errors that name fields as the client spells them."""

import functools
import re
from typing import Any, cast

from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.protocol import default_converter

from steersman.lsp.errors import InvalidParams
from steersman.lsp.wire import JsonValue

_NAMED_AT_MOST = 3
"""Complaints in one error, at most: the first says what to correct, hundreds would say nothing."""


def late_converter() -> Converter:
    """pygls' converter, made at its first use: making it prepares all unions of the protocol. A start needs none."""
    return cast("Converter", _LateConverter())  # it passes everything on to one


class _LateConverter:
    @functools.cached_property
    def _made(self) -> Converter:
        return cast("Converter", default_converter())  # type: ignore[no-untyped-call]  # pygls has no types there

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def typed_params(converter: Converter, method: str, params: JsonValue) -> object:
    """The params of an LSP method as lsprotocol's type; those of any other method unchanged.

    Raises:
        InvalidParams: they don't fit the type.
    """
    params_type = _lsp_type(method, 2)
    if params_type is None:
        return params
    try:
        return converter.structure({} if params is None else params, params_type)
    except Exception as error:
        raise _invalid(error) from error


def typed_result(converter: Converter, method: str, result: JsonValue) -> object:
    """The result of an answered request as lsprotocol's type; that of any other method unchanged.

    Raises:
        InvalidParams: it doesn't fit the type.
    """
    response_type = _lsp_type(method, 1)
    if response_type is None:
        return result
    try:
        return converter.structure({"id": 0, "jsonrpc": "2.0", "result": result}, response_type).result
    except Exception as error:
        raise _invalid(error) from error


def _lsp_type(method: str, column: int) -> Any | None:
    """A type from lsprotocol's table by method, whose columns are: message, response, params, registration options."""
    entry = types.METHOD_TO_TYPES.get(method)
    return None if entry is None else entry[column]


def _invalid(error: Exception) -> InvalidParams:
    complaints = [_complaint(text) for text in transform_error(error)]
    field = complaints[0][0]
    told = "; ".join(f"{where}: {what}" for where, what in complaints[:_NAMED_AT_MOST])
    return InvalidParams(field, f"Invalid params: {told}.")


def _complaint(text: str) -> tuple[str, str]:
    """cattrs' "what @ $.path.of_field" as (path.ofField, what)."""
    what, _, path = text.partition(" @ $")
    field = re.sub(r"_([a-z])", lambda match: match[1].upper(), path.lstrip("."))
    return field or "params", what
