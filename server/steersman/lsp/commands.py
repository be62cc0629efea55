"""The commands of `workspace/executeCommand`: validated and passed on to the sessions; refusals become errors."""

import functools
from collections.abc import Callable, Sequence

from steersman.agent.config import Budget
from steersman.agent.events import Input
from steersman.lsp.approval_requests import answer_of
from steersman.lsp.arguments import parse, parse_queue
from steersman.lsp.calls import after_response
from steersman.lsp.client import Client
from steersman.lsp.comment_commands import AskUser, CommentCommands, said
from steersman.lsp.context import pointed_of
from steersman.lsp.documents import Documents
from steersman.lsp.errors import CommandError, request_failed
from steersman.lsp.extension_commands import ExtensionCommands
from steersman.lsp.model_commands import ModelCommands
from steersman.lsp.params import (
    AbortParams,
    ApproveParams,
    BudgetParams,
    ConfigureParams,
    ContinueParams,
    EventsParams,
    NoParams,
    QueueParams,
    StartParams,
    TemplatesParams,
    TextParams,
)
from steersman.lsp.progress import token_of
from steersman.lsp.session_commands import SessionCommands
from steersman.lsp.show_commands import Showing
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.lsp.working_folders import WorkingFolders
from steersman.session.approvals import settled_apart
from steersman.session.errors import Refused, handing_back
from steersman.session.exports import Export
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.run import Run
from steersman.session.said import check_text
from steersman.session.session import Session
from steersman.session.starting import StartRequest
from steersman.session.templates import Template
from steersman.session.wire import queued_data


