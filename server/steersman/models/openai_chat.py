"""Any server that speaks OpenAI's Chat Completions API, as a model.

The stream's terminal marker is a finish reason or `[DONE]`. Without either, a response is usable only if it has
calls and all of them are complete JSON.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit, urlunsplit

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Usage
from steersman.agent.model import ModelRequest, Ping, StreamDone, StreamError, StreamEvent, StreamFailure
from steersman.models.chat_body import ChatBody
from steersman.models.chat_request import ChatQuirks, ChatRequestBuilder
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.errors import ModelConfigError
from steersman.models.failures import failure_of_event
from steersman.models.http import Body, Endpoint, HttpFailure, Stall, post, shared_client
from steersman.models.secrets import Redactor, secrets_of_url

if TYPE_CHECKING:
    import httpx

_DRAIN_SECONDS = 0.2


class OpenAIChat:
    """A model behind `POST {base_url}/chat/completions`. See `agent.model.Model` for the contract of its streams.

    Args:
        name: the model's name at the server.
        base_url: with the version, as OpenAI's clients have it: `http://127.0.0.1:8080/v1`. Without any path, `/v1`
            is added. A query (`?api-version=…`) is kept.
        api_key: sent as a bearer token; None or empty for servers that want none.
        client: instead of the process's own client; the caller closes it.

    Raises:
        ModelConfigError: the base URL or the key can't be used.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str | None,
        *,
        provider: str = "openai-chat",
        quirks: ChatQuirks | None = None,
        stall: Stall | None = None,
        client: "httpx.AsyncClient | None" = None,
    ) -> None:
        key = (api_key or "").strip()
        url = _completions_url(base_url, keyed=bool(key))
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            # Compressing small pieces delays them, and costs more than it saves.
            "accept-encoding": "identity",
        }
        if key:
            headers["authorization"] = f"Bearer {_header_value(key)}"
        redact = Redactor([key, *secrets_of_url(base_url)])
        self._id = f"{provider}:{name}"
        self._endpoint = Endpoint(url, headers, stall or Stall(), redact)
        self._requests = ChatRequestBuilder(self._id, name, quirks or ChatQuirks())
        self._client = client

    @property
    def id(self) -> str:
        return self._id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One response as events; never raises. Blocks are closed by `BlockEnd` in a response that is complete."""
        chat = ChatBody()
        parser = chat.parser
        try:
            client = self._client or shared_client()
            async with (
                post(client, self._endpoint, self._requests.body(request), signal) as body,
                aclosing(_batches(body, chat, self._endpoint.stall)) as batches,
            ):
                async for events in batches:
                    for event in events:
                        yield event
            last = self._last(parser)
            for event in parser.finish() if isinstance(last, StreamDone) else ():
                yield event
            yield last
        except HttpFailure as error:
            yield StreamError(error.failure, _usage(parser))
        except Exception as error:
            # The contract's last line of defence: a defect of ours, not of the provider's.
            logging.getLogger(__name__).exception("the request to %s failed", self._endpoint.host)
            what = f"The request to {self._endpoint.host} failed ({type(error).__name__}); see the log."
            yield StreamError(StreamFailure("bad_request", what), _usage(parser))

    def _last(self, parser: ChatStreamParser) -> StreamEvent:
        host, usage = self._endpoint.host, _usage(parser)
        if parser.error is not None:
            return StreamError(failure_of_event(host, parser.error, self._endpoint.redact), usage)
        if parser.is_broken:
            return StreamError(StreamFailure("protocol", f"{host} sent an event that is not JSON."), usage)
        if not parser.is_complete:
            what = "ended the answer in the middle" if parser.has_answer else "sent no answer"
            message = f"{host} {what}: neither a finish reason nor [DONE] came."
            return StreamError(StreamFailure("protocol", message), usage)
        stop = parser.stop_reason
        if not parser.has_answer and stop in ("stop", "tool_calls"):
            return StreamError(
                StreamFailure("empty", f"{host} answered with neither text nor tool calls."), usage
            )
        return StreamDone(stop, usage, parser.model)


async def _batches(body: Body, chat: ChatBody, stall: Stall) -> AsyncGenerator[list[StreamEvent], None]:
    """The events of each read of the network, a ping for one that shows nothing, up to the end of the answer."""
    parser = chat.parser
    deadline: float | None = None
    time = asyncio.get_running_loop().time
    last_news = time()
    while piece := await _next(body, deadline):
        events = chat.feed(piece)
        if events:
            last_news = time()
        elif time() - last_news > stall.no_answer:
            body.give_up("timeout", f"sent nothing of an answer within {stall.no_answer:g} seconds")
        if chat.is_too_large:
            body.give_up("protocol", "sent more than any answer holds")
        yield events or [Ping()]
        if parser.done:
            await _drain(body)
            return
        if parser.is_broken:
            return
        is_over = parser.has_terminal_marker or parser.error is not None
        if is_over and (events or deadline is None):
            # Not the end yet: usage may follow, and some providers put a finish reason on each of several calls.
            deadline = time() + stall.after_end
    yield chat.close()


async def _next(body: Body, deadline: float | None) -> bytes:
    """The next piece. Once there is a deadline, what goes wrong with the rest, or is late, no longer matters."""
    if deadline is None:
        return await body.read()
    try:
        return await body.read(max(0.0, deadline - asyncio.get_running_loop().time()))
    except HttpFailure:
        return b""


async def _drain(body: Body) -> None:
    """Reads what follows `[DONE]`, if it comes at once, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while await body.read(_DRAIN_SECONDS):
                pass
    except (HttpFailure, TimeoutError):
        return


def _usage(parser: ChatStreamParser) -> Usage:
    return parser.usage.usage() if parser.usage is not None else Usage()


def _completions_url(base_url: str, *, keyed: bool) -> str:
    """The URL to post to. Credentials in the base URL give way to a key: a request has one authorization."""
    parts = _split(base_url)
    if parts is None:
        # The URL itself is not repeated: it may hold a key.
        raise ModelConfigError(
            "The base URL must begin with http:// or https:// and name a host, like http://127.0.0.1:8080/v1."
        )
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    netloc = parts.netloc.rpartition("@")[2] if keyed else parts.netloc
    return urlunsplit((parts.scheme, netloc, path, parts.query, ""))


def _split(base_url: str) -> SplitResult | None:
    try:
        parts = urlsplit(base_url.strip())
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _header_value(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        raise ModelConfigError("The API key holds a character that no HTTP header can carry; copy it again.")
    return key
