"""The model's server as its user sees it: scripts go in, prompts that name them come out."""

import http.client
import itertools
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

Answer = dict[str, Any]
"""As `model_process.made` takes it."""


@dataclass(frozen=True)
class Seen:
    """What came for one script."""

    requests: int
    received: int
    """Bytes."""
    results: int
    """Tool results in the last request."""


class Model:
    """`model_process` as a process of its own."""

    def __init__(self) -> None:
        program = str(Path(__file__).with_name("model_process.py"))
        self._process = subprocess.Popen(
            [sys.executable, "-I", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self._keys = itertools.count(1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def prompt(self, *answers: Answer) -> str:
        """A prompt that gets these answers, one for each request."""
        key = f"k{next(self._keys):07d}"
        self._ask("PUT", key, json.dumps(answers))
        return f"bench:{key}"

    def seen(self, prompt: str) -> Seen:
        return Seen(**self._ask("GET", prompt.partition(":")[2]))

    def _ask(self, method: str, key: str, body: str | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, f"/{key}", body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def says(text: str = "hello ", times: int = 1) -> Answer:
    return {"text": text, "times": times}


def calls(name: str, times: int = 1, **arguments: Any) -> Answer:
    """A call of a tool, whose arguments come in so many parts."""
    return {"call": {"name": name, "arguments": json.dumps(arguments)}, "times": times}


HANGS: Answer = {"text": "partial", "hangs": True}
