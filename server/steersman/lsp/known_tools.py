"""The tools that a client may offer by name alone: what models are shown of them, and what the client is asked.

Models name a line and the text of a symbol on it, which they can see; the client gets the params of the LSP request
that it makes of its own language servers, and its result comes back as it is.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolContext, ToolError, ToolResult, text_result
from steersman.lsp.hovers import hover_text
from steersman.lsp.places import changes, index_of, listing_of, locations, symbols
from steersman.lsp.ranges import position_json
from steersman.lsp.tool_calls import ToolCalls
from steersman.session.wire import Data
from steersman.tools.base import BaseTool, clipped, count, within_result
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import Arguments
from steersman.workspace.ports import Workspace
from steersman.workspace.positions import LineIndex, Position, PositionEncoding
from steersman.workspace.roots import ResolvedPath, printable

_ACCESS = "look at"
"""What a question about a file outside the workspace says."""
_NEAREST = 5
_SHOWN = 120

A = TypeVar("A", bound=Arguments)


class PlaceArguments(Arguments):
    renames: ClassVar = {
        "file_path": "path",
        "filePath": "path",
        "file": "path",
        "filename": "path",
        "line_number": "line",
        "lineNumber": "line",
        "name": "symbol",
        "identifier": "symbol",
        "column": None,
        "character": None,
    }
    path: str = Field(description="File in which the symbol is used or defined.")
    line: int = Field(ge=1, description="Line of the file, from 1, on which the symbol stands.")
    symbol: str = Field(
        min_length=1,
        description="The symbol's name, exactly as it is written on that line; of `a.b` it is `b`.",
    )


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


class KnownTool(BaseTool[A]):
    """One of them, as a session has it."""

    wire_name: ClassVar[str]
    """As the client calls it."""
    execution = "parallel"

    def __init__(
        self,
        workspace: Workspace,
        calls: ToolCalls,
        *,
        uri_of: Callable[[Path], str],
        encoding: Callable[[], PositionEncoding],
    ) -> None:
        """`uri_of(path)` is how the client spells the URI of a resolved path."""
        super().__init__()
        self._workspace, self._calls = workspace, calls
        self._uri_of, self._encoding = uri_of, encoding

    @abstractmethod
    def file_of(self, args: A) -> str | None:
        """The path in the arguments."""

    @abstractmethod
    async def params(self, args: A, path: ResolvedPath | None) -> Data:
        """What the client is asked: the params of the LSP request."""

    @abstractmethod
    async def said(self, args: A, data: object, asked: Data) -> str:
        """The request's result as text."""

    async def propose(self, args: A, signal: AbortSignal) -> Proposal | None:
        given = self.file_of(args)
        if given is None:
            return None
        return access_needed(self._workspace, _ACCESS, self._workspace.resolve(given))

    async def execute(self, args: A, context: ToolContext) -> ToolResult:
        given = self.file_of(args)
        path = None if given is None else self._workspace.resolve(given)
        if path is not None:
            require_access(self._workspace, _ACCESS, path, context)
        asked = await self.params(args, path)
        answer = await self._calls.call(self.wire_name, asked, context, read_only=True)
        if answer.text is not None:
            return text_result(within_result(answer.text, "The result"), is_error=answer.is_error)
        if not answer.has_data or answer.is_error:
            raise ToolError(
                f"The editor's answer to {self.name} can't be used: it has neither data nor content."
            )
        return text_result(within_result(await self.said(args, answer.data, asked), "The result"))

    def document(self, path: ResolvedPath) -> Data:
        """A TextDocumentIdentifier."""
        return {"uri": self._uri_of(path.path)}

    async def place(self, args: PlaceArguments, path: ResolvedPath | None) -> Data:
        """TextDocumentPositionParams of the symbol on its line.

        Raises:
            ToolError: it isn't there; the text says where it is.
        """
        assert path is not None
        index = await index_of(path, self._workspace)
        if args.line > index.line_count:
            raise ToolError(
                f"Line {args.line} is beyond the end of {path.display}, which has {index.line_count}."
            )
        column = symbol_column(index.line(args.line - 1), args.symbol)
        if column is None:
            raise ToolError(_not_there(index, args, path))
        encoding = self._encoding()
        offset = index.offset(Position(args.line - 1, 0), encoding) + column
        position = index.position(offset, encoding)
        return {
            "textDocument": self.document(path),
            "position": position_json(position),
        }


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
            _require_usable(found.unusable, self.name)
            return f"[The editor's language servers know no {self.what} of {printable(args.symbol)} there]"
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
            _require_usable(unusable, self.name)
            return f"[The editor's language servers say nothing of {printable(args.symbol)} there]"
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
            raise ToolError("Give a path, whose symbols are listed, or a query for those of the workspace.")
        return await super().propose(args, signal)

    async def params(self, args: SymbolsArguments, path: ResolvedPath | None) -> Data:
        return {"query": args.query} if path is None else {"textDocument": self.document(path)}

    async def said(self, args: SymbolsArguments, data: object, asked: Data) -> str:
        document = asked.get("textDocument")
        if document is None:
            found = symbols(data, None)  # how a query is matched is the language server's to say
        else:
            found = symbols(data, document["uri"], (args.query or "").casefold())
        if not found.places:
            _require_usable(found.unusable, self.name)
            return "[The editor's language servers know no such symbols]"
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
            _require_usable(found.unusable, self.name)
            return "[The rename would change nothing]"
        names = f"{clipped(printable(args.symbol), _SHOWN)} to {clipped(printable(args.new_name), _SHOWN)}"
        number = len({place.uri for place in found.places})
        head = f"Renaming {names} would change {count(edits, 'place')} in {count(number, 'file')}:\n"
        body = (await listing_of(found.places, self._workspace)).text(unusable=found.unusable)
        if files:
            body += f"[{count(len(set(files)), 'file')} would be made, moved or deleted as well]\n"
        return head + body


_ALL: Final[tuple[type[KnownTool[Any]], ...]] = (
    DefinitionTool,
    ReferencesTool,
    HoverTool,
    SymbolsTool,
    RenamePreviewTool,
)
KNOWN_TOOLS: Final = {tool.wire_name: tool for tool in _ALL}
"""By the name that a client offers them by."""


def symbol_column(line: str, symbol: str) -> int | None:
    """Where on the line the symbol's last name begins, in characters: as a whole word, else anywhere."""
    before = r"(?<!\w)" if re.match(r"\w", symbol) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", symbol) else ""
    match = re.search(f"{before}{re.escape(symbol)}{after}", line)
    start = match.start() if match else line.find(symbol)
    if start < 0:
        return None
    names = list(re.finditer(r"\w+", symbol))
    return start + (names[-1].start() if names else 0)


def _not_there(index: LineIndex, args: PlaceArguments, path: ResolvedPath) -> str:
    symbol = clipped(printable(args.symbol), _SHOWN)
    line = clipped(printable(index.line(args.line - 1).strip()), _SHOWN)
    there = [number for number in range(1, index.line_count + 1) if args.symbol in index.line(number - 1)]
    nearest = sorted(sorted(there, key=lambda number: abs(number - args.line))[:_NEAREST])
    where = f"It is on line {', '.join(map(str, nearest))}." if nearest else "It is on no line of that file."
    return f"{symbol} is not on line {args.line} of {path.display}, which is `{line}`. {where}"


def _require_usable(unusable: int, name: str) -> None:
    if unusable:
        raise ToolError(
            f"The editor's answer to {name} can't be used: it is not what LSP says of that request."
        )
