"""An extension as its user has it: a package beside Steersman, enabled by name. The example is a real one."""

import subprocess
import sys
from pathlib import Path

import pytest

from steersman.cli.demo.installed import install
from support.command_line import CommandLine, calls

EXAMPLE = Path(__file__).parents[2] / "examples" / "plan_strategy"


@pytest.fixture
def line(tmp_path):
    for name in ("home", "workspace"):
        (tmp_path / name).mkdir(mode=0o700)
    install("plan_strategy", tmp_path / "packages")
    return CommandLine(tmp_path / "home", tmp_path / "workspace")


@pytest.fixture
def packages(tmp_path):
    return {"PYTHONPATH": str(tmp_path / "packages")}


def test_the_suite_of_the_example_passes(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--basetemp={tmp_path / 'runs'}",
    ]
    done = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 passed" in done.stdout


def test_one_run_enables_it_by_name_and_its_plan_is_shown(line, packages):
    tape = line.tape(
        {"text": "1. Look"},
        calls(("report_step", {"step": 1, "ok": True})),
        {"text": "Done."},
    )
    done = line.run("run", "do it", "--model", tape, "--extension", "plan", **packages)
    assert (done.status, done.out) == (0, "1. Look\nDone.\n")
    assert "plan: Plan, 1 of 1 done:\n1. [x] Look" in done.err


def test_what_is_only_installed_does_nothing_and_doctor_says_how_to_enable_it(line, packages):
    tape = line.tape({"text": "1. Look"})
    done = line.run("run", "do it", "--model", tape, **packages)
    assert (done.status, done.out, "Plan," in done.err) == (0, "1. Look\n", False)
    done = line.run("doctor", STEERSMAN_MODEL=tape, **packages)
    assert "extension: installed, not enabled: plan." in done.out
    (line.home / "config.toml").write_text('extensions = ["plan", "gone"]\n')
    done = line.run("doctor", STEERSMAN_MODEL=tape, **packages)
    assert "extension: plan 0.1.0: tools, prepare_run, prepare_next_turn" in done.out
    assert "warning  extension: The extension gone is left out: no installed package offers it." in done.out
    assert done.status == 0


def test_no_file_of_the_workspace_enables_one(line, packages):
    for name in ("config.toml", "steersman.toml", ".steersman/config.toml"):
        path = line.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('extensions = ["plan"]\n')
    tape = line.tape({"text": "1. Look"})
    done = line.run("run", "do it", "--model", tape, "--trust", **packages)
    assert (done.out, "Plan," in done.err) == ("1. Look\n", False)


def test_a_run_that_asks_for_an_extension_that_is_not_there_does_not_begin(line):
    """It may be there to forbid something."""
    tape = line.tape({"text": "Done."})
    done = line.run("run", "do it", "--model", tape, "--extension", "gone")
    assert (done.status, done.out) == (1, "")
    assert "The extension gone is left out: no installed package offers it." in done.err
