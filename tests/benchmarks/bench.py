"""What all measurements share: the model, fresh workspaces, the sides, and how a run is measured and checked."""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.child import Agent, Child, WrongWork
from benchmarks.editor import Ours
from benchmarks.model import Answer, Model, says
from benchmarks.peer import Installed, Peer
from support.served_process import Place

Figures = dict[str, list[float]]
"""By what they are called in the table, with the unit."""
Side = Callable[[], Figures]
FLOORS = str(Path(__file__).with_name("floors.py"))


@dataclass(frozen=True)
class Workload:
    """One piece of work, done by each side in turn, so many times."""

    name: str
    """For `ONLY` and the JSON."""
    title: str
    rounds: int
    sides: Mapping[str, Side]
    """Of `floor`, `peer` and `ours`, those that have it."""


class Bench:
    def __init__(self, base: Path, model: Model, peer: Installed | None) -> None:
        self._base, self.model, self.peer = base, model, peer
        self._places = itertools.count(1)
        self.agents = ("ours",) if peer is None else ("peer", "ours")
        """The sides that do what a prompt says."""

    def each(self, agent: Callable[[str], Figures]) -> dict[str, Side]:
        """The same for every one of them."""
        return {side: partial(agent, side) for side in self.agents}

    def place(self) -> Place:
        """A fresh workspace and home."""
        base = self._base / f"place-{next(self._places)}"
        base.mkdir()
        place = Place(base)
        (place.root / "hello.txt").write_text("hello\n")
        return place

    def start(self, side: str, place: Place) -> Agent:
        if side == "ours":
            return Ours(place, self.model.url)
        assert self.peer is not None
        return Peer(self.peer, place.root.parent, place.root, self.model.url)

    def warm(self, agent: Agent) -> None:
        """What the first prompt of a process loads is loaded."""
        agent.ready()
        agent.prompt(self.model.prompt(says()))
        agent.settled()

    def floor(self, name: str, **given: Any) -> Figures:
        """By `floors.py`, in a process of its own."""
        done = subprocess.run(
            [sys.executable, FLOORS, name, json.dumps(given)], capture_output=True, check=True
        )
        return json.loads(done.stdout)

    def floor_of_runs(self, *answers: Answer, path: str = "", at_once: int = 1) -> Figures:
        warm, *prompts = (self.model.prompt(*each) for each in ([says()], *[answers] * at_once))
        return self.floor("runs", url=self.model.url, warm=warm, prompts=prompts, path=path)

    def run(
        self, side: str, place: Place, *answers: Answer, check: Callable[[], bool] = lambda: True
    ) -> Figures:
        """One run in a fresh process that has had one before: its seconds, CPU, peak memory and output.

        Raises:
            WrongWork: it did not do what the answers say, or `check` says so.
        """
        prompt = self.model.prompt(*answers)
        with self.start(side, place) as agent:
            self.warm(agent)
            before, begun = agent.cost(), time.perf_counter()
            agent.prompt(prompt)
            wall, after = agent.settled(gather=True) - begun, agent.cost()
            outcome = agent.outcome()
            self.look(agent, prompt, *answers)
            if not check():
                raise agent.wrong("the workspace is not as it should be")
        return {
            "s": [wall],
            "CPU, s": [after.cpu - before.cpu],
            "peak memory, MB": [after.peak],
            "output, MB": [outcome.output / 1e6],
        }

    def look(self, agent: Agent, prompt: str, *answers: Answer) -> None:
        """Whether the run that has settled got all of these answers, told all of them and did what they call for."""
        outcome, seen = agent.outcome(), self.model.seen(prompt)
        calls = sum("call" in answer for answer in answers)
        characters = sum(
            len(answer["text"]) * answer.get("times", 1) for answer in answers if "text" in answer
        )
        is_ = (outcome.stop, outcome.characters, outcome.succeeded, seen.requests, seen.results)
        due = ("complete", characters, calls, len(answers), calls)
        if is_ != due:
            raise agent.wrong(f"stop, characters, calls, requests, results are {is_}, not {due}")


def written_in_time(count: int) -> Figures:
    """Seconds for so many notifications that lie ready, from one process to this one."""
    program = [sys.executable, FLOORS, "notifications", json.dumps({"count": count})]
    with Child(program, Path(FLOORS).parent, {}, Path("/dev/null")) as child:
        child.find(b"ready\n", 0)
        begun = time.perf_counter()
        child.write(b"x")
        child.find(b"written\n", 0, gather=True)
        seconds = time.perf_counter() - begun
        if child.buffer.count(b"Content-Length") != count:
            raise WrongWork("notifications are missing")
    return {"s": [seconds]}
