"""All workloads with their sizes, and how they run: side after side, round after round."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from benchmarks import files, runs
from benchmarks.bench import Bench, Figures, Workload
from benchmarks.child import WrongWork


@dataclass(frozen=True)
class Sizes:
    """How much of everything; `rounds` is for what takes a second or less, `few` for the rest."""

    starts: int = 10
    rounds: int = 3
    few: int = 2
    prompts: int = 20
    deltas: tuple[int, ...] = (20_000, 200_000)
    arguments: int = 20_000
    turns: tuple[int, ...] = (200, 1_000)
    sessions: int = 50
    records: int = 10_031
    """Whole runs of 85, and the session's own."""
    file: int = 10_000_000
    """Bytes."""
    tree: int = 50_000
    lines: int = 50_000
    changes: int = 200
    aborts: int = 10
    idle: float = 4.0
    """Seconds, as the next."""
    pause: float = 1.0


SMALL = Sizes(
    starts=1,
    rounds=1,
    few=1,
    prompts=2,
    deltas=(40,),
    arguments=40,
    turns=(3,),
    sessions=3,
    records=86,
    file=10_000,
    tree=100,
    lines=100,
    changes=100,
    aborts=3,
    idle=0.1,
    pause=0.0,
)
"""To see that it works."""


def workloads(bench: Bench, sizes: Sizes) -> Iterator[Workload]:
    yield runs.cold_start(bench, sizes.starts)
    yield runs.first_delta(bench, sizes.rounds, sizes.prompts, sizes.pause)
    yield runs.text_deltas(bench, sizes.rounds, sizes.deltas[0])
    yield runs.notifications(sizes.rounds, sizes.deltas[0])
    yield runs.argument_deltas(bench, sizes.rounds, sizes.arguments)
    for count in sizes.deltas[1:]:
        yield runs.text_deltas(bench, sizes.few, count)
    yield runs.turns(bench, sizes.rounds, sizes.turns[0])
    for count in sizes.turns[1:]:
        yield runs.turns(bench, sizes.few, count)
    yield runs.sessions(bench, sizes.rounds, sizes.sessions, turns=5)
    yield runs.resumed(bench, sizes.rounds, sizes.records)
    yield files.edit(bench, sizes.rounds, sizes.file)
    tree = files.Tree(bench, sizes.tree)
    yield files.grep(bench, sizes.rounds, tree, sizes.tree)
    yield files.ls(bench, sizes.rounds, tree, sizes.tree)
    yield files.typing(bench, sizes.rounds, sizes.lines, sizes.changes)
    yield runs.abort(bench, sizes.rounds, sizes.aborts)
    yield runs.idle(bench, 1, sizes.idle)


@dataclass
class Measured:
    """What came of one workload."""

    workload: Workload
    figures: dict[str, Figures] = field(default_factory=dict)
    """By side: of each figure, one value or more for each round."""
    wrong: dict[str, str] = field(default_factory=dict)
    """By side: why it has no figures."""


def carried_out(
    these: Iterable[Workload], tell: Callable[[str], None] = lambda _: None
) -> Iterator[Measured]:
    """Each workload: A B C A B C and so on. A side that does wrong work is told of, and has no figures there."""
    for workload in these:
        measured = Measured(workload)
        for number in range(workload.rounds):
            for side, work in workload.sides.items():
                if side in measured.wrong:
                    continue
                tell(f"{workload.title}: {side}, {number + 1} of {workload.rounds}")
                try:
                    got = work()
                except WrongWork as error:
                    measured.wrong[side] = str(error)
                    measured.figures.pop(side, None)
                    continue
                kept = measured.figures.setdefault(side, {})
                for name, values in got.items():
                    kept.setdefault(name, []).extend(values)
        yield measured
