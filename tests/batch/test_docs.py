"""What docs/batch.md shows is what there is."""

import re
from pathlib import Path

from steersman.batch.tasks import Task, read_tasks

TEXT = Path("docs/batch.md").read_text("utf-8")


def test_the_tasks_it_shows_can_be_read(tmp_path):
    (tmp_path / "shop").mkdir()
    (shown,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert [task.id for task in read_tasks(shown.splitlines(), tmp_path)] == ["shop-17", "shop-18"]


def test_it_names_every_key_of_a_task():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    assert [key for key in Task.model_fields if not any(f"`{key}`" in row for row in rows)] == []
