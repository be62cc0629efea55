"""Nine editors as plain LSP clients, with the capabilities and habits that were read in their sources or seen.

Only what differs between them is modelled. None knows Steersman.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from support.awkward_client import AwkwardClient, path_at
from support.editor_client import operation_of
from support.habits import Habits
from support.lsp_client import AnsweredWithError, LspClient
from support.lsp_workspace import TEXTS

OPERATIONS = ["create", "rename", "delete"]
STEERSMAN = ("requestApproval", "approvalTexts", "save", "openDocuments", "input", "callTool")
"""Requests that no plain client knows."""


@dataclass(frozen=True)
class KnownEditor:
    """One editor."""

    name: str
    habits: Habits
    info: dict[str, str] | None = None
    """`clientInfo`, if it sends one."""
    operations: tuple[str, ...] = ()
    """Of create, rename, delete, those that it declares."""
    declares_edits: bool = True
    """`workspace.applyEdit`."""
    show_document: bool = True
    lenses: bool = False
    refreshes: bool = False
    virtual: bool = False
    """`workspace.textDocumentContent`."""
    prompts: bool = True
    """It knows `window/showMessageRequest`."""
    closed: Any = None
    """What it answers to a question that its user closes."""
    replaces_prompts: bool = False
    """A second question takes the first one's place, which is never answered."""
    typed_prompt: bool = False
    """Its prompt takes what is being typed: its user answers by code actions."""
    runs_commands: bool = True
    """Its user can give any command; else only those of code actions."""
    cancels: bool = False
    """It has a button that cancels a progress."""
    knows_kinds_only: bool = False
    """A progress value of another kind than begin, report and end is an error to it."""
    attaches_to: tuple[str, ...] = ("file",)
    """Schemes of the documents that it tells the server of."""
    unknown: str = "an error"
    """What it answers to a request that it doesn't know: `an error` or `null`."""
    creates: str = "makes"
    """What becomes of a CreateFile: `makes`, `truncates` (and ignoreIfExists makes nothing), `no`, or `no parents`."""

    @property
    def capabilities(self) -> dict[str, Any]:
        edits: dict[str, Any] = {"documentChanges": True} if self.habits.document_changes else {}
        if self.operations:
            edits["resourceOperations"] = list(self.operations)
        workspace: dict[str, Any] = {"workspaceFolders": True}
        if self.declares_edits:
            workspace |= {"applyEdit": True, "workspaceEdit": edits}
        if self.refreshes:
            workspace["codeLens"] = {"refreshSupport": True}
        if self.virtual:
            workspace["textDocumentContent"] = {"dynamicRegistration": True}
        return {
            "general": {"positionEncodings": [self.habits.encoding]},
            "workspace": workspace,
            "textDocument": TEXTS | ({"codeLens": {}} if self.lenses else {}),
            "window": {"workDoneProgress": True}
            | ({"showDocument": {"support": True}} if self.show_document else {}),
        }


EDITORS = (
    KnownEditor(
        "VS Code",
        Habits(rich=False, edits="checks silently", operations="does", withdrawn="stays"),
        {"name": "Visual Studio Code", "version": "1.115.0"},
        tuple(OPERATIONS),
        lenses=True,
        refreshes=True,
        virtual=True,
    ),
    KnownEditor(
        "Neovim",
        Habits(
            rich=False,
            edits="claims",
            tells="with typing",
            debounces=True,
            versions="from zero",
            document_changes=False,
            operations="does",
            encoding="utf-8",
        ),
        {"name": "Neovim", "version": "0.12.0-dev"},
        tuple(OPERATIONS),
        lenses=True,
        refreshes=True,
        typed_prompt=True,
        attaches_to=("file", "steersman"),
        creates="truncates",
    ),
    KnownEditor(
        "eglot",
        Habits(rich=False, edits="fails", debounces=True, operations="does", reloads=False),
        {"name": "Eglot", "version": "1.24"},
        tuple(OPERATIONS),
        unknown="null",
    ),
    KnownEditor(
        "lsp-mode",
        Habits(rich=False, edits="checks silently", operations="does", answers="title"),
        {"name": "emacs", "version": "30.2"},
        tuple(OPERATIONS),
        lenses=True,
        refreshes=True,
        unknown="null",
    ),
    KnownEditor(
        "Helix",
        Habits(rich=False, edits="checks", operations="does", encoding="utf-8"),
        {"name": "helix", "version": "25.7.1"},
        tuple(OPERATIONS),
        replaces_prompts=True,
        knows_kinds_only=True,
    ),
    KnownEditor(
        "Kate",
        Habits(
            rich=False,
            edits="only after an action",
            operations="none",
            document_changes=False,
            shows="never",
        ),
        declares_edits=False,
        show_document=False,
        closed={},
        runs_commands=False,
        creates="no",
    ),
    KnownEditor(
        "Kate 22.12",
        Habits(rich=False, edits="refuses", operations="none", document_changes=False, shows="never"),
        declares_edits=False,
        show_document=False,
        prompts=False,
        runs_commands=False,
        creates="no",
    ),
    KnownEditor(
        "Sublime Text",
        Habits(rich=False, edits="checks", operations="does"),
        {"name": "Sublime Text LSP", "version": "2.9.0"},
        tuple(OPERATIONS),
        lenses=True,
        refreshes=True,
        virtual=True,
        creates="no parents",
    ),
    KnownEditor(
        "Zed",
        Habits(rich=False, edits="rebases", operations="does", tells="after"),
        {"name": "Zed", "version": "1.0"},
        tuple(OPERATIONS),
        cancels=True,
        knows_kinds_only=True,
    ),
)


