"""Workloads of the conversation: starts, deltas, turns, sessions, aborts, an idle server."""

import itertools
import time
from pathlib import Path

from benchmarks.bench import Bench, Figures, Workload, written_in_time
from benchmarks.child import Agent, Child
from benchmarks.editor import BarePygls, LanguageServer, Ours
from benchmarks.model import HANGS, Answer, calls, says
from support.long_log import write_long_log
from support.served_process import Place

TEXT = "abcd "
NEXT = "prompt to the first delta, ms"


def cold_start(bench: Bench, rounds: int) -> Workload:
    def started(child: LanguageServer) -> Figures:
        with child:
            return _start_figures(child.ready(), child)

    def agent(side: str) -> Figures:
        with bench.start(side, bench.place()) as child:
            return _start_figures(child.ready(), child)

    sides = {"floor": lambda: started(BarePygls(bench.place())), **bench.each(agent)}
    return Workload("start", "cold start until it takes prompts", rounds, sides)


def _start_figures(seconds: float, child: Child) -> Figures:
    cost = child.cost()
    return {"ms": [seconds * 1000], "CPU, s": [cost.cpu], "peak memory, MB": [cost.peak]}


def first_delta(bench: Bench, rounds: int, prompts: int, pause: float) -> Workload:
    """`pause`: seconds after the start, in which a server may prepare; nobody types a prompt in less."""

    def took(child: Agent) -> float:
        prompt = bench.model.prompt(says())
        begun = time.perf_counter()
        child.prompt(prompt)
        first = child.first_delta() - begun
        child.settled()
        bench.look(child, prompt, says())
        return first * 1000

    def agent(side: str) -> Figures:
        with bench.start(side, bench.place()) as child:
            child.ready()
            at_once, *warm = [took(child) for _ in range(1 + prompts)]
        with bench.start(side, bench.place()) as child:
            child.ready()
            time.sleep(pause)
            later = took(child)
        return {"first, at once, ms": [at_once], "first, a second later, ms": [later], "warm, ms": warm}

    def floor() -> Figures:
        asked = [bench.model.prompt(says()) for _ in range(1 + prompts)]
        figures = bench.floor("first", url=bench.model.url, warm=asked[0], prompts=asked[1:])
        return {"warm, ms": figures["ms"]}

    sides = {"floor": floor, **bench.each(agent)}
    return Workload("first", "prompt to the first delta", rounds, sides)


def _runs(
    bench: Bench, name: str, title: str, rounds: int, *answers: Answer, written: int | None = None
) -> Workload:
    """`written`: the size that big.txt must have."""

    def agent(side: str) -> Figures:
        place = bench.place()

        def check() -> bool:
            return written is None or (place.root / "big.txt").stat().st_size == written

        return bench.run(side, place, *answers, check=check)

    def floor() -> Figures:
        return bench.floor_of_runs(*answers, path=str(bench.place().root / "hello.txt"))

    sides = {"floor": floor, **bench.each(agent)}
    return Workload(name, title, rounds, sides)


def text_deltas(bench: Bench, rounds: int, count: int) -> Workload:
    return _runs(bench, f"text-{count}", f"{count:,} text deltas", rounds, says(TEXT, count))


def argument_deltas(bench: Bench, rounds: int, count: int) -> Workload:
    call = calls("write", count, path="big.txt", content=TEXT * count)
    title = f"{count:,} deltas of a tool's arguments"
    return _runs(bench, f"arguments-{count}", title, rounds, call, says("done"), written=len(TEXT) * count)


def turns(bench: Bench, rounds: int, count: int) -> Workload:
    answers = [*[calls("read", path="hello.txt")] * count, says("done")]
    return _runs(bench, f"turns-{count}", f"{count:,} turns of one read", rounds, *answers)


def notifications(rounds: int, count: int) -> Workload:
    title = f"{count:,} notifications that lie ready, written and read"
    return Workload("notifications", title, rounds, {"floor": lambda: written_in_time(count)})


