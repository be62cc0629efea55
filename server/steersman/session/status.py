"""What `status` says of sessions and questions."""

from typing import Literal

from steersman.session.approvals import Question
from steersman.session.run import RunState
from steersman.session.session import Session
from steersman.session.wire import Data, queued_data, usage_data


def session_data(session: Session) -> Data:
    picture, run = session.picture, session.live
    data: Data = {
        "session": session.id,
        "title": picture.title,
        "model": session.model_spec,
        "usage": usage_data(picture.usage),
        "state": _state(session),
        "queue": [queued_data(item) for item in session.queue.items],
    }
    return data if run is None else data | {"run": run.id}


def _state(session: Session) -> RunState:
    if session.live is not None:
        return session.live.state
    operation = session.operation
    return resting(session) if operation is None or operation.done else operation.state


def resting(session: Session) -> Literal["idle", "interrupted"]:
    """The state of a session in which nothing goes on."""
    return "interrupted" if session.picture.last_stop == "interrupted" else "idle"


def question_data(question: Question) -> Data:
    return {**question.data(), "session": question.session, "run": question.run}
