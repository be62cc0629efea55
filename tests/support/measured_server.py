"""`steersman serve` that measures how late its event loop is. The first argument names the file for the figures.

Every 10 ms the loop is to call back. How much later it does is one figure; how much longer than that the loop's thread
was at work meanwhile is another, which does not count what other processes of the machine took. They are written, in
seconds, as JSON, when the process ends, and the newest are kept if there are too many.
"""

import asyncio
import json
import sys
import time
from collections import deque
from pathlib import Path

from steersman.cli import main

INTERVAL = 0.01
lags: deque[tuple[float, float]] = deque(maxlen=1_000_000)


class MeasuredLoop(asyncio.SelectorEventLoop):
    def run_forever(self) -> None:
        self._expect()
        super().run_forever()

    def _expect(self) -> None:
        self.call_later(INTERVAL, self._note, time.monotonic() + INTERVAL, time.thread_time() + INTERVAL)

    def _note(self, due: float, worked: float) -> None:
        lags.append((max(0.0, time.monotonic() - due), max(0.0, time.thread_time() - worked)))
        self._expect()


class _Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = MeasuredLoop


if __name__ == "__main__":
    asyncio.set_event_loop_policy(_Policy())
    status = main(["serve"])
    Path(sys.argv[1]).write_text(json.dumps(list(lags)))
    sys.exit(status)
