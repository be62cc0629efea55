"""What can go wrong for the one who uses a session, each with a code that a client can branch on.

SessionError
├── Refused          the request can't be done now or at all: busy, notRunning, unknownSession, …
└── LogError         the session log can't be read or written
    ├── LogLocked    another process writes it
    └── LogCorrupt   it is not a session log
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from steersman.agent.messages import Json

RefusalCode = Literal[
    "notRunning",
    "busy",
    "aborting",
    "ambiguous",
    "unknownSession",
    "unknownRun",
    "unknownApproval",
    "unknownItem",
    "unknownComment",
    "unknownMessage",
    "unknownCheckpoint",
    "badTitle",
    "exists",
    "nothingToDo",
    "unknownModel",
    "unknownTemplate",
    "badTemplate",
    "noCredentials",
    "outsideRoot",
    "denied",
    "alreadyAnswered",
    "conflict",
    "locked",
    "untrusted",
    "emptyPrompt",
    "tooLarge",
    "unsyncedDocument",
    "unsupported",
    "shuttingDown",
    "readOnly",
    "badAnswer",
    "extensionFailed",
]


class SessionError(Exception):
    """Base of this layer. The text is for a person: what is wrong, and what to do."""


class Refused(SessionError):
    def __init__(self, code: RefusalCode, message: str, **data: Json) -> None:
        super().__init__(message)
        self.code: RefusalCode = code
        self.data: dict[str, Json] = data
        """What a client needs besides the code: the text that was refused, the ids to choose from."""


@contextmanager
def handing_back(text: str | None) -> Iterator[None]:
    """Adds the user's text to every refusal, so that it is not lost."""
    try:
        yield
    except Refused as refusal:
        if text is not None:
            refusal.data.setdefault("text", text)
        raise


class LogError(SessionError):
    pass


class LogLocked(LogError):
    pass


class LogCorrupt(LogError):
    pass
