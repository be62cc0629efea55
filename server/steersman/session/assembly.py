"""Makes the parts of one session: its workspace, which tells the log of every change, and what stands beside it."""

from steersman.agent.inbox import Inbox
from steersman.agent.tasks import Strays
from steersman.session.changes import ChangeRecords
from steersman.session.journal import Journal
from steersman.session.marks import Marks
from steersman.session.parts import Parts
from steersman.session.policy import Grants
from steersman.session.services import Services
from steersman.session.tracking import TrackedWorkspace
from steersman.tools.ledger import ReadLedger
from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied
from steersman.workspace.preimages import BlobStore
from steersman.workspace.roots import Roots


def parts_of(services: Services, roots: Roots, journal: Journal, grants: Grants) -> Parts:
    """The parts of a session in these roots, without tools: those are made when its extensions are known."""
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
