"""What docs/reliability.md says is held by tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_that_it_names_exists():
    text = (ROOT / "docs" / "reliability.md").read_text()
    named = set(re.findall(r"`(test_\w+)`", text))
    assert len(named) > 20
    defined: set[str] = set()
    for kind in ("test", "load", "soak"):
        for path in (ROOT / "tests").rglob(f"{kind}_*.py"):
            defined.update(re.findall(r"def (test_\w+)\(", path.read_text()))
    assert named - defined == set()


def test_every_row_of_its_tables_names_one():
    text = (ROOT / "docs" / "reliability.md").read_text()
    assert text.count("| test |\n") >= 3
    for table in text.split("\n\n"):
        lines = table.splitlines()
        if lines and lines[0].endswith("| test |"):
            for row in lines[2:]:
                assert "`test_" in row or "as above |" in row, row
