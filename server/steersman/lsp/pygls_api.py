"""pygls' own API for requests and progress, on top of `ClientRequests`: handlers written for pygls go on working."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.progress import Progress

from steersman.lsp.client_requests import ClientRequests
from steersman.lsp.errors import ClientGone, ClientRequestError, InvalidParams
from steersman.lsp.structure import typed_result
from steersman.lsp.wire import JsonValue


def typed_request(
    requests: ClientRequests,
    converter: Converter,
    method: str,
    params: object,
    callback: Callable[[Any], None] | None,
) -> Future[Any]:
    """Sends a request without a timeout. The future has the typed result, or fails as `ClientRequests.request` does;
    cancelling it cancels the request. `callback` is given the result of a request that has succeeded."""
    future: Future[Any] = Future()
    if callback is not None:
        future.add_done_callback(lambda done: _call_with_result(done, callback))
    try:
        request_id, answer = requests.begin(method, params)
    except ClientGone as error:
        future.set_exception(error)
        return future
    answer.add_done_callback(lambda done: _pass_on(done, converter, method, future))
    future.add_done_callback(lambda done: requests.cancel(request_id) if done.cancelled() else None)
    return future


def _pass_on(
    answer: asyncio.Future[JsonValue], converter: Converter, method: str, future: Future[Any]
) -> None:
    if future.done():
        return
    try:
        future.set_result(typed_result(converter, method, answer.result()))
    except (ClientRequestError, InvalidParams) as error:
        future.set_exception(error)


def _call_with_result(done: Future[Any], callback: Callable[[Any], None]) -> None:
    if not done.cancelled() and done.exception() is None:
        callback(done.result())


class FrugalProgress(Progress):
    """pygls' helper keeps every token for ever; this one forgets a token at its end."""

    def end(self, token: types.ProgressToken, value: types.WorkDoneProgressEnd) -> None:
        super().end(token, value)
        self.tokens.pop(token, None)
