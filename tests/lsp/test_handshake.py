"""initialize is read as far as it is used, and answered as lsprotocol would write it."""

import pytest
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder, get_capability
from pygls.protocol import default_converter

from steersman.lsp.errors import InvalidParams
from steersman.lsp.handshake import initialize_params, plain_answer
from steersman.lsp.structure import late_converter

EDITOR = {
    "processId": 12,
    "rootUri": "file:///w",
    "rootPath": None,
    "clientInfo": {"name": "editor"},
    "workspaceFolders": [{"uri": "file:///w", "name": "w"}],
    "capabilities": {
        "general": {"positionEncodings": ["utf-7", "utf-8", "utf-16"]},
        "textDocument": {
            "synchronization": {"willSave": True, "willSaveWaitUntil": False},
            "rename": {"prepareSupport": True},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}}},
        },
        "workspace": {"fileOperations": {"willRename": True}, "applyEdit": True},
        "notebookDocument": {"synchronization": {}},
        "experimental": {"steersman": {"x_y": 1}},
    },
}
SIMPLE = {"processId": None, "rootUri": None, "capabilities": {}}

CONVERTER = default_converter()


def of_lsprotocol(params):
    return CONVERTER.structure(params, types.InitializeParams)


@pytest.mark.parametrize("params", [EDITOR, SIMPLE, {**SIMPLE, "workspaceFolders": None}])
def test_what_pygls_reads_is_what_lsprotocol_would_have_given_it(params):
    ours, full = initialize_params(params), of_lsprotocol(params)
    for name in ("process_id", "root_uri", "root_path"):
        assert getattr(ours, name) == getattr(full, name)
    assert list(ours.workspace_folders or []) == list(full.workspace_folders or [])
    encode = ServerCapabilitiesBuilder.choose_position_encoding
    assert encode(ours.capabilities) == encode(full.capabilities)
    for path in (
        "text_document.synchronization.will_save",
        "text_document.synchronization.will_save_wait_until",
        "text_document.rename.prepare_support",
        "text_document.code_action.code_action_literal_support.code_action_kind.value_set",
        "text_document.hover.dynamic_registration",
        "workspace.file_operations.will_rename",
        "workspace.file_operations.did_create",
        "workspace.apply_edit",
        "window.work_done_progress",
    ):
        assert get_capability(ours.capabilities, path) == get_capability(full.capabilities, path), path
    assert (ours.capabilities.notebook_document is None) == (full.capabilities.notebook_document is None)


@pytest.mark.parametrize("params", [EDITOR, SIMPLE])
def test_the_answer_is_the_one_that_lsprotocol_writes(params):
    every_feature = {
        value for name, value in vars(types).items() if name.startswith(("TEXT_DOCUMENT_", "WORKSPACE_"))
    }
    for features in (set(), every_feature):
        options = {types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=["quickfix"])}
        built = ServerCapabilitiesBuilder(
            initialize_params(params).capabilities,
            features,
            options if features else {},
            ["steersman.start"],
            types.TextDocumentSyncKind.Incremental,
            types.NotebookDocumentSyncOptions(notebook_selector=[]),
            types.PositionEncodingKind.Utf8,
        ).build()
        built.experimental = {"steersman": {"version": "1", "uses": []}}
        result = types.InitializeResult(built, types.ServerInfo("x", "1"))
        assert plain_answer(result) == CONVERTER.unstructure(result)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"capabilities": None}, "capabilities"),
        ({"capabilities": []}, "capabilities"),
        ({"processId": "12"}, "processId"),
        ({"processId": 1.5}, "processId"),
        ({"processId": True}, "processId"),
        ({"rootUri": 1}, "rootUri"),
        ({"rootPath": {}}, "rootPath"),
        ({"workspaceFolders": {}}, "workspaceFolders"),
        ({"workspaceFolders": [1]}, "workspaceFolders.0"),
        ({"workspaceFolders": [{"uri": "file:///a", "name": "a"}, {"name": "b"}]}, "workspaceFolders.1.uri"),
        ({"capabilities": {"general": 1}}, "general"),
        ({"capabilities": {"general": {"positionEncodings": "utf-8"}}}, "positionEncodings"),
    ],
)
def test_what_is_read_and_ill_typed_is_refused_naming_the_field(wrong, field):
    with pytest.raises(InvalidParams) as raised:
        initialize_params(SIMPLE | wrong)
    assert raised.value.field == field


def test_a_null_that_means_something_is_written():
    for special in (
        types.RenameRegistrationOptions(),
        types.HoverRegistrationOptions(work_done_progress=True),
    ):
        assert plain_answer(special) == CONVERTER.unstructure(special)
        assert plain_answer(special)["documentSelector"] is None


def test_the_converter_that_is_made_late_is_that_of_pygls():
    late, position = late_converter(), types.Position(1, 2)
    assert late.structure({"line": 1, "character": 2}, types.Position) == position
    assert late.unstructure(position) == CONVERTER.unstructure(position)
    with pytest.raises(AttributeError):
        late.missing  # noqa: B018 - looking is what is tested


@pytest.mark.parametrize("params", [None, [], "x"])
def test_params_that_are_no_object_are_refused(params):
    with pytest.raises(InvalidParams):
        initialize_params(params)


def test_capabilities_that_nobody_reads_may_be_anything():
    odd = {
        "textDocument": 5,
        "workspace": {"fileOperations": []},
        "window": None,
        "general": {"positionEncodings": [1]},
    }
    read = initialize_params({**SIMPLE, "capabilities": odd}).capabilities
    assert get_capability(read, "text_document.rename.prepare_support") is None
    assert get_capability(read, "workspace.file_operations.will_create") is None
    assert ServerCapabilitiesBuilder.choose_position_encoding(read) == "utf-16"


@pytest.mark.parametrize("process_id", [1e30, 12.0])
def test_a_process_id_is_any_whole_number(process_id):
    assert initialize_params(SIMPLE | {"processId": process_id}).process_id == int(process_id)


def test_a_folder_without_a_name_is_a_folder():
    folders = initialize_params({**SIMPLE, "workspaceFolders": [{"uri": "file:///a"}]}).workspace_folders
    assert folders == [types.WorkspaceFolder(uri="file:///a", name="")]