class Commands:
    """One connection's commands."""

    def __init__(
        self,
        manager: SessionManager,
        client: Client,
        documents: Documents,
        *,
        begin_progress: Callable[[str, str], None],
        show_error: Callable[[str], None],
        on_export: Callable[[Export], None],
        ask_user: AskUser,
        showing: Showing,
        home: Home,
    ) -> None:
        """`begin_progress(run, title)` makes the work-done token of a run. `on_export` shows an exported file.
        `ask_user` lets the user type a prompt."""
        self._manager, self._client, self._documents = manager, client, documents
        self._on_export, self._ask_user = on_export, ask_user
        self._roots = WorkingFolders(client, documents, home).roots
        self._showing = showing
        self._begin_progress, self._show_error = begin_progress, show_error

    def table(self) -> dict[str, CommandHandler]:
        """All commands by id."""
        comments = CommentCommands(self._manager, self._documents, self._roots, self._started, self._ask_user)
        handlers = {
            "start": self._start,
            "continue": self._continue,
            "steer": self._steer,
            "followUp": self._follow_up,
            "queue": self._queue,
            "abort": self._abort,
            "approvals": self._approvals,
            "approve": self._approve,
            "status": self._status,
            "events": self._events,
            "configure": self._configure,
            "templates": self._templates,
            **comments.table(),
            **self._showing.table(self._manager, self._roots),
            **SessionCommands(
                self._manager,
                self._roots,
                self._on_export,
                self._showing.transcripts.forget,
            ).table(),
            **ModelCommands(self._manager).table(),
            **ExtensionCommands(self._manager, self._roots).table(),
        }
        return {f"steersman.{name}": self._guarded(handler) for name, handler in handlers.items()}

    async def _start(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(StartParams, arguments, string_as="prompt")
        plain = bool(arguments) and isinstance(arguments[0], str)
        with handing_back(params.prompt):
            roots = self._roots(params.root)
            run = await self._manager.start(
                StartRequest(
                    prompt=params.prompt,
                    roots=roots,
                    pointed=pointed_of(params.context, self._documents),
                    session=params.session,
                    model=params.model,
                    mode=params.mode,
                    thinking=params.thinking,
                    budget=self._budget(params.budget),
                    exclusive=plain,
                )
            )
        return self._started(run, params.prompt)

    async def _continue(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ContinueParams, arguments, string_as="session")
        roots = self._roots()
        session = params.session
        if session is None:
            session = await self._manager.find.to_continue(roots)
        request = StartRequest(None, roots, session, budget=self._budget(params.budget))
        run = await self._manager.start(request)
        return self._started(run, "Continue")

    def _budget(self, params: BudgetParams | None) -> Budget | None:
        return params.over(self._manager.services.settings.budget) if params else None

    def _started(self, run: Run, prompt: str) -> dict[str, JsonValue]:
        """The answer of a run that begins. It is sent first; then come the progress token and the run's first steps."""

        def release() -> None:
            self._begin_progress(run.id, _title(prompt))
            run.release()

        after_response(release)
        return {"session": run.session, "run": run.id, "token": token_of(run.id)}

    async def _steer(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(TextParams, arguments, string_as="text")
        with handing_back(params.text):
            pointed = pointed_of(params.context, self._documents)
            queued = await self._manager.say("steer", params.text, params.run, pointed)
        return said(queued)

    async def _follow_up(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(TextParams, arguments, string_as="text")
        pointed = pointed_of(params.context, self._documents)
        with handing_back(params.text):
            try:
                return said(await self._manager.say("followUp", params.text, params.run, pointed))
            except Refused as refusal:
                if refusal.code != "notRunning" or params.run is not None:
                    raise
            roots = self._roots()
            recent = self._manager.find.most_recent(roots)
            run = await self._manager.start(
                StartRequest(params.text, roots, recent, pointed=pointed, exclusive=True)
            )
        return {"disposition": "started", **self._started(run, params.text)}

    async def _queue(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse_queue(arguments)
        with handing_back(params.text):
            session = self._manager.find.session_of(params.run)
            assert session.live is not None
            run = session.live.id
            if params.op == "edit":
                check_text(params.text or "")
                await self._manager.edit_queued(session, params.id or "", params.text or "")
            return self._change_queue(session, run, params)

    def _change_queue(self, session: Session, run: str, params: QueueParams) -> dict[str, JsonValue]:
        """Changes the queue and makes the answer, without an await between: nothing is delivered meanwhile."""
        item = params.id or ""
        removed: Sequence[Input] | None = None
        if params.op == "remove":
            removed = session.queue.remove(item)
        elif params.op == "move":
            session.queue.move(item, params.to, params.kind)
        elif params.op == "clear":
            removed = session.queue.clear()
        answer: dict[str, JsonValue] = {
            "session": session.id,
            "run": run,
            "items": [queued_data(item) for item in session.queue.items],
        }
        return answer if removed is None else answer | {"removed": [queued_data(item) for item in removed]}

    async def _abort(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(AbortParams, arguments, string_as="run")
        return {"aborted": await self._manager.stop(params.run, params.reason)}

    async def _approvals(self, arguments: Sequence[JsonValue]) -> JsonValue:
        parse(NoParams, arguments)
        return {"approvals": self._manager.status()["approvals"]}

    async def _approve(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ApproveParams, arguments)
        approvals = self._manager.services.approvals
        question = approvals.get(params.id)
        approvals.answer(question.id, await settled_apart(question, answer_of(question, params)))
        return {"id": params.id, "decision": params.decision}

    async def _status(self, arguments: Sequence[JsonValue]) -> JsonValue:
        parse(NoParams, arguments)
        return self._manager.status()

    async def _events(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(EventsParams, arguments, string_as="session")
        return await self._manager.events(
            params.session, run=params.run, after=params.after, limit=params.limit
        )

    async def _configure(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ConfigureParams, arguments)
        return await self._manager.configure(
            session=params.session, model=params.model, mode=params.mode, thinking=params.thinking
        )

    async def _templates(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(TemplatesParams, arguments, string_as="root")
        found = await self._manager.prompts.templates(self._roots(params.root))
        return {"templates": [_template_data(template) for template in found]}

    def _guarded(self, handler: CommandHandler) -> CommandHandler:
        """The handler, with refusals as JSON-RPC errors. A client that hides errors is also shown them as a message."""

        @functools.wraps(handler)
        async def guarded(arguments: Sequence[JsonValue]) -> JsonValue:
            try:
                return await handler(arguments)
            except Refused as refusal:
                error = request_failed(refusal)
            except CommandError as refusal:
                error = refusal
            if self._client.quirks.hides_errors:
                self._show_error(error.message)
            raise error

        return guarded


def _template_data(template: Template) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {
        "name": template.name,
        "description": template.description,
        "hint": template.hint,
        "source": template.source,
        "path": str(template.path),
    }
    return data if template.problem is None else data | {"problem": template.problem}


def _title(prompt: str) -> str:
    first = prompt.strip().splitlines()[0] if prompt.strip() else ""
    return f"Steersman: {first if len(first) <= 60 else first[:59] + '…'}"
