"""What the server answers to the commands about kept sessions. See answers.py."""

from typing import Literal

from steersman.lsp.answers import SessionStatus
from steersman.session.schema_parts import Count, UsageData, Wire


class ListedSession(Wire):
    """A session as its log tells it."""

    session: str
    title: str | None
    created: int
    """Milliseconds since 1970, UTC."""
    updated: int
    """When its last record was written."""
    roots: list[str]
    """URIs of its folders; the first is its own."""
    model: str | None
    usage: UsageData | None
    """Null where no run of it has ended."""
    state: Literal["idle", "interrupted", "live", "unknown"]
    locked: bool
    """Another process has it open."""
    size: Count
    """Bytes of its log."""


class SessionsAnswer(Wire):
    sessions: list[ListedSession]
    """The one that was used last comes first."""


class ResumeAnswer(SessionStatus):
    """The session is open here."""

    tip: str | None
    """Id of the node that the next message follows."""
    seq: Count
    """The number of its last event: `steersman.events` tells them all."""
    roots: list[str]


class WentBackAnswer(ResumeAnswer):
    """`place: here`: the session goes on from before the message. No file was changed."""

    text: str
    """Of the message, to be changed and sent again."""


class ForkAnswer(Wire):
    """`place: new`."""

    session: str
    """The copy."""
    forked_from: str
    text: str | None = None
    """Of the message, to be changed and sent again."""


class CompactAnswer(Wire):
    """`compaction_start` and `compaction_end` tell what comes of it."""

    session: str
    run: str | None = None
    """A run is live: before its next request."""
    operation: str | None = None
    """No run is live: now. `steersman.abort` ends it."""


class ListedCheckpoint(Wire):
    checkpoint: str
    """Id of the user's message, or of the revert."""
    title: str
    ts: int
    """Milliseconds since 1970, UTC."""
    files: list[str]
    """URIs of what was changed before the next one."""


class CheckpointsAnswer(Wire):
    session: str
    checkpoints: list[ListedCheckpoint]
    """Oldest first."""


class FileToRevert(Wire):
    uri: str
    action: Literal["restore", "create", "delete", "none"]
    state: Literal["ready", "done", "conflict", "unavailable"]
    """`done`: it is already as it was. `conflict`: somebody else has changed it since. `unavailable`: see `reason`."""
    reason: str | None = None
    diff: str | None = None
    """Unified: what the revert would do."""
    added: Count | None = None
    removed: Count | None = None


class RevertPreview(Wire):
    session: str
    checkpoint: str
    files: list[FileToRevert]
    commands: list[str]
    """That ran since: what they did is not taken back."""
    not_revertible: list[str]
    """URIs of files that were last written while a command ran."""


class OperationAnswer(Wire):
    """It is under way; `revert_end` tells what became of each file. `steersman.abort` ends it."""

    session: str
    operation: str


class ExportAnswer(Wire):
    """It is under way; `export_end` tells when the file is there. `steersman.abort` ends it."""

    session: str
    operation: str
    path: str
    """Where the transcript will be."""


class TranscriptAnswer(Wire):
    """It will be shown by `window/showDocument`, or named in a message."""

    session: str
    uri: str
    """Of the transcript: a file that is only to be read, or a document of the scheme `steersman`."""


class RenameAnswer(Wire):
    session: str
    title: str


class DeleteAnswer(Wire):
    session: str
