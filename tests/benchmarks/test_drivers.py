"""A small sample of `make bench`: the drivers still work, and wrong work is noticed. No time is checked."""

import json

import pytest

from benchmarks.bench import Bench, Workload
from benchmarks.child import WrongWork
from benchmarks.model import Model, calls, says
from benchmarks.suite import SMALL, carried_out, workloads
from benchmarks.table import as_json, markdown


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with Model() as model:
        yield Bench(tmp_path_factory.mktemp("bench"), model, peer=None)


@pytest.mark.parametrize(
    ("name", "sides"),
    [
        ("arguments", ["ours"]),
        ("sessions", ["floor", "ours"]),
        ("resumed", ["ours"]),
        ("grep", ["ours"]),
        ("typing", ["ours"]),
        ("abort", ["ours"]),
    ],
)
def test_the_work_is_done_and_has_figures(bench, name, sides):
    [whole] = [it for it in workloads(bench, SMALL) if it.name.partition("-")[0] == name]
    few = Workload(name, whole.title, 1, {side: whole.sides[side] for side in sides})
    [measured] = carried_out([few])
    assert measured.wrong == {}
    assert list(measured.figures) == sides
    assert all(values for figures in measured.figures.values() for values in figures.values())


def test_a_run_that_is_not_what_the_model_said_is_wrong_work(bench):
    with bench.start("ours", bench.place()) as agent:
        agent.ready()
        for answers, other in (
            ([says("all")], [says("all of it")]),
            ([calls("read", path="none.txt"), says("all")], [calls("read", path="hello.txt"), says("all")]),
        ):
            prompt = bench.model.prompt(*answers)
            agent.prompt(prompt)
            agent.settled()
            with pytest.raises(WrongWork, match="stop, characters, calls, requests, results are"):
                bench.look(agent, prompt, *other)


def test_sides_take_turns_and_wrong_work_has_no_figures():
    done = []

    def works(side, value):
        done.append(side)
        return {"ms": [value + len(done)]}

    def fails_later():
        if "peer" in done:
            raise WrongWork("half of\nit | is missing")
        return works("peer", 1)

    sides = {"floor": lambda: works("floor", 9), "peer": fails_later, "ours": lambda: works("ours", 20)}
    measured = as_json(carried_out([Workload("some", "some work", 3, sides)]))
    assert done == ["floor", "peer", "ours", "floor", "ours", "floor", "ours"]
    [row] = json.loads(json.dumps(measured))
    assert row["figures"]["ms"] == {
        "floor": {"median": 13, "min": 10, "samples": [10, 13, 15]},
        "ours": {"median": 25, "min": 23, "samples": [23, 25, 27]},
        "ours/floor": 25 / 13,
    }
    assert list(markdown(measured, None))[2:] == [
        "| some work: ms | 13.0 (10.0) | – | 25.0 (23.0) | 1.92 | – |",
        "| · peer did wrong work: half of it is missing | – | – | – | – | – |",
    ]
