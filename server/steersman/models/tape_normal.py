"""Replaces in texts what differs between machines and between runs: paths, dates, ids, durations.

The workspace folders are taken from the system prompt, so that the result depends on the request alone.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steersman.models.surrogates import whole

_FOLDERS: Final = re.compile(r"^Workspace folder(s?): (/.*)$", re.MULTILINE)
"""The line of the system prompt that names the workspace folders."""

_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
_ZONE: Final = r"(?: ?(?:Z|UTC|GMT|CES?T|[ECMP][SD]T|[+-]\d{2}:?\d{2})(?!\w))?"
_PATH: Final = r"[^\s'\"`<>()\[\]{},;:|]"
"""A character of a path in running text."""
_IN_TEMP: Final = r"/(?:pytest-of-[^/\s]+/pytest-\d+|[^/\s'\"`<>()\[\]{},;:|]+)"
"""What a program has made in a folder for temporary files, under a new name each time."""

_RULES: Final = tuple(
    (tuple(needles.split()), re.compile(pattern), replacement)
    # First column: the rule is only tried if the text contains one of these words. Most texts are long and have none.
    for needles, pattern, replacement in (
        ("\x1b", r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
        ("", r"\r\n?", "\n"),
        ("", r"(?<![ \t])[ \t]+(?=\n|\Z)", ""),
        # A command's whole output, in a file of its own. Unbounded, the path would take quadratic time to search for.
        ("/output-", rf"(?<![\w./-])/{_PATH}{{0,300}}/output-[a-z0-9_]{{8}}\.log\b", "<output>"),
        ("/home/ /Users/", r"(?<![\w.-])/(?:home|Users)/[^/\s'\"`<>:;,|]+", "<home>"),
        ("/root", r"(?<![\w./-])/root(?![\w-])", "<home>"),
        (
            "/tmp/ /T/",
            rf"(?<![\w.-])(?:/private)?/(?:var/folders/[^/\s]+/[^/\s]+/T|var/tmp|tmp){_IN_TEMP}",
            "<temp>",
        ),
        ("", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
        (
            "call toolu msg run ses req chatcmpl",
            r"\b(?:call|toolu|msg|run|ses|req|chatcmpl)[_-](?=\w*\d)[A-Za-z0-9]{8,}\b",
            "<id>",
        ),
        ("", rf"\b\d{{4}}[-/]\d{{2}}[-/]\d{{2}}(?:[T ]{_CLOCK}{_ZONE})?(?!\d)", "<date>"),
        (
            "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
            rf"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?"
            rf"(?:{_MONTH} {{1,2}}\d{{1,2}}|\d{{1,2}} {_MONTH})\b"
            rf"(?:,? {{1,2}}\d{{4}}\b)?(?: {_CLOCK}{_ZONE}(?: \d{{4}}\b)?)?",
            "<date>",
        ),
        (":", rf"(?<![\d:.])\d{{1,2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,9}})?(?![\d:]){_ZONE}", "<time>"),
        ("16 17 18 19", r"(?<![\w.])1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?(?![\w.])", "<time>"),
        ("", r"(?<![\w.])\d+m\d+(?:\.\d+)?s\b", "<duration>"),
        ("", r"(?<![\w.])\d+(?:\.\d+)? ?(?:[nµu]s|ms|s|secs?|seconds?|minutes?|hours?)\b", "<duration>"),
        ("0x", r"\b0x[0-9a-fA-F]{8,16}\b", "<address>"),
        ("", r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b", "<id>"),
        ("pid PID process", r"\b((?:pid|PID|process)[ =:]{1,2})\d+", r"\1<number>"),
        ("localhost: 127.0.0.1:", r"\b(localhost|127\.0\.0\.1):\d{4,5}\b", r"\1:<port>"),
        # The length of a separator line varies with what stands in it.
        ("", r"([=\-_~*#])\1{7,}", r"\1\1\1\1\1\1\1\1"),
    )
)
_PLATFORM: Final = re.compile(r"^Platform: .*$", re.MULTILINE)


def folders_of(system: str) -> tuple[str, ...]:
    """The absolute workspace folders that a system prompt names, the session's own first."""
    found = _FOLDERS.search(system)
    if found is None:
        return ()
    named = re.split(r", (?=/)", found[2]) if found[1] else [found[2]]
    # The root folder is no workspace: every path would be in it.
    return tuple(folder.rstrip("/") for folder in named if folder.strip("/"))


def folder_pattern(folder: str) -> str:
    """A regular expression for `folder` as a path, or as the beginning of one."""
    return rf"(?:(?<![\w.\-/])|(?<=://)){re.escape(folder)}(?![\w-])"


def folder_name(number: int) -> str:
    """The placeholder for workspace folder `number`, from 0."""
    return f"<workspace {number + 1}>" if number else "<workspace>"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user that the system doesn't know
        return Path("/")


class Normaliser:
    """Normalises the texts of requests whose system prompt names `folders`."""

    def __init__(self, folders: Sequence[str]) -> None:
        patterns = {folder: (folder_pattern(folder), folder_name(n)) for n, folder in enumerate(folders)}
        for folder in folders:
            if folder.startswith("/private/"):  # macOS: programs that don't resolve links leave it out
                short = folder.removeprefix("/private")
                patterns.setdefault(short, (folder_pattern(short), patterns[folder][1]))
        home, temp = str(_home()), tempfile.gettempdir()
        if home.count("/") > 1:
            patterns.setdefault(home, (folder_pattern(home), "<home>"))
        if temp.count("/") > 1:
            patterns.setdefault(temp, (f"{folder_pattern(temp)}(?:{_IN_TEMP})?", "<temp>"))
        longest_first = sorted(patterns, key=len, reverse=True)
        self._places = [
            (place, re.compile(patterns[place][0]), patterns[place][1]) for place in longest_first
        ]

    def __call__(self, text: str) -> str:
        text = whole(text)
        for place, pattern, name in self._places:
            if place in text:
                text = pattern.sub(name, text)
        for needles, rule, replacement in _RULES:
            if not needles or any(needle in text for needle in needles):
                text = rule.sub(replacement, text)
        return text

    def system(self, text: str) -> str:
        """Normalises a system prompt, from which the platform is removed too."""
        return _PLATFORM.sub("Platform: <platform>", self(text))
