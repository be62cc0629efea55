"""One run for `steersman run`: its session and folder, its face, what ends it, and its exit status."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from steersman.cli import ABORTED
from steersman.cli.faces import JsonFace, PipeFace, TerminalApprover, TerminalFace, TerminalUser
from steersman.cli.output import Output, beside
from steersman.cli.session_ids import folder_of, session_named
from steersman.cli.signals import stopping
from steersman.cli.terminal import is_interactive, tell
from steersman.models.recording import Recording
from steersman.models.secrets import Redactor
from steersman.session.catalog import secrets_of
from steersman.session.compose import build_services
from steersman.session.errors import Refused, SessionError
from steersman.session.extensions import Extensions
from steersman.session.home import Home
from steersman.session.housekeeping import tidy
from steersman.session.listing import most_recent_log
from steersman.session.manager import SessionManager
from steersman.session.run import Run
from steersman.session.services import Services, ToolSetting
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.session.user_input import WaitingUser
from steersman.tools.ask_user import AskUserTool
from steersman.workspace.roots import Roots, printable

COMPLETE, ERROR, LIMIT, DECLINED, TIMEOUT = 0, 1, 2, 3, 124
_NOBODY_READS = "nobody reads the output"


async def run_prompt(args: argparse.Namespace, prompt: str, home: Home, settings: Settings) -> int:
    """Runs the prompt to its end. Returns the exit status.

    Raises:
        SessionError, TapeError, WorkspaceError: the run can't begin.
    """
    services = _services(args, home, settings)
    _refuse_missing_extensions(args.extension, services.extensions)
    recording = None
    if args.record is not None:
        recording = Recording(args.record, Redactor(secrets_of(settings)))
        services.make_model = recording.wrap(services.make_model)
    manager = SessionManager(services)
    output = Output(sys.stdout, on_gone=lambda: manager.abort(reason=_NOBODY_READS))
    told = beside(output)
    face = (
        JsonFace(output) if args.json else TerminalFace() if sys.stdout.isatty() else PipeFace(output, told)
    )
    services.bus.listen(face.on_event)
    tidying = asyncio.create_task(asyncio.to_thread(tidy, home))
    try:
        session, folder = await asyncio.to_thread(_session, args, home)
        roots = Roots([folder], readable=[home.outputs])
        # The settings have the model too. Named here, it also replaces that of a session that goes on.
        model = settings.model if args.model is not None else None
        run = await manager.start(StartRequest(prompt, roots, session, model=model, thinking=args.thinking))
        run.release()
        if output.gone:  # at its first events, when there was no run to abort yet
            manager.abort(run.id, _NOBODY_READS)
        stopper = _Stopper(manager, run)
        with stopper.armed(args.timeout):
            await run.wait()
            is_read = await output.delivered(stopper.stopped)
            if not args.json:
                face.finish(run)
                _tell_more(args, run, told, timed_out=stopper.timed_out)
            status = _status(run, timed_out=stopper.timed_out)
            if output.error is not None:
                told.say(f"steersman run: standard output can't be written: {output.error}")
                status = ERROR  # that has aborted the run, and not the user
            elif recording is not None and recording.error is not None:
                told.say(f"steersman run: {recording.path} is not complete: {recording.error}")
                status = status or ERROR
            elif not is_read:
                told.say("steersman run: nobody has read standard output to its end.")
                status = TIMEOUT if stopper.timed_out else ABORTED
            await told.delivered(stopper.stopped)
        return status
    finally:
        await manager.close()
        if recording is not None:
            recording.close()
        await tidying


def _services(args: argparse.Namespace, home: Home, settings: Settings) -> Services:
    approver = TerminalApprover() if is_interactive() and not args.json else None
    # A tape that is recorded on a terminal must replay in a script, where the model has no tool to ask with.
    asks = approver is not None and args.record is None and not (settings.model or "").startswith("tape:")

    def more_tools(setting: ToolSetting) -> list[AskUserTool]:
        user = WaitingUser(TerminalUser(), setting.set_state)
        return [AskUserTool(user, takes_text=True)] if asks else []

    return build_services(
        home,
        settings,
        approver=approver,
        more_tools=more_tools,
        trusts_all=args.trust,
        keep_logs=not args.no_session,
    )


def _refuse_missing_extensions(named: Sequence[str], extensions: Extensions) -> None:
    """An extension that is named may be there to forbid something: without it nothing runs.

    Raises:
        SessionError: one of them can't be used.
    """
    if set(named) - {each.name for each in extensions.loaded}:
        raise SessionError(" ".join(extensions.problems))


def _session(args: argparse.Namespace, home: Home) -> tuple[str | None, Path]:
    """The session to go on in, if any, and the folder to work in. Prints where that may come as a surprise.

    Raises:
        SessionError: there is no such session, or its folder is gone and no other was named.
    """
    here = (args.workspace or Path()).resolve()
    if args.go_on:
        last = most_recent_log(home.sessions, here)
        if last is None:
            text = f"There is no session of {here} to go on in. steersman sessions list --all lists those of others."
            raise Refused("unknownSession", text)
        return last, here
    if args.session is None:
        return None, here
    session = session_named(home, args.session)
    own = folder_of(home, session)
    if own is None or own == here:
        return session, here
    if args.workspace is not None:
        began, works = printable(str(own)), printable(str(here))
        told = f"The session was begun in {began}; from now on it works in {works}, and knows nothing of the change."
        tell(f"steersman run: {told}")
        return session, here
    if not os.path.isdir(own):  # noqa: PTH112 - Path.is_dir() raises where it can't look
        text = f"The session's folder {own} is gone. Name the folder to work in: --workspace DIR."
        raise Refused("outsideRoot", text)
    tell(f"steersman run: working in {printable(str(own))}, the session's folder.")
    return session, own


class _Stopper:
    """Ctrl-C and the timeout abort the run; a second Ctrl-C ends the process."""

    def __init__(self, manager: SessionManager, run: Run) -> None:
        self._manager, self._run = manager, run
        self.stopped = asyncio.Event()
        """Set by the first signal, or by the timeout: its readers aren't waited for much longer, either."""
        self.timed_out = False

    @contextmanager
    def armed(self, timeout: float | None) -> Iterator[None]:
        """Obeys signals from now on, and the timeout until the end of the context."""
        loop = asyncio.get_running_loop()
        for number in stopping():
            loop.add_signal_handler(number, self._on_signal, number)
        timer = loop.call_later(timeout, self._on_timeout) if timeout is not None else None
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()

    def _on_signal(self, number: int) -> None:
        if self._run.aborting and number == signal.SIGINT:
            os._exit(ABORTED)  # the guard kills the commands that the run has started
        self._stop(signal.Signals(number).name)

    def _on_timeout(self) -> None:
        self.timed_out = not self.stopped.is_set()
        self._stop("timeout")

    def _stop(self, reason: str) -> None:
        self.stopped.set()
        self._manager.abort(self._run.id, reason)


def _status(run: Run, *, timed_out: bool) -> int:
    end = run.end
    if end is None:
        return ERROR
    if end.stop_reason == "aborted":
        return TIMEOUT if timed_out else ABORTED
    if end.stop_reason in ("max_turns", "budget"):
        return LIMIT
    if end.stop_reason != "complete":
        return ERROR
    unasked = any(denial.by != "user" for denial in run.facts.denied)
    return DECLINED if unasked or end.ended_by == "declines" else COMPLETE


def _tell_more(args: argparse.Namespace, run: Run, told: Output, *, timed_out: bool) -> None:
    """What the summary doesn't know: the command line's own limit, and how to go on."""
    if timed_out:
        told.say(f"Stopped after {args.timeout:g} s (--timeout).")
    end = run.end
    if end is not None and not args.no_session and (end.stop_reason != "complete" or end.truncated):
        told.say(f'To go on: steersman run --session {run.session} "go on"')
