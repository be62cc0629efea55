"""`steersman.queue`: what waits for a live run, shown and changed by the client."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk
from support.scripted_model import answer

REQUEST_FAILED, INVALID_PARAMS = -32803, -32602


class Held:
    """A response that waits for the test."""

    def __init__(self):
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self, request, signal):
        self.asked.set()
        await self.go.wait()
        for event in answer("done"):
            yield event


class Waiting:
    """A live run, and three items that wait for it."""

    def __init__(self, it, held):
        self.it, self.held = it, held

    async def begin(self):
        self.started = await self.it.command("start", {"prompt": "go"})
        self.run, self.session = self.started["run"], self.started["session"]
        await self.held.asked.wait()
        said = (("steer", "s1"), ("followUp", "f1"), ("followUp", "f2"))
        self.ids = {text: (await self.it.command(kind, text))["id"] for kind, text in said}

    async def queue(self, op, **params):
        """The texts of the answer."""
        answered = await self.it.command("queue", {"op": op, **params})
        assert (answered["session"], answered["run"]) == (self.session, self.run)
        return [item["text"] for item in answered["items"]]

    def asked(self):
        """What the user has said to the model, after the prompt."""
        messages = self.it.model.requests[-1].messages
        return [message.content[0].text for message in messages if message.role == "user"][1:]

    async def end(self):
        self.held.go.set()
        return await self.it.ended(self.run)


@asynccontextmanager
async def waiting(tmp_path):
    held = Held()
    async with desk(tmp_path, held) as it:
        it.model.fallback = answer("more")
        w = Waiting(it, held)
        await w.begin()
        yield w
        held.go.set()


async def error_of(awaitable):
    with pytest.raises(AnsweredWithError) as raised:
        await awaitable
    return raised.value


async def test_what_is_said_is_answered_with_its_id_and_listed(tmp_path):
    async with waiting(tmp_path) as w:
        expected = [
            {"id": w.ids["s1"], "kind": "steer", "text": "s1"},
            {"id": w.ids["f1"], "kind": "followUp", "text": "f1"},
            {"id": w.ids["f2"], "kind": "followUp", "text": "f2"},
        ]
        listed = {"session": w.session, "run": w.run, "items": expected}
        for arguments in ([], ["list"], [{"op": "list"}], [{"op": "list", "run": w.run}]):
            assert await w.it.command("queue", *arguments) == listed
        assert (await w.it.command("status"))["sessions"][0]["queue"] == expected
        assert w.it.events("queue_update")[-1]["data"] == {"items": expected}


async def test_each_change_is_answered_with_the_queue_and_holds_for_the_delivery(tmp_path):
    async with waiting(tmp_path) as w:
        assert await w.queue("edit", id=w.ids["s1"], text="better") == ["better", "f1", "f2"]
        assert await w.queue("move", id=w.ids["f2"], to=0) == ["better", "f2", "f1"]
        assert await w.queue("move", id=w.ids["f1"], kind="steer") == ["better", "f1", "f2"]
        ended = await w.end()
        assert w.asked() == ["better", "f1", "f2"]
        assert ended["undelivered"] == []


async def test_what_is_taken_out_comes_back_in_the_answer(tmp_path):
    async with waiting(tmp_path) as w:
        removed = await w.it.command("queue", {"op": "remove", "id": w.ids["f1"]})
        assert removed["removed"] == [{"id": w.ids["f1"], "kind": "followUp", "text": "f1"}]
        assert [item["text"] for item in removed["items"]] == ["s1", "f2"]
        cleared = await w.it.command("queue", "clear")
        assert ([item["text"] for item in cleared["removed"]], cleared["items"]) == (["s1", "f2"], [])
        assert (await w.it.command("queue", "clear"))["removed"] == []
        ended = await w.end()
        assert (w.asked(), ended["undelivered"]) == ([], [])


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"op": "drop"}, "op"),
        ({"op": "edit", "text": "x"}, "id"),
        ({"op": "edit", "id": "in_1"}, "text"),
        ({"op": "edit", "id": "in_1", "text": "x", "to": 1}, "to"),
        ({"op": "remove"}, "id"),
        ({"op": "remove", "id": "in_1", "text": "x"}, "text"),
        ({"op": "remove", "id": 3}, "id"),
        ({"op": "move", "id": "in_1"}, "to"),
        ({"op": "move", "id": "in_1", "to": -1}, "to"),
        ({"op": "move", "id": "in_1", "kind": "prompt"}, "kind"),
        ({"op": "clear", "kind": "steer"}, "kind"),
        ({"id": "in_1"}, "id"),
        ({"op": "list", "more": 1}, "more"),
        ("everything", "op"),
    ],
)
async def test_a_wrong_parameter_is_named_and_nothing_is_changed(tmp_path, params, field):
    async with waiting(tmp_path) as w:
        error = await error_of(w.it.command("queue", params))
        assert (error.code, error.data["field"]) == (INVALID_PARAMS, field)
        assert await w.queue("list") == ["s1", "f1", "f2"]


async def test_an_edit_that_leaves_nothing_or_too_much_is_refused(tmp_path):
    async with waiting(tmp_path) as w:
        for text, code in ((" \n", "emptyPrompt"), ("x" * (4 * 1024 * 1024 + 1), "tooLarge")):
            error = await error_of(w.it.command("queue", {"op": "edit", "id": w.ids["s1"], "text": text}))
            assert (error.code, error.data["code"]) == (REQUEST_FAILED, code)
            assert error.data["text"] == text
        assert await w.queue("list") == ["s1", "f1", "f2"]


async def test_what_does_not_wait_is_refused_by_name_and_the_text_handed_back(tmp_path):
    async with waiting(tmp_path) as w:
        error = await error_of(w.it.command("queue", {"op": "edit", "id": "in_0", "text": "x"}))
        expected = {"code": "unknownItem", "session": w.session, "run": w.run, "id": "in_0", "text": "x"}
        assert (error.code, error.data) == (REQUEST_FAILED, expected)
        await w.end()
        params = {"op": "remove", "id": w.ids["s1"], "run": w.run}
        assert (await error_of(w.it.command("queue", params))).data["code"] == "notRunning"
        assert (await error_of(w.it.command("queue"))).data == {"code": "notRunning"}
        error = await error_of(w.it.command("queue", {"run": "nonsense"}))
        assert error.data == {"code": "unknownRun", "run": "nonsense"}


async def test_commands_that_are_sent_at_once_are_done_in_their_order(tmp_path):
    async with waiting(tmp_path) as w:
        item = w.ids["f1"]
        asked = [
            w.it.command("queue", {"op": "edit", "id": item, "text": "better"}),
            w.it.command("queue", {"op": "move", "id": item, "kind": "steer"}),
            w.it.command("queue", {"op": "remove", "id": item}),
            w.it.command("queue", {"op": "edit", "id": item, "text": "too late"}),
        ]
        *done, last = await asyncio.gather(*asked, return_exceptions=True)
        assert done[2]["removed"] == [{"id": item, "kind": "steer", "text": "better"}]
        assert (last.data["code"], last.data["text"]) == ("unknownItem", "too late")
