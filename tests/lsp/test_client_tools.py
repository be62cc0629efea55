"""Tools of the client by `steersman/callTool`, for a client that negotiated this and nothing else."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from steersman.lsp.client_tools import MAX_TOOLS
from steersman.lsp.schema import json_schema
from steersman.session.limits import Limits
from steersman.tools.base import MAX_RESULT_BYTES
from support.json_schema import faults
from support.lsp_client import NO_ANSWER, PATIENCE, AnsweredWithError
from support.lsp_workspace import EVENTS, Desk, desk
from support.scripted_model import answer, call

METHOD = "steersman/callTool"
SCHEMA = json_schema()
KNOWN = ["definition", "references", "hover", "symbols", "renamePreview"]
DEPLOY = {
    "name": "deploy",
    "description": "Deploy the site.",
    "parameters": {
        "type": "object",
        "properties": {"stage": {"type": "string"}},
        "required": ["stage"],
    },
}
LOOK = {**DEPLOY, "name": "look", "description": "See what is deployed.", "readOnly": True}
DEPLOYS = [answer("", call("deploy", {"stage": "live"})), answer("done")]
LOOKS = [answer("", call("look", {"stage": "live"})), answer("done")]


def offering(*tools, rich=False, **more):
    features = {"tools": list(tools), **more, **({"eventToken": EVENTS} if rich else {})}
    return {"initializationOptions": {"steersman": {"version": "1", **features}}}


@dataclass
class Called:
    """A call that waits for the client."""

    params: dict[str, Any]
    _answer: asyncio.Future[Any]

    @property
    def arguments(self) -> dict[str, Any]:
        return self.params["arguments"]

    def reply(self, result: Any) -> None:
        self._answer.set_result(result)

    def give(self, **result: Any) -> None:
        assert faults(result, {"$ref": "#/$defs/CallToolAnswer"}, SCHEMA) == []
        self.reply(result)

    def fail(self, code: int, message: str = "no such stage") -> None:
        self._answer.set_exception(AnsweredWithError({"code": code, "message": message}))


class Tools:
    """The client's tools. What it is sent is as the schema says."""

    def __init__(self, it: Desk) -> None:
        self.it = it
        self._called: asyncio.Queue[Called] = asyncio.Queue()
        it.client.on_request(METHOD, self._call)

    def _call(self, params: dict[str, Any]) -> Any:
        assert faults(params, {"$ref": "#/$defs/CallToolRequest"}, SCHEMA) == []
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._called.put_nowait(Called(params, future))
        return future

    async def next(self) -> Called:
        async with asyncio.timeout(PATIENCE):
            return await self._called.get()

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.it.client.of_method(METHOD)


def told(it: Desk) -> str:
    """What the model was told of its last call."""
    return it.model.requests[-1].messages[-1].text


def offered(it: Desk) -> list[str]:
    """Names of the tools that the model has beside the built-in ones."""
    return [tool.name for tool in it.model.requests[0].tools][9:]


@asynccontextmanager
async def at_desk(base, tools, *responses, rich=False, **options):
    async with desk(base, *responses, **{**offering(*tools, rich=rich), **options}) as it:
        yield it, Tools(it)


async def negotiated(it, *tools):
    result = await it.client.initialize(**offering(*tools))
    return result["capabilities"]["experimental"]["steersman"]


# What is offered