@dataclass
class EditorAsSeen(AwkwardClient):
    """One of the editors at work."""

    known: KnownEditor = field(kw_only=True)
    texts: dict[str, str] = field(default_factory=dict)
    """Of documents that are no files, which it shows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in STEERSMAN:
            self.client.on_request(f"steersman/{name}", self._unknown)
        for method, known in (
            ("workspace/codeLens/refresh", self.known.refreshes),
            ("workspace/textDocumentContent/refresh", self.known.virtual),
        ):
            self.client.on_request(method, (lambda _: None) if known else self._unknown)
        if not self.known.show_document and self.habits.shows != "never":
            self.client.on_request("window/showDocument", self._unknown)

    def _unknown(self, _: Any) -> Any:
        if self.known.unknown == "null":
            return None
        raise AnsweredWithError({"code": -32601, "message": "no such method"})

    def _ask(self, params: dict[str, Any]) -> Any:
        if not self.known.prompts:
            return self._unknown(params)
        if self.known.replaces_prompts:
            self.prompts.clear()
        return super()._ask(params)

    def _show(self, params: dict[str, Any]) -> Any:
        if params["uri"].startswith("steersman:"):
            return self._show_text(params["uri"])
        return super()._show(params)

    async def _show_text(self, uri: str) -> Any:
        answer = await self.client.request("workspace/textDocumentContent", {"uri": uri})
        self.texts[uri] = answer["text"]
        if "steersman" in self.known.attaches_to:
            item = {"uri": uri, "languageId": "diff", "version": 1, "text": answer["text"]}
            self.client.notify("textDocument/didOpen", {"textDocument": item})
        return {"success": True}

    def _operate(self, params: dict[str, Any]) -> Any:
        operation = operation_of(params)
        if operation["kind"] != "create":
            return super()._operate(params)
        path, ignores = path_at(operation["uri"]), operation.get("options", {}).get("ignoreIfExists")
        match self.known.creates:
            case "truncates" if ignores:
                return {"applied": True}
            case "no":
                return {"applied": False}
            case "no parents" if not path.parent.is_dir():
                return {"applied": False, "failureReason": "no such folder"}
        if self.known.creates != "truncates" and path.exists():
            return {"applied": False, "failureReason": "it exists"}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        return {"applied": True}


def editor_at(client: LspClient, known: KnownEditor, now: Callable[[], float]) -> EditorAsSeen:
    return EditorAsSeen(client, known.habits, now, known=known)


def knows_method(known: KnownEditor, method: str) -> bool:
    """Whether a message of the server is one that the editor said it can take."""
    able = {
        "workspace/applyEdit": known.declares_edits,
        "window/showDocument": known.show_document,
        "workspace/codeLens/refresh": known.refreshes,
        "workspace/textDocumentContent/refresh": known.virtual,
    }
    plain = ("window/showMessage", "window/logMessage", "window/showMessageRequest", "$/cancelRequest")
    more = ("window/workDoneProgress/create", "$/progress")
    return able.get(method, method in (*plain, *more))
