"""The tools that a client may offer by name alone."""

from typing import Any, ClassVar, Final

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolError
from steersman.lsp.hovers import hover_text
from steersman.lsp.known_tool import MAX_SHOWN, KnownTool, PlaceArguments, require_usable
from steersman.lsp.lsp_results import changes, locations, symbols
from steersman.lsp.places import listing_of
from steersman.session.wire import Data
from steersman.tools.base import clipped, count
from steersman.tools.schema import Arguments
from steersman.workspace.roots import ResolvedPath, printable


class RenameArguments(PlaceArguments):
    renames: ClassVar = {**PlaceArguments.renames, "new": "newName"}
    new_name: str = Field(min_length=1, description="What it would be called.")


class SymbolsArguments(Arguments):
    renames: ClassVar = {
        "file_path": "path",
        "filePath": "path",
        "file": "path",
        "name": "query",
        "pattern": "query",
    }
    query: str | None = Field(
        None,
        min_length=1,
        description="Part of the names that are sought; with a path, only those are listed.",
    )
    path: str | None = Field(
        None, description="File whose symbols are listed; the whole workspace if left out."
    )


class _PlaceTool(KnownTool[PlaceArguments]):
    arguments = PlaceArguments
    what: ClassVar[str]

    def file_of(self, args: PlaceArguments) -> str:
        return args.path

    async def params(self, args: PlaceArguments, path: ResolvedPath | None) -> Data:
        return await self.place(args, path)

    async def said(self, args: PlaceArguments, data: object, asked: Data) -> str:
        found = locations(data)
        if not found.places:
            require_usable(found.unusable, self.name)
            return f"[The editor's language servers found no {self.what} of {printable(args.symbol)} there]"
        return (await listing_of(found.places, self._workspace)).text(unusable=found.unusable)


class DefinitionTool(_PlaceTool):
    wire_name = name = "definition"
    what = "definition"
    description = (
        "Find where a symbol is defined, by the editor's language servers: they know imports, types and scopes, which "
        "grep doesn't. Name a place where the symbol is used. Gives `path:line: source`, files outside the workspace "
        "(libraries) included."
    )


class ReferencesTool(_PlaceTool):
    wire_name = name = "references"
    what = "references"
    description = (
        "Find every use of a symbol in the workspace, its definition included, by the editor's language servers. Use "
        "it before you change or remove something. Name a place where the symbol stands. Gives `path:line: source`."
    )

    async def params(self, args: PlaceArguments, path: ResolvedPath | None) -> Data:
        return {**await self.place(args, path), "context": {"includeDeclaration": True}}


class HoverTool(_PlaceTool):
    wire_name = name = "hover"
    what = "description"
    description = (
        "See what the editor's language servers say of a symbol: its type, its signature, its documentation, also of "
        "libraries. Name a place where the symbol stands."
    )

    async def said(self, args: PlaceArguments, data: object, asked: Data) -> str:
        text, unusable = hover_text(data)
        if not text:
            require_usable(unusable, self.name)
            return f"[The editor's language servers say nothing about {printable(args.symbol)} there]"
        return text


class SymbolsTool(KnownTool[SymbolsArguments]):
    wire_name = name = "symbols"
    description = (
        "List the classes, functions and other symbols of a file, or find those of the whole workspace whose name "
        "holds a query, by the editor's language servers. Gives `path:line: kind name`."
    )
    arguments = SymbolsArguments

    def file_of(self, args: SymbolsArguments) -> str | None:
        return args.path

    async def propose(self, args: SymbolsArguments, signal: AbortSignal) -> Proposal | None:
        if args.path is None and args.query is None:
            raise ToolError("Give a path to list its symbols, or a query to search the workspace.")
        return await super().propose(args, signal)

    async def params(self, args: SymbolsArguments, path: ResolvedPath | None) -> Data:
        return {"query": args.query} if path is None else {"textDocument": self.document(path)}

    async def said(self, args: SymbolsArguments, data: object, asked: Data) -> str:
        document = asked.get("textDocument")
        if document is None:
            found = symbols(data, None)  # the language server decides what matches a query
        else:
            found = symbols(data, document["uri"], (args.query or "").casefold())
        if not found.places:
            require_usable(found.unusable, self.name)
            return "[The editor's language servers found no such symbols]"
        return (await listing_of(found.places, self._workspace)).text(unusable=found.unusable)


class RenamePreviewTool(KnownTool[RenameArguments]):
    wire_name = "renamePreview"
    name = "rename_preview"
    description = (
        "See which lines a rename of a symbol would change, by the editor's language servers; nothing is changed. Make "
        "the changes with edit. Name a place where the symbol stands."
    )
    arguments = RenameArguments

    def file_of(self, args: RenameArguments) -> str:
        return args.path

    async def params(self, args: RenameArguments, path: ResolvedPath | None) -> Data:
        return {**await self.place(args, path), "newName": args.new_name}

    async def said(self, args: RenameArguments, data: object, asked: Data) -> str:
        if data is None:
            return f"[The editor's language servers can't rename {printable(args.symbol)} there]"
        found, files, edits = changes(data)
        if not found.places and not files:
            require_usable(found.unusable, self.name)
            return "[The rename would change nothing]"
        names = (
            f"{clipped(printable(args.symbol), MAX_SHOWN)} to {clipped(printable(args.new_name), MAX_SHOWN)}"
        )
        number = len({place.uri for place in found.places})
        head = f"Renaming {names} would change {count(edits, 'place')} in {count(number, 'file')}:\n"
        body = (await listing_of(found.places, self._workspace)).text(unusable=found.unusable)
        if files:
            body += f"[{count(len(set(files)), 'file')} would be created, renamed or deleted as well]\n"
        return head + body


_ALL: Final[tuple[type[KnownTool[Any]], ...]] = (
    DefinitionTool,
    ReferencesTool,
    HoverTool,
    SymbolsTool,
    RenamePreviewTool,
)
KNOWN_TOOLS: Final = {tool.wire_name: tool for tool in _ALL}
"""By wire name."""
