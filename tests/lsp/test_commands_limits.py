"""Budgets, going on after them, and the folders that a run may start in."""

import os
from dataclasses import replace

import pytest

from steersman.agent.messages import Usage
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk
from support.scripted_model import answer, call


async def refusal(awaitable):
    with pytest.raises(AnsweredWithError) as raised:
        await awaitable
    return raised.value.data


# Budgets


@pytest.mark.parametrize(
    ("budget", "stop"),
    [
        ({"turns": 1}, "max_turns"),
        ({"seconds": 30}, "budget"),
        ({"tokens": 1000}, "budget"),
        ({"cost": 0.5}, "budget"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
async def test_a_run_ends_at_its_budget_names_the_limit_and_continue_goes_on(tmp_path, budget, stop):
    async def costly(request, signal):
        it.clock.advance(60)
        for step in answer("", call("ls", {"path": "."}), usage=Usage(input=900, output=200, cost=0.75)):
            yield step

    async with desk(tmp_path, costly, costly, answer("done")) as it:
        started = await it.command("start", {"prompt": "look", "budget": budget})
        ended = await it.ended(started["run"])
        (limit,) = budget
        assert (ended["stopReason"], ended["limit"], ended["turns"]) == (stop, limit, 1)
        assert len(it.results()) == 1, "what was begun is finished"
        again = await it.command("continue", {"budget": budget})
        assert again["session"] == started["session"]
        ended = await it.ended(again["run"])
        assert (ended["stopReason"], ended["limit"], ended["turns"]) == (stop, limit, 1), "counted anew"
        last = await it.ended((await it.command("continue"))["run"])
        assert (last["stopReason"], last["text"]) == ("complete", "done")
        assert "limit" not in last


@pytest.mark.parametrize("command", ["start", "continue"])
async def test_a_budget_without_turns_leaves_those_that_the_user_has_set(tmp_path, command):
    looks = [answer("", call("ls", {"path": "."}))] * 3
    async with desk(tmp_path, *looks) as it:
        it.server.services.settings = replace(it.server.services.settings, max_turns=1)
        if command == "continue":
            await it.ended(await it.start())
        given = {"prompt": "look"} if command == "start" else {}
        started = await it.command(command, {**given, "budget": {"seconds": 600}})
        ended = await it.ended(started["run"])
        assert (ended["stopReason"], ended["turns"]) == ("max_turns", 1)


async def test_a_run_below_its_budget_is_not_stopped(tmp_path):
    budget = {"turns": 2, "seconds": 60, "tokens": 1000, "cost": 1}
    async with desk(tmp_path, answer("", call("ls", {"path": "."})), answer("done")) as it:
        assert (await it.ended(await it.start(budget=budget)))["stopReason"] == "complete"


# continue


async def test_continue_finds_the_last_session_of_the_folder_that_another_server_left(tmp_path):
    async with desk(tmp_path) as it:
        it.model.fallback = answer("", call("ls", {"path": "."}))
        first = await it.command("start", {"prompt": "first", "budget": {"turns": 1}})
        await it.ended(first["run"])
        other = await it.command("start", {"prompt": "other", "budget": {"turns": 1}})
        await it.ended(other["run"])
        log = it.home.sessions / f"{first['session']}.jsonl"
    os.utime(log, (2e9, 2e9))
    async with desk(tmp_path, answer("done")) as it:
        again = await it.command("continue")
        assert again["session"] == first["session"]
        assert (await it.ended(again["run"]))["text"] == "done"
        said = [m.content[0].text for m in it.model.requests[0].messages if m.role == "user"]
        assert said == ["first"]


async def test_continue_does_not_go_on_in_another_folder(tmp_path):
    async with desk(tmp_path) as it:
        it.model.fallback = answer("", call("ls", {"path": "."}))
        await it.ended(await it.start(budget={"turns": 1}))
    other = tmp_path / "other"
    other.mkdir()
    async with desk(tmp_path, folders=[other]) as it:
        assert await refusal(it.command("continue")) == {"code": "unknownSession"}


# Folders


async def test_a_folder_that_does_not_exist_is_refused_by_name_until_it_is_there(tmp_path):
    missing, there = tmp_path / "missing", tmp_path / "ws"
    async with desk(tmp_path, answer("hi"), answer("hi"), folders=[missing, there]) as it:
        data = await refusal(it.command("start", "look"))
        assert data == {"code": "outsideRoot", "root": str(missing), "text": "look"}
        assert (await refusal(it.command("continue")))["root"] == str(missing)
        assert (await refusal(it.command("followUp", "look")))["text"] == "look"
        assert it.model.requests == []
        assert (await it.ended(await it.start(root=str(there))))["text"] == "hi"
        missing.mkdir()
        assert (await it.ended(await it.start()))["text"] == "hi"


async def test_a_further_folder_that_does_not_exist_is_left_out(tmp_path):
    folders = [tmp_path / "ws", tmp_path / "missing"]
    async with desk(tmp_path, answer("hi"), folders=folders) as it:
        started = await it.command("start", "look")
        await it.ended(started["run"])
        header = it.events("session")[0]["data"]
        assert header["roots"] == [(tmp_path / "ws").as_uri()]


async def test_a_missing_folder_that_the_client_takes_back_is_forgotten(tmp_path):
    missing = tmp_path / "missing"
    async with desk(tmp_path, answer("hi"), folders=[missing]) as it:
        assert (await refusal(it.command("start", "look")))["code"] == "outsideRoot"
        added = {"name": "ws", "uri": it.root.as_uri()}
        gone = {"name": "missing", "uri": missing.as_uri()}
        event = {"added": [added], "removed": [gone]}
        it.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert (await it.ended(await it.start()))["text"] == "hi"
