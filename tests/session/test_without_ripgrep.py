"""Without ripgrep a session works all the same: find and grep say what is missing, and so does the doctor."""

import json
import site
import subprocess
import venv
from pathlib import Path

import pytest

from steersman.workspace.search import find_ripgrep
from support.command_line import CommandLine, calls

MISSING = "The tools find and grep need ripgrep (rg)"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that has all the libraries of this one, and no programs beside it."""
    venv.create(tmp_path / "python", with_pip=False, symlinks=True)
    (folder,) = (tmp_path / "python").glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({each!r})" for each in site.getsitepackages()]
    (folder / "others.pth").write_text("\n".join(lines) + "\n")
    return tmp_path / "python/bin/python"


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    for name in ("home", "work", "programs"):
        (tmp_path / name).mkdir()
    (tmp_path / "work/notes.txt").write_text("ship it\n")
    (tmp_path / "programs/sh").symlink_to("/bin/sh")
    return CommandLine(tmp_path / "home", tmp_path / "work")


def steersman(python: Path, line: CommandLine, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [python, "-m", "steersman", *arguments],
        cwd=line.workspace,
        env=line.environ(PATH=str(line.home.parent / "programs")),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_find_and_grep_say_so_and_the_run_goes_on(python: Path, line: CommandLine) -> None:
    model = line.tape(
        calls(("find", {"pattern": "*.txt"}), ("grep", {"pattern": "ship"}), ("ls", {})), {"text": "Done."}
    )
    done = steersman(python, line, "run", "look", "--model", model, "--json")
    assert done.returncode == 0, done.stderr
    ends = [json.loads(each)["data"] for each in done.stdout.splitlines() if '"tool_execution_end"' in each]
    assert [end["outcome"] for end in ends] == ["failed", "failed", "ok"]
    assert [end["content"][0]["text"].partition(":")[0] for end in ends[:2]] == [MISSING, MISSING]
    assert ends[2]["content"][0]["text"] == "notes.txt\n"


def test_the_doctor_warns_of_it(python: Path, line: CommandLine) -> None:
    said = steersman(python, line, "doctor").stdout
    assert f"warning  ripgrep: {MISSING}" in said


def test_the_systems_own_is_taken_where_there_is_none_beside_python(python: Path, line: CommandLine) -> None:
    program = line.home.parent / "programs/rg"
    program.symlink_to(find_ripgrep().program)
    said = steersman(python, line, "doctor").stdout
    assert f"ok       ripgrep: {program} (ripgrep " in said
