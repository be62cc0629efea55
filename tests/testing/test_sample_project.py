"""A project outside of ours: its own suite, with its own pytest."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "sample_project"


def test_its_suite_passes_in_a_process_of_its_own(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--basetemp={tmp_path / 'runs'}",
    ]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 passed" in done.stdout