async def test_the_server_says_which_tools_it_uses(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        said = await negotiated(it, *KNOWN, DEPLOY)
        assert said == {"version": "1", "uses": ["tools"], "tools": [*KNOWN, "deploy"]}
        assert faults(said, {"$ref": "#/$defs/ServerFeatures"}, SCHEMA) == []


LEFT_OUT = {
    "unknown": "typeHierarchy",
    "built-in": {**DEPLOY, "name": "read"},
    "built-in, other case": {**DEPLOY, "name": "Bash"},
    "ask_user": {**DEPLOY, "name": "ask_user"},
    "diagnostics": {**DEPLOY, "name": "diagnostics"},
    "of a known tool": {**DEPLOY, "name": "definition"},
    "twice": LOOK,
    "bad name": {**DEPLOY, "name": "de ploy"},
    "no name": {key: value for key, value in DEPLOY.items() if key != "name"},
    "no description": {**DEPLOY, "description": ""},
    "no schema": {**DEPLOY, "parameters": None},
    "not an object": {**DEPLOY, "parameters": {"type": "string"}},
    "odd readOnly": {**DEPLOY, "readOnly": "yes"},
    "number": 7,
    "null": None,
    "list": [DEPLOY],
}


@pytest.mark.parametrize("tool", LEFT_OUT.values(), ids=LEFT_OUT)
async def test_a_tool_that_can_not_be_used_is_left_out_and_logged_and_the_others_work(tmp_path, tool, caplog):
    async with desk(tmp_path, initialize=False) as it:
        said = await negotiated(it, "definition", LOOK, tool, {**DEPLOY, "newer": 1})
        assert said["tools"] == ["definition", "look", "deploy"]
        assert [record for record in caplog.records if "is left out" in record.message]


async def test_a_client_all_of_whose_tools_are_left_out_hears_so(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        assert await negotiated(it, "typeHierarchy", 7) == {"version": "1", "uses": [], "tools": []}


async def test_there_can_be_too_many(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        said = await negotiated(it, *({**DEPLOY, "name": f"tool{n}"} for n in range(MAX_TOOLS + 5)))
        assert len(said["tools"]) == MAX_TOOLS


@pytest.mark.parametrize("value", ["definition", {"definition": True}, 1], ids=repr)
async def test_tools_that_are_no_list_are_an_error(tmp_path, value):
    async with desk(tmp_path, initialize=False) as it:
        with pytest.raises(AnsweredWithError) as raised:
            await it.client.initialize(initializationOptions={"steersman": {"tools": value}})
        assert raised.value.data["field"] == "initializationOptions.steersman.tools"


@pytest.mark.parametrize("features", [{}, {"tools": None}, {"tools": []}, {"input": True}], ids=repr)
async def test_a_client_that_offers_none_is_never_asked_for_one(tmp_path, features):
    options = {"initializationOptions": {"steersman": features}}
    async with at_desk(tmp_path, [], *DEPLOYS, **options) as (it, tools):
        run = await it.start()
        await it.floor_ended(run)
        assert offered(it) == ["ask_user"]
        assert "deploy" in told(it)  # no such tool
        assert tools.requests == []


async def test_models_see_a_tool_as_the_client_describes_it(tmp_path):
    bare = {**DEPLOY, "name": "bare", "parameters": {"type": "object"}}
    async with at_desk(tmp_path, ["renamePreview", DEPLOY, bare], answer("done")) as (it, _):
        run = await it.start()
        await it.floor_ended(run)
        assert offered(it) == ["ask_user", "rename_preview", "deploy", "bare"]
        *_, deploy, without = it.model.requests[0].tools
        assert (deploy.description, deploy.parameters) == (DEPLOY["description"], DEPLOY["parameters"])
        assert without.parameters == {"type": "object", "properties": {}}


# A call


async def test_a_tool_that_only_reads_is_called_unasked(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS, mode="read-only") as (it, tools):
        run = await it.start()
        called = await tools.next()
        (session,) = (await it.command("status"))["sessions"]
        assert called.params == {
            "session": session["session"],
            "run": run,
            "toolCallId": called.params["toolCallId"],
            "name": "look",
            "arguments": {"stage": "live"},
        }
        called.give(content="two copies")
        await it.floor_ended(run)
        assert told(it) == "two copies"


async def test_text_may_come_in_blocks_and_with_more_than_is_known_here(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS, rich=True) as (it, tools):
        run = await it.start()
        blocks = [{"type": "text", "text": "two", "annotations": {}}, {"type": "text", "text": "copies"}]
        (await tools.next()).reply({"content": blocks, "_meta": {}})
        await it.ended(run)
        assert it.result_texts() == ["two\ncopies"]
        assert it.results()[0]["outcome"] == "ok"


async def test_a_call_that_failed_is_an_error_for_the_model(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS, rich=True) as (it, tools):
        run = await it.start()
        (await tools.next()).give(content="no such stage", isError=True)
        await it.ended(run)
        assert it.result_texts() == ["no such stage"]
        assert it.results()[0]["outcome"] == "failed"


@pytest.mark.parametrize(
    ("code", "says"),
    [(-32603, "look failed in the editor: xxx"), (-32601, "The editor can't do look, though it said so")],
)
async def test_an_error_of_the_client_is_told_and_bounded(tmp_path, code, says):
    async with at_desk(tmp_path, [LOOK], *LOOKS, rich=True) as (it, tools):
        run = await it.start()
        (await tools.next()).fail(code, "x" * 100_000)
        await it.ended(run)
        (result,) = it.result_texts()
        assert result.startswith(says)
        assert len(result) < 9000
        assert it.results()[0]["outcome"] == "failed"


MALFORMED = [
    None,
    "text",
    3,
    [],
    {},
    {"content": 3},
    {"content": None},
    {"content": [{"type": "image"}]},
    {"content": "x", "isError": "no"},
    {"data": []},
]


@pytest.mark.parametrize("reply", MALFORMED, ids=repr)
async def test_a_malformed_result_is_told(tmp_path, reply):
    async with at_desk(tmp_path, [LOOK], *LOOKS, rich=True) as (it, tools):
        run = await it.start()
        (await tools.next()).reply(reply)
        await it.ended(run)
        assert it.result_texts()[0].startswith("The editor's answer to look can't be used")
        assert it.results()[0]["outcome"] == "failed"


async def test_a_long_result_is_cut_and_says_so(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS) as (it, tools):
        run = await it.start()
        (await tools.next()).give(content="y" * 100_000)
        await it.floor_ended(run)
        assert told(it).endswith("\n\n[The result has 100,000 bytes: only the first 50 KB are shown]")
        assert len(told(it)) < MAX_RESULT_BYTES + 200


async def test_an_empty_result_says_so(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS) as (it, tools):
        run = await it.start()
        (await tools.next()).give(content="")
        await it.floor_ended(run)
        assert told(it) == "[The tool said nothing]"


@pytest.mark.parametrize("tool", [LOOK, DEPLOY], ids=["look", "deploy"])
async def test_a_client_that_does_not_answer_is_not_waited_for_for_ever(tmp_path, tool):
    script = [answer("", call(tool["name"], {"stage": "live"})), answer("done")]
    async with at_desk(tmp_path, [tool], *script, mode="full-auto", rich=True) as (it, _):
        it.client.on_request(METHOD, lambda params: NO_ANSWER)
        run = await it.start()
        asked = await it.client.wait_for_method(METHOD)
        await it.clock.let_pass(Limits().call_tool)
        cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": asked["id"]}}
        await it.client.wait_for(lambda message: message == cancel)
        await it.ended(run)
        assert told(it).startswith(f"The editor did not answer {tool['name']} within 120 s")
        assert ("is not known" in told(it)) is (tool is DEPLOY)


async def test_an_abort_withdraws_the_call(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS, rich=True) as (it, tools):
        run = await it.start()
        called = await tools.next()
        await it.command("abort")
        cancelled = await it.client.wait_for_method("$/cancelRequest")
        assert cancelled["params"] == {"id": tools.requests[0]["id"]}
        called.give(content="two copies")  # too late
        assert (await it.ended(run))["stopReason"] == "aborted"
        assert it.results()[0]["outcome"] == "aborted"


async def test_a_client_that_is_lost_ends_the_call_with_its_run(tmp_path):
    async with at_desk(tmp_path, [LOOK], *LOOKS) as (it, tools):
        run = await it.start()
        await tools.next()
        it.client.close_output()
        await it.client.wait_for_end()
        assert "interrupted" in (await it.floor_ended(run)).lower()
        assert len(it.model.requests) == 1


async def test_arguments_that_can_not_be_right_never_reach_the_client(tmp_path):
    script = [answer("", call("look", {"stage": 3}), call("look", {})), answer("done")]
    async with at_desk(tmp_path, [LOOK], *script, rich=True) as (it, tools):
        run = await it.start()
        await it.ended(run)
        assert [result["outcome"] for result in it.results()] == ["badArguments"] * 2
        assert "- stage: expected a string, got 3" in it.result_texts()[0]
        assert tools.requests == []


async def test_calls_that_only_read_are_made_at_once(tmp_path):
    script = [answer("", call("look", {"stage": "a"}), call("look", {"stage": "b"})), answer("done")]
    async with at_desk(tmp_path, [LOOK], *script) as (it, tools):
        run = await it.start()
        first, second = await tools.next(), await tools.next()
        second.give(content="B")
        first.give(content="A")
        await it.floor_ended(run)
        assert [message.text for message in it.model.requests[-1].messages[-2:]] == ["A", "B"]


async def test_an_argument_called_command_makes_it_no_command(tmp_path):
    run_tool = {**LOOK, "name": "task", "parameters": {"type": "object"}}
    script = [answer("", call("task", {"command": "make"})), answer("done")]
    async with at_desk(tmp_path, [run_tool], *script, rich=True) as (it, tools):
        run = await it.start()
        (await tools.next()).give(content="made")
        assert (await it.ended(run))["commands"] == []


# Leave


@pytest.mark.parametrize("mode", ["ask", "auto-edit"])
async def test_a_tool_that_may_change_something_is_asked_about_with_its_arguments(tmp_path, mode):
    async with at_desk(tmp_path, [DEPLOY], *DEPLOYS, mode=mode, rich=True) as (it, tools):
        run = await it.start()
        question = await it.next_question()
        assert question.titles == ["Show arguments", "Accept", "Accept all in this run", "Decline", "Stop"]
        assert question.message == (
            'Steersman: Call deploy in the editor: {"stage": "live"}\n'
            "What tools of the editor and of extensions do is asked about in this mode."
        )
        asked = await it.event("approval_requested")
        assert (asked["kind"], asked["tool"]) == ("tool", {"name": "deploy", "arguments": {"stage": "live"}})
        assert tools.requests == []
        question.choose("Accept")
        (await tools.next()).give(content="deployed")
        await it.ended(run)
        assert it.result_texts() == ["deployed"]


async def test_it_is_refused_where_nothing_may_be_changed(tmp_path):
    async with at_desk(tmp_path, [DEPLOY], *DEPLOYS, mode="read-only", rich=True) as (it, tools):
        run = await it.start()
        (denied,) = (await it.ended(run))["denied"]
        assert (denied["by"], denied["setting"]) == ("mode", "any mode but read-only")
        assert tools.requests == []


async def test_it_is_called_unasked_in_full_auto(tmp_path):
    async with at_desk(tmp_path, [DEPLOY], *DEPLOYS, mode="full-auto", rich=True) as (it, tools):
        run = await it.start()
        (await tools.next()).give(content="deployed")
        await it.ended(run)
        assert it.events("approval_requested") == []


async def test_a_no_reaches_nobody_but_the_model(tmp_path):
    async with at_desk(tmp_path, [DEPLOY], *DEPLOYS, rich=True) as (it, tools):
        run = await it.start()
        (await it.next_question()).choose("Decline")
        await it.ended(run)
        assert it.results()[0]["outcome"] == "denied"
        assert tools.requests == []


async def test_a_grant_for_the_run_covers_this_tool_with_exactly_these_arguments(tmp_path):
    stages = ("live", "live", "test")
    script = [*(answer("", call("deploy", {"stage": stage})) for stage in stages), answer("done")]
    async with at_desk(tmp_path, [DEPLOY], *script, rich=True) as (it, tools):
        run = await it.start()
        (await it.next_question()).choose("Accept all in this run")
        for _ in range(2):
            (await tools.next()).give(content="deployed")
        again = await it.next_question()
        assert '{"stage": "test"}' in again.message
        again.choose("Decline")
        await it.ended(run)
        assert len(tools.requests) == 2


async def test_what_was_declined_twice_is_refused_unasked(tmp_path):
    script = [answer("", call("deploy", {"stage": "live"}))] * 3 + [answer("done")]
    async with at_desk(tmp_path, [DEPLOY], *script, rich=True) as (it, _):
        run = await it.start()
        for _ in range(2):
            (await it.next_question()).choose("Decline")
        await it.ended(run)
        assert it.result_texts()[2].startswith("Refused: exactly this was declined twice.")


async def test_arguments_that_are_too_long_for_the_question_are_shown_in_a_document(tmp_path):
    long = {"stage": "x" * 600 + "\u202e"}
    script = [answer("", call("deploy", long)), answer("done")]
    async with at_desk(tmp_path, [DEPLOY], *script, rich=True) as (it, _):
        shown = asyncio.get_running_loop().create_future()
        it.client.on_request(
            "window/showDocument", lambda params: shown.set_result(params) or {"success": True}
        )
        run = await it.start()
        question = await it.next_question()
        assert "more characters: Show arguments)" in question.message
        question.choose("Show arguments")
        await shown
        (document,) = it.home.diffs.iterdir()
        assert document.suffix == ".json"
        assert document.read_text() == '{\n  "stage": "' + "x" * 600 + '\\u202e"\n}\n'
        uri = it.editor.open(document)
        await it.heard()
        it.editor.close(uri)
        (await it.next_question()).choose("Decline")
        await it.ended(run)


async def test_a_client_with_a_face_of_its_own_gets_the_tool_in_the_question(tmp_path):
    options = offering(DEPLOY, approval=True)
    async with at_desk(tmp_path, [], *DEPLOYS, **options) as (it, tools):
        asked = asyncio.get_running_loop().create_future()
        it.client.on_request(
            "steersman/requestApproval", lambda params: asked.set_result(params) or {"decision": "accept"}
        )
        run = await it.start()
        params = await asked
        assert faults(params, {"$ref": "#/$defs/ApprovalRequest"}, SCHEMA) == []
        assert params["tool"] == {"name": "deploy", "arguments": {"stage": "live"}}
        assert params["decisions"] == ["accept", "acceptForRun", "acceptForSession", "decline", "cancel"]
        (await tools.next()).give(content="deployed")
        await it.floor_ended(run)


# Known tools


CART = "def total(items):\n    return 0\n\ndéf = total(1) + total(2)  # 😀 total\n"


def location(path, line, character=0):
    start = {"line": line, "character": character}
    return {"uri": path.as_uri(), "range": {"start": start, "end": start}}


async def known(it, tools, name, data, **arguments):
    """Calls a known tool in a run that is about to do so, and returns what the client was asked and the result."""
    run = await it.start()
    called = await tools.next()
    assert called.params["name"] == name
    called.give(data=data)
    await it.floor_ended(run)
    return called.arguments, told(it)


def calling(tool, **arguments):
    return [answer("", call(tool, arguments)), answer("done")]


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 7), ("utf-16", 6), ("utf-32", 6)])
async def test_a_place_is_a_line_and_the_symbol_on_it(tmp_path, encoding, character):
    script = calling("definition", path="cart.py", line=4, symbol="total")
    async with at_desk(tmp_path, ["definition"], *script, encoding=encoding) as (it, tools):
        cart = it.put("cart.py", CART)
        asked, text = await known(it, tools, "definition", [location(cart, 0, 4)])
        assert asked == {
            "textDocument": {"uri": cart.as_uri()},
            "position": {"line": 3, "character": character},
        }
        assert text == "cart.py:1: def total(items):\n"


