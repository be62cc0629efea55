"""The parts of a session that its runs use."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from steersman.agent.inbox import Inbox
from steersman.agent.messages import Usage, UserContent, UserMessage
from steersman.agent.model import ThinkingLevel
from steersman.agent.tasks import Strays
from steersman.agent.tool import Tool
from steersman.session.attachments import images_in
from steersman.session.changes import ChangeRecords
from steersman.session.errors import LogError
from steersman.session.journal import Journal
from steersman.session.marks import Marks
from steersman.session.policy import Grants
from steersman.session.prompts import Composed
from steersman.session.services import Services
from steersman.session.wire import Data, queued_data, usage_data
from steersman.tools.ledger import ReadLedger
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)

MAX_SAID = 32
"""Messages with attachments that wait to be delivered; of more, what the oldest ones attached is forgotten."""


@dataclass(slots=True)
class Parts:
    services: Services
    roots: Roots
    journal: Journal
    inbox: Inbox
    changes: ChangeRecords
    tools: Sequence[Tool]
    workspace: Workspace
    ledger: ReadLedger
    strays: Strays
    grants: Grants
    """What the user has granted for the life of this server."""
    marks: Marks
    """The comments that ask for what is being done."""

    tools_length: int = 0
    """Characters of what a model is told of `tools`."""
    said: dict[str, Composed] = field(default_factory=dict)
    """How the last messages were composed, by their ids, until they are in the conversation."""

    def to_say(self, composed: Composed) -> UserMessage:
        """A new message of what was composed."""
        message = UserMessage(self.services.new_id("msg"), composed.content)
        if composed.attached:
            self.said[message.id] = composed
            while len(self.said) > MAX_SAID:
                del self.said[next(iter(self.said))]  # its files have to be read before they are overwritten
        return message

    def committed(self, message: UserMessage) -> None:
        """The message is in the conversation: the model has seen what was attached to it."""
        composed = self.said.pop(message.id, None)
        if composed is not None:
            self.ledger.take_over(composed.seen)
            self.marks.add(composed.pointed.comments)

    def tell_if_blind(self, model: str, content: Sequence[UserContent]) -> None:
        """Tells the user of images that the model won't see."""
        if images_in(content) and not self.services.takes_images(model):
            self.notice(
                f"{model} is not known to take images: it is told that one was left out. "
                "If it takes them, set images = true in config.toml."
            )

    def record_config(self, model: str | None, mode: str | None, thinking: ThinkingLevel) -> None:
        """Model, mode and thinking are nodes of the tree; only a change makes a new one.

        Raises:
            LogError: it could not be kept.
        """
        picture = self.journal.picture
        if (model, mode, thinking) == (picture.model, picture.mode, picture.thinking or "off"):
            return
        data: Data = {"id": self.services.new_id("cfg"), "parent": picture.tip, "model": model, "mode": mode}
        if thinking != (picture.thinking or "off"):
            data["thinking"] = thinking
        self.journal.record("config", data)

    def notice(self, message: str) -> None:
        """Tells the user something that needs no answer."""
        self._record_quietly("notice", {"message": message})

    def extension_asked(self, extension: str, model: str, usage: Usage) -> None:
        """Keeps what an extension's own request has used."""
        data: Data = {"extension": extension, "model": model, "usage": usage_data(usage)}
        self._record_quietly("extension_request", data)

    def queue_changed(self, removed: Sequence[str] = ()) -> None:
        """Tells what waits. `removed`: ids of what the user has taken out, so that no crash brings it back."""
        data: Data = {"items": [queued_data(item) for item in self.inbox.items]}
        self._record_quietly("queue_update", data | ({"removed": list(removed)} if removed else {}))

    async def sync_quietly(self) -> None:
        try:
            await self.journal.sync()
        except LogError:
            log.exception("the log of %s could not be synced", self.journal.session)

    def _record_quietly(self, kind: str, data: Data) -> None:
        """For events that nothing depends on. If the log fails here, the run ends at its next record."""
        try:
            self.journal.record(kind, data)
        except LogError:
            log.exception("%s could not be kept", kind)
