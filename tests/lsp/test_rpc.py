"""Every request gets one answer and no message stops the server: the remedies for what pygls gets wrong.

Each behaviour that is relied on or overridden has its test, so that a new pygls shows what moved.
"""

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from steersman.lsp.errors import ClientGone, CommandError, RequestTimeout, RpcError
from steersman.lsp.rpc import RpcServer, after_response
from steersman.lsp.serve import ServeLimits, StopReason
from steersman.lsp.transport import TransportLimits
from support.cases import cases
from support.lsp_client import NO_ANSWER, PATIENCE, AnsweredWithError, LspClient, Served, serving

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, NOT_INITIALIZED, CANCELLED = -32603, -32002, -32800


MEMBERS = st.sampled_from(
    ["textDocument", "uri", "version", "text", "contentChanges", "range", "start", "end", "line", "character",
     "command", "arguments", "id", "jsonrpc", "method", "value", "token"]
)  # fmt: skip
METHODS = [
    "workspace/executeCommand", "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
    "textDocument/didClose", "initialize", "initialized", "$/cancelRequest", "$/setTrace", "unknown", "$/unknown",
    "window/workDoneProgress/cancel", "workspace/didChangeWorkspaceFolders", "notebookDocument/didOpen",
]  # fmt: skip


class Gate:
    """A command that is inside its work until it is opened, or cancelled."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.open = asyncio.Event()
        self.cancelled = False

    async def command(self, arguments: list) -> object:
        self.entered.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return "through"


async def echo(arguments: list) -> object:
    return arguments


def make_server() -> RpcServer:
    server = RpcServer("test", "1")
    server.add_command("echo", echo)
    return server


@pytest.fixture
async def served():
    async with serving(make_server()) as served:
        await served.client.initialize()
        yield served
        # Whatever a test did: nothing was shown to the user, and the server still answers.
        assert served.client.of_method("window/showMessage") == []


@pytest.fixture
def client(served: Served) -> LspClient:
    return served.client


@pytest.fixture
def server(served: Served) -> RpcServer:
    return served.server


async def refused(request) -> AnsweredWithError:
    with pytest.raises(AnsweredWithError) as raised:
        await request
    return raised.value


# What is kept of pygls.


async def test_the_answer_to_initialize_is_the_one_that_pygls_gives_plus_didsave():
    bare = LanguageServer("test", "1")
    bare.command("echo")(echo)
    bare.feature(types.TEXT_DOCUMENT_DID_SAVE)(lambda params: None)
    params = {"processId": None, "capabilities": {"general": {"positionEncodings": ["utf-8"]}}}
    generator = bare.protocol.lsp_initialize(default_converter().structure(params, types.InitializeParams))
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    async with serving(make_server()) as served:
        assert await served.client.initialize(**params) == default_converter().unstructure(
            stopped.value.value
        )


def test_the_names_of_pygls_that_are_overridden_or_used_exist():
    protocol = LanguageServer("x", "1").protocol
    for name in ("_send_data", "_converter", "get_message_type", "send_request", "send_request_async"):
        assert hasattr(protocol, name), name
    for name in ("notify", "progress", "lsp_initialize", "fm"):
        assert hasattr(protocol, name), name
    assert {"initialize", "shutdown", "exit", "workspace/executeCommand"} <= set(protocol.fm.builtin_features)
    assert (protocol.fm.features, protocol.fm.commands, protocol.progress.tokens) == ({}, {}, {})
    assert issubclass(type(protocol), LanguageServerProtocol)


async def test_features_registered_by_pygls_decorators_get_lsprotocol_types():
    server = make_server()

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover:
        return types.Hover(contents=f"{params.text_document.uri}:{params.position.line}")

    @server.feature(types.INITIALIZED)
    async def initialized(ls: RpcServer, params: types.InitializedParams) -> None:
        ls.notify("test/initialized")

    async with serving(server) as served:
        capabilities = (await served.client.initialize())["capabilities"]
        assert capabilities["hoverProvider"] is True
        params = {"textDocument": {"uri": "file:///a"}, "position": {"line": 3, "character": 0}}
        assert (await served.client.request("textDocument/hover", params))["contents"] == "file:///a:3"
        await served.client.wait_for_method("test/initialized")


async def test_generated_requests_of_pygls_are_answered_with_their_types(server, client):
    client.on_request("window/showDocument", lambda params: {"success": params["uri"] == "file:///a"})
    answer = await server.window_show_document_async(types.ShowDocumentParams(uri="file:///a"))
    assert answer == types.ShowDocumentResult(success=True)
    assert len(server.protocol.requests) == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
    ],
)
async def test_the_clients_first_position_encoding_that_is_known_is_used(offered, chosen):
    async with serving(make_server()) as served:
        general = {} if offered is None else {"general": {"positionEncodings": offered}}
        result = await served.client.initialize(capabilities=general)
        assert result["capabilities"]["positionEncoding"] == chosen
        assert served.server.documents.encoding == chosen


# Commands.


async def test_arguments_and_results_are_plain_json(client):
    value = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "x",
        "type_name": "T",
        "not an identifier": [None, 1.5, "é😀"],
    }
    assert await client.command("echo", value, 1) == [value, 1]


async def test_a_command_without_arguments_gets_none(client):
    assert await client.begin("workspace/executeCommand", {"command": "echo"}) == []
    assert await client.begin("workspace/executeCommand", {"command": "echo", "arguments": None}) == []


async def test_an_unknown_command_is_a_plain_error(client):
    error = await refused(client.command("other.server"))
    assert (error.code, error.data) == (INVALID_PARAMS, {"field": "command"})
    assert "other.server" in error.message


@pytest.mark.parametrize(
    ("params", "field"),
    [(None, "params"), ([], "params"), ({}, "command"), ({"command": 5}, "command"),
     ({"command": "echo", "arguments": {}}, "arguments")],
)  # fmt: skip
async def test_ill_formed_command_params_are_refused_naming_the_field(client, params, field):
    error = await refused(client.begin("workspace/executeCommand", params))
    assert (error.code, error.data) == (INVALID_PARAMS, {"field": field})


async def test_a_command_error_is_the_answer(served):
    async def refuse(arguments: list) -> object:
        raise CommandError(-32803, "busy", {"code": "busy"})

    served.server.add_command("refuse", refuse)
    error = await refused(served.client.command("refuse"))
    assert error.error == {"code": -32803, "message": "busy", "data": {"code": "busy"}}


async def test_an_unexpected_exception_is_logged_and_its_text_not_sent(served, caplog):
    async def fail(arguments: list) -> object:
        raise RuntimeError("the secret")

    served.server.add_command("fail", fail)
    error = await refused(served.client.command("fail"))
    assert error.code == INTERNAL_ERROR
    assert "secret" not in str(error.error)
    assert "the secret" in caplog.text


async def test_a_result_without_json_text_is_an_internal_error(served):
    async def bad(arguments: list) -> object:
        return {"x": {1, 2}}

    served.server.add_command("bad", bad)
    assert (await refused(served.client.command("bad"))).code == INTERNAL_ERROR


async def test_commands_start_in_order_and_run_side_by_side(served):
    gate = Gate()
    steps = []

    async def first(arguments: list) -> object:
        steps.append("first begins")
        await gate.command(arguments)
        return "first"

    async def second(arguments: list) -> object:
        steps.append("second begins")
        gate.open.set()
        return "second"

    served.server.add_command("first", first)
    served.server.add_command("second", second)
    one, two = served.client.command("first"), served.client.command("second")
    assert (await one, await two) == ("first", "second")
    assert steps == ["first begins", "second begins"]


async def test_a_command_sees_the_documents_as_they_were_when_it_was_sent(served):
    async def read(arguments: list) -> object:
        return served.server.documents.get("file:///a").text

    served.server.add_command("read", read)
    item = {"uri": "file:///a", "languageId": "x", "version": 0, "text": "before"}
    served.client.notify("textDocument/didOpen", {"textDocument": item})
    request = served.client.command("read")
    change = {"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": [{"text": "after"}]}
    served.client.notify("textDocument/didChange", change)
    assert await request == "before"
    assert await served.client.command("read") == "after"


async def test_what_is_sent_after_the_response_arrives_after_it(served):
    ran = []

    async def start(arguments: list) -> object:
        after_response(lambda: served.server.notify("test/event"))
        after_response(lambda: ran.append("once"))
        await asyncio.sleep(0)
        return "started"

    served.server.add_command("start", start)
    request = served.client.command("start")
    await served.client.wait_for_method("test/event")
    order = [message.get("method") or message["id"] for message in served.client.received]
    assert order[-2:] == [request.id, "test/event"]
    assert ran == ["once"]


async def test_after_response_runs_at_once_when_the_answer_is_out_and_also_after_an_error(served):
    later = asyncio.Event()
    ran = []

    async def start(arguments: list) -> object:
        after_response(lambda: ran.append("error"))
        task = asyncio.create_task(register_late())
        tasks.append(task)
        raise CommandError(-32803, "no")

    async def register_late() -> None:
        await later.wait()
        after_response(lambda: ran.append("late"))

    tasks: list[asyncio.Task[None]] = []
    served.server.add_command("start", start)
    await refused(served.client.command("start"))
    assert ran == ["error"]
    later.set()
    await tasks[0]
    assert ran == ["error", "late"]


def test_after_response_outside_a_handler_is_an_error():
    with pytest.raises(LookupError):
        after_response(lambda: None)


async def test_cancelling_a_command_reaches_its_handler_and_is_answered(served):
    gate = Gate()
    served.server.add_command("gate", gate.command)
    request = served.client.command("gate")
    await gate.entered.wait()
    served.client.notify("$/cancelRequest", {"id": request.id})
    assert (await refused(request)).code == CANCELLED
    assert gate.cancelled


async def test_a_command_that_was_cancelled_by_itself_is_answered(served):
    async def cancelled(arguments: list) -> object:
        raise asyncio.CancelledError

    served.server.add_command("cancelled", cancelled)
    assert (await refused(served.client.command("cancelled"))).code == CANCELLED


async def test_cancelling_what_is_not_running_is_harmless(client):
    for params in ({"id": 99}, {"id": "x"}, {"id": {}}, {"id": True}, {}, None, [1]):
        client.notify("$/cancelRequest", params)
    assert await client.command("echo") == []


async def test_two_commands_of_one_id_are_refused_and_the_first_goes_on(served):
    gate = Gate()
    served.server.add_command("gate", gate.command)
    request = served.client.begin("workspace/executeCommand", {"command": "gate"}, id="same")
    await gate.entered.wait()
    served.client.send({"jsonrpc": "2.0", "id": "same", "method": "shutdown"})
    assert (await refused(request)).code == INVALID_REQUEST
    gate.open.set()
    await served.client.wait_for(lambda message: message.get("result") == "through")


def test_a_second_handler_of_one_name_is_refused():
    server = make_server()
    with pytest.raises(ValueError, match="echo"):
        server.add_command("echo", echo)


async def test_nothing_is_kept_of_what_was_handled(served):
    item = {"uri": "file:///a", "languageId": "x", "version": 0, "text": ""}
    served.client.notify("textDocument/didOpen", {"textDocument": item})
    for version in range(50):
        change = {"textDocument": {"uri": "file:///a", "version": version}, "contentChanges": [{"text": "x"}]}
        served.client.notify("textDocument/didChange", change)
        await served.client.command("echo")
    protocol = served.server.protocol
    assert len(protocol.calls) == 0
    assert (protocol._request_futures, protocol._result_types) == ({}, {})


async def test_progress_tokens_of_pygls_are_forgotten_at_their_end(served, caplog):
    progress = served.server.work_done_progress
    progress.begin("t", types.WorkDoneProgressBegin(title="x"))
    cancelled = progress.tokens["t"]
    served.client.notify("window/workDoneProgress/cancel", {"token": "t"})
    for token in ("unknown", None, [], {"token": "t"}):
        served.client.notify("window/workDoneProgress/cancel", {"token": token})
    await served.client.command("echo")
    assert cancelled.cancelled() and "Traceback" not in caplog.text
    progress.end("t", types.WorkDoneProgressEnd())
    assert progress.tokens == {}


# Messages that are wrong.


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b"\xff\xfe{}", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"x"}', PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc":"2.0"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"x"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":{},"method":"x"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":5}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":"x","params":5}', INVALID_REQUEST),
    ],
)
async def test_a_message_that_is_none_gets_an_error_without_id_and_the_server_lives_on(client, body, code):
    client.send_body(body)
    assert await client.command("echo") == []
    assert [error["code"] for error in client.answers_without_id()] == [code]


@pytest.mark.parametrize(
    "members",
    [{"jsonrpc": "1.0", "method": "x"}, {"method": "x"}, {"jsonrpc": "2.0", "method": None},
     {"jsonrpc": "2.0", "method": "workspace/executeCommand", "params": "x"}],
)  # fmt: skip
async def test_a_malformed_request_is_refused_by_its_id(client, members):
    request = client.expect(77)
    client.send({"id": 77, **members})
    assert (await refused(request)).code == INVALID_REQUEST


async def test_lone_surrogates_nan_and_long_integers_pass(client):
    request = client.expect(77)
    client.send_body(
        b'{"jsonrpc":"2.0","id":77,"method":"workspace/executeCommand",'
        b'"params":{"command":"echo","arguments":["\\ud800",123456789012345678901234567890,NaN]}}'
    )
    surrogate, integer, nan = await request
    assert (surrogate, integer) == ("\ud800", 123456789012345678901234567890)
    assert nan is None or nan != nan  # noqa: PLR0124 - NaN


async def test_a_message_over_the_limit_is_refused_by_its_id_and_the_server_lives_on():
    limits = ServeLimits(transport=TransportLimits(message=10_000))
    async with serving(make_server(), limits=limits) as served:
        await served.client.initialize()
        assert (await refused(served.client.command("echo", "x" * 20_000))).code == INVALID_REQUEST
        assert await served.client.command("echo", "y") == ["y"]


async def test_a_message_of_megabytes_is_answered(client):
    text = "é" * 3_000_000
    sending = asyncio.to_thread(client.command, "echo", text)
    assert await (await sending) == [text]


async def test_wrong_framing_is_answered_and_the_next_message_understood(client):
    client.send_bytes(b"not a header at all\r\n\r\n")
    assert await client.command("echo") == []
    client.send_bytes(b'Content-Length: 5\r\n\r\n{"jsonrpc":"2.0"}')
    assert await client.command("echo") == []
    client.send_bytes(b'Content-Length: 500\r\n\r\n{"jsonrpc":"2.0","method":"$/x"}')
    assert await client.command("echo") == []
    assert {error["code"] for error in client.answers_without_id()} == {PARSE_ERROR}


async def test_ill_typed_params_of_lsp_are_refused_naming_the_field(served):
    served.server.add_feature(types.TEXT_DOCUMENT_HOVER, lambda params: None)
    params = {"textDocument": {"uri": "file:///a"}, "position": {"line": "x", "character": 0}}
    error = await refused(served.client.request("textDocument/hover", params))
    assert (error.code, error.data) == (INVALID_PARAMS, {"field": "position.line"})
    for missing in ({"position": {"line": 0, "character": 0}}, None):
        error = await refused(served.client.request("textDocument/hover", missing))
        assert (error.code, error.data) == (INVALID_PARAMS, {"field": "textDocument"})


async def test_ill_typed_params_of_initialize_leave_the_server_waiting_for_better_ones():
    async with serving(make_server()) as served:
        error = await refused(served.client.request("initialize", {"processId": None}))
        assert (error.code, error.data) == (INVALID_PARAMS, {"field": "capabilities"})
        await served.client.initialize()


async def test_ill_formed_notifications_are_logged_only(client, caplog):
    with caplog.at_level(logging.ERROR):
        for params in (None, {}, [], {"textDocument": 5}, {"textDocument": {"uri": []}}):
            for what in ("didOpen", "didChange", "didSave", "didClose"):
                client.notify(f"textDocument/{what}", params)
        client.notify("$/setTrace", {"value": 5})
        assert await client.command("echo") == []
    assert "textDocument/didOpen" in caplog.text
    assert "$/setTrace" in caplog.text


async def test_a_change_before_the_open_is_no_popup(client):
    change = {"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": [{"text": "x"}]}
    client.notify("textDocument/didChange", change)
    assert await client.command("echo") == []


@pytest.mark.parametrize("method", ["steersman/unknown", "$/unknown", "textDocument/hover"])
async def test_unknown_requests_are_refused_and_unknown_notifications_ignored(client, method):
    client.notify(method, {"any": 1})
    client.notify(method)
    assert (await refused(client.request(method))).code == METHOD_NOT_FOUND


async def test_a_custom_request_without_params_is_answered(served):
    served.server.add_feature("steersman/plain", lambda params: {"got": params})
    assert await served.client.request("steersman/plain") == {"got": None}
    nested = {"jsonrpc": "2.0", "id": 3, "a-b": {"type_name": "x"}}
    assert await served.client.request("steersman/plain", nested) == {"got": nested}


async def test_a_notification_handler_that_fails_is_logged(served, caplog):
    async def fail(params: object) -> None:
        raise RuntimeError("in a notification")

    served.server.add_feature("steersman/fails", fail)
    served.client.notify("steersman/fails")
    assert await served.client.command("echo") == []
    assert "in a notification" in caplog.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["2.0", "echo", "file:///a", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MEMBERS, inner, max_size=4),
    max_leaves=12,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers(1, 3) | JSON,
        "method": st.sampled_from(METHODS) | JSON,
        "params": JSON,
        "result": JSON,
        "error": JSON,
    },
)


@cases(40, share=0.05)
@given(st.lists(MESSAGES | JSON, max_size=12))
async def test_whatever_the_messages_are_every_request_has_one_answer_and_the_server_lives(messages):
    async with serving(make_server()) as served:
        await served.client.initialize()
        for message in messages:
            served.client.send(message)
        alive = {"command": "echo", "arguments": ["alive"]}
        assert await served.client.begin("workspace/executeCommand", alive, id="last") == ["alive"]
        sent = [m["id"] for m in messages if isinstance(m, dict) and is_request(m)]
        answered = [m["id"] for m in served.client.received[1:-1] if m["id"] is not None]
        assert sorted(map(repr, answered)) == sorted(map(repr, sent))


def is_request(message: dict) -> bool:
    """Whether the sender can expect an answer by id; a malformed message with a usable id gets one too."""
    if type(message.get("id")) not in (int, str):
        return False
    return "method" in message or message.get("jsonrpc") != "2.0"


# The phases of the protocol.


async def test_before_initialize_requests_are_refused_and_notifications_dropped():
    async with serving(make_server()) as served:
        item = {"uri": "file:///a", "languageId": "x", "version": 0, "text": ""}
        served.client.notify("textDocument/didOpen", {"textDocument": item})
        assert (await refused(served.client.command("echo"))).code == NOT_INITIALIZED
        assert (await refused(served.client.request("shutdown"))).code == NOT_INITIALIZED
        await served.client.initialize()
        assert len(served.server.documents) == 0


async def test_a_second_initialize_is_refused(client):
    assert (await refused(client.initialize())).code == INVALID_REQUEST


async def test_after_shutdown_requests_are_refused_and_notifications_dropped(served):
    assert await served.client.request("shutdown") is None
    assert (await refused(served.client.command("echo"))).code == INVALID_REQUEST
    assert (await refused(served.client.request("shutdown"))).code == INVALID_REQUEST
    item = {"uri": "file:///a", "languageId": "x", "version": 0, "text": ""}
    served.client.notify("textDocument/didOpen", {"textDocument": item})
    served.client.notify("exit")
    assert await served.stopped() is StopReason.SHUTDOWN
    assert len(served.server.documents) == 0


async def test_shutdown_cancels_the_commands_in_flight_and_is_answered_after_them(served):
    gate = Gate()
    served.server.add_command("gate", gate.command)
    served.server.add_feature("shutdown", lambda params: served.server.notify("test/shutdown"))
    request = served.client.command("gate")
    await gate.entered.wait()
    assert await served.client.request("shutdown") is None
    assert (await refused(request)).code == CANCELLED
    assert served.client.of_method("test/shutdown")


# Requests to the client.


async def test_a_request_to_the_client_has_a_plain_result(server, client):
    results = iter([None, {}, {"a": {"jsonrpc": "2.0"}}, "text"])
    client.on_request("steersman/ask", lambda params: next(results))
    assert [await server.request("steersman/ask", {"q": 1}, timeout=5) for _ in range(4)] == [
        None,
        {},
        {"a": {"jsonrpc": "2.0"}},
        "text",
    ]
    assert client.of_method("steersman/ask")[0]["params"] == {"q": 1}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": -32601, "message": "no", "data": [1]}, -32601),
        ("nonsense", INTERNAL_ERROR),
        ({}, INTERNAL_ERROR),
    ],
)
async def test_an_error_of_the_client_is_an_exception(server, client, error, code):
    asking = asyncio.create_task(server.request("steersman/ask", timeout=5))
    message = await client.wait_for_method("steersman/ask")
    client.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
    with pytest.raises(RpcError) as raised:
        await asking
    assert raised.value.code == code


async def test_a_client_that_does_not_answer_in_time_is_told_to_stop_and_its_late_answer_ignored(
    server, client
):
    client.on_request("steersman/ask", lambda params: NO_ANSWER)
    with pytest.raises(RequestTimeout):
        await server.request("steersman/ask", timeout=0)
    cancel = await client.wait_for_method("$/cancelRequest")
    assert cancel["params"]["id"] == client.of_method("steersman/ask")[0]["id"]
    client.send({"jsonrpc": "2.0", "id": cancel["params"]["id"], "result": "late"})
    client.send({"jsonrpc": "2.0", "id": "a stranger's", "result": 1})
    client.send({"jsonrpc": "2.0", "id": [1], "error": {}})
    assert await client.command("echo") == []
    assert len(server.protocol.requests) == 0


async def test_cancelling_a_wait_for_the_client_withdraws_the_request(server, client):
    client.on_request("steersman/ask", lambda params: NO_ANSWER)
    asking = asyncio.create_task(server.request("steersman/ask", timeout=None))
    message = await client.wait_for_method("steersman/ask")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await client.wait_for_method("$/cancelRequest"))["params"] == {"id": message["id"]}
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": "late"})
    assert await client.command("echo") == []
    assert len(server.protocol.requests) == 0


async def test_waits_for_a_client_that_leaves_end(served):
    asking = asyncio.create_task(served.server.request("steersman/ask", timeout=None))
    await served.client.wait_for_method("steersman/ask")
    served.client.close_output()
    with pytest.raises(ClientGone):
        await asking
    assert await served.stopped() is StopReason.EOF
    with pytest.raises(ClientGone):
        await served.server.request("steersman/ask", timeout=None)


# Notifications to the client.


async def test_serialised_params_are_sent_as_they_are(server, client):
    assert server.send_raw_notification("$/progress", '{"token":"t","value":{"text":"é😀"}}'.encode())
    message = await client.wait_for_method("$/progress")
    assert message == {
        "jsonrpc": "2.0",
        "method": "$/progress",
        "params": {"token": "t", "value": {"text": "é😀"}},
    }


async def test_a_client_that_stops_reading_stops_neither_commands_nor_bounds():
    limits = ServeLimits(flush=0.1, transport=TransportLimits(outbox=500_000))
    server = make_server()
    async with serving(server, limits=limits) as served:
        drained = asyncio.Event()
        server.on_drained(drained.set)
        await served.client.initialize()
        served.client.pause_reading()
        update = b'{"token":1,"value":"' + b"x" * 10_000 + b'"}'
        sent = 0
        while server.send_raw_notification("$/progress", update, droppable=True):
            sent += 1
            await asyncio.sleep(0)
        assert sent < 200
        request = served.client.command("echo", "still here")
        served.client.resume_reading()
        assert await request == ["still here"]
        assert len(served.client.of_method("$/progress")) == sent
        await asyncio.wait_for(drained.wait(), PATIENCE)


async def test_an_error_whose_data_is_no_json_is_answered_without_it(served):
    async def fail(arguments):
        raise CommandError(-32803, "no", {"set": {1}})

    served.server.add_command("fail", fail)
    error = await refused(served.client.begin("workspace/executeCommand", {"command": "fail"}))
    assert error.error == {"code": -32803, "message": "no"}


async def test_a_notification_without_json_text_is_logged_and_not_shown(server, client, caplog):
    assert server.notify("x", {"set": {1}}) is False
    assert "can't be written as JSON" in caplog.text
    server.report_server_error(RuntimeError("reported"), type(None))
    assert "reported" in caplog.text
    assert await client.command("echo") == []


def test_without_a_client_nothing_can_be_sent():
    assert make_server().notify("x") is False
    assert make_server().send_raw_notification("x", b"{}") is False
