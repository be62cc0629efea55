"""Every wait of the product, in seconds, in one place; all run on the injected clock."""

from dataclasses import dataclass

from steersman.agent.config import KernelLimits


@dataclass(frozen=True, slots=True)
class Limits:
    grace: float = 2.0
    """For a tool, a command or a hook to stop after an abort, before it is killed."""
    verify: float = 3.0
    """For an editor to show us the text after an edit."""
    reload: float = 5.0
    """For an editor to reload a clean buffer whose file has changed on the disk."""
    apply_edit: float = 10.0
    """For an editor to answer `workspace/applyEdit`."""
    problems: float = 2.0
    """For language servers to report on a file after an edit, where the client passes their reports on."""
    problems_quiet: float = 0.2
    """Silence after such a report that makes it the last one."""
    save: float = 5.0
    """For an editor to answer `steersman/save`: a formatter may run before it does."""
    open_documents: float = 2.0
    """For an editor to answer `steersman/openDocuments`."""
    listed: float = 1.0
    """For how long such an answer holds for reading, where the editor does not report changes by itself."""
    show_document: float = 2.0
    """For an editor to answer `window/showDocument`; some never do."""
    refresh: float = 4.0
    """For an editor to answer a request to refresh something."""
    create_progress: float = 2.0
    """For an editor to answer `window/workDoneProgress/create`."""
    call_tool: float = 120.0
    """For an editor to answer `steersman/callTool`: language servers of large projects take long, tools of its own may
    do anything."""
    close: float = 1.0
    """For live runs to stop when the server ends. Then commands are killed, and `grace` later a run is closed in the
    log as after a crash."""
    stall: float = 300.0
    """Silence of a model's stream after which the kernel gives it up; the models' own limits are lower."""

    margin: float = 0.5
    """What the kernel waits beyond `grace`, so that a command that is killed at its end can still say so."""

    def kernel(self) -> KernelLimits:
        return KernelLimits(grace=self.grace + self.margin, stall=self.stall)
