"""Each way to fail, at each instant, over a real connection: of which kind it is, what is left of the answer, what
follows, and what the user reads. The table of docs/failures.md is made of the same cases: `make failures`.
"""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from steersman.agent.abort import AbortSignal
from steersman.agent.hooks import GiveUp, Retry
from steersman.agent.model import BlockDelta, StreamDone, StreamError, StreamFailure
from steersman.models.failure_shapes import SHAPES
from steersman.models.http import new_client
from steersman.models.local_client import LocalClient
from steersman.session.retry import POLICIES, RetryPolicy
from support.injected import CASES, KEY, USUAL, Case, serving
from support.model_server import ask
from support.wires import CHAT, WIRES

DOCUMENT = Path(__file__).parents[2] / "docs" / "failures.md"
WRITTEN = os.environ.get("STEERSMAN_FAILURES")
"""The file that the tables are written to."""
POLICY = RetryPolicy(jitter=lambda: 1.0)


RUNS = [
    pytest.param(case, wire, client, id=f"{case.id}-{wire.api}-{client}")
    for case in CASES
    for wire in WIRES
    for client in ("local", "httpx")
    # What is large, and what is httpx's, is the same for each API.
    if wire is CHAT or not (case.is_large or client == "httpx")
]


@pytest.fixture
async def client(request):
    """One of the two: what holds for one has to hold for the other."""
    made = new_client() if request.param == "httpx" else LocalClient(connect=30, write=30)
    yield made
    await made.aclose()


async def read(model, seen):
    """What is shown of an answer, and its last event."""
    shown, last = "", None
    async for event in model.stream(ask(), AbortSignal()):
        assert last is None, "nothing comes after the last event"
        if isinstance(event, BlockDelta):
            shown += event.text if event.index == 0 else ""
            seen.set()
        elif isinstance(event, StreamDone | StreamError):
            last = event
    return shown, last


@pytest.mark.parametrize(("case", "wire", "client"), RUNS, indirect=["client"])
async def test_a_failure_has_its_kind_and_says_what_to_do(case, wire, client):
    seen = asyncio.Event()
    async with serving(case, wire, seen) as url:
        model = wire.model(
            base_url=url, api_key=KEY, stall=case.stall, client=client, key_source="SOME_API_KEY"
        )
        shown, last = await read(model, seen)
    assert shown == case.shown
    kind = case.kind_for(wire)
    if kind is None:
        assert isinstance(last, StreamDone)
        return
    assert isinstance(last, StreamError)
    assert last.failure.kind == kind
    host = url.split("/")[2]
    text = told(last.failure)
    assert KEY not in repr(last)
    assert KEY not in text
    assert host in text
    assert case.says.replace("HOST", host) in text


def told(failure: StreamFailure) -> str:
    """What the user reads in the end."""
    decision = POLICY.decide(failure, 1)
    if isinstance(decision, Retry):
        decision = POLICY.decide(failure, POLICIES[failure.kind].attempts)
    assert isinstance(decision, GiveUp)
    return decision.message


@pytest.mark.parametrize("client", ["local", "httpx"], indirect=True)
@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.api)
async def test_where_nobody_listens_it_says_so(wire, client):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        shown, last = await read(
            wire.model(base_url=url, api_key=KEY, stall=USUAL, client=client), asyncio.Event()
        )
    assert (shown, last.failure.kind) == ("", "network")
    assert "Is the model's server running" in told(last.failure)


# The tables of the page


def kinds_table() -> str:
    rows = [
        f"| `{kind}` | {policy.means} | {_tries(policy.attempts, policy.if_told)} | {policy.advice} |"
        for kind, policy in POLICIES.items()
    ]
    return _table("| kind | what it means | asked again | what you can do |", rows)


def _tries(attempts: int, if_told: bool) -> str:
    if attempts == 1:
        return "no"
    times = "once" if attempts == 2 else f"{attempts - 1} times at most"
    return f"{times}, if the provider says when" if if_told else times


def shapes_table() -> str:
    rows = [
        f"| {shape.provider} | `{shape.kind}` | {shape.status}, {' or '.join(shape.codes) or 'no code'} | "
        f"{shape.example} | {shape.source} |"
        for shape in SHAPES
    ]
    return _table("| provider | kind | status and code | message | source |", rows)


def cases_table() -> str:
    return _table(
        "| the server | when | kind | shown before | asked again |", [_case_row(case) for case in CASES]
    )


def _case_row(case: Case) -> str:
    kinds = {wire.api: case.kind_for(wire) for wire in WIRES}
    if len(set(kinds.values())) == 1:
        kind = _kind(case.kind)
    else:
        kind = "; ".join(f"{_kind(each)} ({api})" for api, each in kinds.items())
    policy = POLICIES[case.kind] if case.kind else None
    again = _tries(policy.attempts, policy.if_told) if policy else "–"
    if policy is not None and policy.if_told:
        again = "no"
    if "3600" in case.what:
        again = "no: it is too long"
    return f"| {case.what} | {case.when} | {kind} | {case.shown or 'nothing'} | {again} |"


def _kind(kind: str | None) -> str:
    return f"`{kind}`" if kind else "complete"


def _table(head: str, rows: list[str]) -> str:
    return "\n".join([head, "|" + " --- |" * (head.count("|") - 1), *rows])


@pytest.mark.parametrize("table", [kinds_table, shapes_table, cases_table])
def test_the_page_has_the_table(table):
    if WRITTEN:
        path = Path(WRITTEN)
        path.write_text(_with(path.read_text(), table.__name__, table()))
    page = DOCUMENT.read_text()
    assert _with(page, table.__name__, table()) == page  # else: make failures


def _with(page: str, name: str, table: str) -> str:
    """The page with the table between its two marks."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, mark, after = rest.partition(end)
    assert mark, f"no place for {name}"
    return before + begin + table + end + after
