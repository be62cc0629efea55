"""Messages to a person as text alone: nothing in them can be clicked, and nothing acts on a terminal.

VS Code turns `[text](command:…)` in notifications into a link that runs the command (vscode,
base/common/linkedText.ts), and shows the work-done progress of a cancellable task as a notification. File names, tool
arguments and answers of models all end up in such messages.
"""

import re
from collections.abc import Mapping
from typing import Final

from steersman.workspace.roots import printable

MESSAGES: Final = ("window/showMessage", "window/showMessageRequest", "window/logMessage")
_ACTING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, and characters that override the direction of text."""


def inert(method: str, params: object) -> object:
    """The params of a notification or request; if it is a message to a person, its text is made inert."""
    if method not in MESSAGES or not isinstance(params, Mapping):
        return params
    return {**params, "message": inert_text(str(params["message"]))}


def inert_text(text: str) -> str:
    """The text with links broken and control characters escaped."""
    plain = text.replace("\r\n", "\n").replace("](", "] (")
    return _ACTING.sub(lambda found: printable(found.group()), plain)