async def test_the_editors_text_and_spelling_of_an_open_file_count(tmp_path):
    script = calling("references", path="cart.py", line=2, symbol="shop.total")
    async with at_desk(tmp_path, ["references"], *script) as (it, tools):
        cart = it.put("cart.py", CART)
        spelled = it.editor.open(cart, "# new\r\nx = shop.total()\r\n")
        asked, text = await known(it, tools, "references", [location(cart, 1), location(cart, 1, 9)])
        assert asked == {
            "textDocument": {"uri": spelled},
            "position": {"line": 1, "character": 9},
            "context": {"includeDeclaration": True},
        }
        assert text == "cart.py:2: x = shop.total()\n"


@pytest.mark.parametrize(
    ("line", "symbol", "says"),
    [
        (2, "total", "total is not on line 2 of cart.py, which is `return 0`. It is on lines 1, 4."),
        (2, "sum", "sum is not on line 2 of cart.py, which is `return 0`. It is not in that file."),
        (9, "total", "Line 9 is beyond the end of cart.py, which has 5."),
    ],
)
async def test_a_symbol_that_is_not_there_is_an_error_that_says_where_it_is(tmp_path, line, symbol, says):
    script = calling("definition", path="cart.py", line=line, symbol=symbol)
    async with at_desk(tmp_path, ["definition"], *script) as (it, tools):
        it.put("cart.py", CART)
        run = await it.start()
        await it.floor_ended(run)
        assert told(it) == says
        assert tools.requests == []


