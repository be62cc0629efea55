"""`steersman run PROMPT`: one run on a terminal, in a pipe or in a script."""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.cli.arguments import positive, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steersman.models.recording import Recording
    from steersman.session.extensions import Extensions
    from steersman.session.home import Home
    from steersman.session.manager import SessionManager
    from steersman.session.run import Run
    from steersman.session.settings import Settings

COMPLETE, ERROR, LIMIT, DECLINED, USAGE, TIMEOUT, ABORTED = 0, 1, 2, 3, 64, 124, 130


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `run` to the command line."""
    parser = subparsers.add_parser(
        "run",
        help="one run in a workspace, here or in a script",
        description="Runs the agent on PROMPT until it is done. On a pipe, standard output has only what the "
        "assistant says.",
        epilog="Exit status: 0 complete; 1 error; 2 stopped at a limit; 3 complete, but a call was declined because "
        "nobody could be asked, or by mode or rule, or after three declines; 64 usage; 124 timeout; 130 aborted.",
    )
    parser.add_argument(
        "prompt",
        metavar="PROMPT",
        nargs="+",
        type=_prompt,
        help="what to do, in one word or more; - reads it from standard input",
    )
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        type=_folder,
        help="the folder to work in (default: here; with --session, that of the session)",
    )
    parser.add_argument(
        "--model", metavar="PROVIDER:NAME", help="such as openai:NAME, ollama:NAME or tape:FILE"
    )
    parser.add_argument("--base-url", metavar="URL", help="of the model's API")
    parser.add_argument(
        "--mode",
        choices=["read-only", "ask", "auto-edit", "full-auto"],
        help="what needs no question (default: ask); auto-edit and full-auto want a trusted folder",
    )
    parser.add_argument(
        "--thinking",
        choices=["off", "low", "medium", "high"],
        help="how much the model thinks before it answers, where it takes a level (default: off)",
    )
    parser.add_argument("--json", action="store_true", help="one event per line on standard output")
    parser.add_argument("--max-turns", metavar="N", type=positive, help="model answers (default: 100)")
    parser.add_argument(
        "--context-chars",
        metavar="N",
        type=positive,
        help="of the conversation tell the model the newest N characters at most (default: all, and old messages are "
        "summarised when they don't fit)",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record the model's side as a tape, a new file outside the workspace; --model tape:FILE replays it. It "
        "holds what the model was told, texts of files too; keys are masked",
    )
    parser.add_argument(
        "--extension",
        metavar="NAME",
        action="append",
        default=[],
        help="enable an installed extension for this run; again for more",
    )
    parser.add_argument("--timeout", metavar="S", type=seconds, help="abort after S seconds")
    session = parser.add_mutually_exclusive_group()
    session.add_argument("--session", metavar="ID", help="go on in this session; its id, or how that begins")
    session.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="go on in the session of this folder that was used last",
    )
    session.add_argument("--no-session", action="store_true", help="keep no log")
    parser.add_argument(
        "--trust", action="store_true", help="trust the folder's own instructions, for this run"
    )
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Runs. Returns the exit status that the epilog lists."""
    from steersman.models.errors import TapeError
    from steersman.session.applog import configure_logging
    from steersman.session.errors import SessionError
    from steersman.session.home import Home
    from steersman.session.settings import load_settings
    from steersman.workspace.errors import WorkspaceError

    prompt = " ".join(args.prompt)
    if prompt == "-":
        prompt = sys.stdin.read()
        if not prompt.strip():
            print("steersman run: standard input is empty: say what to do", file=sys.stderr)
            return USAGE
    try:
        home = Home.from_environment()
        settings = load_settings(home).with_flags(
            model=_absolute_tape(args.model),
            base_url=args.base_url,
            mode=args.mode,
            thinking=args.thinking,
            max_turns=args.max_turns,
            context_max_chars=args.context_chars,
            extensions=args.extension,
        )
        configure_logging(home, settings, stderr_level="error")
        return asyncio.run(_run(args, prompt, home, settings))
    except (SessionError, TapeError, WorkspaceError) as error:
        print(f"steersman run: {error}", file=sys.stderr)
        return ERROR


