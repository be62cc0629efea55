"""What docs/security.md promises is held by tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text()


def rows() -> list[str]:
    """The rows of the tables of promises."""
    tables = [table.splitlines() for table in TEXT.split("\n\n")]
    return [row for lines in tables if lines[0].endswith("| test |") for row in lines[2:]]


def named(row: str) -> list[str]:
    """The tests that a row names: those in Python as code, those of the extension quoted."""
    last = row.rstrip(" |").rpartition(" | ")[2]
    return re.findall(r"`(test_\w+)`|\"([^\"]+)\"", last)


def test_every_test_that_it_names_exists():
    python = {one for row in rows() for one, _ in named(row) if one}
    script = {other for row in rows() for _, other in named(row) if other}
    assert len(python) > 40 and len(script) > 4
    defined: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        defined.update(re.findall(r"def (test_\w+)\(", path.read_text()))
    assert python - defined == set()
    titles = "".join(path.read_text() for path in (ROOT / "client-vscode/test/unit").rglob("*.test.ts*"))
    assert [title for title in script if f'"{title}"' not in titles] == []


def test_every_row_of_its_tables_names_one():
    assert len(rows()) > 25
    assert [row for row in rows() if not named(row)] == []


def test_the_readme_leads_there():
    assert "(docs/security.md)" in (ROOT / "README.md").read_text()
