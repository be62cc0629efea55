"""What is known of the client: what it can do, what it asked for, where its folders are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from steersman.lsp.errors import InvalidParams
from steersman.lsp.params import ClientFeatures


@dataclass(slots=True)
class Client:
    """Filled at initialize."""

    name: str = ""
    """Of `clientInfo`, lower case: for the table of tested quirks only."""
    features: ClientFeatures = field(default_factory=ClientFeatures)
    progress: bool = False
    """`window.workDoneProgress`."""
    show_document: bool = False
    apply_edit: bool = False
    document_changes: bool = False
    folders: list[tuple[str, Path]] = field(default_factory=list)
    """Workspace folders: the client's name for each, and its path."""


def client_from(params: Mapping[str, Any]) -> Client:
    """What `initialize` says, as plain JSON.

    Raises:
        InvalidParams: the steersman options are malformed.
    """
    capabilities = _object(params.get("capabilities"))
    window, workspace = _object(capabilities.get("window")), _object(capabilities.get("workspace"))
    client = Client(
        name=str(_object(params.get("clientInfo")).get("name", "")).lower(),
        features=_features(params, capabilities),
        progress=window.get("workDoneProgress") is True,
        show_document=_object(window.get("showDocument")).get("support") is True,
        apply_edit=workspace.get("applyEdit") is True,
        document_changes=_object(workspace.get("workspaceEdit")).get("documentChanges") is True,
        folders=_folders(params),
    )
    if "neovim" in client.name or client.name == "nvim":
        client.document_changes = True  # tested: it takes them, and then checks versions, but doesn't say so
    return client


def path_of(uri: str) -> Path | None:
    """The path of a `file:` URI; None for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or not parts.path:
        return None
    path = unquote(parts.path)
    return None if "\0" in path else Path(path)


def _features(params: Mapping[str, Any], capabilities: Mapping[str, Any]) -> ClientFeatures:
    options = _object(params.get("initializationOptions")).get("steersman")
    asked = options if options is not None else _object(capabilities.get("experimental")).get("steersman")
    if asked is None:
        return ClientFeatures()
    try:
        return ClientFeatures.model_validate(asked)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(["initializationOptions", "steersman", *map(str, first["loc"])])
        raise InvalidParams(name, f"{name}: {first['msg']}.") from None


def _folders(params: Mapping[str, Any]) -> list[tuple[str, Path]]:
    given = params.get("workspaceFolders")
    if isinstance(given, Sequence) and not isinstance(given, str) and given:
        pairs = [
            (str(_object(item).get("name", "")), path_of(str(_object(item).get("uri", "")))) for item in given
        ]
    elif isinstance(params.get("rootUri"), str):
        pairs = [("", path_of(params["rootUri"]))]
    elif isinstance(params.get("rootPath"), str) and params["rootPath"]:
        pairs = [("", Path(params["rootPath"]))]
    else:
        pairs = []
    return [(name, path) for name, path in pairs if path is not None and path.is_dir()]


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
