"""What a session is made of, as its runs use it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.inbox import Inbox
from steersman.agent.tasks import Strays
from steersman.agent.tool import Tool
from steersman.session.changes import ChangeRecords
from steersman.session.errors import LogError
from steersman.session.journal import Journal
from steersman.session.policy import Grants
from steersman.session.services import Services
from steersman.session.wire import Data, queued_data
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Parts:
    services: Services
    roots: Roots
    journal: Journal
    inbox: Inbox
    changes: ChangeRecords
    tools: Sequence[Tool]
    strays: Strays
    grants: Grants
    """What the user has granted for the life of this server."""

    def record_config(self, model: str | None, mode: str | None) -> None:
        """Model and mode are nodes of the tree; only a change makes a new one.

        Raises:
            LogError: it could not be kept.
        """
        picture = self.journal.picture
        if (model, mode) == (picture.model, picture.mode):
            return
        node = self.services.new_id("cfg")
        self.journal.record("config", {"id": node, "parent": picture.tip, "model": model, "mode": mode})

    def notice(self, message: str) -> None:
        """Tells the user something that needs no answer."""
        self._record_quietly("notice", {"message": message})

    def queue_changed(self, removed: Sequence[str] = ()) -> None:
        """Tells what waits. `removed` are the ids of what the user has taken out: no crash brings that back."""
        data: Data = {"items": [queued_data(item) for item in self.inbox.items]}
        self._record_quietly("queue_update", data | ({"removed": list(removed)} if removed else {}))

    async def sync_quietly(self) -> None:
        try:
            await self.journal.sync()
        except LogError:
            log.exception("the log of %s could not be synced", self.journal.session)

    def _record_quietly(self, kind: str, data: Data) -> None:
        """For events that nothing hangs on: a log that fails here ends the run at its next record."""
        try:
            self.journal.record(kind, data)
        except LogError:
            log.exception("%s could not be kept", kind)
