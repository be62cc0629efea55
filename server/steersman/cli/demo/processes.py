"""The demo's processes and its temporary folder. None of them outlives the demo, however it ends."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from steersman.cli.demo.client import end_process

DATA = Path(__file__).parents[2] / "demo_data"
STEERSMAN = (sys.executable, "-m", "steersman")
_PATIENCE = 20.0
"""Seconds for the tape server to listen, and for the sample's tests."""
_TAIL = 20


class DemoFailed(Exception):
    """The demo can't go on. The text says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for one demo: `workspace` is a copy of a sample, `home` is STEERSMAN_HOME."""

    root: Path

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def log(self) -> Path:
        """What the language server writes to standard error."""
        return self.root / "serve.log"

    def log_tail(self) -> str:
        """The last lines of the log, for the report of a failure."""
        lines = self.log.read_text("utf-8", "replace").splitlines() if self.log.exists() else []
        return "".join(f"\n  {line}" for line in lines[-_TAIL:])


@contextmanager
def temporary_place(sample: str) -> Iterator[Place]:
    """A place with a copy of the sample; it is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="steersman-demo-", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder).resolve())
        copy_sample(sample, place.workspace)
        yield place


def copy_sample(sample: str, target: Path) -> None:
    """Copies a sample workspace, without the bytecode that a Python may have left there."""
    shutil.copytree(DATA / f"sample-{sample}", target, ignore=shutil.ignore_patterns("__pycache__"))


def tape(name: str) -> Path:
    return DATA / "tapes" / f"{name}.jsonl"


def environment(place: Place, url: str | None = None) -> dict[str, str]:
    """The environment of the demo's processes: no configuration of the user, and the tape server as the only model."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("STEERSMAN_")}
    env |= {
        "STEERSMAN_HOME": str(place.home),
        # `python3` in the tape's commands is the Python that runs the demo, as in an activated environment.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if url is not None:
        env |= {"STEERSMAN_MODEL": "openai-chat:tape", "STEERSMAN_BASE_URL": url}
    return env


@asynccontextmanager
async def tape_server(file: Path, place: Place) -> AsyncIterator[str]:
    """`steersman tape serve` as a process. Yields its base URL.

    Raises:
        DemoFailed: it does not come up.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *STEERSMAN,
        "tape",
        "serve",
        str(file),
        cwd=place.root,
        env=environment(place),
        stdin=pipe,  # it ends with it
        stdout=pipe,
        start_new_session=True,
    )
    assert process.stdout is not None  # it is a pipe
    try:
        try:
            async with asyncio.timeout(_PATIENCE):
                line = await process.stdout.readline()
        except TimeoutError:
            raise DemoFailed(f"The tape server did not listen within {_PATIENCE:g} s.") from None
        if not line:
            raise DemoFailed("The tape server did not start.")
        yield json.loads(line)["url"]
    finally:
        await end_process(process)


@dataclass(frozen=True, slots=True)
class TestsResult:
    passed: bool
    output: str


async def run_tests(workspace: Path, env: Mapping[str, str]) -> TestsResult:
    """Runs the sample's own tests.

    Raises:
        DemoFailed: they don't end.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "unittest",
        cwd=workspace,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(_PATIENCE):
            output, _ = await process.communicate()
    except TimeoutError:
        raise DemoFailed(f"The sample's tests did not end within {_PATIENCE:g} s.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return TestsResult(process.returncode == 0, output.decode(errors="replace"))
