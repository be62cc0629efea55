"""The whole suite runs with dataclasses put off, as `steersman serve` does."""

import signal
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from steersman.startup.data_classes import deferred_dataclasses

pytest_plugins = ["pytester", "support.cases", "support.late"]
collect_ignore = ["sample_project"]  # a project of its own, which tests/testing runs

# A machine that is busy, or measured, makes examples slowly: that says nothing of what is tested.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# A shell starts a background job with SIGINT ignored, and nohup any with SIGHUP: the programs that the tests end by
# them would inherit that, where what is handled here is theirs again.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

_meanwhile = ExitStack()
_meanwhile.enter_context(deferred_dataclasses("steersman"))


def pytest_unconfigure(config: pytest.Config) -> None:
    _meanwhile.close()
