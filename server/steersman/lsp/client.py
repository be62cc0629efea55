"""What is known of the client: its capabilities, the features that it asked for, and its folders."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from pydantic import ValidationError

from steersman.lsp.errors import InvalidParams
from steersman.lsp.features import ClientFeatures
from steersman.lsp.quirks import Quirks, quirks_of

LLM_GENERATED: Final = 1
"""CodeActionTag of LSP 3.18."""


@dataclass(slots=True)
class Client:
    """Everything is off until `learn` is called at initialize."""

    features: ClientFeatures = field(default_factory=ClientFeatures)
    quirks: Quirks = field(default_factory=Quirks)
    progress: bool = False
    """`window.workDoneProgress`."""
    show_document: bool = False
    text_document_content: bool = False
    """It shows documents that are not files, and asks for their text (LSP 3.18)."""
    code_lens: bool = False
    """It gets code lenses: it shows them, and doesn't have its own interface for questions."""
    refreshes_lenses: bool = False
    """It can be told that the lenses have changed."""
    apply_edit: bool = False
    document_changes: bool = False
    code_actions: bool = False
    """It offers code actions to its user."""
    action_literals: bool = False
    """It takes whole code actions; otherwise only commands (`codeActionLiteralSupport`)."""
    action_tags: bool = False
    """It shows which code actions let a model do something."""
    resolves_commands: bool = False
    """It asks for the command of a code action when the user chooses the action."""
    resource_operations: frozenset[str] = frozenset()
    """Those of create, rename and delete that it takes in `documentChanges`."""
    named_folders: list[tuple[str, Path]] = field(default_factory=list)
    """The workspace folders: the client's name of each, and its path. A folder may not exist."""

    @property
    def folders(self) -> list[tuple[str, Path]]:
        """The workspace folders that exist now."""
        return [
            (name, path)
            for name, path in self.named_folders
            if os.path.isdir(path)  # noqa: PTH112  (Path.is_dir() raises for long names)
        ]

    def learn(self, params: Mapping[str, Any]) -> None:
        """Reads the params of `initialize`, as plain JSON.

        Raises:
            InvalidParams: the steersman options are malformed.
        """
        capabilities = _object(params.get("capabilities"))
        window, workspace = _object(capabilities.get("window")), _object(capabilities.get("workspace"))
        self.quirks = quirks_of(str(_object(params.get("clientInfo")).get("name", "")))
        self.features = _features(params, capabilities)
        self.progress = window.get("workDoneProgress") is True
        self.show_document = _object(window.get("showDocument")).get("support") is True
        self.apply_edit = workspace.get("applyEdit") is True
        self.text_document_content = isinstance(workspace.get("textDocumentContent"), Mapping)
        of_texts = _object(capabilities.get("textDocument"))
        self.code_lens = isinstance(of_texts.get("codeLens"), Mapping) and not self.features.approval
        self.refreshes_lenses = _object(workspace.get("codeLens")).get("refreshSupport") is True
        actions = _object(of_texts.get("codeAction"))
        self.code_actions = isinstance(of_texts.get("codeAction"), Mapping)
        self.action_literals = isinstance(actions.get("codeActionLiteralSupport"), Mapping)
        self.action_tags = LLM_GENERATED in _list(_object(actions.get("tagSupport")).get("valueSet"))
        late = _strings(_object(actions.get("resolveSupport")).get("properties"))
        resolves = actions.get("dataSupport") is True and "command" in late
        self.resolves_commands = resolves and self.action_literals
        edits = _object(workspace.get("workspaceEdit"))
        self.document_changes = edits.get("documentChanges") is True or self.quirks.document_changes
        self.resource_operations = _strings(edits.get("resourceOperations"))
        self.named_folders = _folders(params)

    def change_folders(self, added: Sequence[tuple[str, str]], removed: Sequence[str]) -> None:
        """Changes the workspace folders. `added`: names and URIs; `removed`: URIs."""
        gone = {path_of(uri) for uri in removed}
        kept = [(name, path) for name, path in self.named_folders if path not in gone]
        self.named_folders = kept + _local([(name, path_of(uri)) for name, uri in added])


def path_of(uri: str) -> Path | None:
    """The path of a `file:` URI, however it is escaped; None for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or not parts.path:
        return None
    path = unquote_to_bytes(parts.path)
    return None if b"\0" in path else Path(os.fsdecode(path))


def named_path(field: str, given: str) -> Path:
    """The path that a command's parameter gives, as a `file:` URI or as a path.

    Raises:
        InvalidParams: a path can't hold what was given.
    """
    if "\0" in given:
        raise InvalidParams(field, f"{field}: a path can't hold a null character.")
    return path_of(given) or Path(given)


def real_path_of(uri: str) -> Path | None:
    """`path_of` with symbolic links resolved: the same for every spelling of a file."""
    path = path_of(uri)
    return None if path is None else Path(os.path.realpath(path))


def _features(params: Mapping[str, Any], capabilities: Mapping[str, Any]) -> ClientFeatures:
    options = _object(params.get("initializationOptions")).get("steersman")
    asked = options if options is not None else _object(capabilities.get("experimental")).get("steersman")
    if asked is None:
        return ClientFeatures()
    try:
        return ClientFeatures.model_validate(asked)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(["initializationOptions", "steersman", *map(str, first["loc"][:1])])
        raise InvalidParams(name, f"{name}: {first['msg']}.") from None


def _folders(params: Mapping[str, Any]) -> list[tuple[str, Path]]:
    given = params.get("workspaceFolders")
    if isinstance(given, Sequence) and not isinstance(given, str) and given:
        folders = [_object(item) for item in given]
        return _local([(str(item.get("name", "")), path_of(str(item.get("uri", "")))) for item in folders])
    if isinstance(params.get("rootUri"), str):
        return _local([("", path_of(params["rootUri"]))])
    if isinstance(params.get("rootPath"), str) and params["rootPath"]:
        return _local([("", Path(params["rootPath"]))])
    return []


def _local(folders: Sequence[tuple[str, Path | None]]) -> list[tuple[str, Path]]:
    return [(name, path) for name, path in folders if path is not None]


def _strings(value: object) -> frozenset[str]:
    return (
        frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
