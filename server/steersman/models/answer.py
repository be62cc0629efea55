"""One answer over HTTP as model events, whatever the wire API. It ends exactly once, and nothing is raised."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from steersman.agent.abort import AbortSignal
from steersman.agent.model import Ping, StreamDone, StreamError, StreamEvent, StreamFailure
from steersman.models.answer_body import AnswerBody, P
from steersman.models.endpoint import Endpoint, HttpFailure, Stall
from steersman.models.failures import failure_message, failure_of_event
from steersman.models.http import Body, post, shared_client

if TYPE_CHECKING:
    import httpx

_DRAIN_SECONDS = 0.2


async def stream_answer(
    endpoint: Endpoint,
    client: "httpx.AsyncClient | None",
    content: Callable[[], bytes],
    signal: AbortSignal,
    answer: AnswerBody[P],
) -> AsyncIterator[StreamEvent]:
    """Posts `content()` and gives the answer's events. See `agent.model.Model` for what a stream promises.

    In a complete response every block is closed by a `BlockEnd`.

    Args:
        client: None: the process's own.
        content: makes the request's body. If it raises, that is a failure of the answer too.
        answer: a new one, with the parser of the wire API.
    """
    parser = answer.parser
    try:
        async with (
            post(client or shared_client(endpoint.url), endpoint, content(), signal) as body,
            aclosing(_batches(body, answer, endpoint.stall)) as batches,
        ):
            async for events in batches:
                for event in events:
                    yield event
        last = _last(endpoint, parser)
        for event in parser.finish() if isinstance(last, StreamDone) else ():
            yield event
        yield last
    except HttpFailure as error:
        yield StreamError(error.failure, parser.answer.counted)
    except Exception as error:
        # A stream never raises. This is a defect of ours, not of the provider's.
        logging.getLogger(__name__).exception("the request to %s failed", endpoint.host)
        what = f"The request to {endpoint.host} failed ({type(error).__name__}); see the log."
        yield StreamError(StreamFailure("bad_request", what), parser.answer.counted)


def _last(endpoint: Endpoint, parser: P) -> StreamEvent:
    answer, host = parser.answer, endpoint.host
    usage = answer.counted
    if answer.error is not None:
        failure = failure_of_event(host, answer.error, endpoint.redact, endpoint.key_source)
        return StreamError(failure, usage)
    if answer.broke:
        return StreamError(StreamFailure("protocol", f"{host} {answer.broke}."), usage)
    if parser.missing_end:
        what = "ended the answer in the middle" if answer.has_answer else "sent no answer"
        message = f"{host} {what}: {parser.missing_end}."
        return StreamError(StreamFailure("protocol", message), usage)
    stop = parser.stop_reason
    if answer.has_answer:
        return StreamDone(stop, usage, answer.model)
    if stop in ("stop", "tool_calls"):
        return StreamError(
            StreamFailure("empty", f"{host} answered with neither text nor tool calls."), usage
        )
    if answer.withheld:
        message = failure_message(f"{host} refused to answer", answer.withheld, endpoint.redact)
        return StreamError(StreamFailure("refused", message, cut=True), usage)
    return StreamDone(stop, usage, answer.model)


async def _batches(
    body: Body, answer: AnswerBody[P], stall: Stall
) -> AsyncGenerator[list[StreamEvent], None]:
    """The events of each read, or a ping if there are none, up to the end of the answer."""
    known = answer.parser.answer
    deadline: float | None = None
    time = asyncio.get_running_loop().time
    last_news = time()
    while piece := await _next(body, deadline):
        events = answer.feed(piece)
        if events:
            last_news = time()
        elif time() - last_news > stall.no_answer:
            body.give_up("timeout", f"sent nothing of an answer within {stall.no_answer:g} seconds")
        if answer.is_too_large:
            body.give_up("protocol", "sent more than any answer holds")
        yield events or [Ping()]
        if known.done:
            await _drain(body)
            return
        if known.broke:
            return
        is_over = known.has_terminal_marker or known.error is not None
        if is_over and (events or deadline is None):
            # Not the end yet: usage may follow, and some providers give each of several calls a finish reason.
            deadline = time() + stall.after_end
    yield answer.close()


async def _next(body: Body, deadline: float | None) -> bytes:
    """The next piece. Once there is a deadline, it doesn't matter if the rest fails or is late."""
    if deadline is None:
        return await body.read()
    try:
        return await body.read(max(0.0, deadline - asyncio.get_running_loop().time()))
    except HttpFailure:
        return b""


async def _drain(body: Body) -> None:
    """Reads what follows the end if it comes at once, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while await body.read(_DRAIN_SECONDS):
                pass
    except (HttpFailure, TimeoutError):
        return
