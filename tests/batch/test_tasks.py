"""The tasks of a batch are looked at as a whole before anything runs, and every error names its line."""

import json

import pytest

from steersman.batch.errors import BadTasks
from steersman.batch.plan import refuse_overlaps
from steersman.batch.tasks import read_tasks


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "w").mkdir()
    return tmp_path


def line(**fields):
    return json.dumps({"id": "one", "prompt": "fix it", "workspace": "w"} | fields)


def errors(lines, folder):
    with pytest.raises(BadTasks) as caught:
        read_tasks(lines, folder)
    return str(caught.value).splitlines()


def test_paths_are_relative_to_the_file_of_the_tasks(folder):
    (task,) = read_tasks([line(model="tape:t.jsonl"), "", "  "], folder)
    assert task.workspace == str(folder / "w")
    assert task.model == f"tape:{folder}/t.jsonl"


def test_instance_id_is_another_name_of_id(folder):
    task = {"instance_id": "django__django-11099", "prompt": "fix", "workspace": "w"}
    assert read_tasks([json.dumps(task)], folder)[0].id == "django__django-11099"


def test_all_errors_come_at_once_with_their_lines(folder):
    lines = [
        "no json",
        "[]",
        line(promt="x", budget={"turn": 3}),
        line(id="two", workspace="nowhere"),
        line(id="ONE"),
        line(id="../up"),
        line(id="three", prompt=" "),
        json.dumps({"id": "four"}),
        line(id="five", timeout=-1, mode="yolo"),
        line(id="six", instance_id="six"),
        line(id="seven", budget={"turns": "3"}),
    ]
    found = errors(lines, folder)
    assert found[0].startswith("line 1: no JSON")
    assert found[1:5] == [
        "line 2: no JSON object",
        "line 3: promt is no key of a task; did you mean prompt?",
        "line 3: budget.turn is no key of a task; did you mean budget.turns?",
        f"line 4: workspace: {folder / 'nowhere'} is not a folder",
    ]
    assert found[5] == "line 5: id ONE is that of line 3 too"
    assert found[6].startswith("line 6: id '../up' can't name a folder")
    assert found[7] == "line 7: prompt is empty: say what to do"
    assert found[8:10] == ["line 8: prompt is missing", "line 8: workspace is missing"]
    assert {each.split(":")[1].strip() for each in found[10:12]} == {"timeout", "mode"}
    assert found[12] == "line 10: id and instance_id are the same key: give one of them"
    assert found[13].startswith("line 11: budget.turns: ")
    assert len(found) == 14


def test_a_path_that_no_file_can_have_is_an_error_of_its_line(folder):
    (folder / "loop").symlink_to("loop")
    assert errors(
        [
            line(workspace="a\0b"),
            line(id="2", model="tape:\0"),
            line(id="3", workspace="loop"),
            line(id="4", workspace="a\ud800"),
            line(id="5", workspace="n" * 300),
        ],
        folder,
    ) == [
        "line 1: workspace contains a null character",
        "line 2: model contains a null character",
        f"line 3: workspace: {folder / 'loop'} is not a folder",
        "line 4: workspace contains half of a surrogate pair",
        f"line 5: workspace: {folder / ('n' * 300)} is not a folder",
    ]


def test_a_file_without_a_task_says_what_a_task_is(folder):
    assert errors(["", "\n"], folder) == [
        "There are no tasks. Write one JSON object per line, with id, prompt and workspace."
    ]


def test_a_thousand_errors_are_told_as_a_hundred_and_a_number(folder):
    found = errors(["{}"] * 1000, folder)
    assert len(found) == 101
    assert found[-1] == "… and 2900 more errors"


@pytest.mark.parametrize(
    "name", ["predictions.jsonl", "Predictions.jsonl", ".bases", "a/b", "a b", "", "x" * 201, "dot."]
)
def test_an_id_that_can_not_name_a_folder_is_refused(folder, name):
    assert "can't name a folder" in errors([line(id=name)], folder)[0]


def test_the_digest_is_of_what_a_task_says(folder):
    first, same, other = (read_tasks([line(prompt=text)], folder)[0] for text in ("a", "a", "b"))
    assert first.digest() == same.digest() != other.digest()


def test_output_and_workspaces_may_not_lie_in_each_other(folder):
    tasks = read_tasks([line()], folder)
    with pytest.raises(BadTasks, match="inside the workspace"):
        refuse_overlaps(tasks, folder / "w/out", in_place=False)
    with pytest.raises(BadTasks, match="is inside"):
        refuse_overlaps(tasks, folder, in_place=False)
    refuse_overlaps(tasks, folder / "out", in_place=False)


def test_in_place_no_two_tasks_see_each_other(folder):
    (folder / "w/sub").mkdir()
    tasks = read_tasks([line(), line(id="two", workspace="w/sub"), line(id="three")], folder)
    refuse_overlaps(tasks, folder / "out", in_place=False)
    with pytest.raises(BadTasks) as caught:
        refuse_overlaps(tasks, folder / "out", in_place=True)
    assert "one and three would both work in" in str(caught.value)
    assert "one and two would both work in" in str(caught.value)