async def _run(args: argparse.Namespace, prompt: str, home: "Home", settings: "Settings") -> int:
    from steersman.cli.faces import JsonFace, PipeFace, TerminalApprover, TerminalFace, TerminalUser
    from steersman.cli.terminal import Output, is_interactive
    from steersman.session.compose import build_services
    from steersman.session.housekeeping import tidy
    from steersman.session.manager import SessionManager
    from steersman.session.services import ToolSetting
    from steersman.session.starting import StartRequest
    from steersman.session.user_input import WaitingUser
    from steersman.tools.ask_user import AskUserTool
    from steersman.workspace.roots import Roots

    approver = TerminalApprover() if is_interactive() and not args.json else None
    # A tape knows the tools that its model had: one of a terminal is to work in a script as well.
    asks = approver is not None and args.record is None and not (settings.model or "").startswith("tape:")

    def more_tools(setting: ToolSetting) -> list[AskUserTool]:
        user = WaitingUser(TerminalUser(), setting.set_state)
        return [AskUserTool(user, takes_text=True)] if asks else []

    services = build_services(
        home,
        settings,
        approver=approver,
        more_tools=more_tools,
        trusts_all=args.trust,
        keep_logs=not args.no_session,
    )
    _refuse_missing_extensions(args.extension or (), services.extensions)
    recording = _recording(args.record, settings) if args.record is not None else None
    if recording is not None:
        services.make_model = recording.wrap(services.make_model)
    manager = SessionManager(services)
    output = Output(on_gone=lambda: manager.abort(reason="nobody reads the output"))
    face = JsonFace(output) if args.json else TerminalFace() if sys.stdout.isatty() else PipeFace(output)
    services.bus.listen(face.on_event)
    tidying = asyncio.create_task(asyncio.to_thread(tidy, home))
    try:
        session, folder = await asyncio.to_thread(_session, args, home)
        roots = Roots([folder], readable=[home.outputs])
        run = await manager.start(
            StartRequest(prompt, roots, session, model=_absolute_tape(args.model), thinking=args.thinking)
        )
        run.release()
        stopper = _Stopper(manager, run)
        await stopper.wait(args.timeout)
        status = _status(run, timed_out=stopper.timed_out)
        if not args.json:
            face.finish(run)
            _tell_more(args, run, timed_out=stopper.timed_out)
        if output.error is not None:
            print(f"steersman run: standard output can't be written: {output.error}", file=sys.stderr)
            return status or ERROR
        if recording is not None and recording.error is not None:
            print(f"steersman run: {recording.path} is not complete: {recording.error}", file=sys.stderr)
            return status or ERROR
        return status
    finally:
        await manager.close()
        if recording is not None:
            recording.close()
        await tidying


def _refuse_missing_extensions(named: "Sequence[str]", extensions: "Extensions") -> None:
    """What is asked for by name may be there to forbid something: without it nothing is run.

    Raises:
        SessionError: one of them can't be used.
    """
    from steersman.session.errors import SessionError

    if set(named) - {each.name for each in extensions.loaded}:
        raise SessionError(" ".join(extensions.problems))


def _absolute_tape(model: str | None) -> str | None:
    """A session that goes on elsewhere knows its tape by the same name."""
    if model is None or not model.startswith("tape:"):
        return model
    return f"tape:{Path(model.removeprefix('tape:')).absolute()}"


def _session(args: argparse.Namespace, home: "Home") -> tuple[str | None, Path]:
    """The session to go on in, if any, and the folder to work in. Says so where that is not as one would think.

    Raises:
        SessionError: there is no such session, or its folder is gone and no other was named.
    """
    from steersman.cli.session_ids import folder_of, session_named
    from steersman.session.errors import Refused
    from steersman.session.listing import most_recent_log

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
        told = f"The session was begun in {own}; from now on it works in {here}, and knows nothing of the change."
        print(f"steersman run: {told}", file=sys.stderr)
        return session, here
    if not own.is_dir():
        text = f"The session's folder {own} is gone. Name the folder to work in: --workspace DIR."
        raise Refused("outsideRoot", text)
    print(f"steersman run: working in {own}, the session's folder.", file=sys.stderr)
    return session, own


def _recording(path: Path, settings: "Settings") -> "Recording":
    from steersman.models.recording import Recording
    from steersman.models.secrets import Redactor
    from steersman.session.catalog import secrets_of

    return Recording(path, Redactor(secrets_of(settings)))


class _Stopper:
    """Waits for the run; Ctrl-C and the timeout abort it, a second Ctrl-C ends the process."""

    def __init__(self, manager: "SessionManager", run: "Run") -> None:
        self._manager, self._run = manager, run
        self.timed_out = False

    async def wait(self, timeout: float | None) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)
        timer = loop.call_later(timeout, self._on_timeout) if timeout is not None else None
        try:
            await self._run.wait()
        finally:
            if timer is not None:
                timer.cancel()

    def _on_signal(self, number: int) -> None:
        if self._run.aborting and number == signal.SIGINT:
            os._exit(ABORTED)  # the guard ends what the run has started
        self._manager.abort(self._run.id, signal.Signals(number).name)

    def _on_timeout(self) -> None:
        self.timed_out = True
        self._manager.abort(self._run.id, "timeout")


def _status(run: "Run", *, timed_out: bool) -> int:
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


def _tell_more(args: argparse.Namespace, run: "Run", *, timed_out: bool) -> None:
    """What the summary doesn't know: the command line's own limit, and how to go on."""
    if timed_out:
        print(f"Stopped after {args.timeout:g} s (--timeout).", file=sys.stderr)
    end = run.end
    if end is not None and not args.no_session and (end.stop_reason != "complete" or end.truncated):
        print(f'To go on: steersman run --session {run.session} "go on"', file=sys.stderr)


def _prompt(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: say what to do")
    return text


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return path
