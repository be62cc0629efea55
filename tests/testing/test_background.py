import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from steersman.testing.background import BackgroundLoop


async def the_loop() -> int:
    return id(asyncio.get_running_loop())


def test_threads_that_begin_at_once_share_one_loop() -> None:
    count = 8
    with ThreadPoolExecutor(count) as pool:
        for _ in range(50):
            background, together = BackgroundLoop(), threading.Barrier(count)

            def begin(background: BackgroundLoop = background, together: threading.Barrier = together) -> int:
                together.wait()
                return background.run(the_loop())

            assert len({task.result() for task in [pool.submit(begin) for _ in range(count)]}) == 1
            background.close()
