"""The code actions: fix a problem, do what a comment says, explain, stop, continue, answer a question.

What is offered depends only on the request and on memory: no model is asked, and no disk is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from steersman.lsp.action_request import ActionRequest, Problem
from steersman.lsp.actions import AnswerActions
from steersman.lsp.client import LLM_GENERATED, Client, path_of
from steersman.lsp.documents import Document, Documents
from steersman.lsp.errors import InvalidParams
from steersman.lsp.instruction_comments import Written, index_of, lines_of, written_in
from steersman.lsp.plain import array, as_record, record, string
from steersman.lsp.ranges import range_json
from steersman.lsp.virtual_documents import path_in
from steersman.lsp.wire import JsonObject, JsonValue
from steersman.session.manager import SessionManager
from steersman.session.session import Session
from steersman.workspace.positions import LineIndex, Position
from steersman.workspace.roots import printable

FIX: Final = "quickfix"
REWRITE: Final = "refactor.rewrite"
OTHER: Final = "steersman"
"""A kind that editors which sort by kind show under "other". VS Code's light bulb leaves out the kind `source`."""
OPTIONS: Final[JsonObject] = {"codeActionKinds": [FIX, REWRITE, OTHER], "resolveProvider": True}
"""`CodeActionOptions`, as the server advertises them."""
MAX_SHOWN: Final = 60
"""Characters of quoted text in a title."""
MAX_EACH: Final = 5
"""Problems, or comments, that get an action each; further ones are only part of the action for all."""
MAX_RUNS: Final = 3
"""Live runs that get actions of their own."""
_CONTINUED: Final = ("max_turns", "budget", "interrupted", "error")


@dataclass(frozen=True, slots=True)
class _Offer:
    title: str
    kind: str
    command: str
    """Without `steersman.`."""
    argument: JsonObject
    problems: tuple[Problem, ...] = ()
    by_model: bool = True
    """A model does the work."""


class CodeActions:
    """One connection's."""

    def __init__(
        self,
        answers: AnswerActions,
        manager: SessionManager,
        documents: Documents,
        client: Client,
        *,
        ours: Path,
    ) -> None:
        """`ours`: the folder of this server's own documents, which get no actions except for answers."""
        self._answers, self._manager = answers, manager
        self._documents, self._client, self._ours = documents, client, ours

    def offered(self, params: JsonValue) -> list[dict[str, Any]]:
        """`textDocument/codeAction`.

        Raises:
            InvalidParams: the document or the range can't be read.
        """
        request = ActionRequest.of(params)
        actions = self._answers.here(request.uri)
        document = self._documents.get(request.uri)
        if document is not None and document.text is not None:
            actions += [self._action(each) for each in self._offers(request, document)]
        if not request.automatic:
            actions += self._answers.elsewhere(request.uri)
        wanted = [action for action in actions if request.wants(action["kind"])]
        return wanted if self._client.action_literals else [_as_command(action) for action in wanted]

    def resolved(self, params: JsonValue) -> JsonObject:
        """`codeAction/resolve`: the same action, with its command.

        Raises:
            InvalidParams: this server did not offer the action.
        """
        action = as_record(params, "params")
        if "command" in action or "edit" in action:
            return action
        data = record(action, "data")
        if data.get("steersman") is not True:
            raise InvalidParams("data", "data: this code action was not offered by this server.")
        command = {"title": string(action, "title"), "command": string(data, "command")}
        return {**action, "command": {**command, "arguments": array(data, "arguments")}}

    def _action(self, offer: _Offer) -> dict[str, Any]:
        action: dict[str, Any] = {"title": offer.title, "kind": offer.kind}
        if offer.by_model and self._client.action_tags:
            action["tags"] = [LLM_GENERATED]
        if offer.problems:
            action["diagnostics"] = [problem.as_came for problem in offer.problems]
        command = {"command": f"steersman.{offer.command}", "arguments": [offer.argument]}
        if self._client.resolves_commands:
            return {**action, "data": {"steersman": True, **command}}
        return {**action, "command": {"title": offer.title, **command}}

    # What is offered, in order: what concerns the place comes first

    def _offers(self, request: ActionRequest, document: Document) -> Iterator[_Offer]:
        path = path_of(request.uri)
        if path_in(request.uri) is not None or (path is not None and path.is_relative_to(self._ours)):
            return
        live = [
            session for session in self._manager.find.live() if session.live and not session.live.aborting
        ]
        if path is not None:
            yield from _fixes(request, path, busy=bool(live))
            yield from self._from_comments(request, document, live)
        yield from self._about_the_place(request, document, editable=path is not None)
        if not request.automatic:
            yield from _of_runs(live)
            if not live:
                yield from self._continue()
            if not self._client.features.approval:  # such a client has its own interface
                yield from self._transcripts(live)

    def _from_comments(
        self, request: ActionRequest, document: Document, live: Sequence[Session]
    ) -> Iterator[_Offer]:
        found = [
            each
            for each in written_in(document, lines_of(request.range), self._documents.encoding)
            if not any(session.works_on(each.comment) for session in live)
        ]
        place: JsonObject = {"uri": request.uri}
        for each in found[:MAX_EACH]:
            said = shown(each.comment.text)
            at = {**place, "range": each.range, "text": each.comment.text}
            yield from _delivered(at, f": {said}", "this comment", live)
        if len(found) > 1:
            at = {**place, "range": _hull(found)}
            yield from _delivered(at, "", f"these {len(found)} comments", live)

    def _about_the_place(
        self, request: ActionRequest, document: Document, *, editable: bool
    ) -> Iterator[_Offer]:
        selected = request.range.start != request.range.end
        if request.automatic and not selected:
            return
        span = _json_range(request, document, selected, self._documents)
        context: JsonObject = {"selections": [{"uri": request.uri, "range": span}]}
        if self._client.features.input:
            if selected and editable:
                work: JsonObject = {"question": "What should be done with the selection?", "context": context}
                yield _Offer("Work on this selection with Steersman…", REWRITE, "ask", work)
            ask: JsonObject = {
                "question": "What do you want to know?",
                "context": context,
                "mode": "read-only",
            }
            yield _Offer("Ask Steersman about this…", OTHER, "ask", ask)
        explain: JsonObject = {"prompt": "Explain this.", "context": context, "mode": "read-only"}
        yield _Offer("Explain this with Steersman", OTHER, "start", explain)

    def _continue(self) -> Iterator[_Offer]:
        session = self._manager.find.last_used()
        if session is not None and session.picture.last_stop in _CONTINUED:
            yield _Offer("Continue the run", OTHER, "continue", {"session": session.id})

    def _transcripts(self, live: Sequence[Session]) -> Iterator[_Offer]:
        last = self._manager.find.last_used()
        for session, of in _named(live or ([last] if last is not None else [])):
            argument: JsonObject = {"session": session.id}
            yield _Offer(f"Show the transcript{of}", OTHER, "transcript", argument, by_model=False)


