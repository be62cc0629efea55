"""The typed dictionaries by which pydantic describes schemas are the same, deferred or made at once."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json, sys, typing
if sys.argv[1] == "deferred":
    from steersman.startup import skeletons
    from steersman.startup.typed_dicts import deferred_typed_dicts
    with deferred_typed_dicts("pydantic_core.core_schema"):
        import pydantic_core.core_schema as schemas
    is_unmade = skeletons.is_skeleton
else:
    import pydantic_core.core_schema as schemas
    is_unmade = lambda cls: False
from typing_extensions import get_type_hints, is_typeddict
classes = {name: cls for name, cls in vars(schemas).items() if isinstance(cls, type) and is_typeddict(cls)}
unmade = sum(map(is_unmade, classes.values()))
def facts(cls):
    return {
        "hints": {name: str(hint) for name, hint in get_type_hints(cls, include_extras=True).items()},
        "required": sorted(cls.__required_keys__),
        "optional": sorted(cls.__optional_keys__),
        "total": cls.__total__,
        "names": sorted(name for name in vars(cls)),
        "is": [cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__, str(cls.__mro__), str(type(cls))],
        "instance": cls(type="x") == {"type": "x"},
    }
told = {name: facts(cls) for name, cls in classes.items()}
print(json.dumps({"unmade": unmade, "left": sum(map(is_unmade, classes.values())), "classes": told}))
"""


def told(how: str):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are lazy there: nothing is deferred")
def test_each_is_the_same_deferred_or_made_at_once():
    plain, deferred = told("plain"), told("deferred")
    assert plain["unmade"] == 0
    assert deferred["unmade"] > 70
    assert deferred["left"] == 0
    assert deferred["classes"] == plain["classes"]


def test_nothing_is_deferred_where_the_classes_are_made_otherwise_than_expected():
    script = (
        "import sys, typing, typing_extensions\n"
        "t = typing if sys.version_info >= (3, 12) else typing_extensions\n"
        "meta = type(t.TypedDict('P', {})); known = meta.__new__\n"
        "def newer(cls, *given, **options):\n"
        "    made = known(cls, *given, **options)\n"
        "    made.__novelty__ = 1\n"
        "    return made\n"
        "meta.__new__ = newer\n"
        "from steersman.startup import skeletons\n"
        "from steersman.startup.typed_dicts import deferred_typed_dicts\n"
        "with deferred_typed_dicts('pydantic_core.core_schema'):\n"
        "    from pydantic_core.core_schema import CoreConfig\n"
        "assert not skeletons.is_skeleton(CoreConfig)\n"
        "assert CoreConfig.__novelty__ == 1\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
