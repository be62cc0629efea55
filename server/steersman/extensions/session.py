"""What an extension knows of its session, and what it can say in it. Implemented by session/."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from steersman.agent.messages import Message
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.workspace.ports import Workspace


class NotPossible(Exception):
    """What an extension wants can't be done now. The text says why, for a person."""


class Session(Protocol):
    """One session, as one of its extensions has it. It lasts as long as the session is open."""

    @property
    def id(self) -> str: ...

    @property
    def extension(self) -> str:
        """The name by which the extension is enabled."""
        ...

    @property
    def folders(self) -> Sequence[Path]:
        """Absolute paths of the workspace folders; relative paths start in the first."""
        ...

    @property
    def workspace(self) -> Workspace:
        """Its files, as tools see them: the editor's unsaved text first, under the deny rules."""
        ...

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation, custom messages too; what was replaced by a summary is only that. Not to be changed."""
        ...

    @property
    def tools(self) -> Sequence[Tool]:
        """All tools of the session, those of extensions too. To choose from in `NextTurn.tools`."""
        ...

    @property
    def system(self) -> str:
        """The system prompt of the live run as the session has made it; empty without one."""
        ...

    def model(self, spec: str) -> Model:
        """The model of `PROVIDER:NAME`, with the user's base URL and key. For `NextTurn.model`, or to ask it something.

        Raises:
            NotPossible: there is no such model, or no key for it.
        """
        ...

    def steer(self, text: str) -> None:
        """Says something to the model before its next request, in the user's place: it is queued like what they say,
        and marked as this extension's.

        Raises:
            NotPossible: no run is live, or it takes nothing more.
        """
        ...

    def follow_up(self, text: str) -> None:
        """Says something when the run would otherwise end. See `steer`.

        Raises:
            NotPossible: no run is live, or it takes nothing more.
        """
        ...

    def say_custom(self, kind: str, text: str) -> None:
        """Keeps and shows a custom message: at the start of the next turn, or at the run's end. Models are told of it
        only what `Extension.show_to_model` makes of it. The last of each `kind` outlives a compaction.

        Raises:
            NotPossible: no run is live.
        """
        ...

    def notice(self, text: str) -> None:
        """Tells the user something that needs no answer."""
        ...
