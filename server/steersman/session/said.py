"""What may be said to a session, and what is said in a user's place."""

from collections.abc import Sequence

from steersman.agent.messages import AssistantMessage, CustomMessage, Json, Message, Text
from steersman.session.errors import Refused
from steersman.workspace.uris import path_of

MAX_PROMPT = 4 * 1024 * 1024
"""Characters of one message."""


def check_text(text: str) -> None:
    """Raises:
    Refused: emptyPrompt, tooLarge.
    """
    if not text.strip():
        raise Refused("emptyPrompt", "The message is empty.")
    if len(text) > MAX_PROMPT:
        data: dict[str, Json] = {"limit": MAX_PROMPT}
        raise Refused(
            "tooLarge", f"The message is longer than {MAX_PROMPT} characters; name files instead.", **data
        )


def words_to_go_on(session: str, messages: Sequence[Message]) -> str | None:
    """What to say to continue without a prompt; None: nothing, the model has yet to answer.

    Raises:
        Refused: emptyPrompt, since the last answer was complete.
    """
    tail = next((message for message in reversed(messages) if not isinstance(message, CustomMessage)), None)
    if isinstance(tail, AssistantMessage) and tail.cut:
        return "Your last answer was cut off. Go on exactly where it ended."
    if tail is None or isinstance(tail, AssistantMessage):
        raise Refused("emptyPrompt", "There is nothing to continue: start with a prompt.", session=session)
    return None


def note_of_reverts(uris: Sequence[str]) -> Text | None:
    """What to tell a model of files whose changes the user has reverted: it would take its own changes for done."""
    if not uris:
        return None
    names = "\n".join(f"- {path_of(uri)}" for uri in dict.fromkeys(uris))
    return Text(
        f"The user has taken your changes of these files back; read them again:\n{names}", "reverted files"
    )
