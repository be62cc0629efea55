"""What an extension knows about its session, and what it can say in it. Implemented in session/."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from steersman.agent.messages import Message
from steersman.agent.model import Model
from steersman.agent.tool import Tool
from steersman.workspace.ports import Workspace


class NotPossible(Exception):
    """What an extension wants can't be done now. The message says why, for people."""


class Session(Protocol):
    """A session, as one of its extensions sees it. Usable as long as the session is open."""

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
        """Its files as tools see them: with the editor's unsaved text, and under the deny rules."""
        ...

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation, including custom messages. A compacted part is only its summary. Not to be changed."""
        ...

    @property
    def tools(self) -> Sequence[Tool]:
        """All tools of the session, including those of extensions, to choose from for `NextTurn.tools`."""
        ...

    @property
    def system(self) -> str:
        """The system prompt of the live run, as the session has made it; empty without a live run."""
        ...

    def model(self, spec: str) -> Model:
        """The model `PROVIDER:NAME`, with the user's base URL and key: for `NextTurn.model`, or to ask it something.
        What is asked counts as the run's: its usage, cost and budget. Only a model of your own in `NextTurn` has to say
        itself, at the end of its stream, what all that it asks for an answer has used.

        Raises:
            NotPossible: there is no such model, or no key for it.
        """
        ...

    def steer(self, text: str) -> None:
        """Says something to the model before its next request, in place of the user. It is queued like messages of the
        user, and marked as coming from this extension.

        Raises:
            NotPossible: no run is live, or it takes no more messages.
        """
        ...

    def follow_up(self, text: str) -> None:
        """Says something when the run would otherwise end. See `steer`.

        Raises:
            NotPossible: no run is live, or it takes no more messages.
        """
        ...

    def say_custom(self, kind: str, text: str) -> None:
        """Keeps and shows a custom message, at the start of the next turn or at the end of the run. Models see of it
        only what `Extension.show_to_model` returns. The last message of each `kind` survives a compaction.

        Raises:
            NotPossible: no run is live.
        """
        ...

    def notice(self, text: str) -> None:
        """Tells the user something that needs no answer."""
        ...
