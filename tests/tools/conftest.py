"""One session's tools on a temporary workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from steersman.workspace.guard import Guard
from support.workspace import Bench, make_bench


@pytest.fixture
def guard() -> Iterator[Guard]:
    with Guard() as guard:
        yield guard


@pytest.fixture
def bench(tmp_path: Path, guard: Guard) -> Bench:
    return make_bench(tmp_path, guard)


@pytest.fixture
def editor(tmp_path: Path, guard: Guard) -> Bench:
    """With an editor's buffers before the disk."""
    return make_bench(tmp_path, guard, buffered=True)
