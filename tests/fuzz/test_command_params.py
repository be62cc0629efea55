"""Commands with parameters that are nearly right: each is answered, or refused with a code that is documented."""

import functools
import json
from pathlib import Path
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.arguments import parse, parse_queue
from steersman.lsp.command_list import COMMANDS, Command
from steersman.lsp.errors import InvalidParams
from steersman.lsp.params import Params
from steersman.lsp.wire import encode
from steersman.session.errors import RefusalCode
from support.cases import NO_SHRINK, cases
from support.in_memory import connected, quiet, run_alone
from support.lsp_workspace import Desk, desk, edit_call
from support.mutations import Json, from_schema, mutated_json, odd_json
from support.scripted_model import answer

TEXTS = st.sampled_from(["", "go", "/name x", "a.txt", "@a.txt", "ü😀", "@a.txt#L0-L99", "\u202e", "x" * 300])
KNOWN: dict[str, st.SearchStrategy[str]] = {
    "session": st.sampled_from(["SESSION", "SESSION", "SESSION", "ses_none", "../x", ""]),
    "run": st.sampled_from(["RUN", "RUN", "run_none", ""]),
    "id": st.sampled_from(["QUESTION", "QUESTION", "QUEUED", "apr_none"]),
    "node": st.sampled_from(["MESSAGE", "MESSAGE", "msg_none"]),
    "message": st.sampled_from(["MESSAGE", "MESSAGE", "msg_none"]),
    "checkpoint": st.sampled_from(["MESSAGE", "RUN", "msg_none"]),
    "root": st.sampled_from(["ROOT", "ROOT/none", "relative", "untitled:1", ""]),
    "path": st.sampled_from(["ROOT/out.html", "ROOT", "ROOT/no/out.md", "out.html"]),
    "uri": st.sampled_from(["ROOT/a.txt", "ROOT/none.txt", "ROOT/../x", "untitled:1", "file://[x", ""]),
    "uris": st.sampled_from(["ROOT/a.txt", "ROOT/none.txt", "ROOT", "untitled:1"]),
    "files": st.sampled_from(["ROOT/a.txt", "ROOT/none.txt"]),
    "data": st.sampled_from(["iVBORw0KGgo=", "not base64", ""]),
    "model": st.sampled_from(["test:m", "none:m", "m", ""]),
    "hunks": st.sampled_from(["1-00000000", ""]),
}
CODES = {-32602: "the parameters", -32803: "it can't be done", -32800: "it was cancelled"}


@functools.cache
def valid(command: Command) -> st.SearchStrategy[Json]:
    """Parameters that fit the schema of the command."""
    return from_schema(command.params.model_json_schema(), lambda name: KNOWN.get(name, TEXTS))


@functools.cache
def arguments(command: Command) -> st.SearchStrategy[list[Json]]:
    """One object nearly always, as it should be or with something of it changed."""
    one = valid(command)
    return (
        one.map(lambda value: [value])
        | mutated_json(one).map(lambda value: [value])
        | st.lists(odd_json, max_size=2)
        | TEXTS.map(lambda text: [text])
    )


any_call = st.sampled_from(COMMANDS).flatmap(lambda command: st.tuples(st.just(command), arguments(command)))


@cases(100)
@given(any_call)
def test_parameters_of_any_kind_are_taken_as_they_are_or_refused_with_their_field(call):
    command, given_ = call
    try:
        params = parse(command.params, given_, string_as=command.string_as)
    except InvalidParams as error:
        assert len(error.message) < 3000
        assert json.loads(encode(error.data))["schema"] == command.params.model_json_schema()
        return
    assert isinstance(params, Params)
    told = given_[0] if given_ and isinstance(given_[0], dict) else {}
    dumped = params.model_dump(by_alias=True, exclude_unset=True)
    assert set(dumped) >= set(told), "nothing that is said is passed over"


@cases(40)
@given(mutated_json(st.sampled_from(COMMANDS).filter(lambda each: each.name == "queue").flatmap(valid)))
def test_an_operation_on_the_queue_has_all_that_it_needs_or_is_refused(value):
    try:
        params = parse_queue([value])
    except InvalidParams as error:
        assert error.data is not None and error.data["field"] == error.field
        return
    if params.op in ("edit", "remove", "move"):
        assert params.id is not None
    if params.op == "edit":
        assert params.text is not None


@cases(12, share=0.02, phases=NO_SHRINK)
@given(st.lists(any_call, min_size=1, max_size=8))
def test_any_commands_are_each_answered_or_refused_with_a_documented_code(tmp_path_factory, calls):
    base = tmp_path_factory.mktemp("desk", numbered=True)
    run_alone(_story(base, calls))


async def _story(base: Path, calls: list[tuple[Command, list[Json]]]) -> None:
    responses = [answer("", edit_call("a.txt", "one", "two")), *[answer("Done.")] * 12]
    async with desk(base, *responses, connect=connected) as it:
        it.put("a.txt", "one\n")
        await it.start("begin")
        await quiet()
        for command, given_ in calls:
            request = it.client.command(command.id, *_filled(given_, it))
            await _until_answered(it, request)
            _check(command, request.arrived())
        request = it.client.command("steersman.status")
        await _until_answered(it, request)
        assert "result" in (request.arrived() or {})


async def _until_answered(it: Desk, request: Any) -> None:
    """Time passes while somebody waits for it."""
    await quiet()
    for _ in range(40):
        if request.arrived() is not None:
            return
        it.clock.advance(5)
        await quiet()


def _check(command: Command, message: dict[str, Json] | None) -> None:
    assert message is not None, f"{command.id} has no answer"
    if "error" in message:
        error = message["error"]
        assert error["code"] in CODES, error
        assert error["code"] != -32803 or error["data"]["code"] in get_args(RefusalCode), error


def _filled(value: Json, it: Desk) -> Json:
    """With what there is at this desk in the places of names."""
    if isinstance(value, list):
        return [_filled(each, it) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, it) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    known = {"SESSION": _last(it, "session"), "RUN": _last(it, "run"), "QUESTION": "apr_1", "QUEUED": "inp_1"}
    messages = [event["data"]["messageId"] for event in it.events("message_end")]
    known["MESSAGE"] = messages[0] if messages else "msg_none"
    return value.replace("ROOT", it.root.as_uri()) if value.startswith("ROOT") else known.get(value, value)


def _last(it: Desk, key: str) -> str:
    return next((event[key] for event in reversed(it.events()) if event.get(key)), "none")