async def test_a_denied_file_is_not_asked_about(tmp_path):
    script = calling("definition", path=".env", line=1, symbol="KEY")
    async with at_desk(tmp_path, ["definition"], *script, rich=True) as (it, tools):
        it.put(".env", "KEY=1\n")
        run = await it.start()
        await it.ended(run)
        assert it.results()[0]["outcome"] == "denied"
        assert tools.requests == []


async def test_a_file_outside_the_workspace_needs_leave(tmp_path):
    outside = tmp_path / "other.py"
    outside.write_text("total = 1\n")
    script = calling("definition", path=str(outside), line=1, symbol="total")
    async with at_desk(tmp_path, ["definition"], *script, rich=True) as (it, tools):
        run = await it.start()
        question = await it.next_question()
        assert question.message.startswith(f"Steersman: Look at {outside} (outside the workspace)")
        question.choose("Decline")
        await it.ended(run)
        assert tools.requests == []


@pytest.mark.parametrize("name", ["definition", "references"])
async def test_nothing_found_says_so(tmp_path, name):
    async with at_desk(tmp_path, [name], *calling(name, path="cart.py", line=1, symbol="total")) as (
        it,
        tools,
    ):
        it.put("cart.py", CART)
        _, text = await known(it, tools, name, None)
        assert text == f"[The editor's language servers found no {name} of total there]"


