"""The session as one of its extensions sees it: implements `steersman.extensions.Session`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from steersman.agent.events import Input
from steersman.agent.inbox import InboxClosed, QueueKind
from steersman.agent.messages import NO_USAGE, CustomMessage, Message, Text, Usage, UserMessage
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.extensions import NotPossible
from steersman.session.errors import Refused
from steersman.session.extension_models import AskedModel
from steersman.session.message_queue import Driven
from steersman.session.parts import Parts
from steersman.workspace.ports import Workspace

MAX_SAID = 256 * 1024
"""Characters of one thing that an extension says."""


class Link:
    """What a session and its extensions share."""

    def __init__(self, parts: Parts, driven: Callable[[], Driven | None]) -> None:
        self.parts = parts
        self._driven = driven
        self.system = ""
        """Of the live run."""
        self.custom: list[CustomMessage] = []
        """Custom messages that are not in the conversation yet."""
        self._usage = NO_USAGE

    def begin(self, system: str) -> None:
        """A run begins, with this system prompt."""
        self.system, self._usage = system, NO_USAGE

    def spent(self, extension: str, model: str, usage: Usage) -> None:
        """Keeps what a request has used that an extension has made itself."""
        self.parts.extension_asked(extension, model, usage)
        if self.is_live:
            self._usage += usage

    def take_usage(self) -> Usage:
        """That of such requests in the live run, since the last call."""
        taken, self._usage = self._usage, NO_USAGE
        return taken

    def queue(self, kind: QueueKind, text: str, source: str) -> None:
        """Queues what an extension says in the user's place.

        Raises:
            NotPossible: no run is live, or it takes nothing more.
        """
        parts, driven = self.parts, self.check(text)
        message = UserMessage(parts.services.new_id("msg"), (Text(text),), source)
        try:
            parts.inbox.add(Input(kind, message, parts.services.new_id("in")))
        except InboxClosed:
            raise NotPossible("The run takes nothing more: it has ended, or is about to.") from None
        driven.queue_changed(())

    @property
    def is_live(self) -> bool:
        return self._driven() is not None

    def check(self, text: str) -> Driven:
        """The live run, if it can be told this text.

        Raises:
            NotPossible: no run is live, or there is too much of it.
        """
        if not text.strip() or len(text) > MAX_SAID:
            raise NotPossible(f"A text of 1 to {MAX_SAID:,} characters can be said.")
        driven = self._driven()
        if driven is None:
            raise NotPossible("No run is live in this session.")
        return driven


class ExtensionSession:
    def __init__(self, link: Link, extension: str) -> None:
        self._link, self._extension = link, extension

    @property
    def id(self) -> str:
        return self._link.parts.journal.session

    @property
    def extension(self) -> str:
        return self._extension

    @property
    def folders(self) -> Sequence[Path]:
        return [root.path for root in self._link.parts.roots.folders]

    @property
    def workspace(self) -> Workspace:
        return self._link.parts.workspace

    @property
    def messages(self) -> Sequence[Message]:
        return tuple(self._link.parts.journal.picture.messages)

    @property
    def tools(self) -> Sequence[Tool]:
        return tuple(self._link.parts.tools)

    @property
    def system(self) -> str:
        return self._link.system if self._link.is_live else ""

    def model(self, spec: str) -> Model:
        """See `steersman.extensions.Session`."""
        try:
            model = self._link.parts.services.make_model(spec)
        except Refused as refusal:
            raise NotPossible(str(refusal)) from refusal
        return AskedModel(model, lambda name, usage: self._link.spent(self._extension, name, usage))

    def steer(self, text: str) -> None:
        """See `steersman.extensions.Session`."""
        self._link.queue("steer", text, self._extension)

    def follow_up(self, text: str) -> None:
        """See `steersman.extensions.Session`."""
        self._link.queue("followUp", text, self._extension)

    def say_custom(self, kind: str, text: str) -> None:
        """See `steersman.extensions.Session`."""
        self._link.check(text)
        new_id = self._link.parts.services.new_id
        self._link.custom.append(CustomMessage(new_id("msg"), kind, (Text(text),)))

    def notice(self, text: str) -> None:
        """See `steersman.extensions.Session`."""
        self._link.parts.notice(f"{self._extension}: {text}")
