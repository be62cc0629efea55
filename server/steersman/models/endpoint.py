"""Where and how a server is asked, and the exception for what goes wrong there. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from steersman.agent.model import StreamFailure
from steersman.models.secrets import Redactor
from steersman.models.transport_failures import CONNECT_SECONDS


@dataclass(frozen=True, slots=True)
class Stall:
    """How long a server may be silent, in seconds. Comments and keep-alives count as bytes.

    The first byte has more time, since a server may have to load the model or read a long prompt first.
    """

    first_byte: float = 120.0
    between: float = 60.0
    after_end: float = 10.0
    """Once the answer may be complete: for more of it, its usage, and the end of the body, which some never send."""
    no_answer: float = 1800.0
    """Between two pieces of the answer, while only keep-alives and empty pieces come: the model may be thinking."""
    connect: float = CONNECT_SECONDS
    """Until there is a connection. It counts towards the first byte too."""


class HttpFailure(Exception):
    """Carries a failure up to the model's stream, which ends with it."""

    def __init__(self, failure: StreamFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how to ask."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    stall: Stall
    redact: Redactor
    key_source: str = ""
    """Where the key comes from (`GROQ_API_KEY`), for the message if it is refused. Empty: not known."""

    @property
    def host(self) -> str:
        """The server's name for messages: no credentials, no query."""
        parts = urlsplit(self.url)
        return parts.netloc.rpartition("@")[2] or self.url.partition("?")[0]
