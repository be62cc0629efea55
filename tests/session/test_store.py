"""What the store makes of logs that are empty, damaged, replaced, or none at all."""

import asyncio
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from steersman.session.errors import Refused
from steersman.session.log import SessionLog
from steersman.session.log_index import STEP, LogIndex
from steersman.session.store import Store
from support.long_log import write_long_log
from support.scripted_model import answer


async def test_a_log_without_a_record_can_not_be_copied_and_says_so(harness):
    """Another process may hold a log that it has just made: it is only read, and is empty."""
    h = harness()
    path = h.services.log_path("ses_empty")
    log = SessionLog.create(path)
    with pytest.raises(Refused, match="empty") as refused:
        await h.manager.library.fork("ses_empty")
    assert refused.value.code == "readOnly"
    assert sorted(path.parent.iterdir()) == [path]
    await log.close()


async def test_records_of_a_log_that_another_file_has_replaced_are_found_in_the_new_one(tmp_path):
    """Also while somebody still reads the old one: its places must not be taken for places in the new one."""
    path, other = tmp_path / "log.jsonl", tmp_path / "other.jsonl"
    write_long_log(path, "ses_1", 4000)
    write_long_log(other, "ses_with_a_much_longer_name", 4000)
    assert path.stat().st_size > 3 * STEP
    index = LogIndex(path, lambda path: path.open("rb"))
    old = index.records(0)
    next(old)
    other.replace(path)
    assert next(index.records(0))[0]["session"] == "ses_with_a_much_longer_name"
    assert len(list(old)) == 3999
    for after in (3990, 1000, 2500):
        record, _ = next(index.records(after))
        assert record["seq"] == after + 1


@pytest.mark.parametrize("name", ["", "../config", "ses_1/x", "x" * 101, "\u00e9"])
async def test_an_id_that_no_session_has_names_no_file(harness, name):
    h = harness()
    with pytest.raises(Refused) as refused:
        h.manager.log_of(name)
    assert refused.value.code == "unknownSession"


async def test_a_node_that_is_no_message_of_the_user_has_no_text(harness):
    h = harness(answer("done"))
    run = await h.run()
    said = next(node for node in h.session.picture.tree.nodes.values() if node.kind == "assistant")
    with pytest.raises(Refused, match="is no message of the user") as refused:
        await Store(h.services).message(run.session, said)
    assert refused.value.code == "readOnly"


@pytest.mark.parametrize("kind", ["edit_applied", "session_renamed"])
async def test_a_record_that_lacks_what_its_type_must_have_makes_the_session_read_only(harness, kind):
    h = harness(answer("done"))
    run = await h.run()
    await h.close()
    seq = h.records(run.session)[-1]["seq"] + 1
    with h.path(run.session).open("ab") as file:
        file.write(b'{"seq":%d,"type":"%b","data":{}}\n' % (seq, kind.encode()))
    h.restart()
    ask = Store(h.services).history if kind == "edit_applied" else h.manager.resume
    with pytest.raises(Refused, match="lacks what its type must have") as refused:
        await ask(run.session)
    assert refused.value.code == "readOnly"
    h.path(run.session).unlink()


async def test_who_stops_waiting_for_a_session_to_open_gives_its_log_back(harness):
    reading, go_on = threading.Event(), threading.Event()

    class Slow(SessionLog):
        @staticmethod
        def reader(path: Path) -> BinaryIO:
            reading.set()
            go_on.wait()
            return path.open("rb")

    h = harness(answer("done"))
    run = await h.run()
    await h.close()
    h.services.log_class = Slow
    store = Store(h.services)
    opening = asyncio.ensure_future(store.open(run.session, h.roots))
    await asyncio.to_thread(reading.wait)
    opening.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await (await store.open(run.session, h.roots)).close()


async def test_a_session_whose_folder_can_not_be_looked_at_is_resumed_without_it(harness, tmp_path):
    h = harness(answer("done"), answer("again"))
    run = await h.run()
    await h.close()
    path = h.path(run.session)
    folder = h.root.as_uri().encode()
    path.write_bytes(path.read_bytes().replace(folder, folder + b"x" * 300))
    h.restart()
    session = await h.manager.resume(run.session)
    assert session.roots.folders == ()
    path.unlink()
