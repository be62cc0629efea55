"""The whole suite runs with dataclasses put off, as `steersman serve` does."""

import signal
from contextlib import ExitStack

import pytest

from steersman.startup.data_classes import deferred_dataclasses

pytest_plugins = ["pytester", "support.cases"]
collect_ignore = ["sample_project"]  # a project of its own, which tests/testing runs

# A shell starts a background job with SIGINT ignored, and the programs that the tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_meanwhile = ExitStack()
_meanwhile.enter_context(deferred_dataclasses("steersman"))


def pytest_unconfigure(config: pytest.Config) -> None:
    _meanwhile.close()
