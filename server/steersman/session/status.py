"""What `status` says of sessions and questions."""

from steersman.session.approvals import Question
from steersman.session.run import RunState
from steersman.session.session import Session
from steersman.session.wire import Data, queued_data, usage_data


def session_data(session: Session) -> Data:
    picture, run = session.picture, session.live
    resting: RunState = "interrupted" if picture.last_stop == "interrupted" else "idle"
    data: Data = {
        "session": session.id,
        "title": picture.title,
        "model": session.model_spec,
        "usage": usage_data(picture.usage),
        "state": _state(session, resting),
        "queue": [queued_data(item) for item in session.queue.items],
    }
    return data if run is None else data | {"run": run.id}


def _state(session: Session, resting: RunState) -> RunState:
    if session.live is not None:
        return session.live.state
    operation = session.operation
    return resting if operation is None or operation.done else operation.state


def question_data(question: Question) -> Data:
    return {**question.data(), "session": question.session, "run": question.run}
