"""The commands of `workspace/executeCommand`: what each means, takes and answers. For the protocol's schema and tables.

Nothing here is used while a server runs; a test compares it with the commands that the server has.
"""

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from steersman.lsp import answers, model_answers, params, session_answers, session_params


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `workspace/executeCommand`."""

    name: str
    """Without `steersman.`."""
    meaning: str
    params: type[params.Params]
    answers: tuple[type[BaseModel], ...]
    """The possible forms of its answer."""
    string_as: str | None = None
    """The field that a bare string stands for."""

    @property
    def id(self) -> str:
        return f"steersman.{self.name}"


COMMANDS: Final = (
    Command("start", "Begins a run.", params.StartParams, (answers.StartAnswer,), "prompt"),
    Command(
        "continue",
        "Continues after a limit, a truncated answer, an error or an interruption.",
        params.ContinueParams,
        (answers.StartAnswer,),
        "session",
    ),
    Command(
        "steer",
        "Sends a message into a live run, before its next request.",
        params.TextParams,
        (answers.SteerAnswer,),
        "text",
    ),
    Command(
        "followUp",
        "Sends a message when the run would otherwise end; begins a run if none is live.",
        params.TextParams,
        (answers.QueuedAnswer, answers.StartedAnswer),
        "text",
    ),
    Command(
        "doComment",
        "Does what a comment says, and removes the comment from its file.",
        params.DoCommentParams,
        (answers.StartedAnswer, answers.SteerAnswer, answers.QueuedAnswer),
    ),
    Command(
        "ask",
        "Asks the user for a prompt by `steersman/input`, and sends it. Answers when the user has.",
        params.AskParams,
        (answers.StartedAnswer, answers.QueuedAnswer, answers.ClosedAnswer),
    ),
    Command(
        "queue",
        "Lists, edits, reorders or removes the messages that wait for a live run.",
        params.QueueParams,
        (answers.QueueAnswer,),
        "op",
    ),
    Command(
        "abort",
        "Stops a run. A second abort does nothing.",
        params.AbortParams,
        (answers.AbortAnswer,),
        "run",
    ),
    Command("approvals", "The pending questions.", params.NoParams, (answers.ApprovalsAnswer,)),
    Command("approve", "Answers a question.", params.ApproveParams, (answers.ApproveAnswer,)),
    Command(
        "showQuestion",
        "Shows what a question is about, such as the diff or the command.",
        params.ShowQuestionParams,
        (answers.ShowQuestionAnswer,),
        "id",
    ),
    Command(
        "status",
        "The open sessions, live runs and pending questions.",
        params.NoParams,
        (answers.StatusAnswer,),
    ),
    Command(
        "events",
        "The durable events after a given one, and the message that is being streamed.",
        params.EventsParams,
        (answers.EventsAnswer,),
        "session",
    ),
    Command(
        "configure",
        "Sets the model, mode and thinking level of a session, or of all new runs.",
        params.ConfigureParams,
        (answers.ConfigureAnswer,),
    ),
    Command(
        "models",
        "The models that can be chosen, as the providers list them; for others, why they can't be used and what to do.",
        params.ModelsParams,
        (model_answers.ModelsAnswer,),
        "provider",
    ),
    Command(
        "templates",
        "The prompt templates that `/name` calls.",
        params.TemplatesParams,
        (answers.TemplatesAnswer,),
        "root",
    ),
    Command(
        "sessions",
        "The kept sessions.",
        session_params.SessionsParams,
        (session_answers.SessionsAnswer,),
        "root",
    ),
    Command(
        "resume",
        "Opens a kept session, to continue it from its end or from one of its messages.",
        session_params.ResumeParams,
        (session_answers.ResumeAnswer,),
        "session",
    ),
    Command(
        "fork",
        "Continues from before a message, in a copy or in place. Changes no file.",
        session_params.ForkParams,
        (session_answers.ForkAnswer, session_answers.WentBackAnswer),
        "session",
    ),
    Command(
        "compact",
        "Replaces old messages by a summary for the model. The log keeps them.",
        session_params.CompactParams,
        (session_answers.CompactAnswer,),
        "instructions",
    ),
    Command(
        "checkpoints",
        "The messages of a session to which its file changes can be reverted.",
        session_params.CheckpointsParams,
        (session_answers.CheckpointsAnswer,),
        "session",
    ),
    Command(
        "revert",
        "Reverts the file changes since a checkpoint, or says what that would do.",
        session_params.RevertParams,
        (session_answers.RevertPreview, session_answers.OperationAnswer),
    ),
    Command(
        "export",
        "Writes a session's transcript to a file: a self-contained HTML page, or Markdown.",
        session_params.ExportParams,
        (session_answers.ExportAnswer,),
        "session",
    ),
    Command(
        "transcript",
        "Shows a session's transcript, which is kept up to date.",
        session_params.TranscriptParams,
        (session_answers.TranscriptAnswer,),
        "session",
    ),
    Command(
        "rename", "Gives a session a title.", session_params.RenameParams, (session_answers.RenameAnswer,)
    ),
    Command(
        "delete",
        "Deletes a session for good. Its file changes stay.",
        session_params.DeleteParams,
        (session_answers.DeleteAnswer,),
    ),
)
"""In the order of the documentation."""
