"""A model's server that fails, as a whole run sees it: each way of failing of `injected`, at each of its instants.

However it fails: the run has one end that says why, its waits are the policy's, nothing of a half answer is in the
history, what it cost counts once, and the session goes on with the next prompt as if nothing had been.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from steersman.agent.abort import AbortSignal
from steersman.agent.model import BlockDelta, Model, ModelRequest, StreamEvent
from steersman.models.local_client import LocalClient
from steersman.session.retry import POLICIES
from support.injected import CASES, KEY, Case, serving, stream
from support.manual_clock import settle
from support.session_harness import SessionHarness, budget
from support.wires import CHAT

ALL = bool(os.environ.get("STEERSMAN_CRASH"))
WELL = Case("answers", "at once", stream("opening", "finish", "end"), None, "", "ends", "Hello")


class Switched:
    """A model that can be another one for the next request. Keeps what it was asked."""

    id = "test:scripted"

    def __init__(self, model: Model, seen: asyncio.Event) -> None:
        self.model, self._seen = model, seen
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        self._seen.clear()
        async for event in self.model.stream(request, signal):
            if isinstance(event, BlockDelta):
                self._seen.set()
            yield event


async def ended(h: SessionHarness, prompt: str) -> None:
    """A run from its start to its end. The waits before another request take no time."""
    session = h.session.id if h.events else None
    run = await h.start(prompt, session=session, budget=budget(turns=1))
    assert run.task is not None
    waited = len(h.of("retry"))
    while not run.task.done():
        await asyncio.wait({run.task}, timeout=0.005)
        for told in h.of("retry")[waited:]:
            waited += 1
            await settle()
            h.clock.advance(told["afterMs"] / 1000 + 0.001)
    await run.wait()


@pytest.mark.parametrize(
    "case", [case for case in CASES if ALL or not case.is_large], ids=lambda case: case.id
)
async def test_a_run_whose_models_server_fails_ends_once_and_the_session_goes_on(tmp_path: Path, case: Case):
    seen = asyncio.Event()
    h = SessionHarness(tmp_path)
    async with AsyncExitStack() as stack:
        fails = await stack.enter_async_context(serving(case, CHAT, seen))
        works = await stack.enter_async_context(serving(WELL, CHAT, asyncio.Event()))
        client = LocalClient(connect=30, write=30)
        stack.push_async_callback(client.aclose)
        options = {"api_key": KEY, "client": client, "key_source": "SOME_API_KEY"}
        model = Switched(CHAT.model(base_url=fails, stall=case.stall, **options), seen)
        h.models[model.id] = model
        await ended(h, "go")
        kind = case.kind_for(CHAT)
        asked = len(model.requests)
        _ended_as(h, case, fails.split("/")[2], asked)
        assert all(request.messages == model.requests[0].messages for request in model.requests)

        model.model = CHAT.model(base_url=works, stall=WELL.stall, **options)
        await ended(h, "and now?")
    assert (h.end["stopReason"], h.end["text"]) == ("complete", "Hello")
    assert len(model.requests) == asked + 1
    said = [
        (each.role, "".join(block.text for block in each.content)) for each in model.requests[-1].messages
    ]
    answered = [("assistant", case.shown)] if kind is None else []
    assert said == [("user", "go"), *answered, ("user", "and now?")], "nothing is left of what failed"
    assert KEY.encode() not in h.path().read_bytes()
    h.verify()
    await h.close()


def _ended_as(h: SessionHarness, case: Case, host: str, asked: int) -> None:
    kind = case.kind_for(CHAT)
    assert h.types.count("agent_end") == 1
    assert h.end["turns"] == 1, "asking again is no turn of the budget"
    assert len(h.of("retry")) == asked - 1
    if kind is None:
        assert (h.end["stopReason"], h.end["text"], asked) == ("complete", case.shown, 1)
        return
    policy = POLICIES[kind]
    tried = 1 if "3600" in case.what or (policy.if_told and "7" not in case.what) else policy.attempts
    assert (h.end["stopReason"], h.end["error"]["code"], asked) == ("error", kind, tried)
    says = "Start a new session" if kind == "context_overflow" else case.says.replace("HOST", host)
    assert says in h.end["message"]
    answers = [data for data in h.of("message_end") if data.get("role") != "user"]
    assert all("discarded" in data for data in answers)
    assert bool(answers) >= bool(case.shown), "what was shown is taken back"
