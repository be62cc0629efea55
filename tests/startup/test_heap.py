"""A long life costs no memory: threads share one heap."""

import platform
import subprocess
import sys

import pytest

COUNTED = """
import threading
from steersman.startup.heap import share_one_heap
{told}
def work():
    kept.append([bytes(1 << 16) for _ in range(64)])
kept = []
for _ in range(12):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
import ctypes
ctypes.CDLL(None).malloc_stats()
"""


def heaps(told: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(told=told)], capture_output=True, check=True, text=True
    )
    return done.stderr.count("Arena ")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another one")
def test_threads_that_come_after_it_have_no_heaps_of_their_own():
    assert heaps("assert share_one_heap()") == 1
    assert heaps("") > 1
