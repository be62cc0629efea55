"""Folders that tests of files need besides pytest's own."""

from collections.abc import Iterator

import pytest

from support.unprivileged import Common, common_folder


@pytest.fixture
def common() -> Iterator[Common]:
    with common_folder() as folder:
        yield folder
