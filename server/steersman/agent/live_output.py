"""The live output of a running tool: transformed or withheld, and told only until the tool has settled."""

import logging
from collections.abc import Callable

from steersman.agent.events import ToolExecutionUpdate, utf16_length
from steersman.agent.hooks import Hooks
from steersman.agent.messages import ToolCall
from steersman.agent.recorder import Recorder

log = logging.getLogger(__name__)


class LiveOutput:
    def __init__(self, call: ToolCall, hooks: Hooks, recorder: Recorder) -> None:
        self._call, self._recorder = call, recorder
        self._transform = hooks.transform_update
        self._shown = hooks.after_tool_call is None or self._transform is not None
        self._offset = 0
        self._execution = 0

    def listen(self) -> Callable[[str], None]:
        """Returns the function with which one execution tells its output. It does nothing any more once a later
        execution has begun (the proposal was superseded) or the call has settled."""
        self._execution += 1
        mine = self._execution

        def update(text: str) -> None:
            if mine == self._execution:
                self._tell(text)

        return update

    def settle(self) -> None:
        self._execution += 1

    def _tell(self, text: str) -> None:
        if not self._shown or not text:
            return
        shown: str | None = text
        if self._transform:
            try:
                shown = self._transform(self._call, text)
            except Exception:
                log.exception("transform_update failed on %s: its live output is withheld", self._call.name)
                self._shown = False
                return
        if shown:
            self._recorder.tell(ToolExecutionUpdate(self._call.id, self._offset, shown))
            self._offset += utf16_length(shown)
