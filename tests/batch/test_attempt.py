"""One task, done in this process: what is in its folder afterwards."""

import asyncio
import errno
import json
import os

import pytest

from steersman.batch.attempt import Stopper, attempt
from steersman.batch.errors import Unwritten
from steersman.batch.locking import take
from steersman.batch.preparing import take_base
from steersman.session.home import Home
from steersman.session.settings import Settings
from support.batches import an_order, tape
from support.command_line import calls
from support.full_disk import no_room

EDIT = ("edit", {"path": "calc.py", "edits": [{"oldText": "a - b", "newText": "a + b"}]})
BEFORE, AFTER = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
HANG = calls(("bash", {"command": "sleep 1000"}))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w/calc.py").write_text(BEFORE)
    return tmp_path


async def do(root, order, stopper=None, on_state=lambda _: None):
    home = Home(root / "home")
    return await attempt(order, home, Settings(), stopper or Stopper(), on_state)


def ordered(root, *turns, **fields):
    return an_order(root, model=tape(root / "tape.jsonl", *turns), **fields)


async def test_a_finished_task_has_log_transcript_patch_and_result(root):
    order = ordered(root, calls(EDIT, text="Looking."), {"text": "It adds now."})
    states = []
    result = await do(root, order, on_state=states.append)
    place = order.place
    assert json.loads(place.result.read_text()) == result
    assert (result["status"], result["stopReason"], result["turns"]) == ("complete", "complete", 2)
    assert (result["text"], result["message"]) == ("It adds now.", "1 file changed (+1 −1).")
    assert result["files"] == [{"path": "calc.py", "kind": "changed"}]
    assert result["workspace"] is None
    assert "+    return a + b\n" in place.patch.read_text()
    records = [json.loads(line) for line in place.log.read_text().splitlines()]
    assert records[-1]["type"] == "agent_end"
    assert records[0]["session"] == result["session"]
    assert "It adds now." in place.transcript.read_text()
    assert not place.workspace.exists()
    assert (root / "w/calc.py").read_text() == BEFORE
    assert states == ["running", "ended"]


async def test_a_finished_task_is_not_done_again(root):
    order = ordered(root, {"text": "Once."})
    result = await do(root, order)
    (root / "tape.jsonl").unlink()
    assert await do(root, order) == result


async def test_what_commands_did_is_in_the_patch_and_what_is_ignored_is_not(root):
    (root / "w/.gitignore").write_text("*.pyc\n")
    order = ordered(
        root,
        calls(("bash", {"command": "echo new > made.txt; echo x > y.pyc; rm calc.py"})),
        {"text": "Done."},
    )
    result = await do(root, order)
    assert result["files"] == [{"path": "calc.py", "kind": "deleted"}, {"path": "made.txt", "kind": "added"}]
    assert result["leftOut"] == {"count": 1, "paths": ["y.pyc"]}
    whole = an_order(root, "two", model=order.model, all_files=True)
    assert {each["path"] for each in (await do(root, whole))["files"]} == {"calc.py", "made.txt", "y.pyc"}


async def test_the_copy_can_be_kept(root):
    order = ordered(root, calls(EDIT), {"text": "Done."}, keep_workspace=True)
    result = await do(root, order)
    assert result["workspace"] == str(order.place.workspace)
    assert (order.place.workspace / "calc.py").read_text() == AFTER


async def test_in_place_the_workspace_itself_is_changed(root):
    order = ordered(root, calls(EDIT), {"text": "Done."}, in_place=True)
    result = await do(root, order)
    assert result["workspace"] == str(root / "w")
    assert (root / "w/calc.py").read_text() == AFTER
    assert "+    return a + b\n" in order.place.patch.read_text()


async def test_all_tasks_of_a_workspace_begin_with_the_same_state_whatever_happens_to_it(root):
    order = ordered(root, calls(EDIT), {"text": "Done."})
    take_base(order)
    (root / "w/calc.py").write_text("something else\n")
    assert (await do(root, order))["files"] == [{"path": "calc.py", "kind": "changed"}]


