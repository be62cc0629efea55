"""`steersman models`: what models there are to name, and which of them the configured server offers."""

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from steersman.cli.terminal import safe

if TYPE_CHECKING:
    from steersman.session.settings import Settings

_SHOWN = 200
"""Names that are printed; --json has all that were read."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `models` to the command line."""
    parser = subparsers.add_parser(
        "models",
        help="the providers, the configured model, and what its server offers",
        description="Lists the providers, the configured model, and the models that the configured server offers.",
        epilog="Exit status: 1 if the settings can't be used or the server does not answer with a list.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Prints the models. Exit status 1 if the server could not be asked."""
    from steersman.models.catalog import PROVIDERS
    from steersman.session.home import Home
    from steersman.session.settings import SettingsError, load_settings

    try:
        settings = load_settings(Home.from_environment())
    except SettingsError as error:
        print(f"steersman models: {error}", file=sys.stderr)
        return 1
    server = asyncio.run(_ask(settings))
    if args.json:
        data = {"configured": settings.model, "providers": dict(PROVIDERS), "server": server}
        print(json.dumps(data, ensure_ascii=False))
    else:
        _show(settings, PROVIDERS, server)
    failed = server is not None and "error" in server
    if failed and not args.json:
        print(f"steersman models: {safe(server['error'])}" if server else "", file=sys.stderr)
    return 1 if failed else 0


async def _ask(settings: "Settings") -> dict[str, Any] | None:
    """`{host, names, leftOut}` or `{error}`; None where there is no server to ask."""
    from steersman.models.errors import ModelConfigError
    from steersman.models.http import HttpFailure
    from steersman.models.listing import list_models

    provider = (settings.model or "openai-chat:").partition(":")[0]
    key = settings.usable_key
    if provider == "tape" or (settings.base_url is None and key is None):
        return None
    try:
        listing = await list_models(provider, settings.base_url, key)
    except (ModelConfigError, HttpFailure) as error:
        hint = f" {settings.withheld_key}" if settings.withheld_key else ""
        return {"error": f"{error}{hint}"}
    return {"host": listing.host, "names": list(listing.names), "leftOut": listing.left_out}


def _show(settings: "Settings", providers: dict[str, str], server: dict[str, Any] | None) -> None:
    print("A model is written PROVIDER:NAME. Providers:")
    for text in providers.values():
        print(f"  {text}")
    print(
        f"\nConfigured: {safe(settings.model)}"
        if settings.model
        else "\nConfigured: none (set STEERSMAN_MODEL)"
    )
    if server is None:
        print(
            "No server was asked: none is configured." if settings.model is None else "No server was asked."
        )
    elif "names" in server:
        names, provider = server["names"], (settings.model or "openai-chat:").partition(":")[0]
        print(f"\n{safe(server['host'])} offers:" if names else f"\n{safe(server['host'])} offers none.")
        for name in names[:_SHOWN]:
            mark = "*" if f"{provider}:{name}" == settings.model else " "
            print(f"{mark} {provider}:{safe(name)}")
        more = max(0, len(names) - _SHOWN) + server["leftOut"]
        if more:
            print(f"  … and {more} more")
