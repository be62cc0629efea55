"""`steersman debug …`: shows what happens inside the other commands."""

import argparse
import json
import sys
from pathlib import Path

APIS = ("anthropic", "gemini", "openai-chat", "openai-responses")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `debug` to the command line."""
    parser = subparsers.add_parser("debug", help="look into recorded model responses")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parse = actions.add_parser(
        "parse-stream",
        help="print what a recorded response body parses to",
        description="Parses the body of a model's streaming response, as it came over HTTP, and prints JSON.",
    )
    parse.add_argument("--api", choices=APIS, required=True, help="the wire API that the body is in")
    parse.add_argument("file", metavar="FILE", help="the body; - for standard input")
    parse.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Prints the parse. Exit status 1 if the file can't be read."""
    from steersman.models.debug import parse_recording

    try:
        body = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
    except OSError as error:
        print(f"steersman debug parse-stream: {args.file}: {error.strerror}", file=sys.stderr)
        return 1
    print(json.dumps(parse_recording(args.api, [body]), indent=1))
    return 0
