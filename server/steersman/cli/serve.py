"""`steersman serve`: the language server on standard input and output."""

import argparse
import logging
import sys


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `serve` to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="the language server, on standard input and output",
        description="Speaks LSP on standard input and output until the client goes. Editors start it.",
    )
    parser.add_argument("--stdio", action="store_true", help="the default; some editors say it")
    parser.add_argument("--log-level", default="warning", choices=["debug", "info", "warning", "error"])
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Serves. Exit status as LSP says: 0 after a shutdown request, else 1."""
    from steersman.lsp.server import run_server
    from steersman.session.home import Home
    from steersman.session.settings import SettingsError, load_settings

    logging.basicConfig(
        stream=sys.stderr,
        level=args.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    home = Home.from_environment()
    try:
        return run_server(home, load_settings(home))
    except SettingsError as error:
        print(f"steersman serve: {error}", file=sys.stderr)
        return 1
