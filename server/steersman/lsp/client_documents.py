"""What a client tells of its documents: the answers to `steersman/save` and `steersman/openDocuments`, and the
notification `steersman/openDocumentsChanged`."""

from pydantic import ConfigDict

from steersman.lsp.params import Params


class Told(Params):
    """What the client tells of its documents. More fields are ignored."""

    model_config = ConfigDict(extra="ignore")


class SaveAnswer(Told):
    """The answer to `steersman/save`."""

    saved: list[str]
    """URIs."""


class ListedDocument(Told):
    """A document that is open in the editor."""

    uri: str
    dirty: bool
    """It has text that is not saved."""
    visible: bool | None = None
    """The user sees it. If it is said of any document, what is not in the list is not told to models as open."""
    active: bool | None = None
    """The user is in it."""


class OpenDocument(ListedDocument):
    version: int | None = None
    """That an edit of it is bound to; null without versions."""
    text: str | None = None
    """The whole text; of those that were asked for by name."""


class OpenDocumentsAnswer(Told):
    """The answer to `steersman/openDocuments`."""

    documents: list[OpenDocument]


class OpenDocumentsChanged(Told):
    """The params of the notification `steersman/openDocumentsChanged`."""

    documents: list[ListedDocument]
    """All that are open, each time."""
