"""How many examples a property test tries: a sample in the suite, any number in `make fuzz`."""

import functools
import inspect
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

CASES = os.environ.get("STEERSMAN_CASES")
"""Examples of each property, where they are set: then others in each go. In the suite they are the same every time."""
LONGEST = 20
"""Seconds of CPU of one example, beyond which it counts as a hang. Not of the clock: the machine may be busy."""
NO_SHRINK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Of a property that fails by waiting in vain: making its example smaller would take too long."""
tried: Counter[str] = Counter()
"""Examples that ran, by property."""


def cases(sample: int, share: float = 1, **more: Any) -> Callable[[Any], Any]:
    """Stands above `@given`. `sample` examples are tried in the suite.

    `share` is for a property whose examples are slow (a server, a process, a session): the part of the set number that
    it takes.
    """
    count = sample if CASES is None else max(1, round(int(CASES) * share))
    chosen = settings(
        max_examples=count,
        deadline=None,
        derandomize=CASES is None,
        suppress_health_check=list(HealthCheck),
        **more,
    )

    def decorate(test: Any) -> Any:
        test.hypothesis.inner_test = _watched(test.hypothesis.inner_test)
        return pytest.mark.fuzz(chosen(test))

    return decorate


def _watched(test: Callable[..., Any]) -> Callable[..., Any]:
    """Counts the examples, and ends one that goes on for ever."""
    name = f"{test.__module__.rpartition('.')[2]}::{test.__name__}"

    @functools.wraps(test)
    def plain(*args: Any, **kwargs: Any) -> Any:
        tried[name] += 1
        with watch.example():
            return test(*args, **kwargs)

    @functools.wraps(test)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        tried[name] += 1
        with watch.example():
            return await test(*args, **kwargs)

    return awaited if inspect.iscoroutinefunction(test) else plain


class Watch:
    """Ends an example that goes on for ever. One timer for all of a property's: to set it for each takes longer than
    many of them."""

    def __init__(self) -> None:
        self._seconds: int | None = None
        """Of CPU that the current example has taken; None: there is none."""

    @contextmanager
    def examples(self) -> Iterator[None]:
        signal.signal(signal.SIGPROF, self.second)  # which stays: the last second may come late
        signal.setitimer(signal.ITIMER_PROF, 1, 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    @contextmanager
    def example(self) -> Iterator[None]:
        self._seconds = 0
        try:
            yield
        finally:
            self._seconds = None

    def second(self, _signal: int, _frame: object) -> None:
        """The process has taken another one."""
        if self._seconds is None:
            return
        self._seconds += 1
        if self._seconds > LONGEST:
            raise AssertionError(f"the example took more than {LONGEST} seconds of CPU")


watch = Watch()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fuzz: a property that `make fuzz` tries on many more examples")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("fuzz") is None:
        return (yield)
    with watch.examples():
        return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:  # of one process of several
        output["tried"] = dict(tried)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    tried.update(getattr(node, "workeroutput", {}).get("tried", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if CASES is not None and tried:
        terminalreporter.section("examples")
        for name, count in sorted(tried.items()):
            terminalreporter.line(f"{count:>9,}  {name}")
