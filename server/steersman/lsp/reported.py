"""The params of `$/steersman/diagnostics`, as models: for the protocol's schema.

Nothing here is used while a server runs: `reports` reads the params, including malformed ones.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from steersman.lsp.params import Span


class ReportedDiagnostic(BaseModel):
    """A diagnostic of LSP. Further members are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)

    range: Span
    message: str
    severity: Annotated[int, Field(ge=1, le=4)] | None = None
    """1 error, 2 warning, 3 information, 4 hint. Default: 1."""
    source: str | None = None
    code: str | int | None = None


class ReportedDiagnostics(BaseModel):
    """The params of `$/steersman/diagnostics`: all diagnostics of one document. They replace earlier ones."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)

    uri: str
    version: int | None = None
    """The version of the document that the diagnostics are about, if it is known for certain."""
    diagnostics: list[ReportedDiagnostic]
    """Empty if there are none, or none any more."""
