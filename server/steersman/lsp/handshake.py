"""initialize without most of lsprotocol's types.

The params contain a tenth of all types, of which hardly any is ever read. To structure them, and to unstructure the
answer, attrs and cattrs would generate code for some 170 classes.
"""

import inspect
from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

from lsprotocol import types

from steersman.lsp.errors import InvalidParams
from steersman.lsp.plain import array, as_record, integer, record, string
from steersman.lsp.wire import JsonObject, JsonValue


def initialize_params(params: JsonValue) -> types.InitializeParams:
    """The params of initialize, as far as pygls reads them. Other members are left out, except in `capabilities`: these
    are complete and read like lsprotocol's type, but their values are unchecked.

    Raises:
        InvalidParams: a member that is read is not what LSP says.
    """
    given = as_record(params, "params")
    folders = array(given, "workspaceFolders") if given.get("workspaceFolders") is not None else []
    return types.InitializeParams(
        capabilities=cast(  # reads like the type
            "types.ClientCapabilities", _Members(_with_encodings(record(given, "capabilities")))
        ),
        process_id=_process_id(given),
        root_path=_optional_string(given, "rootPath"),
        root_uri=_optional_string(given, "rootUri"),
        workspace_folders=[_folder(each, f"workspaceFolders.{at}") for at, each in enumerate(folders)]
        or None,
    )


def plain_answer(value: Any) -> Any:
    """The JSON of the answer or of a part of it, the same as lsprotocol's converter makes. Only the values that are set
    are looked at, so no code has to be generated for all possible ones. None is left out where null means the same."""
    cls = type(value)
    if isinstance(value, Enum):
        return value.value
    if cls.__module__ == types.__name__:
        # Not attrs.fields(): it would complete the class (see `startup`), which isn't needed here.
        members = [(name, getattr(value, name)) for name in inspect.get_annotations(cls)]
        return {
            _camel(name): plain_answer(member)
            for name, member in members
            if member is not None or types.is_special_property(cls, name)
        }
    if isinstance(value, Mapping):
        return {name: plain_answer(member) for name, member in value.items()}
    return [plain_answer(each) for each in value] if isinstance(value, list | tuple) else value


class _Members:
    """A JSON object that reads like a type of lsprotocol: `text_document` is the member `textDocument`, or None."""

    __slots__ = ("_json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        self._json = json

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _readable(self._json.get(_camel(name)))

    def __repr__(self) -> str:
        return repr(self._json)


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return _Members(value)
    return tuple(map(_readable, value)) if isinstance(value, list) else value


def _with_encodings(capabilities: JsonObject) -> dict[str, Any]:
    """The capabilities with position encodings as enum members: pygls looks for these in a set, where strings don't
    equal them."""
    if capabilities.get("general") is None:
        return dict(capabilities)
    general = record(capabilities, "general")
    if general.get("positionEncodings") is None:
        return dict(capabilities)
    known = {str(kind.value): kind for kind in types.PositionEncodingKind}
    offered = [
        known.get(name, name) if isinstance(name, str) else name
        for name in array(general, "positionEncodings")
    ]
    return {**capabilities, "general": {**general, "positionEncodings": offered}}


def _folder(value: JsonValue, where: str) -> types.WorkspaceFolder:
    try:
        folder = as_record(value, where)
        name = folder.get("name")
        return types.WorkspaceFolder(uri=string(folder, "uri"), name=name if isinstance(name, str) else "")
    except InvalidParams as error:
        field = error.field if error.field == where else f"{where}.{error.field}"
        raise InvalidParams(field, f"{where}: {error.message}") from None


def _process_id(params: JsonObject) -> int | None:
    given = params.get("processId")
    if isinstance(given, float) and given.is_integer():
        return int(given)  # the decoder makes a float of a number that is too large for its integers
    return None if given is None else integer(params, "processId")


def _optional_string(parent: JsonObject, name: str) -> str | None:
    return None if parent.get(name) is None else string(parent, name)


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.title() for part in rest)
