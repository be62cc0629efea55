"""Sets the state of a run while its user is asked for an answer. How they are asked is a face's matter."""

from collections.abc import Callable

from steersman.session.run import RunState
from steersman.tools.ask_user import Reply, User, UserQuestion


class WaitingUser:
    """Implements `tools.ask_user.User`: has another one asked, and the run's state says so meanwhile."""

    def __init__(self, user: User, set_state: Callable[[RunState], None]) -> None:
        self._user, self._set_state = user, set_state

    async def ask(self, question: UserQuestion) -> Reply:
        self._set_state("waitingInput")
        try:
            return await self._user.ask(question)
        finally:
            self._set_state("tool")
