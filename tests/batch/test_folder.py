"""The folder of a batch: whatever a kill has left, each finished task has one line in the predictions in the end."""

import json
from pathlib import Path

import pytest

from steersman.batch.errors import BatchError
from steersman.batch.folder import PREDICTIONS, OutputFolder
from steersman.batch.preparing import finished, read_result, set_aside
from steersman.batch.writing import write_result


@pytest.fixture
def folder(tmp_path):
    folder = OutputFolder.open(tmp_path / "out")
    yield folder
    folder.close()


def finish(folder, name, status="complete", patch="diff\r\né\n"):
    place = folder.place(name)
    place.root.mkdir(exist_ok=True)
    place.patch.write_bytes(patch.encode())
    result = {"id": name, "status": status, "model": "m", "workspace": None}
    write_result(place, result)
    return result


def predictions(folder):
    return [json.loads(line) for line in (folder.root / PREDICTIONS).read_text().splitlines()]


def test_a_prediction_has_the_fields_that_benchmarks_read(folder):
    folder.add(finish(folder, "one"))
    assert predictions(folder) == [
        {"instance_id": "one", "model_name_or_path": "m", "model_patch": "diff\r\né\n"}
    ]


def test_wherever_a_line_is_torn_each_task_has_one_line_after_settling(folder):
    for name in ("one", "two"):
        folder.add(finish(folder, name))
    path = folder.root / PREDICTIONS
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        folder.settle()
        assert path.read_bytes() == whole
    path.unlink()
    folder.settle()
    assert path.read_bytes() == whole


def test_lines_without_a_finished_task_are_dropped_and_duplicates_become_one(folder):
    folder.add(finish(folder, "one"))
    path = folder.root / PREDICTIONS
    line = path.read_bytes()
    path.write_bytes(line + line + line.replace(b"one", b"../../other") + b"[]\n" + b'{"instance_id": 3}\n')
    folder.settle()
    assert path.read_bytes() == line


def test_the_lines_keep_their_order(folder):
    for name in ("b", "a"):
        folder.add(finish(folder, name))
    finish(folder, "0")
    folder.settle()
    assert [each["instance_id"] for each in predictions(folder)] == ["b", "a", "0"]


def test_an_aborted_task_is_not_finished(folder):
    finish(folder, "one", status="aborted")
    folder.settle()
    assert finished(folder.place("one")) is None
    assert read_result(folder.place("one"))["status"] == "aborted"
    assert not (folder.root / PREDICTIONS).exists()


def test_a_torn_result_does_not_count(folder):
    finish(folder, "one")
    path = folder.place("one").result
    whole = path.read_bytes()
    for length in range(len(whole) - 2):
        path.write_bytes(whole[:length])
        assert finished(folder.place("one")) is None


def test_the_line_of_a_task_is_dropped_before_it_is_done_again(folder):
    for name in ("one", "two"):
        folder.add(finish(folder, name))
    folder.settle(again=["one"])
    assert [each["instance_id"] for each in predictions(folder)] == ["two"]


def test_an_earlier_attempt_is_kept_without_its_workspace(folder):
    finish(folder, "one", status="aborted", patch="first")
    place = folder.place("one")
    place.workspace.mkdir()
    assert set_aside(place) == 1
    assert (place.earlier / "1/patch.diff").read_text() == "first"
    assert sorted(path.name for path in place.root.iterdir()) == ["earlier"]
    assert set_aside(place) == 1
    place.workspace.mkdir()
    assert set_aside(place) == 1, "a workspace alone is no attempt"
    finish(folder, "one", status="aborted", patch="second")
    assert set_aside(place) == 2
    assert (place.earlier / "2/patch.diff").read_text() == "second"


def test_predictions_that_no_batch_has_made_are_not_touched(tmp_path):
    made = tmp_path / "out" / PREDICTIONS
    made.parent.mkdir()
    made.write_text('{"instance_id": "theirs"}\n')
    with pytest.raises(BatchError, match=r"predictions\.jsonl was made by no batch"):
        OutputFolder.open(made.parent)
    assert sorted(made.parent.iterdir()) == [made]


def test_a_folder_of_results_that_was_copied_without_its_lock_is_one(folder):
    folder.add(finish(folder, "one"))
    (folder.root / ".lock").unlink()
    again = OutputFolder.open(folder.root)
    again.settle()
    again.close()
    assert [each["instance_id"] for each in predictions(folder)] == ["one"]


def test_one_batch_at_a_time(folder):
    with pytest.raises(BatchError, match=r"Another batch works in .*out \(process \d+\)"):
        OutputFolder.open(folder.root)


def test_a_folder_that_can_not_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BatchError, match="can't be used"):
        OutputFolder.open(tmp_path / "file/out")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_full_disk_is_told_when_a_prediction_is_written(folder):
    result = finish(folder, "one")
    (folder.root / PREDICTIONS).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        folder.add(result)