@pytest.mark.parametrize("data", ["cart.py", 3, [1], {"uri": 1}, [{"uri": "file:///x"}]], ids=repr)
async def test_data_that_is_not_what_lsp_says_is_told(tmp_path, data):
    script = calling("definition", path="cart.py", line=1, symbol="total")
    async with at_desk(tmp_path, ["definition"], *script, rich=True) as (it, tools):
        it.put("cart.py", CART)
        run = await it.start()
        (await tools.next()).give(data=data)
        await it.ended(run)
        assert it.results()[0]["outcome"] == "failed"
        assert "it is not what LSP says of that request" in it.result_texts()[0]


@pytest.mark.parametrize(
    ("result", "says", "outcome"),
    [
        (
            {"content": "no server for this language", "isError": True},
            "no server for this language",
            "failed",
        ),
        ({"content": "see cart.py"}, "see cart.py", "ok"),
        ({}, "it has neither data nor content", "failed"),
        ({"data": [], "isError": True}, "it has neither data nor content", "failed"),
    ],
)
async def test_a_known_tool_may_answer_in_words(tmp_path, result, says, outcome):
    script = calling("definition", path="cart.py", line=1, symbol="total")
    async with at_desk(tmp_path, ["definition"], *script, rich=True) as (it, tools):
        it.put("cart.py", CART)
        run = await it.start()
        (await tools.next()).reply(result)
        await it.ended(run)
        assert says in it.result_texts()[0]
        assert it.results()[0]["outcome"] == outcome


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            {"contents": {"kind": "markdown", "value": "```python\ndef total(items)\n```\n"}},
            "```python\ndef total(items)\n```\n",
        ),
        (
            {"contents": [{"language": "python", "value": "x"}, "the sum", " "]},
            "```python\nx\n```\n\nthe sum\n",
        ),
        ({"contents": "the sum"}, "the sum\n"),
        ({"contents": [{"value": 1}, "the sum"]}, "the sum\n"),
        ({"contents": []}, "[The editor's language servers say nothing about total there]"),
        (None, "[The editor's language servers say nothing about total there]"),
    ],
)
async def test_what_is_known_of_a_symbol_is_told(tmp_path, data, says):
    script = calling("hover", path="cart.py", line=4, symbol="total")
    async with at_desk(tmp_path, ["hover"], *script) as (it, tools):
        cart = it.put("cart.py", CART)
        asked, text = await known(it, tools, "hover", data)
        assert asked["textDocument"] == {"uri": cart.as_uri()}
        assert text == says


