"""`steersman serve`: the language server on standard input and output."""

import argparse
import gc
import sys


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `serve` to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="the language server, on standard input and output",
        description="Speaks LSP on standard input and output until the client goes. Editors start it.",
    )
    parser.add_argument(
        "--stdio", action="store_true", help="the default; accepted since some editors pass it"
    )
    parser.add_argument("--log-level", default="warning", choices=["debug", "info", "warning", "error"])
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Serves. Exit status as LSP says: 0 after a shutdown request, else 1."""
    # An editor waits for this, and imports create no garbage: collecting meanwhile would only take time.
    gc.disable()
    from steersman.startup.attrs_classes import import_lsp_types
    from steersman.startup.data_classes import deferred_dataclasses
    from steersman.startup.patterns import deferred_patterns
    from steersman.startup.pydantic_plugins import leave_out_pydantic_plugins
    from steersman.startup.typed_dicts import deferred_typed_dicts

    let_plugins_in = leave_out_pydantic_plugins()
    import_lsp_types()
    with (
        deferred_typed_dicts("pydantic_core.core_schema"),
        deferred_dataclasses("steersman", "pydantic", "annotated_types"),
        deferred_patterns("steersman", "h11"),
    ):
        # The next message may be a prompt: of all that a run needs, this is the slowest to load.
        import steersman.models.local_client  # noqa: F401 - only loaded
        from steersman.lsp.server import run_server
        from steersman.models.provider_file import package_providers
        from steersman.session.applog import configure_logging
        from steersman.session.errors import SessionError
        from steersman.session.home import Home
        from steersman.session.settings import load_settings
    package_providers()
    gc.freeze()
    gc.enable()

    if sys.stdin.isatty():
        print("steersman serve speaks LSP on standard input and output: editors start it.", file=sys.stderr)
    try:
        home = Home.from_environment()
        settings = load_settings(home)
        if settings.extensions:
            let_plugins_in()  # extensions may have pydantic models
        configure_logging(home, settings, stderr_level=args.log_level)
        return run_server(home, settings)
    except SessionError as error:
        print(f"steersman serve: {error}", file=sys.stderr)
        return 1
