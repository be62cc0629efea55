"""A session's log that was damaged, or is somebody else's: it opens or is refused, and is never written over."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.session.errors import LogCorrupt, Refused
from steersman.session.fold import closed
from steersman.session.jsonlines import encode
from steersman.session.listing import list_sessions
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from steersman.workspace.guard import Guard
from support.cases import NO_SHRINK, cases
from support.mutations import Json, byte_changes, change_bytes, change_json, odd_json
from support.rich_session import RICH, rich_person, rich_session
from support.scripted_model import answer
from support.session_harness import SessionHarness

TOKENS = (
    b"\n",
    b'{"seq":1}\n',
    b'{"seq":2,"type":"session","data":{}}\n',
    b'"seq":',
    b'"type":"head"',
    b"\0" * 50,
    b"{}\n",
)
MOVES = st.sampled_from(["swap", "double", "drop", "field", "field", "field", "field", "data", "number"])
AT = st.integers(0, 1 << 16)
HARM = st.lists(st.tuples(MOVES, AT, AT, AT, odd_json), min_size=1, max_size=3)


@pytest.fixture
async def whole(tmp_path: Path):
    """A session in which about everything has happened, closed; its harness, its log, and what that holds."""
    (tmp_path / "of").mkdir()
    with Guard() as guard:
        h = SessionHarness(tmp_path / "of", *RICH, person=rich_person(), guard=guard)
        session = await rich_session(h)
        path = h.path(session)
        await h.close()
        data = path.read_bytes()
        yield h, path, data
        path.write_bytes(data)


def harmed(lines: list[bytes], harm: list[tuple[str, int, int, int, Json]]) -> bytes:
    """Records in another order, double, gone; fields of them changed. Unless they are what was changed, the numbers
    are in order again, so that it is the content that has to be understood."""
    records = [json.loads(line) for line in lines]
    for how, place, other, which, odd in harm:
        at, there = place % len(records), other % len(records)
        match how:
            case "swap":
                records[at], records[there] = records[there], records[at]
            case "double":
                records.insert(at, records[there])
            case "drop" if len(records) > 1:
                del records[at]
            case "field":
                kinds = ("replace", "take out", "rename", "wrap", "copy over")
                records[at] = change_json(records[at], [(kinds[other % len(kinds)], which, place, odd)])
            case "data":
                records[at] = {**records[at], "data": odd} if isinstance(records[at], dict) else odd
    numbered = not any(how == "number" for how, *_ in harm)
    return b"".join(
        json.dumps({**record, "seq": seq} if numbered and isinstance(record, dict) else record).encode()
        + b"\n"
        for seq, record in enumerate(records, 1)
    )


def is_read_or_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        count = len(list(read_records(path)))
        picture = closed(read_picture(path))
        assert picture.seq >= count
    except LogCorrupt as error:
        assert str(path) in str(error)
    assert path.read_bytes() == data
    for session in list_sessions(path.parent):
        assert isinstance(session.title or "", str)
        assert encode(session.data())


@cases(60, phases=NO_SHRINK)
@given(harm=HARM)
def test_whatever_its_records_say_a_log_is_read_or_refused(whole, tmp_path, harm):
    _, path, data = whole
    is_read_or_refused(tmp_path / path.name, harmed(data.splitlines(keepends=True), harm))


@cases(60, phases=NO_SHRINK)
@given(changes=byte_changes(TOKENS))
def test_whatever_its_bytes_are_a_log_is_read_or_refused(whole, tmp_path, changes):
    _, path, data = whole
    is_read_or_refused(tmp_path / path.name, change_bytes(data, changes))


@cases(15, share=0.05, phases=NO_SHRINK)
@given(harm=HARM)
async def test_a_session_of_a_damaged_log_goes_on_or_is_refused_and_left_as_it_is(whole, harm):
    h, path, data = whole
    changed = harmed(data.splitlines(keepends=True), harm)
    path.write_bytes(changed)
    h.restart(answer("going on"))
    try:
        await h.manager.resume(path.stem)
        await h.manager.events(path.stem, run=None, after=0, limit=None)
    except Refused as refused:
        assert refused.code == "readOnly", refused
        assert path.read_bytes() == changed
    else:
        assert path.read_bytes().startswith(changed)
    finally:
        await h.close()
        h.events.clear()
