"""`steersman run PROMPT`: its command line. The run itself is in `run_work`."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from steersman.cli import USAGE
from steersman.cli.arguments import positive, seconds
from steersman.cli.terminal import tell


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
    parser.add_argument("--base-url", metavar="URL", help="URL of the model's API")
    parser.add_argument(
        "--mode",
        choices=["read-only", "ask", "auto-edit", "full-auto"],
        help="what the agent may do unasked (default: ask); auto-edit and full-auto want a trusted folder",
    )
    parser.add_argument(
        "--thinking",
        choices=["off", "low", "medium", "high"],
        help="how much the model thinks before it answers, if it can be told (default: off)",
    )
    parser.add_argument("--json", action="store_true", help="one event per line on standard output")
    parser.add_argument("--max-turns", metavar="N", type=positive, help="model answers (default: 100)")
    parser.add_argument(
        "--context-chars",
        metavar="N",
        type=positive,
        help="send the model only the newest N characters of the conversation (default: all of it; old messages are "
        "summarised when it does not fit)",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record what the model is sent and answers as a tape, in a new file outside the workspace; --model "
        "tape:FILE replays it. It contains all that the model was told, also texts of files; keys are masked",
    )
    parser.add_argument(
        "--extension",
        metavar="NAME",
        action="append",
        default=[],
        help="enable an installed extension for this run; can be repeated",
    )
    parser.add_argument("--timeout", metavar="S", type=seconds, help="abort after S seconds")
    session = parser.add_mutually_exclusive_group()
    session.add_argument(
        "--session", metavar="ID", help="go on in this session; its id, or the beginning of it"
    )
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
    """Runs the prompt. Returns the exit status that the epilog lists."""
    from steersman.cli.run_work import ERROR, run_prompt
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
            tell("steersman run: standard input is empty: say what to do")
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
        return asyncio.run(run_prompt(args, prompt, home, settings))
    except (SessionError, TapeError, WorkspaceError) as error:
        tell(f"steersman run: {error}")
        return ERROR


def _absolute_tape(model: str | None) -> str | None:
    """A session that goes on in another folder finds its tape by the same name."""
    if model is None or not model.startswith("tape:"):
        return model
    return f"tape:{Path(model.removeprefix('tape:')).absolute()}"


def _prompt(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: say what to do")
    return text


def _folder(text: str) -> Path:
    if not os.path.isdir(text):  # noqa: PTH112 - Path.is_dir() raises where it can't look
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return Path(text)
