"""Parameters of the commands about kept sessions."""

from typing import Annotated, Literal

from pydantic import Field

from steersman.lsp.params import Params


class SessionsParams(Params):
    root: str | None = None
    """URI or path of a folder: only sessions that began there. Default: all."""
    query: str = ""
    """Words in the title."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class ResumeParams(Params):
    session: str
    node: str | None = None
    """Id of the message to continue from. Default: the session's current end."""


class ForkParams(Params):
    session: str
    message: str | None = None
    """Id of a message of the user: the fork has everything before it. Default: the whole branch, for a new session."""
    place: Literal["new", "here"] = "new"
    """`new`: a new session. `here`: a new branch of this session, from before the message."""


class CompactParams(Params):
    session: str | None = None
    """Default: the live one, else the one that was used last."""
    instructions: str | None = None
    """What the summary should pay attention to."""


class ExportParams(Params):
    session: str
    format: Literal["html", "markdown"] = "html"
    path: str | None = None
    """URI or absolute path of the file. Default: a new file in Steersman's own folder, which the editor then shows."""
    all_branches: bool = False
    """Include the branches that were left by going back."""
    overwrite: bool = False
    """Replace the file if it exists."""


class TranscriptParams(Params):
    session: str | None = None
    """Default: the live one, else the one that was used last."""


class CheckpointsParams(Params):
    session: str


class RevertParams(Params):
    session: str
    checkpoint: str
    """Id of a checkpoint, or of a run: then its first message."""
    files: list[str] | None = None
    """URIs of the files to revert. Default: all."""
    preview: bool = True
    """Only say what would be done. Send false when the user has seen it and agreed."""
    on_conflict: dict[str, Literal["keep", "restore", "skip"]] | None = None
    """By URI, for files that somebody else has changed since: `restore` reverts the file anyway, `keep` accepts what is
    there now, `skip` leaves the file for later."""


class RenameParams(Params):
    session: str
    title: str


class DeleteParams(Params):
    session: str
