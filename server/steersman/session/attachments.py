"""What is attached to one message: named blocks after what was typed, limited in size and number."""

import re
from collections.abc import Sequence

from steersman.agent.messages import Image, Text, UserContent
from steersman.session.errors import Refused
from steersman.tools.ledger import ReadLedger
from steersman.workspace.errors import PathError
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import ResolvedPath

MAX_ATTACHED = 256 * 1024
"""Characters of all that is attached to one message."""
MAX_IMAGES = 20
"""In one message."""
MAX_IMAGE_DATA = 20_000_000
"""Characters of base64 of all images in one message: some APIs take requests of 32 MB."""


class Attachments:
    """`workspace` is the session's: its deny rules hold, the editor's text counts."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.blocks: list[UserContent] = []
        self.notices: list[str] = []
        """For the user."""
        self.seen = ReadLedger()
        """What the model gets to see of files."""
        self.paths: list[str] = []
        """Of the files and directories that were attached."""
        self._room = MAX_ATTACHED
        self._images = 0
        self._image_data = 0

    def takes(self, image: Image) -> bool:
        """Whether there is room for it."""
        return self._images < MAX_IMAGES and self._image_data + len(image.data) <= MAX_IMAGE_DATA

    def add(self, text: str, label: str) -> bool:
        """Attaches a text, or a note that it is left out. Returns whether there was room for it."""
        if len(text) > self._room:
            self.notices.append(f"{label} is not attached: the message has too much attached already.")
            text = f"({label} is not attached because there was no room left: read it.)"
            self.blocks.append(Text(text, label))
            return False
        self._room -= len(text)
        self.blocks.append(Text(text, label))
        return True

    def add_image(self, image: Image, text: str, label: str) -> None:
        """Attaches an image after `text`, which describes it. The user is told if there is no room."""
        if not self.takes(image):
            self.notices.append(
                f"{label} is not attached: a message takes at most {MAX_IMAGES} images of together "
                f"{MAX_IMAGE_DATA // 1_000_000} MB."
            )
            return
        self._images += 1
        self._image_data += len(image.data)
        self.blocks += [Text(text, label), image]

    def resolved(self, path: str) -> ResolvedPath | None:
        """The path that a name means, if any. Deny rules come later: a name that nothing has is not refused."""
        try:
            return self.workspace.roots.resolve(path)
        except PathError:
            return None

    def refuse_denied(self, path: ResolvedPath) -> None:
        """Raises:
        Refused: denied.
        """
        rule = self.workspace.rules.denied(path)
        if rule is not None:
            text = f"{path.display} is denied by the rule `{rule}`: it may hold secrets."
            raise Refused("denied", text, uri=path.path.as_uri())

    def may_tell(self, path: ResolvedPath | None) -> bool:
        """Whether a model may be told of it without a question."""
        return path is not None and path.root is not None and self.workspace.rules.denied(path) is None


def fenced(text: str) -> str:
    """`text` in a fence that is longer than any row of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"


def images_in(content: Sequence[object]) -> bool:
    return any(isinstance(block, Image) for block in content)
