"""What the light bulb offers, where, and to whom; each with a command that exists and is given what it takes."""

import asyncio

import pytest

from steersman.lsp.code_actions import MAX_EACH, MAX_SHOWN, shown
from steersman.lsp.schema import json_schema
from support.json_schema import faults
from support.light_bulb import EVERYTHING, bulb
from support.lsp_client import PATIENCE, AnsweredWithError
from support.lsp_workspace import EVENTS, TEXTS, WINDOW, WORKSPACE, desk, edit_call
from support.scripted_model import answer, call

SCHEMA = json_schema()
CODE = "def f():\n    return 1\n"
INPUT = {"initializationOptions": {"steersman": {"version": "1", "eventToken": EVENTS, "input": True}}}
EXPLAIN, ASK, WORK = (
    "Explain this with Steersman",
    "Ask Steersman about this…",
    "Work on this selection with Steersman…",
)
TRANSCRIPT = "Show the transcript"


def capable(**code_action):
    """A client that says this of its code actions."""
    return {
        "capabilities": {
            "workspace": WORKSPACE,
            "window": WINDOW,
            "textDocument": {"codeAction": {**TEXTS["codeAction"], **code_action}},
        }
    }


async def waits(request, signal):
    await signal.wait()
    for step in answer("never"):
        yield step


def test_somebodys_words_are_one_bounded_line_of_what_can_be_seen():
    assert shown("two\n  lines") == "two lines"
    assert shown("\u202eevil\x1b[0m\u2066") == "\\u202eevil\\x1b[0m\\u2066"
    assert len(shown("x" * 500)) == MAX_SHOWN
    assert shown("x" * 500).endswith("x…")


async def test_the_server_says_what_it_offers(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        capabilities = (await it.client.initialize())["capabilities"]
        assert capabilities["codeActionProvider"] == {
            "codeActionKinds": ["quickfix", "refactor.rewrite", "steersman"],
            "resolveProvider": True,
        }


async def test_every_command_that_is_offered_takes_what_it_is_given(tmp_path):
    async with desk(tmp_path, waits, **INPUT) as it:
        light = bulb(it, "# steersman: one\n\n# steersman: two\n" + CODE)
        found = [light.problem("return", "wrong", severity=2, source="lint"), light.problem("def", "bad")]
        actions = await light.at("# steersman: one", "return 1", diagnostics=found)
        run = await it.start()
        await it.event("turn_start")
        actions += await light.at("# steersman: one", "return 1", diagnostics=found)
        await it.command("abort", run)
        await it.ended(run)
        assert len(actions) > 15
        commands = SCHEMA["$defs"]["Commands"]["properties"]
        for action in actions:
            command = action["command"]
            (given,) = command["arguments"]
            assert faults(given, commands[command["command"]]["properties"]["params"], SCHEMA) == []


async def test_a_problem_is_fixed_by_a_run_that_is_told_of_it(tmp_path):
    work = answer("", edit_call("a.py", "return 1", "return 2"))
    async with desk(tmp_path, work, answer("fixed"), mode="auto-edit") as it:
        light = bulb(it, CODE)
        problem = light.problem("return 1", "it must\nbe 2", severity=1, source="lint", data={"own": 1})
        action = await light.offered("Fix with Steersman: it must be 2", "return", diagnostics=[problem])
        assert (action["kind"], action["diagnostics"]) == ("quickfix", [problem])
        await it.ended((await light.give(action))["run"])
        typed, told = it.model.requests[0].messages[-1].content
        assert typed.text == "Fix this problem in a.py."
        assert "Diagnostic in a.py, line 2: error (lint): it must\nbe 2" in told.text
        assert "return 2" in it.editor.buffers[light.uri].text


async def test_several_problems_have_one_action_for_all_of_them_too(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        found = [light.problem("return", f"number {n}") for n in range(MAX_EACH + 2)]
        titles = await light.titles("return", diagnostics=found, only=["quickfix"])
        each = [f"Fix with Steersman: number {n}" for n in range(MAX_EACH)]
        assert titles == [*each, f"Fix all {MAX_EACH + 2} problems here with Steersman"]
        action = await light.offered("Fix all", "return", diagnostics=found)
        assert len(action["command"]["arguments"][0]["context"]["diagnostics"]) == MAX_EACH + 2
        assert action["diagnostics"] == found


async def test_while_a_run_is_live_a_fix_waits_for_its_end(tmp_path):
    async with desk(tmp_path, waits) as it:
        light = bulb(it, CODE)
        run = await it.start()
        await it.event("turn_start")
        problem = light.problem("return", "wrong")
        fix = "Fix with Steersman after this run: wrong"
        queued = await light.choose(fix, "return", diagnostics=[problem])
        assert (queued["disposition"], queued["run"]) == ("queued", run)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "text",
        {},
        {"message": "no range"},
        {
            "range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}},
            "message": "x",
        },
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "message": 7},
    ],
)
async def test_a_diagnostic_that_can_not_be_used_is_left_out(tmp_path, odd):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        good = light.problem("return", "wrong", severity=9, source=3)
        titles = await light.titles("return", diagnostics=[odd, good], only=["quickfix"])
        assert titles == ["Fix with Steersman: wrong"]


