"""What a client tells of its documents: the answers to `steersman/save` and `steersman/openDocuments`, and the
notification `steersman/openDocumentsChanged`."""

from pydantic import ConfigDict

from steersman.lsp.params import Params


class Told(Params):
    """A message about documents. Further fields are ignored."""

    model_config = ConfigDict(extra="ignore")


class SaveAnswer(Told):
    """The answer to `steersman/save`."""

    saved: list[str]
    """URIs of the documents that were saved."""


class ListedDocument(Told):
    """A document that is open in the editor."""

    uri: str
    dirty: bool
    """It has unsaved changes."""
    visible: bool | None = None
    """The user sees it. If any document has this field, models are told only of the listed ones as open."""
    active: bool | None = None
    """The cursor is in it."""


class OpenDocument(ListedDocument):
    version: int | None = None
    """The version that an edit of it names; null if the client has none."""
    text: str | None = None
    """The whole text, if the request named the document."""


class OpenDocumentsAnswer(Told):
    """The answer to `steersman/openDocuments`."""

    documents: list[OpenDocument]


class OpenDocumentsChanged(Told):
    """The params of the notification `steersman/openDocumentsChanged`."""

    documents: list[ListedDocument]
    """Always all open documents."""
