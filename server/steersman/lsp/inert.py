"""Messages to a person as text alone: nothing in them can be pressed, and nothing acts on a terminal.

VS Code makes links of `[text](command:…)` in notifications, which run that command (vscode, base/common/linkedText.ts);
names of files and answers of models stand in messages.
"""

import re
from collections.abc import Mapping
from typing import Final

from steersman.workspace.roots import printable

MESSAGES: Final = ("window/showMessage", "window/showMessageRequest", "window/logMessage")
_ACTING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and what overrides the direction of text."""


def inert(method: str, params: object) -> object:
    """The params, with a message's text as it can be shown anywhere."""
    if method not in MESSAGES or not isinstance(params, Mapping):
        return params
    text = str(params["message"]).replace("\r\n", "\n").replace("](", "] (")
    return {**params, "message": _ACTING.sub(lambda found: printable(found.group()), text)}
