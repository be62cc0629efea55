"""The params of `$/steersman/diagnostics` as models: for the protocol's schema. `reports` takes them in, bad ones too.

Nothing here is used while a server runs.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from steersman.lsp.params import Span


class ReportedDiagnostic(BaseModel):
    """A diagnostic of LSP. Its other members are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)

    range: Span
    message: str
    severity: Annotated[int, Field(ge=1, le=4)] | None = None
    """Error, warning, information, hint; an error without."""
    source: str | None = None
    code: str | int | None = None


class ReportedDiagnostics(BaseModel):
    """The params of `$/steersman/diagnostics`: all that is known of one document, in place of what was told before."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)

    uri: str
    version: int | None = None
    """Of the document that the diagnostics are about, if that is known for certain."""
    diagnostics: list[ReportedDiagnostic]
    """Empty: there are none (any more)."""
