"""`steersman models`: lists the models that can be used, and says why others can't."""

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING, Final

from steersman.cli.terminal import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steersman.models.provider import Price
    from steersman.session.offers import Offer, OfferedModel, Offers

_SHOWN: Final = 40
"""Most models that are printed of a provider that was not asked for by name. --json has all that were read."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `models` to the command line."""
    parser = subparsers.add_parser(
        "models",
        help="the models that can be used now, and why others can't",
        description=(
            "Asks the providers that there is a key for, and servers on this machine, what models they have. "
            "With the name of a provider, asks only that one."
        ),
        epilog=(
            "Exit status: 0; 1 if the settings can't be used, or the named provider (without one, that of the "
            "configured model) can't be used."
        ),
    )
    parser.add_argument(
        "provider", nargs="?", metavar="PROVIDER", help="ask only this one, such as openrouter"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Prints the models. Returns the exit status that the epilog lists."""
    from steersman.models.errors import ModelConfigError
    from steersman.session.errors import SessionError
    from steersman.session.home import Home
    from steersman.session.model_list import lister_of
    from steersman.session.settings import load_settings

    try:
        home = Home.from_environment()
        lister = lister_of(home, load_settings(home))
        offers = asyncio.run(lister.offers(args.provider))
    except (SessionError, ModelConfigError) as error:
        print(f"steersman models: {safe(str(error))}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(offers.data()))
    else:
        for line in _lines(offers, all_of_them=args.provider is not None):
            print(safe(line))
    meant = offers.of(args.provider or (offers.configured or "").partition(":")[0])
    return 1 if meant is not None and not meant.usable else 0


def _lines(offers: "Offers", *, all_of_them: bool) -> "Iterator[str]":
    usable = [offer for offer in offers.offers if offer.usable]
    others = [offer for offer in offers.offers if not offer.usable]
    yield (
        f"Configured: {offers.configured}" if offers.configured else "Configured: none (set STEERSMAN_MODEL)"
    )
    for offer in usable:
        yield ""
        yield _title(offer)
        if offer.problem is not None:
            yield f"  {offer.problem}"
        yield from _models(offer, offers.configured, len(offer.models) if all_of_them else _SHOWN)
    if not usable:
        yield ""
        yield "No model can be used yet."
    if others:
        yield ""
        yield "Not usable:"
    width = max((len(offer.provider) for offer in others), default=0)
    for offer in others:
        named = f" ({', '.join(model.name for model in offer.models[:3])})" if offer.models else ""
        said = " ".join(filter(None, (offer.problem, offer.mend)))
        yield f"  {offer.provider:<{width}}  {offer.title}{named}: {said}"
    if others:
        yield f"Keys (api_key, key_command) and base_url can also be set in [providers.NAME] of {offers.config}."


def _title(offer: "Offer") -> str:
    return f"{offer.title} ({offer.server})" if offer.server else offer.title


def _models(offer: "Offer", configured: str | None, most: int) -> "Iterator[str]":
    shown: Sequence[OfferedModel] = offer.models[:most]
    width = min(60, max((len(model.spec) for model in shown), default=0))
    for model in shown:
        mark = "*" if model.spec == configured else " "
        yield f"{mark} {model.spec:<{width}}  {_facts(model)}".rstrip()
    more = len(offer.models) - len(shown) + offer.left_out
    if more:
        yield f"  … and {more} more: steersman models {offer.provider}"


def _facts(model: "OfferedModel") -> str:
    facts = model.facts
    said = [
        f"{_tokens(facts.context_window)} tokens" if facts.context_window else None,
        _price(facts.price) if facts.price is not None else None,
        "images" if facts.images else None,
        "loaded" if model.loaded else None,
    ]
    return ", ".join(filter(None, said))


def _tokens(count: int) -> str:
    """A number of tokens as people write it: 1M, 128k (also for 131,072)."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g}M"
    if count >= 1024 and count % 1024 == 0:
        return f"{count // 1024}k"
    return f"{round(count / 1000)}k" if count >= 1000 else str(count)


def _price(price: "Price") -> str | None:
    """The price of a million tokens."""
    if price.input == price.output == 0:
        return "free"
    named = (("in", price.input), ("out", price.output))
    said = [f"${dollars:.4g} {way}" for way, dollars in named if dollars is not None]
    return " / ".join(said) + " per 1M" if said else None
