"""Parameters of the commands about kept sessions."""

from typing import Annotated, Literal

from pydantic import Field

from steersman.lsp.params import Params


class SessionsParams(Params):
    root: str | None = None
    """URI or path of a folder: only the sessions that were begun there; all without."""
    query: str = ""
    """Words that the title has."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class ResumeParams(Params):
    session: str
    node: str | None = None
    """Id of a message, to go on from it; where the session stands, without."""


class ForkParams(Params):
    session: str
    message: str | None = None
    """Id of a message of the user: everything before it. Without: the whole branch, as a new session."""
    place: Literal["new", "here"] = "new"
    """`new`: a session of its own. `here`: a branch of this one, which goes on from before the message."""


class CompactParams(Params):
    session: str | None = None
    """The live one, else the one that was used last, without."""
    instructions: str | None = None
    """What the summary should see to."""


class ExportParams(Params):
    session: str
    format: Literal["html", "markdown"] = "html"
    path: str | None = None
    """URI or absolute path of the file; a new one in Steersman's own folder, which the editor then shows, without."""
    all_branches: bool = False
    """Also what was left by going back."""
    overwrite: bool = False
    """A file with this path may be replaced."""


class TranscriptParams(Params):
    session: str | None = None
    """The live one, else the one that was used last, without."""


class CheckpointsParams(Params):
    session: str


class RevertParams(Params):
    session: str
    checkpoint: str
    """Id of a checkpoint, or of a run: its first message."""
    files: list[str] | None = None
    """URIs of those to take back; all without."""
    preview: bool = True
    """Only tell what would be done. False does it: the user has seen it and said yes."""
    on_conflict: dict[str, Literal["keep", "restore", "skip"]] | None = None
    """By URI, for files that were changed since by somebody else: `restore` takes the file back all the same, `keep`
    settles for what is there, `skip` leaves it for now."""


class RenameParams(Params):
    session: str
    title: str


class DeleteParams(Params):
    session: str
