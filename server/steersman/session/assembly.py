"""Makes the parts of one session: its workspace, which records every change, its tools, and what they share."""

from collections.abc import Callable

from steersman.agent.inbox import Inbox
from steersman.agent.tasks import Strays
from steersman.agent.tool import Tool
from steersman.session.changes import ChangeRecords
from steersman.session.extended import SessionExtensions
from steersman.session.journal import Journal
from steersman.session.marks import Marks
from steersman.session.parts import Parts
from steersman.session.policy import Grants
from steersman.session.run import RunState
from steersman.session.services import Services, ToolSetting
from steersman.session.tracking import TrackedWorkspace
from steersman.tools.ledger import ReadLedger
from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied
from steersman.workspace.preimages import BlobStore
from steersman.workspace.roots import Roots


def parts_of(services: Services, roots: Roots, journal: Journal, grants: Grants) -> Parts:
    """The parts of a session in these roots, without tools: its extensions come first."""
    changes = ChangeRecords(journal, BlobStore(services.home.preimages))
    marks = Marks()

    async def applied(change: FileChange, done: Applied) -> None:
        marks.follow(change)
        await changes.applied(change, done)

    def stray_settled(what: str, how: str) -> None:
        parts.notice(f"{what}, left running after an abort, {how}.")

    parts = Parts(
        services,
        roots,
        journal,
        Inbox(closes=True),
        changes,
        tools=(),
        workspace=TrackedWorkspace(services.make_workspace(roots, changes.keep), changes.starting, applied),
        ledger=ReadLedger(),
        strays=Strays(stray_settled),
        grants=grants,
        marks=marks,
    )
    return parts


def tools_of(
    parts: Parts,
    extensions: SessionExtensions,
    live_run: Callable[[], str | None],
    set_state: Callable[[RunState], None],
) -> list[Tool]:
    """The server's tools and those of the session's extensions. For `live_run` and `set_state` see `ToolSetting`."""
    setting = ToolSetting(
        parts.journal.session,
        parts.workspace,
        live_run,
        set_state,
        parts.ledger,
        extensions.withholds_output,
        parts.marks.amend,
    )
    tools = list(parts.services.make_tools(setting))
    return [*tools, *extensions.tools([tool.name for tool in tools])]
