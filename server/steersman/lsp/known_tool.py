"""The base of the tools that a client may offer by name: finds the symbol, asks the client, makes the result.

Models name a line and the text of a symbol on it, since they can see both. The client gets the params of an LSP request
for its own language servers, and returns the result of the request unchanged.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolContext, ToolError, ToolResult, text_result
from steersman.lsp.places import index_of
from steersman.lsp.ranges import position_json
from steersman.lsp.tool_calls import ToolCalls
from steersman.session.wire import Data
from steersman.tools.base import BaseTool, clipped, within_result
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import Arguments
from steersman.workspace.ports import Workspace
from steersman.workspace.positions import LineIndex, Position, PositionEncoding
from steersman.workspace.roots import ResolvedPath, printable

MAX_SHOWN = 120
"""Characters of a symbol, or of a line, that are quoted in a message."""
_ACCESS = "look at"
"""The verb in a question about a file outside the workspace."""
_NEAREST = 5

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


class KnownTool(BaseTool[A]):
    """A known tool of one session."""

    wire_name: ClassVar[str]
    """Its name on the wire."""
    execution = "parallel"

    def __init__(
        self,
        workspace: Workspace,
        calls: ToolCalls,
        *,
        uri_of: Callable[[Path], str],
        encoding: Callable[[], PositionEncoding],
    ) -> None:
        """`uri_of(path)`: the URI of a resolved path, as the client spells it."""
        super().__init__()
        self._workspace, self._calls = workspace, calls
        self._uri_of, self._encoding = uri_of, encoding

    @abstractmethod
    def file_of(self, args: A) -> str | None:
        """The path in the arguments, if there is one."""

    @abstractmethod
    async def params(self, args: A, path: ResolvedPath | None) -> Data:
        """The params of the LSP request."""

    @abstractmethod
    async def said(self, args: A, data: object, asked: Data) -> str:
        """The text for the model. `data`: the result of the LSP request; `asked`: its params."""

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
        """The file's `TextDocumentIdentifier`."""
        return {"uri": self._uri_of(path.path)}

    async def place(self, args: PlaceArguments, path: ResolvedPath | None) -> Data:
        """The `TextDocumentPositionParams` of the symbol on its line.

        Raises:
            ToolError: the symbol isn't on the line; the message says where it is.
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


def symbol_column(line: str, symbol: str) -> int | None:
    """The character of the line at which the symbol's last name begins. Whole words are preferred. None if the symbol
    isn't on the line."""
    before = r"(?<!\w)" if re.match(r"\w", symbol) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", symbol) else ""
    match = re.search(f"{before}{re.escape(symbol)}{after}", line)
    start = match.start() if match else line.find(symbol)
    if start < 0:
        return None
    names = list(re.finditer(r"\w+", symbol))
    return start + (names[-1].start() if names else 0)


def _not_there(index: LineIndex, args: PlaceArguments, path: ResolvedPath) -> str:
    symbol = clipped(printable(args.symbol), MAX_SHOWN)
    line = clipped(printable(index.line(args.line - 1).strip()), MAX_SHOWN)
    there = [number for number in range(1, index.line_count + 1) if args.symbol in index.line(number - 1)]
    nearest = sorted(sorted(there, key=lambda number: abs(number - args.line))[:_NEAREST])
    lines = f"line{'' if len(nearest) == 1 else 's'} {', '.join(map(str, nearest))}"
    where = f"It is on {lines}." if nearest else "It is not in that file."
    return f"{symbol} is not on line {args.line} of {path.display}, which is `{line}`. {where}"


def require_usable(unusable: int, name: str) -> None:
    if unusable:
        raise ToolError(
            f"The editor's answer to {name} can't be used: it is not what LSP says of that request."
        )
