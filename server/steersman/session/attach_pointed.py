"""Attaches to a message what a face points at: selections, diagnostics, images, and what the editor shows."""

from collections.abc import Sequence
from pathlib import Path

from steersman.agent.messages import Text
from steersman.session.attachments import MAX_IMAGE_DATA, MAX_IMAGES, Attachments, fenced
from steersman.session.errors import Refused
from steersman.session.mentions import Target
from steersman.session.pointing import (
    Diagnostic,
    EditorState,
    GivenImage,
    InstructionComment,
    Pointed,
    Selection,
)
from steersman.tools.images import ImageError, described, image_of_base64
from steersman.workspace.roots import printable

MAX_SELECTION = 50_000
"""Characters of one selection; the model can read the rest in the file."""
MAX_OPEN = 50
"""Open files that are named."""


def attach_pointed(to: Attachments, pointed: Pointed) -> None:
    """Attaches what comes with the message.

    Raises:
        Refused: denied, for a file whose text no model may see; unsupported, tooLarge, for an image.
    """
    named = [item.uri for item in pointed.selections] + [item.uri for item in pointed.diagnostics]
    named += [str(item.path) for item in pointed.comments]
    for uri in (*pointed.uris, *named):
        path = to.resolved(uri)
        if path is not None:
            to.refuse_denied(path)
    if pointed.uris:
        names = "\n".join(f"File: {_name(to, uri)}" for uri in pointed.uris)
        to.add(f"The user points at:\n{names}", "files")
    for comment in pointed.comments:
        _attach_comment(to, comment)
    for selection in pointed.selections:
        _attach_selection(to, selection)
    if pointed.diagnostics:
        attach_diagnostics(to, pointed.diagnostics, len(pointed.diagnostics))
    for number, image in enumerate(pointed.images, 1):
        _attach_image(to, image, number)


def attach_diagnostics(to: Attachments, items: Sequence[Diagnostic], total: int) -> None:
    """Attaches some of `total` diagnostics."""
    told = "\n".join(_diagnostic(to, item) for item in items)
    rest = f"\n[{len(items)} of {total} are shown]" if total > len(items) else ""
    to.add(f"Diagnostics that the user points at:\n{told}{rest}", "diagnostics")


def editor_block(to: Attachments, state: EditorState) -> Text | None:
    """A block that says what the editor shows of the workspace. It is left to the caller to attach it."""
    marked = set(state.unsaved)

    def named(paths: Sequence[Path]) -> list[str]:
        told = ((path, _told(to, path)) for path in paths[-MAX_OPEN:])
        return [name + (" (not saved)" if path in marked else "") for path, name in told if name is not None]

    active = named([] if state.active is None else [state.active])
    beside = named([path for path in state.visible if path != state.active])
    shown = {state.active, *state.visible}
    open_ones = named([path for path in state.open if path not in shown])
    lines = [f"The user is in {active[0]}."] if active else []
    lines += [f"The user {'also ' if active else ''}sees {', '.join(beside)}."] if beside else []
    lines += [f"Open in the editor: {', '.join(open_ones)}."] if open_ones else []
    return Text("\n".join(lines), "editor") if lines else None


def _attach_selection(to: Attachments, selection: Selection) -> None:
    name, lines = _name(to, selection.uri), _lines(selection.first, selection.last)
    if selection.text is None:
        quoted = "(the file is not open in the editor: read it)"
    else:
        quoted = fenced(selection.text[:MAX_SELECTION])
        if len(selection.text) > MAX_SELECTION:
            quoted += "\n(cut)"
    label = f"{name}{Target('', selection.first, selection.last).lines}"
    to.add(f"The user has selected in {name}, {lines}:\n{quoted}", label)


def _attach_comment(to: Attachments, comment: InstructionComment) -> None:
    name, lines = _name(to, comment.path.as_uri()), _lines(comment.first, comment.last)
    to.add(
        f"The user asks for this in a comment in {name}, {lines}. Around it:\n{fenced(comment.around)}\n"
        f"It says:\n{fenced(comment.text)}\n"
        "Remove the comment from the file in the same edit as the work; if you leave any of it, it is removed for you "
        "with your first change of that file. If it is only a question, answer it and change nothing.",
        f"{name}{Target('', comment.first, comment.last).lines}",
    )


def _attach_image(to: Attachments, given: GivenImage, number: int) -> None:
    try:
        image = image_of_base64(given.data)
    except ImageError as error:
        raise Refused("unsupported", f"Image {number} of the message {error}") from None
    if not to.takes(image):
        total = f"{MAX_IMAGE_DATA // 1_000_000} MB in base64"
        raise Refused("tooLarge", f"A message takes at most {MAX_IMAGES} images of together {total}.")
    to.add_image(image, described(image, f"Image {number}"), f"image {number}")


def _diagnostic(to: Attachments, item: Diagnostic) -> str:
    source = f" ({item.source})" if item.source else ""
    place = f"{_name(to, item.uri)}, {_lines(item.first, item.last)}"
    return f"Diagnostic in {place}: {item.severity}{source}: {item.message}"


def _name(to: Attachments, uri: str) -> str:
    path = to.resolved(uri) if uri.startswith("file:") else None
    return printable(uri) if path is None else path.display


def _told(to: Attachments, path: Path | None) -> str | None:
    """The displayed name of a path, if a model may be told of it."""
    resolved = None if path is None else to.resolved(str(path))
    return resolved.display if resolved is not None and to.may_tell(resolved) else None


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"
