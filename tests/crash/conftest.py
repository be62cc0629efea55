"""Sweeps end thousands of processes: where there is memory that is a file system, their files are in it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own. What a killed process leaves there is as on any disk; only syncs cost nothing."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="steersman-", dir=MEMORY) as folder:
        yield Path(folder)
