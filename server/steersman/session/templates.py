"""Prompt templates: `/name arguments` from the user's folder and from a trusted workspace's.

A name that both have means the user's: what somebody is used to typing must not mean something else because of the
folder that is open. A workspace's template can make a run stricter, never looser, and names no model.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steersman.session.settings import MODES, Mode
from steersman.session.template_text import TemplateError, expand, read_template
from steersman.workspace.regular import NotRegular, TooLarge, read_regular

MAX_TEMPLATE = 64 * 1024
"""Bytes."""
MAX_TEMPLATES = 500
"""Of one folder."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_COMMAND = re.compile(r"/(\S+)(?:\s+(.*))?", re.DOTALL)

TemplateSource = Literal["user", "workspace"]


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    path: Path
    source: TemplateSource
    description: str = ""
    hint: str = ""
    """What arguments it takes, for a person."""
    model: str | None = None
    mode: Mode | None = None
    text: str = ""
    problem: str | None = None
    """Why it can't be used."""


@dataclass(frozen=True, slots=True)
class Called:
    """A message that begins like a command."""

    name: str
    arguments: str

    def text_of(self, template: Template) -> str:
        return expand(template.text, self.arguments)


def called(text: str) -> Called | None:
    """The template that `text` calls; None if it doesn't look like a command: `/usr/bin`, `/ 2`, `/tmp` where that
    exists."""
    found = _COMMAND.fullmatch(text.rstrip())
    if found is None or not _NAME.fullmatch(found[1]) or os.path.lexists(f"/{found[1]}"):
        return None
    return Called(found[1], found[2] or "")


def load_templates(folders: Iterable[tuple[Path, TemplateSource, Path | None]]) -> list[Template]:
    """The templates of the folders, sorted by name; of several with one name the first. One that can't be used is there
    too, with its problem. Blocking.

    Args:
        folders: each with its source, and with the folder that its links may not leave.
    """
    found: dict[str, Template] = {}
    for folder, source, within in folders:
        for path in _files(folder):
            found.setdefault(path.stem, _load(path, source, within))
    return [found[name] for name in sorted(found)]


def near_names(name: str, templates: Sequence[Template]) -> list[str]:
    import difflib  # noqa: PLC0415 - only where a name was wrong

    return difflib.get_close_matches(name, [template.name for template in templates], n=3, cutoff=0.5)


def _files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".md")]
    except OSError:
        return []
    paths = [folder / name for name in sorted(names)]
    return [path for path in paths if _NAME.fullmatch(path.stem)][:MAX_TEMPLATES]


def _load(path: Path, source: TemplateSource, within: Path | None) -> Template:
    try:
        body = read_template(_read(path, within))
        mode, model = body.fields.get("mode"), body.fields.get("model")
        if mode is not None and mode not in MODES:
            raise TemplateError(f"There is no mode {mode!r}: it can be {', '.join(MODES)}.")
        if source == "workspace" and model is not None:
            raise TemplateError(
                "A workspace's template names no model: which one is asked is the user's to say."
            )
        if not body.text:
            raise TemplateError("It has no text.")
    except TemplateError as error:
        return Template(path.stem, path, source, problem=str(error))
    return Template(
        path.stem,
        path,
        source,
        body.fields.get("description", ""),
        body.fields.get("argument-hint", ""),
        model or None,
        next((each for each in MODES if each == mode), None),
        body.text,
    )


def _read(path: Path, within: Path | None) -> str:
    try:
        real = Path(os.path.realpath(path))
        if within is not None and not real.is_relative_to(within):
            raise TemplateError("It is a link that leads out of the workspace.")
        data, _ = read_regular(real, MAX_TEMPLATE)
    except NotRegular:
        raise TemplateError("It is not a regular file.") from None
    except TooLarge:
        raise TemplateError(f"It is longer than {MAX_TEMPLATE:,} bytes.") from None
    except OSError as error:
        raise TemplateError(f"It can't be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise TemplateError("It is not UTF-8.") from None
