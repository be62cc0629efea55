"""Records what a session's tools do to files: that a change begins, what was there before, that it was made."""

from contextvars import ContextVar

from steersman.session.journal import Journal
from steersman.session.wire import Data
from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied, PreImage
from steersman.workspace.preimages import BlobStore, PreImageRecord, PreImages

_call: ContextVar[str | None] = ContextVar("call", default=None)
"""Id of the call that a task works for."""


class ChangeRecords:
    def __init__(self, journal: Journal, store: BlobStore) -> None:
        self._working: str | None = None
        """Id of the call that is having its effects."""
        self._revert: str | None = None
        self._journal = journal
        self._preimages = PreImages(store, self._record_preimage)

    def call_begins(self, call: str) -> None:
        """A call begins to have its effects, in this task or in one that this task begins."""
        self._working = call
        _call.set(call)

    def call_ended(self, call: str | None = None) -> None:
        """The call, or whichever was at work, has ended. It may have been left running."""
        if call in (None, self._working):
            self._working = None

    @property
    def _by(self) -> str | None:
        """Id of the call that makes a change; None for one that was left running, even while another is at work."""
        return self._working if _call.get() in (None, self._working) else None

    def begin(self) -> None:
        """A user message was committed: a new checkpoint begins."""
        self._revert = None
        self._preimages.begin()

    def begin_revert(self, revert: str) -> None:
        """A revert begins: it is a checkpoint of its own, until `begin`."""
        self._revert = revert
        self._preimages.begin()

    async def keep(self, image: PreImage) -> None:
        """The workspace's `KeepPreImage`."""
        await self._preimages.keep(image)

    async def starting(self, change: FileChange) -> None:
        """Records that a change is about to be made, so that after a crash its result is recognised as ours.

        Raises:
            LogError: it could not be kept; the change must not be made.
        """
        data: Data = {
            "toolCallId": self._by,
            "uri": change.path.path.as_uri(),
            "sha256": change.result_sha256,
        }
        if change.base is not None:
            data["base"] = change.base.sha256
        if change.target is not None:
            data["target"] = change.target.path.as_uri()
        self._journal.record("edit_start", data)

    async def applied(self, change: FileChange, applied: Applied) -> None:
        """Records that a change was made.

        Raises:
            LogError: it could not be kept; the pre-image was.
        """
        data: Data = {
            "toolCallId": self._by,
            "uri": change.path.path.as_uri(),
            "kind": change.kind,
            "added": change.added,
            "removed": change.removed,
            "sha256": applied.sha256,
            "via": "editor" if applied.source == "buffer" else "disk",
            "unsaved": applied.unsaved,
        }
        if applied.text is not None and not applied.changed_by_saving:
            data["others"] = True
        if change.target is not None:
            data["target"] = change.target.path.as_uri()
        self._journal.record("edit_applied", data)

    async def _record_preimage(self, record: PreImageRecord) -> None:
        data = {"checkpoint": self._revert or self._journal.picture.asked, **record.to_json()}
        await self._journal.record_durably("checkpoint", data)
