"""What `status` says of sessions and questions."""

from steersman.session.approvals import Question
from steersman.session.session import Session
from steersman.session.wire import Data, queued_data, usage_data


def session_data(session: Session) -> Data:
    picture, run = session.picture, session.live
    resting = "interrupted" if picture.last_stop == "interrupted" else "idle"
    data: Data = {
        "session": session.id,
        "title": picture.title,
        "model": session.model_spec,
        "usage": usage_data(picture.usage),
        "state": run.state if run is not None else resting,
        "queue": [queued_data(item) for item in session.queue],
    }
    return data if run is None else data | {"run": run.id}


def question_data(question: Question) -> Data:
    return {**question.data(), "session": question.session, "run": question.run}