def _as_command(action: dict[str, Any]) -> dict[str, Any]:
    """The action for a client that takes only commands (without `codeActionLiteralSupport`)."""
    return {**action["command"], "title": action["title"]}


def shown(text: str) -> str:
    """Text as it is quoted in a title: one line, shortened, with invisible characters escaped."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…"


def _fixes(request: ActionRequest, path: Path, *, busy: bool) -> Iterator[_Offer]:
    """While a run is live the fix waits for its end: two runs that edit would get in each other's way."""
    after = " after this run" if busy else ""
    problems = request.problems
    for problem in problems[:MAX_EACH]:
        yield _fix(f"Fix with Steersman{after}: {shown(problem.message)}", (problem,), path, busy=busy)
    if len(problems) > 1:
        title = f"Fix all {len(problems)} problems here with Steersman{after}"
        yield _fix(title, problems, path, busy=busy)


def _fix(title: str, problems: tuple[Problem, ...], path: Path, *, busy: bool) -> _Offer:
    what = "this problem" if len(problems) == 1 else f"these {len(problems)} problems"
    said = f"Fix {what} in {printable(path.name)}."
    context: JsonObject = {"diagnostics": [problem.as_context for problem in problems]}
    argument: JsonObject = {"text" if busy else "prompt": said, "context": context}
    return _Offer(title, FIX, "followUp" if busy else "start", argument, problems)


def _delivered(at: JsonObject, said: str, what: str, live: Sequence[Session]) -> Iterator[_Offer]:
    """The ways to have a comment done: it begins a run, or goes to a live one."""
    if not live:
        says = "says" if what == "this comment" else "say"
        yield _Offer(f"Do what {what} {says}{said}", REWRITE, "doComment", at)
    for session, of in _named(live):
        assert session.live is not None
        joins: JsonObject = {**at, "run": session.live.id}
        yield _Offer(f"Steer the run{of} with {what}{said}", REWRITE, "doComment", {**joins, "how": "steer"})
        title = f"Queue {what} as a follow-up{' of the run' if of else ''}{of}{said}"
        yield _Offer(title, REWRITE, "doComment", {**joins, "how": "followUp"})


def _of_runs(live: Sequence[Session]) -> Iterator[_Offer]:
    for session, of in _named(live):
        assert session.live is not None
        yield _Offer(f"Stop the run{of}", OTHER, "abort", {"run": session.live.id}, by_model=False)


def _named(live: Sequence[Session]) -> Iterator[tuple[Session, str]]:
    """The sessions, newest first, each with what tells it from the others ("" for a single one)."""
    names = [f"“{shown(session.picture.title or session.id)}”" for session in live]
    for session, name in list(zip(live, names, strict=True))[: -MAX_RUNS - 1 : -1]:
        also = f" ({session.id})" if names.count(name) > 1 else ""
        yield session, f" {name}{also}" if len(live) > 1 else ""


def _hull(found: Sequence[Written]) -> JsonObject:
    """The range from the first comment to the last."""
    return {"start": found[0].range["start"], "end": found[-1].range["end"]}


def _json_range(
    request: ActionRequest, document: Document, selected: bool, documents: Documents
) -> JsonObject:
    """The selection, else the whole line."""
    start, end = sorted((request.range.start, request.range.end))
    if selected:
        return range_json(start, end)
    index = index_of(document.text or "")
    whole = index.line(start.line) if start.line < index.line_count else ""
    width = LineIndex(whole).position(len(whole), documents.encoding).character
    return range_json(Position(start.line, 0), Position(start.line, width))
