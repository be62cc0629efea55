"""A deferred class is the class that it would have been, whatever of it is used first, and by whom.

Python 3.14 evaluates annotations lazily. There nothing is deferred, which is what most tests here are about.
"""

import copy
import dataclasses
import inspect
import json
import os
import pickle
import subprocess
import sys
import threading
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from steersman.startup import skeletons
from steersman.startup.data_classes import deferred_dataclasses

SUPPORT = Path(__file__).parents[1] / "support"
HERE = __name__.partition(".")[0]
T = TypeVar("T")


pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="nothing is deferred there")


def printed(*arguments: str, **environment: str) -> str:
    """What a Python process of its own prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_a_process(script: str, *arguments: str) -> Any:
    return json.loads(printed(str(SUPPORT / script), *arguments))


def test_every_type_of_lsprotocol_is_the_same_deferred_or_made_at_once():
    told = of_a_process("startup_lsp_types.py")
    assert told["different"] == []
    assert told["deferred"] > 500
    assert told["left"] == told["deferred"] - 1, "the use of one class makes no other"


def test_every_dataclass_of_the_package_and_of_pydantic_is_the_same_deferred_or_made_at_once():
    plain, deferred = (
        of_a_process("startup_dataclasses.py", "plain"),
        of_a_process("startup_dataclasses.py", "deferred"),
    )
    assert plain["deferred"] == 0
    assert deferred["deferred"] > 0.7 * len(plain["classes"])
    assert deferred["classes"] == plain["classes"]


def test_nothing_is_deferred_where_attrs_makes_classes_otherwise_than_expected():
    printed(
        "-c",
        "import attrs; known = attrs.define\n"
        "def newer(cls=None, **options):\n"
        "    made = known(cls, **options)\n"
        "    made.__attrs_novelty__ = 1\n"
        "    return made\n"
        "attrs.define = newer\n"
        "from steersman.startup import skeletons\n"
        "from steersman.startup.attrs_classes import import_lsp_types\n"
        "assert import_lsp_types() is False\n"
        "from lsprotocol import types\n"
        "assert not skeletons.is_skeleton(types.Position)\n"
        "assert types.Position.__attrs_novelty__ == 1\n",
    )


def test_nothing_is_deferred_where_the_trial_of_a_class_fails():
    printed(
        "-c",
        "import attrs, dataclasses\n"
        "def fails(*given, **options): raise TypeError('not in this version')\n"
        "attrs.define = fails\n"
        "make = dataclasses.dataclass\n"
        "def newer(*given, **options):\n"
        "    if 'slots' in options: fails()\n"
        "    return make(*given, **options)\n"
        "dataclasses.dataclass = newer\n"
        "from steersman.startup import skeletons\n"
        "from steersman.startup.attrs_classes import import_lsp_types\n"
        "from steersman.startup.data_classes import deferred_dataclasses\n"
        "assert import_lsp_types() is False\n"
        "with deferred_dataclasses('steersman'):\n"
        "    assert dataclasses.dataclass is newer\n"
        "assert not skeletons._unmade\n",
    )


def test_a_lsprotocol_that_resolves_types_in_another_way_is_left_to_it(tmp_path):
    package = tmp_path / "lsprotocol"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "types.py").write_text("import attrs\n@attrs.define\nclass Position:\n    line: int\n")
    told = printed(
        "-c",
        "from steersman.startup.attrs_classes import import_lsp_types\n"
        "assert import_lsp_types()\n"
        "from lsprotocol.types import Position\n"
        "print(repr(Position(line=3)))\n",
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    )
    assert told == "Position(line=3)\n"


# One class, looked at in every way.


def make_point(*, deferred: bool = True) -> type:
    with deferred_dataclasses(HERE if deferred else "of_nobody"):

        @dataclasses.dataclass(frozen=True, slots=True)
        class Point:
            """A place."""

            x: int
            y: int = 0
            tags: list[str] = field(default_factory=list, compare=False)
            kind: ClassVar[str] = "point"

            @property
            def sum(self) -> int:
                return self.x + self.y

    assert skeletons.is_skeleton(Point) is deferred
    return Point


LOOKS = {
    "an instance": lambda cls: (cls(1, 2).x, cls(1, 2).y),
    "its fields": lambda cls: [each.name for each in dataclasses.fields(cls)],
    "is_dataclass": dataclasses.is_dataclass,
    "replace": lambda cls: dataclasses.replace(cls(1), y=5).y,
    "asdict": lambda cls: dataclasses.asdict(cls(1)),
    "repr": lambda cls: repr(cls(1)),
    "hash": lambda cls: hash(cls(1)) == hash(cls(1)),
    "equality": lambda cls: (cls(1) == cls(1), cls(1) == cls(2), cls(1) != cls(1)),
    "a pattern": lambda cls: cls.__match_args__,
    "a copy": lambda cls: copy.copy(cls(3)) == cls(3),
    "a bare instance": lambda cls: isinstance(cls.__new__(cls), cls),
    "a subclass": lambda cls: type("Sub", (cls,), {"__slots__": ()})(4).sum,
    "the function": lambda cls: cls.__init__.__qualname__,
    "its signature": lambda cls: list(inspect.signature(cls).parameters) == ["x", "y", "tags"],
}


@pytest.mark.parametrize("look", LOOKS)
def test_whatever_is_looked_at_first_is_there(look):
    plain = make_point(deferred=False)
    assert LOOKS[look](make_point()) == LOOKS[look](plain)


def test_frozen_stays_frozen_and_slots_stay_slots():
    point = make_point()(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    with pytest.raises(TypeError):
        point.__class__()
    assert not hasattr(point, "__dict__")
    bare = make_point().__new__(make_point())
    assert not hasattr(bare, "__dict__")


def test_an_instance_that_no_init_made_is_frozen_too():
    cls = make_point()
    with pytest.raises(dataclasses.FrozenInstanceError):
        cls.__new__(cls).x = 1


def test_making_comparing_and_replacing_instances_makes_no_other_methods():
    cls = make_point()
    point = cls(1, tags=["a"])
    assert skeletons.is_skeleton(cls)
    assert (point.x, point.y, point.tags, point.sum) == (1, 0, ["a"], 1)
    init = cls.__init__
    assert init.__qualname__ == f"{cls.__qualname__}.__init__"
    assert (point == cls(1), point == cls(1, 2), hash(point) == hash(cls(1))) == (True, False, True)
    assert dataclasses.replace(point, y=5) == cls(1, 5)
    assert skeletons.is_skeleton(cls), "they are compared and replaced without the rest"
    assert repr(point).endswith("Point(x=1, y=0, tags=['a'])")
    assert not skeletons.is_skeleton(cls)
    assert cls.__init__ is init
    assert cls(2).tags is not cls(2).tags, "a default that is made for each instance still is"
    assert cls.__doc__ == "A place."


def test_fields_of_every_kind_are_set_as_dataclass_sets_them():
    def declared(deferred: bool) -> type:
        with deferred_dataclasses(HERE if deferred else "of_nobody"):

            @dataclasses.dataclass(slots=True)
            class Kinds:
                given: int
                made: list[int] = field(default_factory=list)
                held: str = field(default="held", init=False)
                held_made: dict[str, int] = field(default_factory=dict, init=False)
                unset: int = field(init=False)
                named: int = field(default=7, kw_only=True)
                needed: int = field(kw_only=True)

                def __post_init__(self) -> None:
                    self.unset = self.given + self.needed

        assert skeletons.is_skeleton(Kinds) is deferred
        return Kinds

    def facts(cls: Any) -> object:
        return (
            str(inspect.signature(cls)),
            cls.__init__.__annotations__,
            dataclasses.astuple(cls(1, needed=2)),
            dataclasses.astuple(cls(1, [3], named=4, needed=5)),
            cls(1, needed=2).held_made is not cls(1, needed=2).held_made,
        )

    assert facts(declared(True)) == facts(declared(False))
    with pytest.raises(TypeError):
        declared(True)(1)


def test_a_class_whose_bases_have_no_fields_is_deferred_too():
    class Named:
        __slots__ = ()

        def name(self) -> str:
            return type(self).__name__

    with deferred_dataclasses(HERE):

        @dataclasses.dataclass(slots=True)
        class Box(Named, Generic[T]):
            content: T
            kind: "ClassVar[str]" = "box"

    assert skeletons.is_skeleton(Box)
    assert Box[int](1) == Box(1)
    assert (Box(1).name(), Box.kind, Box.__slots__) == ("Box", "box", ("content",))
    assert not hasattr(Box(1), "__dict__")


def test_classes_that_are_not_simple_are_made_at_once():
    with deferred_dataclasses(HERE):

        @dataclasses.dataclass(slots=True)
        class Base:
            a: int

        @dataclasses.dataclass(slots=True)
        class Derived(Base):
            b: int

        @dataclasses.dataclass
        class Roomy:
            a: int

        @dataclasses.dataclass(slots=True)
        class OfRoomy(Roomy):
            b: int

        @dataclasses.dataclass(frozen=True, slots=True, order=True)
        class Ordered:
            a: int

        @dataclasses.dataclass(slots=True)
        class Later:
            a: dataclasses.InitVar[int]

            def __post_init__(self, a: int) -> None:
                assert a

    assert [skeletons.is_skeleton(each) for each in (Derived, OfRoomy, Ordered, Later)] == 4 * [False]
    assert Derived(1, 2) == Derived(1, 2)
    assert OfRoomy(1, 2) == OfRoomy(1, 2)
    assert Ordered(1) < Ordered(2)
    Later(1)


def test_a_wrong_declaration_fails_at_the_first_use_and_again():
    with deferred_dataclasses(HERE):

        @dataclasses.dataclass(slots=True)
        class Wrong:
            a: int = 0
            b: int

    for _ in range(2):
        with pytest.raises(TypeError, match="non-default argument"):
            Wrong(1, 2)


def test_threads_that_look_at_once_see_one_class():
    for _ in range(20):
        cls = make_point()
        start = threading.Barrier(4)
        seen: list[Any] = []

        def look(cls: Any = cls, start: threading.Barrier = start, seen: list[Any] = seen) -> None:
            start.wait(10)
            seen.append((cls(1, 2).sum, cls.__init__, cls.__eq__, cls.__hash__))

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert len(seen) == 4
        assert len(set(seen)) == 1


def test_all_classes_of_a_package_can_be_made_while_nobody_waits():
    mine = [make_point() for _ in range(3)]
    for cls in mine:
        cls.__module__ = "mine.points"
    skeletons.make_all("of_nobody", enough=lambda: False)
    skeletons.make_all("mine", enough=lambda: True)
    assert all(map(skeletons.is_skeleton, mine))
    skeletons.make_all("mine", enough=lambda: False)
    assert not any(map(skeletons.is_skeleton, mine))
    assert [cls(1, 2).sum for cls in mine] == [3, 3, 3]


def test_instances_of_the_package_pass_through_pickle():
    from steersman.agent.messages import Usage

    assert pickle.loads(pickle.dumps(Usage())) == Usage()
