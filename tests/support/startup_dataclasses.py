"""A process that prints the facts of every dataclass of the package and of pydantic, made at once or deferred.

Argument: `plain` or `deferred`. Prints JSON: `deferred` (how many were deferred), `classes` (name to facts).
"""

import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
import sys
from contextlib import nullcontext

from steersman.startup import skeletons
from steersman.startup.data_classes import deferred_dataclasses

PACKAGES = ("steersman", "pydantic", "annotated_types")
real_dataclass = dataclasses.dataclass
with deferred_dataclasses(*PACKAGES) if sys.argv[1] == "deferred" else nullcontext():
    import steersman

    for found in pkgutil.walk_packages(steersman.__path__, "steersman."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("steersman"):
                raise  # else it needs an extra that is not installed here

    @dataclasses.dataclass(frozen=True, slots=True)
    class OfAnother:
        number: int


assert dataclasses.dataclass is real_dataclass
assert not skeletons.is_skeleton(OfAnother)

MODULES = [module for name, module in sys.modules.items() if name.partition(".")[0] in PACKAGES]
CLASSES = {
    each
    for module in MODULES
    for each in vars(module).values()
    if isinstance(each, type) and each.__module__ == module.__name__
}
DEFERRED = [each for each in CLASSES if skeletons.is_skeleton(each)]


def told(value):
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def facts(cls):
    # First what may be made alone, then all.
    alone = {
        "signature": told(inspect.signature(cls)),
        "init": told(inspect.get_annotations(cls.__init__)),
        "fields": [told(field) for field in dataclasses.fields(cls)],
        "hash": cls.__hash__ is None,
        "equality": cls.__eq__.__qualname__,
        "match": told(getattr(cls, "__match_args__", None)),
    }
    return alone | {
        "names": sorted(vars(cls)),
        "slots": told(cls.__dict__.get("__slots__")),
        "doc": re.sub(r" at 0x[0-9a-f]+", "", cls.__doc__ or ""),
        "annotations": told(inspect.get_annotations(cls)),
        "parameters": told(cls.__dataclass_params__),
    }


sys.stdout.write(json.dumps({
    "deferred": len(DEFERRED),
    "classes": {
        f"{each.__module__}.{each.__qualname__}": facts(each) for each in CLASSES if dataclasses.is_dataclass(each)
    },
}))  # fmt: skip