async def test_a_marked_up_message_is_read(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        problem = {**light.problem("return", ""), "message": {"kind": "markdown", "value": "*wrong*"}}
        assert "Fix with Steersman: *wrong*" in await light.titles("return", diagnostics=[problem])


@pytest.mark.parametrize("span", [None, {"start": {"line": 0, "character": 0}}, {"start": 1, "end": 2}])
async def test_a_request_without_a_place_is_an_error(tmp_path, span):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        params = {"textDocument": {"uri": light.uri}, "range": span, "context": {"diagnostics": []}}
        with pytest.raises(AnsweredWithError) as refused:
            await it.client.request("textDocument/codeAction", params)
        assert refused.value.code == -32602


async def test_explaining_changes_nothing(tmp_path):
    tries = answer("", edit_call("a.py", "return 1", "return 2"))
    async with desk(tmp_path, tries, answer("It returns 1."), mode="full-auto") as it:
        light = bulb(it, CODE)
        started = await light.choose(EXPLAIN, "return 1")
        ended = await it.ended(started["run"])
        assert (ended["text"], ended["files"]) == ("It returns 1.", [])
        assert ended["denied"][0]["by"] == "mode"
        typed, told = it.model.requests[0].messages[-1].content
        assert typed.text == "Explain this."
        assert "selected in a.py, line 2:\n```\n    return 1\n```" in told.text


async def test_a_selection_is_explained_as_it_is(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        light = bulb(it, CODE)
        await it.ended((await light.choose(EXPLAIN, "f()", "return"))["run"])
        assert "f():\n    return\n```" in it.model.requests[0].messages[-1].content[1].text


async def test_only_who_can_ask_for_text_is_offered_what_needs_it(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        assert await light.titles("f()", "return") == [EXPLAIN]
        with pytest.raises(AnsweredWithError) as refused:
            await it.command("ask", {"question": "What?"})
        assert refused.value.data["code"] == "unsupported"


async def test_what_is_typed_becomes_work_on_the_selection(tmp_path):
    work = answer("", edit_call("a.py", "return 1", "return 2"))
    async with desk(tmp_path, work, answer("done"), mode="auto-edit", **INPUT) as it:
        asked = []
        it.client.on_request("steersman/input", lambda params: asked.append(params) or {"text": "make it 2"})
        light = bulb(it, CODE)
        assert await light.titles("f()") == [ASK, EXPLAIN]
        assert await light.titles("f()", "return 1") == [WORK, ASK, EXPLAIN]
        started = await light.choose(WORK, "return", "1")
        assert asked == [
            {"session": "", "run": "", "toolCallId": "", "prompt": "What should be done with the selection?"}
        ]
        assert faults(asked[0], {"$ref": "#/$defs/InputRequest"}, SCHEMA) == []
        await it.ended(started["run"])
        typed, told = it.model.requests[0].messages[-1].content
        assert typed.text == "make it 2"
        assert "return 1" in told.text
        assert "return 2" in it.editor.buffers[light.uri].text


async def test_a_question_about_code_reads_only_and_does_not_wait_for_a_run(tmp_path):
    async with desk(tmp_path, waits, answer("because"), mode="full-auto", **INPUT) as it:
        it.client.on_request("steersman/input", lambda _: {"text": "why?"})
        light = bulb(it, CODE)
        await it.start()
        await it.event("turn_start")
        started = await light.choose(ASK, "return")
        assert started["disposition"] == "started"
        assert (await it.ended(started["run"]))["session"]["mode"] == "read-only"


async def test_work_that_is_typed_while_a_run_is_live_follows_it(tmp_path):
    async with desk(tmp_path, waits, **INPUT) as it:
        it.client.on_request("steersman/input", lambda _: {"text": "make it 2"})
        light = bulb(it, CODE)
        run = await it.start()
        await it.event("turn_start")
        queued = await light.choose(WORK, "return", "1")
        assert (queued["disposition"], queued["run"]) == ("queued", run)


@pytest.mark.parametrize("said", [None, {"text": ""}, {"text": "  "}, {"words": "x"}, "x"])
async def test_a_closed_question_begins_nothing(tmp_path, said):
    async with desk(tmp_path, **INPUT) as it:
        it.client.on_request("steersman/input", lambda _: said)
        light = bulb(it, CODE)
        assert await light.choose(WORK, "return", "1") == {"disposition": "closed"}
        assert it.model.requests == []


@pytest.mark.parametrize(("code", "told"), [(-32601, "unsupported"), (-32603, None)])
async def test_an_editor_that_fails_to_ask_begins_nothing(tmp_path, code, told):
    def fails(_):
        raise AnsweredWithError({"code": code, "message": "can't"})

    async with desk(tmp_path, **INPUT) as it:
        it.client.on_request("steersman/input", fails)
        light = bulb(it, CODE)
        if told is None:
            assert await light.choose(WORK, "return", "1") == {"disposition": "closed"}
        else:
            with pytest.raises(AnsweredWithError) as refused:
                await light.choose(WORK, "return", "1")
            assert refused.value.data["code"] == told


async def test_a_live_run_can_be_stopped(tmp_path):
    async with desk(tmp_path, waits) as it:
        light = bulb(it, CODE)
        run = await it.start()
        await it.event("turn_start")
        assert await light.choose("Stop the run", "def") == {"aborted": True}
        assert (await it.ended(run))["stopReason"] == "aborted"
        assert await light.titles("def") == [EXPLAIN, TRANSCRIPT]


async def test_of_several_live_runs_each_is_named(tmp_path):
    async with desk(tmp_path, waits, waits) as it:
        light = bulb(it, "# steersman: x\n" + CODE)
        first, second = await it.start("one thing"), await it.start("another")
        await it.event("turn_start", number=2)
        titles = await light.titles("# steersman")
        assert titles == [
            "Steer the run “another” with this comment: x",
            "Queue this comment as a follow-up of the run “another”: x",
            "Steer the run “one thing” with this comment: x",
            "Queue this comment as a follow-up of the run “one thing”: x",
            EXPLAIN,
            "Stop the run “another”",
            "Stop the run “one thing”",
            "Show the transcript “another”",
            "Show the transcript “one thing”",
        ]
        steered = await light.choose("Steer the run “one thing”", "# steersman")
        assert steered["run"] == first
        await light.choose("Stop the run “another”", "def")
        assert (await it.ended(second))["stopReason"] == "aborted"


async def test_those_that_are_called_the_same_are_told_apart(tmp_path):
    async with desk(tmp_path, waits, waits, waits) as it:
        light = bulb(it, CODE)
        runs = [await it.command("start", {"prompt": prompt}) for prompt in ("same", "same", "other")]
        await it.event("turn_start", number=3)
        stops = [title for title in await light.titles("def") if title.startswith("Stop")]
        assert stops == [
            "Stop the run “other”",
            f"Stop the run “same” ({runs[1]['session']})",
            f"Stop the run “same” ({runs[0]['session']})",
        ]


async def test_a_run_that_was_cut_short_can_be_continued_and_no_other(tmp_path):
    look = answer("", call("read", {"path": "a.py"}))
    async with desk(tmp_path, look, answer("done")) as it:
        light = bulb(it, CODE)
        run = await it.start(budget={"turns": 1})
        await it.ended(run)
        continued = await light.choose("Continue the run", "def")
        assert (await it.ended(continued["run"]))["text"] == "done"
        assert await light.titles("def") == [EXPLAIN, TRANSCRIPT]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, {"quickfix", "refactor.rewrite", "steersman"}),
        ([""], {"quickfix", "refactor.rewrite", "steersman"}),
        (["quickfix"], {"quickfix"}),
        (["refactor"], {"refactor.rewrite"}),
        (["refactor.rewrite"], {"refactor.rewrite"}),
        (["steersman", "refactor"], {"refactor.rewrite", "steersman"}),
        (["refactor.extract"], set()),
        (["quick"], set()),
        (["source"], set()),
        ([], set()),
    ],
)
async def test_only_narrows_and_hides_nothing_of_the_kinds_that_it_names(tmp_path, only, kinds):
    async with desk(tmp_path) as it:
        light = bulb(it, "# steersman: x\n" + CODE)
        context = {} if only is None else {"only": only}
        actions = await light.at("# steersman", diagnostics=[light.problem("return", "wrong")], **context)
        assert {action["kind"] for action in actions} == kinds


