"""What the server answers to the commands about kept sessions, as models: see `answers`."""

from typing import Literal

from steersman.lsp.answers import SessionStatus
from steersman.session.schema_parts import Count, UsageData, Wire


class ListedSession(Wire):
    """A session, as read from its log."""

    session: str
    title: str | None
    created: int
    """Milliseconds since 1970, UTC."""
    updated: int
    """When its last record was written."""
    roots: list[str]
    """URIs of its folders, its own first."""
    model: str | None
    usage: UsageData | None
    """Null if no run of the session has ended yet."""
    state: Literal["idle", "interrupted", "live", "unknown"]
    locked: bool
    """Another process has the session open."""
    size: Count
    """Bytes of its log."""


class SessionsAnswer(Wire):
    sessions: list[ListedSession]
    """The most recently used first."""


class ResumeAnswer(SessionStatus):
    """The session is open in this server."""

    tip: str | None
    """Id of the node that the next message follows."""
    seq: Count
    """The number of its last event. `steersman.events` gives all of them."""
    roots: list[str]


class WentBackAnswer(ResumeAnswer):
    """With `place: here`: the session continues from before the message. No file was changed."""

    text: str
    """The message's text, to be changed and sent again."""


class ForkAnswer(Wire):
    """With `place: new`."""

    session: str
    """The new session."""
    forked_from: str
    text: str | None = None
    """The message's text, to be changed and sent again."""


class CompactAnswer(Wire):
    """The compaction will be done. `compaction_start` and `compaction_end` report it."""

    session: str
    run: str | None = None
    """While a run is live: the compaction comes before its next request."""
    operation: str | None = None
    """While none is: the compaction begins now. `steersman.abort` ends it."""


class ListedCheckpoint(Wire):
    checkpoint: str
    """The id of the user's message or of the revert."""
    title: str
    ts: int
    """Milliseconds since 1970, UTC."""
    files: list[str]
    """URIs of the files that were changed between this checkpoint and the next."""


class CheckpointsAnswer(Wire):
    session: str
    checkpoints: list[ListedCheckpoint]
    """Oldest first."""


class FileToRevert(Wire):
    uri: str
    action: Literal["restore", "create", "delete", "none"]
    state: Literal["ready", "done", "conflict", "unavailable"]
    """`done`: the file already is as it was. `conflict`: somebody else has changed it since. `unavailable`: see
    `reason`."""
    reason: str | None = None
    diff: str | None = None
    """What the revert would do, as a unified diff."""
    added: Count | None = None
    removed: Count | None = None


class RevertPreview(Wire):
    session: str
    checkpoint: str
    files: list[FileToRevert]
    commands: list[str]
    """The commands that ran since. What they did is not reverted."""
    not_revertible: list[str]
    """URIs of files whose last change happened while a command ran."""


class OperationAnswer(Wire):
    """The operation has begun. `revert_end` says what became of each file. `steersman.abort` ends it."""

    session: str
    operation: str


class ExportAnswer(Wire):
    """The export has begun. `export_end` says when the file is there. `steersman.abort` ends it."""

    session: str
    operation: str
    path: str
    """Where the transcript will be."""


class TranscriptAnswer(Wire):
    """The transcript will be shown by `window/showDocument`, or else named in a message."""

    session: str
    uri: str
    """Of a read-only file, or of a document of the scheme `steersman`."""


class RenameAnswer(Wire):
    session: str
    title: str


class DeleteAnswer(Wire):
    session: str
