"""The commands of `workspace/executeCommand`: validated, passed on to the sessions, and their refusals made errors."""

import functools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from steersman.lsp.calls import after_response
from steersman.lsp.client import Client, path_of
from steersman.lsp.context import context_text
from steersman.lsp.documents import Documents
from steersman.lsp.errors import CommandError, ErrorCode
from steersman.lsp.params import (
    AbortParams,
    ApproveParams,
    ConfigureParams,
    ContinueParams,
    EventsParams,
    NoParams,
    StartParams,
    TextParams,
    parse,
)
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Answer
from steersman.session.errors import Refused
from steersman.session.manager import SessionManager, StartRequest
from steersman.session.run import Run
from steersman.workspace.errors import PathError
from steersman.workspace.roots import Roots

Handler = Callable[[list[JsonValue]], Awaitable[JsonValue]]


class Commands:
    """One connection's commands."""

    def __init__(
        self,
        manager: SessionManager,
        client: Client,
        documents: Documents,
        *,
        begin_progress: Callable[[str, str], str],
        show_error: Callable[[str], None],
        output_folder: Path,
    ) -> None:
        """`begin_progress(run, title)` makes the work-done token of a run."""
        self._manager, self._client, self._documents = manager, client, documents
        self._begin_progress, self._show_error = begin_progress, show_error
        self._output_folder = output_folder

    def table(self) -> dict[str, Handler]:
        """Every command by its id."""
        handlers = {
            "start": self._start,
            "continue": self._continue,
            "steer": self._steer,
            "followUp": self._follow_up,
            "abort": self._abort,
            "approvals": self._approvals,
            "approve": self._approve,
            "status": self._status,
            "events": self._events,
            "configure": self._configure,
        }
        return {f"steersman.{name}": self._guarded(handler) for name, handler in handlers.items()}

    async def _start(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(StartParams, arguments, string_as="prompt")
        plain = bool(arguments) and isinstance(arguments[0], str)
        prompt = params.prompt
        if params.context is not None and prompt.strip():
            prompt += context_text(params.context, self._documents)
        run = await self._manager.start(
            StartRequest(
                prompt=prompt,
                roots=self._roots(params.root),
                session=params.session,
                model=params.model,
                mode=params.mode,
                budget=params.budget.budget() if params.budget else None,
                exclusive=plain,
            )
        )
        return self._started(run, params.prompt)

    async def _continue(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ContinueParams, arguments, string_as="session")
        roots = self._roots(None)
        session = params.session
        if session is None:
            recent = self._manager.most_recent(roots)
            if recent is None:
                raise Refused("unknownSession", "There is no session to continue: start one.")
            session = recent.id
        budget = params.budget.budget() if params.budget else None
        run = await self._manager.start(StartRequest(None, roots, session, budget=budget))
        return self._started(run, "Continue")

    def _started(self, run: Run, prompt: str) -> JsonValue:
        """The answer goes out first; then the client hears of the run, and it begins."""
        token = f"steersman/{run.id}"

        def release() -> None:
            self._begin_progress(run.id, _title(prompt))
            run.release()

        after_response(release)
        return {"session": run.session, "run": run.id, "token": token}

    async def _steer(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(TextParams, arguments, string_as="text")
        run = self._manager.add("steer", params.text, params.run)
        return {"disposition": "steered", "session": run.session, "run": run.id}

    async def _follow_up(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(TextParams, arguments, string_as="text")
        try:
            run = self._manager.add("followUp", params.text, params.run)
            return {"disposition": "queued", "session": run.session, "run": run.id}
        except Refused as refusal:
            if refusal.code != "notRunning" or params.run is not None:
                raise
        roots = self._roots(None)
        recent = self._manager.most_recent(roots)
        run = await self._manager.start(
            StartRequest(params.text, roots, recent.id if recent else None, exclusive=True)
        )
        started = self._started(run, params.text)
        return {"disposition": "started", **started} if isinstance(started, dict) else started

    async def _abort(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(AbortParams, arguments, string_as="run")
        return {"aborted": self._manager.abort(params.run, params.reason)}

    async def _approvals(self, arguments: Sequence[JsonValue]) -> JsonValue:
        parse(NoParams, arguments)
        return {"approvals": self._manager.status()["approvals"]}

    async def _approve(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ApproveParams, arguments)
        answer = Answer(params.decision, params.feedback)
        self._manager.services.approvals.answer(params.id, answer)
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
        return self._manager.configure(session=params.session, model=params.model, mode=params.mode)

    def _guarded(self, handler: Callable[[Sequence[JsonValue]], Awaitable[JsonValue]]) -> Handler:
        @functools.wraps(handler)
        async def guarded(arguments: list[JsonValue]) -> JsonValue:
            try:
                return await handler(arguments)
            except Refused as refusal:
                data: dict[str, Any] = {"code": refusal.code, **refusal.data}
                error = CommandError(ErrorCode.REQUEST_FAILED, str(refusal), data)
            except CommandError as refusal:
                error = refusal
            if self._client.name == "helix":  # tested: it only logs errors of commands
                self._show_error(error.message)
            raise error

        return guarded

    def _roots(self, named: str | None) -> Roots:
        """The folders to work in, the named one (or that of the only open file) first.

        Raises:
            Refused: outsideRoot, the folder is none.
        """
        names = [name for name, _ in self._client.folders]
        folders = [path for _, path in self._client.folders]
        if named is not None:
            first = path_of(named) or Path(named)
            if not first.is_absolute() or not first.is_dir():
                raise Refused("outsideRoot", f"The root is no folder: {named}.", root=named)
            position = folders.index(first) if first in folders else len(folders)
            folders = [first, *folders[:position], *folders[position + 1 :]]
            names = [*names[position : position + 1], *names[:position], *names[position + 1 :]]
        elif not folders:
            folders = self._folder_of_only_file()
        try:
            return Roots(folders, names, readable=[self._output_folder])
        except PathError as error:
            raise Refused("outsideRoot", str(error)) from None

    def _folder_of_only_file(self) -> list[Path]:
        paths = [path for document in self._documents if (path := path_of(document.uri)) is not None]
        return [paths[0].parent] if len(paths) == 1 and paths[0].parent.is_dir() else []


def _title(prompt: str) -> str:
    first = prompt.strip().splitlines()[0] if prompt.strip() else ""
    return f"Steersman: {first if len(first) <= 60 else first[:59] + '…'}"