@pytest.mark.parametrize("data", ["total", 3, {}, {"contents": 3}, {"contents": [3, {}]}], ids=repr)
async def test_what_is_no_hover_is_told(tmp_path, data):
    script = calling("hover", path="cart.py", line=1, symbol="total")
    async with at_desk(tmp_path, ["hover"], *script, rich=True) as (it, tools):
        it.put("cart.py", CART)
        run = await it.start()
        (await tools.next()).reply({"data": data})
        await it.ended(run)
        assert it.results()[0]["outcome"] == "failed"
        assert "it is not what LSP says of that request" in it.result_texts()[0]


async def test_the_symbols_of_a_file_are_listed_with_what_they_are_in(tmp_path):
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 9, "character": 0}}
    inner = {"name": "add", "kind": 6, "range": span, "selectionRange": span}
    data = [{"name": "Cart", "kind": 5, "range": span, "selectionRange": span, "children": [inner]}]
    async with at_desk(tmp_path, ["symbols"], *calling("symbols", path="cart.py")) as (it, tools):
        cart = it.put("cart.py", CART)
        asked, text = await known(it, tools, "symbols", data)
        assert asked == {"textDocument": {"uri": cart.as_uri()}}
        assert text == "cart.py:4: class Cart\ncart.py:4: method add (in Cart)\n"


