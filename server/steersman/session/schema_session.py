"""The events of a session itself: that it began, what it is called, where it stands, what it is configured to."""

from typing import Literal

from steersman.agent.model import ThinkingLevel
from steersman.session.schema_parts import EventData, Wire
from steersman.session.settings import Mode


class ForkOrigin(Wire):
    session: str
    node: str | None
    """The last one that was copied."""


class SessionData(EventData):
    """The first record of a log."""

    event = "session"
    format: Literal[1]
    session: str
    version: str
    """Of Steersman."""
    created: int
    """Milliseconds since 1970, UTC."""
    forked_from: ForkOrigin | None = None
    """The session that this one is a copy of, up to a node."""
    roots: list[str]
    """URIs of the workspace folders; the first is the session's own."""
    platform: str


class HeadData(EventData):
    """The tip of the session's tree was moved: the next message will not follow the last one."""

    event = "head"
    tip: str | None
    """Id of a node: a message, a `config`, a compaction. Null: before the first."""


class SessionRenamedData(EventData):
    """The user has named the session."""

    event = "session_renamed"
    title: str


class ConfigData(EventData):
    """Model, mode or thinking have changed. A node of the tree, like a message."""

    event = "config"
    id: str
    parent: str | None
    model: str | None
    mode: Mode | None
    thinking: ThinkingLevel = "off"