async def test_an_editor_that_only_looks_is_offered_what_the_place_calls_for(tmp_path):
    async with desk(tmp_path, waits) as it:
        light = bulb(it, "# steersman: x\n" + CODE)
        await it.start()
        await it.event("turn_start")
        assert await light.titles("def", triggerKind=2) == []
        assert await light.titles("def", "return", triggerKind=2) == [EXPLAIN]
        problem = light.problem("return", "wrong")
        assert len(await light.titles("return", diagnostics=[problem], triggerKind=2)) == 1
        assert len(await light.titles("# steersman", triggerKind=2)) == 2
        assert await light.titles("def") == [EXPLAIN, "Stop the run", TRANSCRIPT]


async def test_a_command_is_left_for_later_where_it_is_asked_for_later(tmp_path):
    async with desk(tmp_path, answer("ok"), **capable(**EVERYTHING)) as it:
        light = bulb(it, CODE)
        (action,) = await light.at("def")
        assert "command" not in action
        resolved = await it.client.request("codeAction/resolve", action)
        assert resolved == {**action, "command": resolved["command"]}
        assert resolved["command"]["command"] == "steersman.start"
        assert await it.client.request("codeAction/resolve", resolved) == resolved


@pytest.mark.parametrize(
    "code_action",
    [
        {},
        {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True},
        {"resolveSupport": {"properties": ["command"]}},
    ],
)
async def test_it_is_there_at_once_for_every_other_editor(tmp_path, code_action):
    async with desk(tmp_path, **capable(**code_action)) as it:
        (action,) = await bulb(it, CODE).at("def")
        assert action["command"]["command"] == "steersman.start"
        assert "tags" not in action


