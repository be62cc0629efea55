"""The commands: what each takes and answers, which run it means, and how it refuses."""

import asyncio
import json

import pytest

from steersman.session.errors import Refused
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import EVENTS, desk, edits
from support.scripted_model import answer, call

REQUEST_FAILED, INVALID_PARAMS = -32803, -32602


class Held:
    """A response of the model that begins and ends when the test says so."""

    def __init__(self, *then):
        self.asked, self.go, self.then = asyncio.Event(), asyncio.Event(), then or answer("done")

    async def __call__(self, request, signal):
        self.asked.set()
        going = asyncio.ensure_future(self.go.wait())
        aborted = asyncio.ensure_future(signal.wait())
        try:
            await asyncio.wait({going, aborted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            going.cancel()
            aborted.cancel()
            await asyncio.gather(going, aborted, return_exceptions=True)
        for event in self.then:
            yield event


async def refused(awaitable) -> AnsweredWithError:
    with pytest.raises(AnsweredWithError) as raised:
        await awaitable
    return raised.value


async def refusal(awaitable):
    """Code and data of a refusal."""
    error = await refused(awaitable)
    assert error.code == REQUEST_FAILED, error
    return error.data


# start


@pytest.mark.parametrize("rich", [True, False], ids=["rich", "floor"])
async def test_the_answer_to_start_precedes_all_of_its_run(tmp_path, rich):
    async with desk(tmp_path, answer("hello"), rich=rich) as it:
        request = it.client.command("steersman.start", {"prompt": "hi"})
        started = await request
        assert set(started) == {"session", "run", "token"}
        await it.floor_ended(started["run"])
        at = next(i for i, m in enumerate(it.client.received) if m.get("id") == request.id and "result" in m)
        before = json.dumps(it.client.received[:at])
        assert started["run"] not in before and "workDoneProgress" not in before


async def test_a_start_whose_client_is_told_nothing_of_steersman_gets_plain_lsp_only(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1")), rich=False) as it:
        it.put("a.txt", "one\n")
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.floor_ended(run)
        await it.client.wait_for_method("window/showMessage")
        methods = {m["method"] for m in it.client.received if "method" in m}
        assert methods == {
            "window/workDoneProgress/create",
            "$/progress",
            "window/showMessageRequest",
            "window/showMessage",
        }
        assert {m["params"]["token"] for m in it.client.of_method("$/progress")} == {f"steersman/{run}"}
        assert {value["kind"] for value in it.progress(run)} <= {"begin", "report", "end"}


async def test_a_string_is_the_prompt_and_runs_alone_in_its_folder(tmp_path):
    held = Held()
    async with desk(tmp_path, held, answer("two"), answer("three")) as it:
        first = await it.command("start", "one")
        await held.asked.wait()
        assert (await refusal(it.command("start", "two"))) == {"code": "busy", "text": "two"}
        second = await it.command("start", {"prompt": "by a client that shows several"})
        assert second["session"] != first["session"]
        held.go.set()
        await it.ended(first["run"])
        await it.ended(second["run"])
        await it.ended((await it.command("start", "three"))["run"])


async def test_of_two_pipelined_starts_one_runs_and_one_is_refused_with_its_text(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        one, two = it.client.command("steersman.start", "one"), it.client.command("steersman.start", "two")
        assert (await refusal(two))["text"] == "two"
        held.go.set()
        await it.ended((await one)["run"])
        assert len(it.model.requests) == 1


def prepares(it, refusal=None):
    """The model takes until `go` to get ready: a run is about to begin from `asked` on, and then refused if it is."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def prepare(_):
        asked.set()
        await go.wait()
        if refusal is not None:
            raise refusal

    it.server.services.prepare_model = prepare
    return asked, go


@pytest.mark.parametrize(
    ("first", "second", "disposition"),
    [("start", "steer", "steered"), ("start", "followUp", "queued"), ("followUp", "followUp", "queued")],
)
async def test_what_is_said_while_a_run_is_about_to_begin_is_for_that_run(
    tmp_path, first, second, disposition
):
    async with desk(tmp_path, answer("one"), answer("two")) as it:
        asked, go = prepares(it)
        starting = it.client.command(f"steersman.{first}", "this")
        saying = it.client.command(f"steersman.{second}", "and that")
        await asked.wait()
        await it.heard()
        go.set()
        run = (await starting)["run"]
        said = await saying
        assert (said["disposition"], said["run"]) == (disposition, run)
        await it.ended(run)


async def test_a_run_that_is_about_to_begin_can_be_aborted(tmp_path):
    async with desk(tmp_path) as it:
        asked, go = prepares(it)
        starting = it.client.command("steersman.start", "this")
        aborting = it.client.command("steersman.abort")
        await asked.wait()
        await it.heard()
        go.set()
        assert await aborting == {"aborted": True}
        end = await it.ended((await starting)["run"])
        assert (end["stopReason"], end["undelivered"]) == ("aborted", [{"kind": "prompt", "text": "this"}])
        assert it.model.requests == []


async def test_what_is_said_while_a_run_is_about_to_begin_that_is_refused_comes_back(tmp_path):
    async with desk(tmp_path) as it:
        asked, go = prepares(it, Refused("noCredentials", "There is no key."))
        starting = it.client.command("steersman.start", "this")
        saying = it.client.command("steersman.steer", "and that")
        await asked.wait()
        await it.heard()
        go.set()
        assert (await refusal(starting))["code"] == "noCredentials"
        assert await refusal(saying) == {"code": "notRunning", "text": "and that"}


async def test_a_start_in_a_session_with_a_live_run_is_busy(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        started = await it.command("start", {"prompt": "one"})
        data = await refusal(it.command("start", {"prompt": "two", "session": started["session"]}))
        assert (data["code"], data["run"], data["text"]) == ("busy", started["run"], "two")


async def test_a_session_goes_on_with_a_second_start(tmp_path):
    async with desk(tmp_path, answer("one"), answer("two")) as it:
        started = await it.command("start", {"prompt": "first"})
        await it.ended(started["run"])
        again = await it.command("start", {"prompt": "second", "session": started["session"]})
        await it.ended(again["run"])
        assert len(it.model.requests[1].messages) == 3


async def test_budgets_of_one_run(tmp_path):
    again = answer("", call("ls"))
    async with desk(tmp_path, again, again, answer("the end")) as it:
        started = await it.command("start", {"prompt": "go", "budget": {"turns": 2}})
        ended = await it.ended(started["run"])
        assert (ended["stopReason"], ended["limit"]) == ("max_turns", "turns")
        on = await it.command("continue", {"session": started["session"]})
        assert (await it.ended(on["run"]))["text"] == "the end"


async def test_the_mode_of_one_run(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1")), *edits("a.txt", ("1", "2"))) as it:
        path = it.put("a.txt", "one\n")
        await it.ended(await it.start(mode="auto-edit"))
        assert path.read_text() == "1\n"
        run = await it.start()
        (await it.next_question()).choose("Decline")
        await it.ended(run)
        assert path.read_text() == "1\n"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"prompt": " \n"}, "emptyPrompt"),
        ({"prompt": "x", "session": "ses_none"}, "unknownSession"),
        ({"prompt": "x", "session": "../escape"}, "unknownSession"),
        ({"prompt": "x", "root": "no/absolute/path"}, "outsideRoot"),
        ({"prompt": "x", "root": "untitled:Untitled-1"}, "outsideRoot"),
        ({"prompt": "x", "root": "/no/such/folder"}, "outsideRoot"),
    ],
)
async def test_a_start_that_can_not_be_done_is_refused_with_a_code(tmp_path, params, code):
    async with desk(tmp_path) as it:
        assert (await refusal(it.command("start", params)))["code"] == code
        assert (await it.command("status"))["sessions"] == []


# Where it works


async def test_the_root_is_the_first_folder_the_named_one_or_that_of_the_only_open_file(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "which.txt").write_text(folder.name)
    read = [answer("", call("read", {"path": "which.txt"})), answer("ok")]
    async with desk(tmp_path, *read, *read, *read, *read, folders=[one, two]) as it:
        for root, expected in [
            (None, "one"),
            (two.as_uri(), "two"),
            (str(two), "two"),
            (tmp_path.as_uri(), None),
        ]:
            await it.ended(await it.start(**({} if root is None else {"root": root})))
            assert (expected or "File not found") in it.result_texts()[-1]
    async with desk(tmp_path, *read, folders=[]) as it:
        it.editor.open(two / "which.txt")
        await it.ended(await it.start())
        assert "two" in it.result_texts()[-1]


async def test_an_open_diff_is_no_file_that_decides_about_the_root(tmp_path):
    script = [*edits("a.txt", ("one", "1"))[:1], answer("", call("read", {"path": "a.txt"})), answer("ok")]
    async with desk(tmp_path, *script, folders=[]) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": True})
        it.editor.open(it.put("a.txt", "one\n"))
        await it.start()
        (await it.next_question()).choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        (diff,) = it.home.diffs.iterdir()
        it.editor.open(diff)
        await it.ended(await it.start())
        assert it.result_texts()[0].startswith("one")


async def test_folders_that_are_added_and_removed_count_for_new_runs(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / "which.txt").write_text("two")
    async with desk(
        tmp_path, answer("", call("read", {"path": "which.txt"})), answer("ok"), folders=[one]
    ) as it:
        change = {
            "added": [{"name": "two", "uri": two.as_uri()}],
            "removed": [{"name": "one", "uri": one.as_uri()}],
        }
        it.client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        await it.ended(await it.start())
        assert "two" in it.result_texts()[0]


async def test_the_context_is_told_to_the_model_with_the_prompt(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        uri = it.editor.open(it.put("a.py", "def f():\n    x = '```'\n    return 😀\n"))
        span = {"start": {"line": 1, "character": 4}, "end": {"line": 2, "character": 13}}
        backwards = {"start": span["end"], "end": span["start"]}
        context = {
            "uris": [uri],
            "selections": [{"uri": uri, "range": backwards}],
            "diagnostics": [
                {"uri": uri, "range": span, "message": "undefined", "severity": 2, "source": "lint"}
            ],
        }
        await it.ended(await it.start("explain", context=context))
        said, *attached = it.model.requests[0].messages[-1].content
        assert (said.text, said.attached) == ("explain", None)
        assert [block.attached for block in attached] == ["files", "a.py#L2-L3", "diagnostics"]
        text = "\n".join(block.text for block in attached)
        assert "The user points at:\nFile: a.py" in text
        assert "lines 4-2" not in text
        assert "````\nx = '```'\n    return 😀\n````" in text
        assert "lines 2-3: warning (lint): undefined" in text


async def test_the_context_holds_nothing_of_a_denied_file(tmp_path):
    async with desk(tmp_path) as it:
        uri = it.editor.open(it.put(".env", "KEY=secret\n"))
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        context = {"selections": [{"uri": uri, "range": span}]}
        data = await refusal(it.command("start", {"prompt": "explain", "context": context}))
        assert (data["code"], data["uri"]) == ("denied", uri)


# steer, followUp, abort


async def test_a_steer_joins_the_live_run(tmp_path):
    held = Held()
    async with desk(tmp_path, held, answer("steered")) as it:
        started = await it.command("start", {"prompt": "go"})
        await held.asked.wait()
        steered = await it.command("steer", "the other way")
        item = it.events("queue_update")[-1]["data"]["items"][0]["id"]
        assert steered == {
            "disposition": "steered",
            "session": started["session"],
            "run": started["run"],
            "id": item,
        }
        held.go.set()
        ended = await it.ended(started["run"])
        assert (ended["text"], ended["undelivered"]) == ("steered", [])
        assert it.model.requests[1].messages[-1].content[0].text == "the other way"


async def test_a_follow_up_waits_and_one_that_comes_when_nothing_runs_is_started(tmp_path):
    held = Held()
    async with desk(tmp_path, held, answer("two"), answer("three")) as it:
        started = await it.command("start", {"prompt": "one"})
        await held.asked.wait()
        queued = await it.command("followUp", {"text": "second"})
        assert (queued["disposition"], queued["run"]) == ("queued", started["run"])
        assert queued["id"].startswith("in_")
        held.go.set()
        assert (await it.ended(started["run"]))["text"] == "two"
        begun = await it.command("followUp", "third")
        assert (begun["disposition"], begun["session"]) == ("started", started["session"])
        assert set(begun) == {"disposition", "session", "run", "token"}
        assert (await it.ended(begun["run"]))["text"] == "three"


async def test_a_steer_without_a_run_is_refused_and_handed_back(tmp_path):
    async with desk(tmp_path) as it:
        data = await refusal(it.command("steer", {"text": "left"}))
        assert data == {"code": "notRunning", "text": "left"}
        for name in ("steer", "followUp"):
            data = await refusal(it.command(name, {"text": "left", "run": "nonsense"}))
            assert data == {"code": "unknownRun", "run": "nonsense", "text": "left"}
            assert (await refusal(it.command(name, {"text": " "})))["code"] == "emptyPrompt"


async def test_with_several_runs_one_has_to_be_named(tmp_path):
    one, two = Held(), Held()
    async with desk(tmp_path, one, two) as it:
        runs = [await it.start("one"), await it.start("two")]
        for name in ("steer", "followUp", "abort"):
            params = {} if name == "abort" else {"text": "which?"}
            data = await refusal(it.command(name, params))
            assert (data["code"], data["runs"], data.get("text")) == (
                "ambiguous",
                runs,
                params.get("text"),
            )
        assert (await it.command("steer", {"text": "you", "run": runs[1]}))["run"] == runs[1]


async def test_abort_ends_the_run_and_hands_back_what_was_not_delivered(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        run = await it.start()
        await held.asked.wait()
        await it.command("steer", "left")
        await it.command("followUp", "and then right")
        assert await it.command("abort", {"reason": "enough"}) == {"aborted": True}
        ended = await it.ended(run)
        assert ended["stopReason"] == "aborted"
        assert ended["undelivered"] == [
            {"kind": "steer", "text": "left"},
            {"kind": "followUp", "text": "and then right"},
        ]


async def test_abort_is_idempotent_and_harmless_when_nothing_runs(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        assert await it.command("abort") == {"aborted": False}
        run = await it.start()
        await held.asked.wait()
        assert await it.command("abort", run) == {"aborted": True}
        await it.ended(run)
        assert await it.command("abort", {"run": run}) == {"aborted": False}
        assert len(it.events("agent_end")) == 1


async def test_a_client_that_sees_no_events_is_told_what_was_not_delivered(tmp_path):
    held = Held()
    async with desk(tmp_path, held, rich=False) as it:
        run = await it.start()
        await held.asked.wait()
        await it.command("steer", "left")
        await it.command("abort")
        assert "Aborted" in await it.floor_ended(run)
        shown = await it.client.wait_for_method("window/showMessage")
        assert shown["params"]["message"] == "Steersman: this was not delivered, send it again: left"


async def test_the_cancel_of_the_progress_is_an_abort(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        started = await it.command("start", {"prompt": "go"})
        await held.asked.wait()
        it.client.notify("window/workDoneProgress/cancel", {"token": "somebody else's"})
        it.client.notify("window/workDoneProgress/cancel", {"token": started["token"]})
        assert (await it.ended(started["run"]))["stopReason"] == "aborted"


# continue


async def test_continue_with_nothing_to_continue_is_refused(tmp_path):
    async with desk(tmp_path, answer("all said")) as it:
        assert (await refusal(it.command("continue")))["code"] == "unknownSession"
        await it.ended(await it.start())
        assert (await refusal(it.command("continue")))["code"] == "emptyPrompt"


# status, events, configure


async def test_status_tells_sessions_runs_states_and_questions(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1"))) as it:
        it.put("a.txt", "one\n")
        started = await it.command("start", {"prompt": "change it"})
        question = await it.next_question()
        status = await it.command("status")
        (session,) = status["sessions"]
        assert (session["session"], session["run"], session["state"]) == (
            started["session"],
            started["run"],
            "waitingApproval",
        )
        (asked,) = status["approvals"]
        assert (asked["run"], asked["title"]) == (started["run"], "Edit a.txt (+1 −1)")
        assert (await it.command("approvals"))["approvals"] == status["approvals"]
        question.choose("Accept")
        await it.ended(started["run"])
        status = await it.command("status")
        assert (status["sessions"][0]["state"], status["approvals"]) == ("idle", [])


async def test_events_are_what_was_streamed_numbered_without_a_gap(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1"))) as it:
        it.put("a.txt", "one\n")
        started = await it.command("start", {"prompt": "change it"})
        (await it.next_question()).choose("Accept")
        await it.ended(started["run"])
        streamed = [event for event in it.events() if "seq" in event]
        assert [event["seq"] for event in streamed] == list(range(1, len(streamed) + 1))
        passing = {event["type"] for event in it.events() if "seq" not in event}
        assert passing <= {"message_update", "tool_execution_update", "state"}
        replay = await it.command("events", {"session": started["session"]})
        assert replay == {"events": streamed, "more": False, "streaming": None}
        log = it.home.sessions / f"{started['session']}.jsonl"
        assert [json.loads(line) for line in log.read_text().splitlines()] == streamed
        part = await it.command("events", {"session": started["session"], "after": 3, "limit": 2})
        assert ([e["seq"] for e in part["events"]], part["more"]) == ([4, 5], True)


async def test_events_hold_the_message_that_is_being_streamed_as_far_as_it_got(tmp_path):
    open_end = asyncio.Event()

    async def half(request, signal):
        steps = answer("half and half", piece=4)
        yield steps[0]
        yield steps[1]
        await open_end.wait()
        for step in steps[2:]:
            yield step

    async with desk(tmp_path, half) as it:
        started = await it.command("start", {"prompt": "go"})
        await it.event("message_update")
        streaming = (await it.command("events", started["session"]))["streaming"]
        assert streaming["blocks"] == [{"index": 0, "kind": "text", "text": "half"}]
        open_end.set()
        await it.ended(started["run"])
        assert (await it.command("events", started["session"]))["streaming"] is None


async def test_events_of_an_unknown_session_are_refused(tmp_path):
    async with desk(tmp_path) as it:
        for session in ("ses_none", "../../etc/passwd"):
            assert (await refusal(it.command("events", {"session": session})))["code"] == "unknownSession"


async def test_configure_sets_what_new_runs_use(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1"))) as it:
        path = it.put("a.txt", "one\n")
        assert (await it.command("configure", {"mode": "auto-edit"}))["mode"] == "auto-edit"
        await it.ended(await it.start())
        assert path.read_text() == "1\n"
        data = await refusal(it.command("configure", {"session": "ses_none", "mode": "ask"}))
        assert data["code"] == "unknownSession"


async def test_start_and_configure_set_the_thinking_level(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("one", "1"))) as it:
        it.put("a.txt", "one\n")
        assert (await it.command("configure", {"thinking": "low"}))["thinking"] == "low"
        assert (await it.command("status"))["thinking"] == "low"
        start = {"prompt": "change it", "mode": "read-only", "thinking": "high"}
        started = await it.command("start", start)
        await it.ended(started["run"])
        told = await it.command("events", {"session": started["session"]})
        configs = [each["data"] for each in told["events"] if each["type"] == "config"]
        assert [data.get("thinking") for data in configs] == ["high"]
        error = await refused(it.command("configure", {"thinking": "max"}))
        assert (error.code, "'off', 'low'" in error.message) == (INVALID_PARAMS, True)


# What is wrong with a command


async def test_an_unknown_command_is_a_plain_error_without_a_popup(tmp_path):
    async with desk(tmp_path, clientInfo={"name": "helix"}) as it:
        for name in ("other.server.command", "steersman.none"):
            error = await refused(it.client.command(name, {"x": 1}))
            assert (error.code, name in error.message) == (INVALID_PARAMS, True)
        assert it.client.of_method("window/showMessage") == []


async def test_a_client_that_only_logs_errors_is_shown_them(tmp_path):
    async with desk(tmp_path, clientInfo={"name": "other"}) as it:
        await refused(it.command("steer", "left"))
        await it.heard()
        assert it.client.of_method("window/showMessage") == []
    async with desk(tmp_path, clientInfo={"name": "helix"}) as it:
        await refused(it.command("steer", "left"))
        shown = await it.client.wait_for_method("window/showMessage")
        assert shown["params"] == {"type": 1, "message": "Steersman: No run is live. Start one."}


async def test_the_advertised_commands_are_those_that_exist(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        result = await it.client.initialize()
        names = ["start", "continue", "steer", "followUp", "queue", "abort", "approvals", "approve"]
        names += [
            "status",
            "events",
            "configure",
            "templates",
            "sessions",
            "resume",
            "fork",
            "rename",
            "delete",
        ]
        names += [
            "compact",
            "checkpoints",
            "revert",
            "export",
            "doComment",
            "ask",
            "showQuestion",
            "transcript",
            "models",
        ]
        advertised = result["capabilities"]["executeCommandProvider"]["commands"]
        assert sorted(advertised) == sorted(f"steersman.{name}" for name in names)


# What is negotiated


async def test_the_answer_to_initialize_says_what_is_used(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        result = await it.client.initialize(
            initializationOptions={"steersman": {"version": "1", "eventToken": EVENTS, "unheardOf": True}}
        )
        expected = {"version": "1", "uses": ["eventToken"]}
        assert result["capabilities"]["experimental"]["steersman"] == expected


async def test_the_event_token_can_also_come_with_the_capabilities(tmp_path):
    async with desk(
        tmp_path,
        answer("hi"),
        rich=False,
        capabilities={"experimental": {"steersman": {"eventToken": EVENTS}}},
    ) as it:
        assert (await it.ended(await it.start()))["text"] == "hi"
        assert it.client.of_method("window/logMessage") == it.client.of_method("window/showMessage") == []


async def test_a_malformed_option_is_an_error_that_names_it(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        error = await refused(it.client.initialize(initializationOptions={"steersman": {"eventToken": True}}))
        assert error.code == INVALID_PARAMS
        assert error.data["field"] == "initializationOptions.steersman.eventToken"
        mended = await it.client.initialize(initializationOptions={"steersman": {"eventToken": "t"}})
        assert mended["capabilities"]["experimental"]["steersman"]["uses"] == ["eventToken"]
