"""A process that compares the deferred classes of `lsprotocol.types` with plain ones. A process imports them only once.

Prints JSON: `deferred` (how many classes were deferred), `left` (how many still are after the use of one), `different`
(in which class what differs).
"""

import enum
import importlib.util
import inspect
import json
import pickle
import sys

import attrs

from steersman.startup import skeletons
from steersman.startup.attrs_classes import import_lsp_types

real_define = attrs.define
assert import_lsp_types()
assert attrs.define is real_define
assert import_lsp_types() is False, "it is there already"

from lsprotocol import converters, types  # noqa: E402

CLASSES = [
    each for each in vars(types).values() if isinstance(each, type) and each.__module__ == types.__name__
]
DEFERRED = [each for each in CLASSES if skeletons.is_skeleton(each)]

MESSAGES = [
    (types.Position, {"line": 1, "character": 2}),
    (types.Hover, {"contents": {"kind": "markdown", "value": "x"}}),
    (types.CodeActionParams, {
        "textDocument": {"uri": "file:///a"},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
        "context": {"diagnostics": [], "only": ["quickfix"]},
    }),
    (types.InitializeParams, {
        "processId": None, "rootUri": None, "rootPath": None,
        "capabilities": {"general": {"positionEncodings": ["utf-8"]}, "workspace": {"applyEdit": True}},
    }),
    (types.WorkspaceEdit, {"documentChanges": [{"kind": "create", "uri": "file:///a"}]}),
    (types.ShowMessageRequestParams, {"type": 3, "message": "m", "actions": [{"title": "t"}]}),
    (types.CompletionList, {"isIncomplete": False, "items": [{"label": "l", "kind": 3}]}),
]  # fmt: skip


def plain_types():
    spec = importlib.util.spec_from_file_location("lsprotocol.plain_types", types.__file__)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for each in vars(module).values():
        if isinstance(each, type) and attrs.has(each) and each.__module__ == spec.name:
            attrs.resolve_types(each, module.ALL_TYPES_MAP, {})
    return module


def facts(cls):
    def told(value):
        return repr(value).replace("plain_types", "types")

    return {
        "names": sorted(vars(cls)),
        "slots": cls.__slots__,
        "doc": cls.__doc__,
        "module": cls.__module__.replace("plain_types", "types"),
        "bases": told(cls.__bases__),
        "signature": told(inspect.signature(cls)),
        "annotations": told(inspect.get_annotations(cls)),
        "match": cls.__match_args__,
        "hash": cls.__hash__ is None,
        "own setattr": "__setattr__" in vars(cls),
        "fields": [told(field) for field in attrs.fields(cls)],
    }


def differences(plain):
    found = []
    for cls in CLASSES:
        if issubclass(cls, enum.Enum) or not attrs.has(cls):
            continue
        mine, its = facts(cls), facts(getattr(plain, cls.__name__))
        found += [f"{cls.__name__}: {what}" for what in mine if mine[what] != its[what]]
    return found


def check_messages():
    converter = converters.get_converter()
    for cls, message in MESSAGES:
        value = converter.structure(message, cls)
        again = converter.structure(converter.unstructure(value), cls)
        assert value == again
        assert repr(value) == repr(again)
        assert value != object()
        assert pickle.loads(pickle.dumps(value)) == value
    try:
        types.Position(line=-1, character=0)
    except ValueError:
        pass
    else:
        raise AssertionError("a validator did not run")
    position = types.Position(line=0, character=0)
    try:
        position.lines = 1
    except AttributeError:
        return
    raise AssertionError("it has no slots")


# First what one look at a class makes of the others: nothing.
attrs.fields(types.Position)
sys.stdout.write(json.dumps({
    "deferred": len(DEFERRED),
    "left": sum(map(skeletons.is_skeleton, DEFERRED)),
    "different": differences(plain_types()),
}))  # fmt: skip
check_messages()
