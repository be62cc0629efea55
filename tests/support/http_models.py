"""Models over HTTP whose server is `Canned`, and what the tests of every wire API say of them."""

from collections.abc import Sequence
from typing import Any

from steersman.agent.model import StreamError, StreamEvent, StreamFailure
from steersman.models.endpoint import Stall
from steersman.models.http import new_client
from steersman.models.http_model import HttpModel, WireApi
from support.model_server import Canned

KEY = "canary-key-0123456789"
SHORT = Stall(first_byte=0.05, between=0.05, after_end=0.05)
QUICK = Stall(first_byte=5, between=5, after_end=0.05, no_answer=0.05)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
"""Of a response; `chunked` pieces follow, an empty one at the end."""


def model_of(api: WireApi, canned: Canned, name: str, **options: Any) -> HttpModel:
    """A model with a key that `canned` answers, at a base URL without a path."""
    options = {"base_url": "http://model.test", "api_key": KEY, **options}
    return HttpModel(api, name, client=new_client(canned), **options)


def failure_of(events: Sequence[StreamEvent]) -> StreamFailure:
    """How a stream that failed ended."""
    assert isinstance(events[-1], StreamError), events[-1]
    return events[-1].failure


def chunked(data: bytes) -> bytes:
    """A piece of a body whose length was not told before."""
    return b"%x\r\n%s\r\n" % (len(data), data)
