"""An extension that asks a model itself."""

from steersman.agent.abort import AbortController
from steersman.agent.messages import Text, UserMessage
from steersman.agent.model import ModelRequest
from steersman.extensions import Extension

JUDGE = "test:judge"


class Judged(Extension):
    """Asks `JUDGE` after each turn."""

    async def should_stop_after_turn(self, turn):
        request = ModelRequest("Judge.", [UserMessage("", (Text("good?"),))])
        async for _ in self.session.model(JUDGE).stream(request, AbortController().signal):
            pass
