"""The commands of `workspace/executeCommand`: what each means, takes and answers. For the protocol's schema and tables.

Nothing here is used while a server runs; a test compares it with the commands that the server has.
"""

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from steersman.lsp import answers, model_answers, params, session_answers, session_params


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `workspace/executeCommand`."""

    name: str
    """Without `steersman.`."""
    meaning: str
    params: type[params.Params]
    answers: tuple[type[BaseModel], ...]
    """The forms that its answer can have."""
    string_as: str | None = None
    """The field that a bare string in place of the object is meant for."""

    @property
    def id(self) -> str:
        return f"steersman.{self.name}"


COMMANDS: Final = (
    Command("start", "Begins a run.", params.StartParams, (answers.StartAnswer,), "prompt"),
    Command(
        "continue",
        "Goes on after a limit, a cut answer, an error or an interruption.",
        params.ContinueParams,
        (answers.StartAnswer,),
        "session",
    ),
    Command("steer", "Says something to a live run, now.", params.TextParams, (answers.SteerAnswer,), "text"),
    Command(
        "followUp",
        "Says something when the run would end; begins a run when none is live.",
        params.TextParams,
        (answers.QueuedAnswer, answers.StartedAnswer),
        "text",
    ),
    Command(
        "doComment",
        "Does what a comment says, and takes the comment out of its file.",
        params.DoCommentParams,
        (answers.StartedAnswer, answers.SteerAnswer, answers.QueuedAnswer),
    ),
    Command(
        "ask",
        "Asks the user for a prompt, by `steersman/input`, and says it. Answers when they have.",
        params.AskParams,
        (answers.StartedAnswer, answers.QueuedAnswer, answers.ClosedAnswer),
    ),
    Command(
        "queue",
        "What waits to be said to a live run: shown, changed, put in another order, taken out.",
        params.QueueParams,
        (answers.QueueAnswer,),
        "op",
    ),
    Command("abort", "Stops a run. Harmless twice.", params.AbortParams, (answers.AbortAnswer,), "run"),
    Command("approvals", "The pending questions.", params.NoParams, (answers.ApprovalsAnswer,)),
    Command("approve", "Answers a question.", params.ApproveParams, (answers.ApproveAnswer,)),
    Command(
        "showQuestion",
        "Shows what a question is about: the diff, or the command.",
        params.ShowQuestionParams,
        (answers.ShowQuestionAnswer,),
        "id",
    ),
    Command(
        "status", "What is open, runs and waits for an answer.", params.NoParams, (answers.StatusAnswer,)
    ),
    Command(
        "events",
        "The durable events after a number, and what is being streamed.",
        params.EventsParams,
        (answers.EventsAnswer,),
        "session",
    ),
    Command(
        "configure",
        "Sets model, mode and thinking of a session, or of all new runs.",
        params.ConfigureParams,
        (answers.ConfigureAnswer,),
    ),
    Command(
        "models",
        "The models that there are to name, asked from the providers; why others can't be used, and what to do.",
        params.ModelsParams,
        (model_answers.ModelsAnswer,),
        "provider",
    ),
    Command(
        "templates",
        "The prompt templates, called by `/name`.",
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
        "Opens a kept session, to go on where it stands or from one of its messages.",
        session_params.ResumeParams,
        (session_answers.ResumeAnswer,),
        "session",
    ),
    Command(
        "fork",
        "Goes on from before a message, in a copy or in place. Changes no file.",
        session_params.ForkParams,
        (session_answers.ForkAnswer, session_answers.WentBackAnswer),
        "session",
    ),
    Command(
        "compact",
        "Has old messages summarised for the model. Nothing is lost: the log keeps them.",
        session_params.CompactParams,
        (session_answers.CompactAnswer,),
        "instructions",
    ),
    Command(
        "checkpoints",
        "The messages of a session to which its changes of files can be taken back.",
        session_params.CheckpointsParams,
        (session_answers.CheckpointsAnswer,),
        "session",
    ),
    Command(
        "revert",
        "Takes back what was changed since a checkpoint, or tells what that would do.",
        session_params.RevertParams,
        (session_answers.RevertPreview, session_answers.OperationAnswer),
    ),
    Command(
        "export",
        "Writes a session's transcript to a file: an HTML page that needs nothing else, or Markdown.",
        session_params.ExportParams,
        (session_answers.ExportAnswer,),
        "session",
    ),
    Command(
        "transcript",
        "Shows a session's transcript, which goes on with it.",
        session_params.TranscriptParams,
        (session_answers.TranscriptAnswer,),
        "session",
    ),
    Command(
        "rename", "Gives a session a title.", session_params.RenameParams, (session_answers.RenameAnswer,)
    ),
    Command(
        "delete",
        "Deletes a session for good. What it did to files stays.",
        session_params.DeleteParams,
        (session_answers.DeleteAnswer,),
    ),
)
"""In the order in which they are documented."""
