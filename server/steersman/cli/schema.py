"""`steersman schema`: the protocol as JSON Schema, as TypeScript types, or as the tables of its document."""

import argparse
import json
import sys
from pathlib import Path


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `schema` to the command line."""
    parser = subparsers.add_parser(
        "schema",
        help="the protocol for authors of clients: JSON Schema, TypeScript types, tables",
        description="Prints the protocol as one JSON Schema document (2020-12): events, commands, answers, errors.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--typescript", action="store_true", help="TypeScript types instead")
    form.add_argument("--markdown", action="store_true", help="tables instead, between their markers")
    form.add_argument(
        "--tools",
        action="store_true",
        help="the arguments of the built-in tools instead, as the package ships them",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--out", metavar="FILE", type=Path, help="write to FILE instead of standard output")
    place.add_argument(
        "--into",
        metavar="FILE",
        type=Path,
        help="with --markdown: fill in the sections of FILE from <!-- generated: NAME --> to <!-- end -->",
    )
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Prints or writes. Exit status 1 if the file can't be read or written, 64 for flags that exclude each other."""
    from steersman.cli import USAGE

    if args.into is not None and not args.markdown:
        print("steersman schema: --into is for --markdown; use --out.", file=sys.stderr)
        return USAGE
    path: Path | None = args.into or args.out
    try:
        text = _text(args)
        if path is not None and (args.into is None or text != path.read_text("utf-8")):
            path.write_text(text, "utf-8", newline="\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        print(f"steersman schema: {path}: {reason}", file=sys.stderr)
        return 1
    if path is None:
        sys.stdout.write(text)
    return 0


def _text(args: argparse.Namespace) -> str:
    """Raises:
    OSError: the document can't be read.
    ValueError: it has no generated section.
    """
    if args.tools:
        import steersman.tools.registry  # noqa: F401 - it imports all tools
        from steersman.tools.schema import schemas_to_keep

        return schemas_to_keep()
    from steersman.lsp.schema import json_schema

    if args.into is not None:
        from steersman.lsp.tables import embed

        return embed(args.into.read_text("utf-8"))
    if args.markdown:
        from steersman.lsp.tables import markdown

        return markdown()
    if args.typescript:
        from steersman.lsp.typescript import typescript

        return typescript(json_schema())
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"
