"""`steersman schema`: printed, written to a file, put into a document."""

import json

import pytest

from steersman.lsp.schema import json_schema
from steersman.lsp.tables import markdown
from steersman.lsp.typescript import typescript
from support.command_line import CommandLine


@pytest.fixture
def line(tmp_path):
    return CommandLine(tmp_path, tmp_path)


def test_each_form_is_printed_or_written_alike(line, tmp_path):
    forms = {
        (): json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n",
        ("--typescript",): typescript(json_schema()),
        ("--markdown",): markdown(),
    }
    for flags, expected in forms.items():
        printed = line.run("schema", *flags)
        assert (printed.status, printed.out, printed.err) == (0, expected, "")
        written = line.run("schema", *flags, "--out", "made")
        assert (written.status, written.out) == (0, "")
        assert (tmp_path / "made").read_text() == expected


def test_the_sections_of_a_document_are_filled_in(line, tmp_path):
    document = tmp_path / "protocol.md"
    document.write_text("before\n<!-- generated: events -->\n<!-- end -->\nafter\n")
    assert line.run("schema", "--markdown", "--into", "protocol.md").status == 0
    text = document.read_text()
    assert text.startswith("before\n<!-- generated: events -->\n| type |")
    assert text.endswith("<!-- end -->\nafter\n")


def test_a_document_without_sections_is_left_alone_and_told_how(line, tmp_path):
    (tmp_path / "protocol.md").write_text("nothing here\n")
    done = line.run("schema", "--markdown", "--into", "protocol.md")
    assert done.status == 1
    assert "<!-- generated: events -->" in done.err
    assert (tmp_path / "protocol.md").read_text() == "nothing here\n"


def test_a_place_that_can_not_be_written_and_flags_that_do_not_fit_are_errors(line):
    done = line.run("schema", "--out", "none/schema.json")
    assert (done.status, "No such file" in done.err) == (1, True)
    assert line.run("schema", "--into", "protocol.md").status == 64
    assert line.run("schema", "--typescript", "--markdown").status == 64