async def test_a_base_that_was_cut_off_is_copied_anew(root):
    order = ordered(root, calls(EDIT), {"text": "Done."})
    (root / "out/.bases/w").mkdir(parents=True)
    (root / "out/.bases/w/half").write_text("")
    assert (await do(root, order))["files"] == [{"path": "calc.py", "kind": "changed"}]


async def test_a_call_that_nobody_could_be_asked_about_is_told_as_declined(root):
    order = ordered(root, HANG, {"text": "No."}, mode="auto-edit")
    result = await do(root, order)
    assert result["status"] == "declined"
    assert [each["name"] for each in result["denied"]] == ["bash"]


async def test_a_budget_ends_it_as_limit(root):
    result = await do(root, ordered(root, calls(EDIT), {"text": "Done."}, turns=1))
    assert (result["status"], result["stopReason"]) == ("limit", "max_turns")


async def test_a_model_that_fails_ends_it_as_error(root):
    result = await do(root, ordered(root, {"error": {"kind": "auth", "message": "no key"}}))
    assert result["status"] == "error"
    assert "no key" in result["message"]


async def test_a_timeout_aborts_it_and_keeps_what_it_did(root):
    order = ordered(root, calls(EDIT), HANG, timeout=1.0)
    result = await do(root, order)
    assert result["status"] == "timeout"
    assert result["message"].startswith("Stopped after 1 s.")
    assert "+    return a + b\n" in order.place.patch.read_text()


async def test_a_stop_aborts_it_and_the_next_attempt_begins_anew(root):
    order = ordered(root, HANG)
    stopper = Stopper()
    result = await do(root, order, stopper, lambda state: state == "running" and stopper.stop("SIGINT"))
    assert result["status"] == "aborted"
    tape(root / "tape.jsonl", calls(EDIT), {"text": "Done."})
    again = await do(root, order)
    assert (again["status"], again["attempt"]) == ("complete", 2)
    assert json.loads((order.place.earlier / "1/result.json").read_text())["status"] == "aborted"


async def test_while_another_attempt_holds_the_folder_it_waits(root):
    order = ordered(root, {"text": "Done."})
    order.place.root.mkdir(parents=True)
    held = take(order.place.lock)
    waiting = asyncio.create_task(do(root, order))
    await asyncio.sleep(0)
    assert not order.place.workspace.exists()
    os.close(held)
    assert (await waiting)["status"] == "complete"


async def test_a_wait_for_another_attempt_can_be_called_off(root):
    order = ordered(root, {"text": "Done."})
    order.place.root.mkdir(parents=True)
    held = take(order.place.lock)
    stopper = Stopper()
    stopper.stop("SIGINT")
    with pytest.raises(Unwritten, match="stopped before it began"):
        await do(root, order, stopper)
    os.close(held)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_that_can_not_be_copied_is_an_error_of_its_task(root):
    (root / "w/secret").write_text("")
    (root / "w/secret").chmod(0)
    result = await do(root, ordered(root, {"text": "Done."}))
    assert result["status"] == "error"
    assert "secret: Permission denied" in result["message"]


async def test_a_workspace_that_is_gone_is_an_error_of_its_task(root):
    order = ordered(root, {"text": "Done."})
    (root / "w/calc.py").unlink()
    (root / "w").rmdir()
    result = await do(root, order)
    assert result["status"] == "error"
    assert result["message"].startswith("The workspace can't be copied:")


async def test_a_folder_that_can_not_be_made_leaves_the_task_unfinished(root):
    order = ordered(root, {"text": "Done."})
    (root / "out").write_text("a file")
    with pytest.raises(Unwritten) as caught:
        await do(root, order)
    assert caught.value.__cause__.errno == errno.ENOTDIR


async def test_a_task_whose_log_can_not_be_written_is_unfinished_though_its_result_had_room(root):
    order = ordered(root, {"text": "All of it. " * 10_000})
    with no_room(50_000), pytest.raises(Unwritten, match="The session log could not be written") as caught:
        await do(root, order)
    assert caught.value.__cause__.errno == errno.EIO
    assert not order.place.result.exists()
    assert (await do(root, order))["status"] == "complete"
