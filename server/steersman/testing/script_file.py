"""Reads scripts of turns in YAML. Messages name the line of a turn."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.models.errors import TapeError
from steersman.models.tape_entry import Entry
from steersman.models.tape_written import read_written_turn
from steersman.testing.errors import ScriptError
from steersman.testing.turns import Turn, turn

if TYPE_CHECKING:
    import yaml


def load_script(path: Path) -> list[Turn]:
    """The turns of a file.

    Raises:
        ScriptError: it can't be read, or something in it is not a turn. The text names the line.
    """
    try:
        import yaml  # noqa: PLC0415 - only who writes scripts in YAML needs it
    except ModuleNotFoundError:
        raise ScriptError(f"{path.name} needs PyYAML: install steersman[testing].") from None
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"Can't read the script {path}: {error}.") from None
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        raise ScriptError(f"{path.name} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise ScriptError(f"{path.name}: a script is a list of turns: `- text: …`.")
    return [each for node in root.value for each in _turns(path.name, loader, node)]


def _turns(source: str, loader: "yaml.SafeLoader", node: "yaml.Node") -> list[Turn]:
    line = node.start_mark.line + 1
    where = f"{source}, line {line}"
    value = loader.construct_document(node)
    if isinstance(value, str) and value:
        return [_at(turn(value), line)]
    if not isinstance(value, dict):
        raise ScriptError(
            f"{where}: a turn is a text, or a mapping with text, toolCalls, …; not {value!r:.80}."
        )
    try:
        written = read_written_turn(Entry(where, line, value))
    except TapeError as error:
        raise ScriptError(str(error)) from None
    except TypeError as error:  # YAML has dates and the like
        raise ScriptError(f"{where}: {error}.") from None
    if written.delay or written.delta_delay:
        raise ScriptError(f"{where}: a test doesn't wait: leave delayMs and deltaDelayMs out.")
    return _failures(written)


def _failures(written: Turn) -> list[Turn]:
    """A turn whose first requests fail, as one turn per request."""
    error = written.error
    if error is None or error.times is None:
        return [written]
    failing = Turn(line=written.line, error=replace(error, times=None), expect=written.expect)
    return [*[failing] * error.times, replace(written, error=None)]


def _at(written: Turn, line: int) -> Turn:
    return replace(written, line=line)
