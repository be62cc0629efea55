"""The commands that show a document: that of a question, or the transcript of a session."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from steersman.lsp.approvals import whole
from steersman.lsp.arguments import parse
from steersman.lsp.background import Background
from steersman.lsp.calls import after_response
from steersman.lsp.diffs import DiffDocuments
from steersman.lsp.errors import ClientGone
from steersman.lsp.params import ShowQuestionParams
from steersman.lsp.session_params import TranscriptParams
from steersman.lsp.showing import Viewer
from steersman.lsp.transcripts import Transcripts
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.session.approvals import Approvals, Question
from steersman.session.errors import Refused
from steersman.session.manager import SessionManager
from steersman.workspace.roots import Roots


class Showing:
    """What the server can show to its client."""

    def __init__(
        self, diffs: DiffDocuments, transcripts: Transcripts, viewer: Viewer, tell: Callable[[str], None]
    ) -> None:
        """`tell(message)` is used if something can't be shown."""
        self.transcripts = transcripts
        self._diffs, self._viewer, self._tell = diffs, viewer, tell
        self._showing = Background()

    def table(self, manager: SessionManager, roots: Callable[[], Roots]) -> dict[str, CommandHandler]:
        """By name, without `steersman.`. `roots()`: the folders to work in."""

        async def show_question(arguments: Sequence[JsonValue]) -> JsonValue:
            params = parse(ShowQuestionParams, arguments, string_as="id")
            question = _question(manager.services.approvals, params.id)
            try:
                uri = self._diffs.make(question)
            except OSError as error:
                raise Refused("readOnly", f"The question can't be shown: {error}", id=question.id) from error
            after_response(lambda: self._showing.begin(self._show(question, uri)))
            return {"id": question.id, "uri": uri}

        async def transcript(arguments: Sequence[JsonValue]) -> JsonValue:
            params = parse(TranscriptParams, arguments, string_as="session")
            session = params.session or await _usual(manager, roots)
            return {"session": session, "uri": self.transcripts.open(session)}

        return {"showQuestion": show_question, "transcript": transcript}

    async def close(self) -> None:
        """Stops waiting for answers of the client."""
        await self._showing.close()
        await self.transcripts.close()

    async def _show(self, question: Question, uri: str) -> None:
        try:
            shown = await self._viewer.show(uri)
        except ClientGone:
            return
        if shown in ("yes", "unclear") or self._diffs.question_in(uri) is None:  # it was answered meanwhile
            return
        with suppress(OSError):  # without a file the question is shown in words alone
            uri = self._diffs.make(question, as_file=True)
        self._tell(whole(question, uri).removeprefix("Steersman: "))


def _question(approvals: Approvals, named: str | None) -> Question:
    """The question with this id; without one, the question that has waited longest."""
    if named is None and (pending := approvals.list()):
        return pending[0]
    if named is None:
        raise Refused("unknownApproval", "There is no pending question.")
    return approvals.get(named)


async def _usual(manager: SessionManager, roots: Callable[[], Roots]) -> str:
    """The session to show without a name: the only live one, else the last used in this server, else in this folder."""
    if manager.find.live():
        return manager.find.session_of(None).id
    last = manager.find.last_used()
    return last.id if last is not None else await manager.find.to_continue(roots())
