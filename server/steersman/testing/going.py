"""The current run of a test: what is planned for it, what has happened in it, and how the test acts on it."""

from typing import Any

from steersman.session.journal import Emitted
from steersman.session.jsonlines import decode
from steersman.session.manager import SessionManager
from steersman.testing.asked import ScriptedUser
from steersman.testing.commands import Commands
from steersman.testing.model import Heard
from steersman.testing.moments import Event, Watcher
from steersman.testing.plan import Plan


class Going:
    """Implements `moments.Live`."""

    def __init__(self, plan: Plan, model: Heard, manager: SessionManager) -> None:
        """Raises:
        ScriptError: what is planned can't be used.
        """
        self.model = model
        self.user = ScriptedUser(plan.answers, lambda: self.abort("the test has failed"))
        self.watcher = Watcher(plan.during, plan.on_event)
        self.commands = Commands(plan.commands)
        self.events: list[Event] = []
        self.run: str | None = None
        """Its id, once it has begun."""
        self._manager = manager

    @property
    def problems(self) -> list[str]:
        """What was not as planned, once the run is over."""
        return [
            *self.user.problems,
            *self.commands.problems,
            *self.model.problems,
            *self.watcher.problems,
        ]

    def steer(self, text: str) -> None:
        self._manager.add("steer", text, self.run)

    def follow_up(self, text: str) -> None:
        self._manager.add("followUp", text, self.run)

    def abort(self, reason: str | None = None) -> None:
        self._manager.abort(self.run, reason)

    def on_event(self, event: Emitted) -> None:
        """Takes an event of the session."""
        told: Event = decode(event.line)
        _without_times(told["data"])
        self.events.append(told)
        if event.type == "approval_resolved":
            data = event.data
            self.user.resolved(data["id"], data["decision"], data.get("feedback"))
        self.watcher.see(told, self)


def _without_times(data: dict[str, Any]) -> None:
    """Sets times to 0, which would differ each time."""
    if "durationMs" in data:
        data["durationMs"] = 0
    details = data.get("details")
    if details and "seconds" in details:
        details["seconds"] = 0