@pytest.mark.parametrize(
    "texts",
    [{}, {"codeAction": {}}, {"codeAction": EVERYTHING}, {"codeAction": {"codeActionLiteralSupport": None}}],
)
async def test_an_editor_that_knows_commands_only_gets_commands(tmp_path, texts):
    capabilities = {"workspace": WORKSPACE, "window": WINDOW, "textDocument": texts}
    async with desk(tmp_path, answer("It is one."), capabilities=capabilities) as it:
        light = bulb(it, CODE)
        found = await light.at("return", diagnostics=[light.problem("return", "wrong")], only=["steersman"])
        (explain,) = found
        assert (explain["title"], explain["command"]) == (EXPLAIN, "steersman.start")
        started = await it.client.command(explain["command"], *explain["arguments"])
        await it.ended(started["run"])


@pytest.mark.parametrize(
    "action", [{"title": "x"}, {"title": "x", "data": {"theirs": 1}}, {"title": "x", "data": 7}]
)
async def test_an_action_of_another_server_is_not_resolved(tmp_path, action):
    async with desk(tmp_path) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.client.request("codeAction/resolve", action)
        assert refused.value.code == -32602


async def test_a_command_of_another_server_is_a_plain_error(tmp_path):
    async with desk(tmp_path) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.client.command("other.fix", {})
        assert refused.value.code == -32602
        await it.heard()
        assert it.client.of_method("window/showMessage") == []


async def test_who_knows_the_tag_is_told_what_a_model_makes(tmp_path):
    async with desk(tmp_path, waits, **capable(tagSupport={"valueSet": [1, 2]})) as it:
        light = bulb(it, CODE)
        await it.start()
        await it.client.wait_for(lambda _: len(it.model.requests) > 0)
        tags = {action["title"]: action.get("tags") for action in await light.at("def")}
        assert tags == {EXPLAIN: [1], "Stop the run": None, TRANSCRIPT: None}


async def test_other_documents_than_files_can_only_be_asked_about(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        text = "# steersman: x\n"
        item = {"uri": "untitled:1", "languageId": "python", "version": 1, "text": text}
        it.client.notify("textDocument/didOpen", {"textDocument": item})
        here = {"line": 0, "character": 0}
        params = {"textDocument": {"uri": "untitled:1"}, "range": {"start": here, "end": here}}
        actions = await it.client.request("textDocument/codeAction", params)
        assert [action["title"] for action in actions] == [EXPLAIN]
        command = actions[0]["command"]
        started = await it.client.command(command["command"], *command["arguments"])
        assert started["run"]


async def test_our_own_documents_offer_the_answers_only(tmp_path):
    async with desk(tmp_path, answer("", edit_call("a.py", "return 1", "return 2")), answer("done")) as it:
        bulb(it, CODE)
        shown_at = []
        it.client.on_request("window/showDocument", lambda p: shown_at.append(p["uri"]) or {"success": True})
        run = await it.start()
        (await it.next_question()).choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        item = {"uri": shown_at[0], "languageId": "diff", "version": 1, "text": "# steersman: x"}
        it.client.notify("textDocument/didOpen", {"textDocument": item})
        actions = await it.code_actions(shown_at[0])
        assert {action["kind"] for action in actions} == {"quickfix.steersman.answer"}
        await it.client.request("workspace/executeCommand", actions[0]["command"])
        await it.ended(run)


async def test_positions_past_the_end_are_no_failure(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        far = {"line": 10**9, "character": 10**9}
        params = {"textDocument": {"uri": light.uri}, "range": {"start": far, "end": far}, "context": {}}
        actions = await asyncio.wait_for(it.client.request("textDocument/codeAction", params), PATIENCE)
        assert [action["title"] for action in actions] == [EXPLAIN]
