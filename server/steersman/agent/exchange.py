"""One exchange with the model: asks until there is an answer to commit or a failure that ends the run.

`on_stream_failure` is the one place that decides on retries. Nothing of a response is history before its commit.
"""

from collections.abc import Sequence
from dataclasses import replace

from steersman.agent.events import DiscardReason, MessageDiscarded, MessageEnd, MessageStart
from steersman.agent.hooks import GiveUp, Retry, without_custom
from steersman.agent.messages import NO_USAGE, AssistantMessage, Message, ModelStop
from steersman.agent.model import ModelRequest, StreamFailure, ToolSpec
from steersman.agent.response import Response
from steersman.agent.run_state import RunState
from steersman.agent.tasks import pause


class Exchange:
    def __init__(self, state: RunState) -> None:
        self._state = state
        self._response: Response | None = None

    async def respond(self) -> AssistantMessage | StreamFailure:
        """The committed answer, or why there is none.

        Raises:
            Aborted, HookFailed, SinkFailed: before the commit. The caller then calls `discard`.
        """
        state = self._state
        attempt = 0
        while True:
            attempt += 1
            response = await self._ask()
            if response.stop_reason is not None and not state.signal.aborted:
                return await self._commit(response, response.stop_reason)
            failure = response.failure or StreamFailure("protocol", "The model's answer can't be used.")
            decision = await self._on_failure(failure, attempt)
            if isinstance(decision, GiveUp):
                failure = replace(failure, message=decision.message or failure.message)
                await self.discard("failed", failure)
                return failure
            await self.discard("retried", failure)
            state.recorder.check()
            await pause(decision.after, signal=state.signal, clock=state.config.clock)

    async def discard(self, reason: DiscardReason, failure: StreamFailure | None = None) -> None:
        """Closes the open message, if there is one, as not committed."""
        response, self._response = self._response, None
        if message_id := self._state.recorder.open_message:
            partial, usage = (response.content, response.usage) if response else ((), NO_USAGE)
            await self._state.recorder.close(MessageDiscarded(message_id, reason, partial, usage, failure))

    async def _ask(self) -> Response:
        """Makes one request, and reads its response."""
        state, config = self._state, self._state.config
        request = await self._request()
        response = Response(config.new_id("msg"), state.recorder, lambda: config.new_id("call"))
        await state.recorder.emit(MessageStart(response.message_id, "assistant", config.model.id))
        self._response = response
        state.request_sent()
        state.check_abort()
        await response.read(
            config.model,
            request,
            signal=state.signal,
            clock=config.clock,
            strays=config.strays,
            stall=config.limits.stall,
            grace=config.limits.grace,
        )
        state.usage += response.usage
        return response

    async def _request(self) -> ModelRequest:
        """The conversation as the model is to see it, with the steering that comes while it is being made."""
        state = self._state
        while True:
            messages: Sequence[Message] = state.messages
            if transform := state.hooks.transform_context:
                messages = await state.wait("transform_context", transform, messages, state.signal)
            state.check_abort()
            state.poll_steering()
            if not state.pending:
                break
            await state.inject()
        convert = state.hooks.convert_to_llm or without_custom
        converted = state.call("convert_to_llm", lambda: tuple(convert(messages)))
        config = state.config
        specs = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in config.tools]
        return ModelRequest(config.system, converted, specs, config.thinking, config.max_output_tokens)

    async def _on_failure(self, failure: StreamFailure, attempt: int) -> Retry | GiveUp:
        state = self._state
        state.check_abort()  # a stream that fails because of the abort is an abort
        hook = state.hooks.on_stream_failure
        if hook is None or attempt >= state.config.limits.attempts:
            return GiveUp()
        return await state.wait("on_stream_failure", hook, failure, attempt, state.signal)

    async def _commit(self, response: Response, stop_reason: ModelStop) -> AssistantMessage:
        state = self._state
        model = state.config.model.id
        message = AssistantMessage(response.message_id, response.content, model, stop_reason, response.usage)
        await state.recorder.emit(MessageEnd(message))
        self._response = None
        state.append(message)
        return message