async def test_the_symbols_of_a_file_can_be_narrowed(tmp_path):
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 9, "character": 0}}
    data = [{"name": name, "kind": 12, "range": span} for name in ("add", "remove")]
    for query, text in (
        ("REM", "a.py:4: function remove\n"),
        ("function", "[The editor's language servers found no such symbols]"),
    ):
        script = calling("symbols", path="a.py", query=query)
        async with at_desk(tmp_path, ["symbols"], *script) as (it, tools):
            it.put("a.py", CART)
            assert (await known(it, tools, "symbols", data))[1] == text


async def test_symbols_are_sought_in_the_whole_workspace(tmp_path):
    async with at_desk(tmp_path, ["symbols"], *calling("symbols", query="tot")) as (it, tools):
        cart, secret = it.put("cart.py", CART), it.put(".env", "total=1\n")
        data = [
            {"name": "total", "kind": 12, "location": location(cart, 0), "containerName": "cart"},
            {"name": "total", "kind": 13, "location": location(secret, 0)},
            {"name": "totals", "kind": 99, "location": {"uri": cart.as_uri()}},
        ]
        asked, text = await known(it, tools, "symbols", data)
        assert asked == {"query": "tot"}
        assert text == (
            "cart.py:1: function total (in cart)\ncart.py: symbol totals\n[1 place left out by deny rules]"
        )


async def test_symbols_of_nothing_is_an_error(tmp_path):
    async with at_desk(tmp_path, ["symbols"], *calling("symbols"), rich=True) as (it, _):
        run = await it.start()
        await it.ended(run)
        assert it.result_texts()[0].startswith("Give a path")


async def test_a_rename_is_shown_and_not_made(tmp_path):
    script = calling("rename_preview", path="cart.py", line=1, symbol="total", newName="sum_up")
    async with at_desk(tmp_path, ["renamePreview"], *script) as (it, tools):
        cart = it.put("cart.py", CART)
        edits = [{"range": location(cart, line)["range"], "newText": "sum_up"} for line in (0, 3, 3)]
        moved = {"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"}
        data = {
            "documentChanges": [
                {"textDocument": {"uri": cart.as_uri(), "version": None}, "edits": edits},
                moved,
            ]
        }
        before = it.hashes()
        asked, text = await known(it, tools, "renamePreview", data)
        assert asked["newName"] == "sum_up"
        assert text == (
            "Renaming total to sum_up would change 3 places in 1 file:\n"
            "cart.py:1: def total(items):\ncart.py:4: déf = total(1) + total(2)  # 😀 total\n"
            "[1 file would be created, renamed or deleted as well]\n"
        )
        assert it.hashes() == before


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "[The editor's language servers can't rename total there]"),
        ({}, "[The rename would change nothing]"),
    ],
)
async def test_a_rename_of_nothing_says_so(tmp_path, data, says):
    script = calling("rename_preview", path="cart.py", line=1, symbol="total", newName="x")
    async with at_desk(tmp_path, ["renamePreview"], *script) as (it, tools):
        it.put("cart.py", CART)
        assert (await known(it, tools, "renamePreview", data))[1] == says