def sessions(bench: Bench, rounds: int, count: int, turns: int) -> Workload:
    answers = [*[calls("read", path="hello.txt")] * turns, says(TEXT, 100)]

    def ours() -> Figures:
        with Ours(bench.place(), bench.model.url) as server:
            bench.warm(server)
            prompts = [bench.model.prompt(*answers) for _ in range(count)]
            at, before, begun = len(server.buffer), server.cost(), time.perf_counter()
            for prompt in prompts:
                server.command("start", prompt=prompt, mode="full-auto")
            for _ in prompts:
                at = server.find(b'"type":"agent_end"', at, gather=True) + 1
            wall, after = time.perf_counter() - begun, server.cost()
            for seen in map(bench.model.seen, prompts):
                if (seen.requests, seen.results) != (len(answers), turns):
                    raise server.wrong(f"a session came to {seen}")
        return {"s": [wall], "CPU, s": [after.cpu - before.cpu], "peak memory, MB": [after.peak]}

    def floor() -> Figures:
        return bench.floor_of_runs(*answers, path=str(bench.place().root / "hello.txt"), at_once=count)

    title = f"{count} sessions at once, {turns} turns of one read each"
    return Workload("sessions", title, rounds, {"floor": floor, "ours": ours})


def resumed(bench: Bench, rounds: int, records: int) -> Workload:
    """`records`: such that the last run is whole."""

    def long() -> tuple[Place, Path]:
        place = bench.place()
        path = place.home.sessions / "ses_long.jsonl"
        write_long_log(path, "ses_long", records, root=place.root)
        return place, path

    def ours() -> Figures:
        place, path = long()
        results = path.read_bytes().count(b'"type":"tool_execution_end"')
        with Ours(place, bench.model.url) as server:
            bench.warm(server)
            server.outcome()
            server.session = "ses_long"
            prompt = bench.model.prompt(says())
            begun = time.perf_counter()
            server.prompt(prompt)
            first = server.first_delta() - begun
            server.settled()
            seen = bench.model.seen(prompt)
            if server.outcome().stop != "complete" or (seen.requests, seen.results) != (1, results):
                raise server.wrong(f"the model got {seen}, of a history with {results} results")
            return {NEXT: [first * 1000], "peak memory, MB": [server.cost().peak]}

    def floor() -> Figures:
        return {NEXT: bench.floor("log", path=str(long()[1]))["ms"]}

    title = f"a session of {records:,} records resumed"
    return Workload("resumed", title, rounds, {"floor": floor, "ours": ours})


def abort(bench: Bench, rounds: int, times: int) -> Workload:
    def agent(side: str) -> Figures:
        took = []
        with bench.start(side, bench.place()) as child:
            child.ready()
            for _ in range(times):
                child.prompt(bench.model.prompt(HANGS))
                child.first_delta()
                begun = time.perf_counter()
                took.append((child.abort() - begun) * 1000)
                if child.outcome().stop != "aborted":
                    raise child.wrong("it was not aborted")
        return {"ms": took}

    title = "abort to the run's end, in the middle of an answer"
    return Workload("abort", title, rounds, bench.each(agent))


def idle(bench: Bench, rounds: int, seconds: float) -> Workload:
    def watched(child: Child) -> Figures:
        time.sleep(seconds / 2)  # what follows the start, or a run, is over
        settled = _spent(child.process.pid)
        time.sleep(seconds)
        used, woken = (now - then for now, then in zip(_spent(child.process.pid), settled, strict=True))
        return {"CPU, ms a second": [used / 1e6 / seconds], "wakeups a second": [woken / seconds]}

    def agent(side: str) -> Figures:
        with bench.start(side, bench.place()) as child:
            bench.warm(child)
            return watched(child) | {"memory, MB": [child.cost().rss]}

    def floor() -> Figures:
        with BarePygls(bench.place()) as child:
            child.ready()
            return watched(child) | {"memory, MB": [child.cost().rss]}

    sides = {"floor": floor, **bench.each(agent)}
    return Workload("idle", "idle after a run", rounds, sides)


def _spent(pid: int) -> tuple[float, float]:
    """Nanoseconds of CPU and the number of sleeps, of all threads that live."""
    threads = list(Path(f"/proc/{pid}/task").iterdir())
    cpu = sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)
    lines = itertools.chain.from_iterable((thread / "status").read_text().splitlines() for thread in threads)
    slept = sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
    return cpu, slept
