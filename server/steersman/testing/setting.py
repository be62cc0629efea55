"""The services of a test: no network, no waits, nothing from the user's home, the same ids and times each time."""

import atexit
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from steersman.agent.hooks import GiveUp, Retry
from steersman.agent.model import Model, StreamFailure
from steersman.agent.tool import Tool
from steersman.extensions import Extension
from steersman.session.approvals import Approver
from steersman.session.compose import build_services
from steersman.session.extensions import Extensions, LoadedExtension
from steersman.session.home import Home
from steersman.session.retry import RetryPolicy
from steersman.session.services import Services, ToolSetting
from steersman.session.settings import Settings
from steersman.testing.commands import Commands, GivenCommands

BEGAN: Final = datetime(2026, 1, 5, 12, tzinfo=UTC)
"""The time at which each test begins. At noon in UTC it is the same day almost everywhere."""


class AtOnce(RetryPolicy):
    """Retries without waiting."""

    def decide(self, failure: StreamFailure, attempt: int) -> Retry | GiveUp:
        """See `RetryPolicy`."""
        decision = super().decide(failure, attempt)
        return Retry(0.0) if isinstance(decision, Retry) else decision


class Numbers:
    """Makes ids that count: `msg_1`, `msg_2`, `call_1`."""

    def __init__(self) -> None:
        self._last: defaultdict[str, int] = defaultdict(int)

    def new(self, prefix: str) -> str:
        self._last[prefix] += 1
        return f"{prefix}_{self._last[prefix]}"


def services_for(
    home: Home,
    settings: Settings,
    *,
    approver: Approver,
    model: Callable[[], Model],
    commands: Callable[[], Commands],
    extensions: Mapping[str, type[Extension]] | None = None,
) -> Services:
    """The services of an agent. `model` and `commands` give those of the current run; `extensions` are by name."""
    loaded = Extensions.of(LoadedExtension(*item) for item in (extensions or {}).items())
    services = build_services(home, settings, approver=approver, extensions=loaded)
    # Each agent closes its own services. A suite makes thousands, which would pile up in atexit.
    atexit.unregister(services.kill_commands)
    make_tools = services.make_tools

    def tools(setting: ToolSetting) -> Sequence[Tool]:
        return [
            GivenCommands(tool, commands) if tool.name == "bash" else tool for tool in make_tools(setting)
        ]

    steps = itertools.count()
    services.make_tools = tools
    services.make_model = lambda _: model()
    services.retry = AtOnce()
    services.now = lambda: BEGAN.timestamp() + next(steps) / 1000
    services.new_id = Numbers().new
    return services
