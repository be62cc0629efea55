"""What a server remembers of a session besides its log."""

from dataclasses import dataclass, field

from steersman.session.policy import Grants
from steersman.session.settings import Mode
from steersman.workspace.roots import Roots


@dataclass(slots=True)
class Kept:
    """It outlives the closing of the session, until the server ends or has had very many others."""

    roots: Roots
    last_used: float
    """Seconds since 1970."""
    mode: Mode | None = None
    """As configured in this server; the mode of one run or of an earlier server does not count."""
    grants: Grants = field(default_factory=Grants)
    told: bool = False
    """Its log had failed when it was closed, so the log lacks the ends of what was open; users were told them."""

    @property
    def decided(self) -> bool:
        """Whether the user has decided any of it."""
        return self.mode is not None or self.grants.given
