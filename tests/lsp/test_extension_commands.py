"""The commands of extensions, from the client's side."""

import pytest

from steersman.session.extensions import Extensions, LoadedExtension
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk
from support.scripted_model import answer
from support.some_extensions import Counting, Fine

COUNTING = Extensions.of([LoadedExtension("counter", Counting), LoadedExtension("fine", Fine)])
ADD = "x.counter.add"


class Says(Fine):
    async def should_stop_after_turn(self, turn):
        self.session.say_custom("plan", "1. Look")


async def test_a_client_that_sees_no_events_finds_custom_messages_in_its_log(tmp_path):
    says = Extensions.of([LoadedExtension("says", Says)])
    async with desk(tmp_path, answer("a"), rich=False, extensions=says) as d:
        await d.floor_ended(await d.start())
        told = [message["params"]["message"] for message in d.client.of_method("window/logMessage")]
        assert "Steersman: plan\n1. Look" in told


async def refused(awaitable) -> dict:
    with pytest.raises(AnsweredWithError) as caught:
        await awaitable
    return caught.value.error


async def ran(d) -> str:
    started = await d.command("start", {"prompt": "go"})
    await d.ended(started["run"])
    return started["session"]


async def test_they_are_advertised_with_the_others(tmp_path):
    async with desk(tmp_path, extensions=COUNTING) as d:
        (told,) = [m["result"] for m in d.client.received if "capabilities" in (m.get("result") or {})]
        commands = told["capabilities"]["executeCommandProvider"]["commands"]
        assert [name for name in commands if name.startswith("steersman.x.")] == ["steersman.x.counter.add"]


async def test_each_session_has_its_own_and_the_last_used_one_is_meant(tmp_path):
    async with desk(tmp_path, answer("a"), answer("b"), extensions=COUNTING) as d:
        first = await ran(d)
        second = await ran(d)
        assert await d.command(ADD, {"by": 2}) == {"count": 2, "session": second}
        assert await d.command(ADD, {"by": 3, "session": first}) == {"count": 3, "session": first}
        assert await d.command(ADD, {"by": 1}) == {"count": 3, "session": second}


async def test_without_a_session_it_is_refused(tmp_path):
    async with desk(tmp_path, extensions=COUNTING) as d:
        assert (await refused(d.command(ADD, {"by": 2})))["data"]["code"] == "unknownSession"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([{}], "by"),
        ([{"by": "much"}], "by"),
        ([], "by"),
        (["2"], "arguments"),
        ([{"by": 1}, 2], "arguments"),
    ],
)
async def test_parameters_that_do_not_fit_are_told_as_those_of_our_own_commands(tmp_path, given, field):
    async with desk(tmp_path, answer("a"), extensions=COUNTING) as d:
        await ran(d)
        error = await refused(d.command(ADD, *given))
        assert (error["code"], error["data"]["field"]) == (-32602, field)
        assert "by" in error["data"]["schema"]["properties"]


async def test_a_failure_is_told_and_what_was_not_expected_stays_in_the_log(tmp_path, caplog):
    async with desk(tmp_path, answer("a"), extensions=COUNTING) as d:
        session = await ran(d)
        expected = await refused(d.command(ADD, {"by": 13}))
        assert (expected["code"], expected["message"]) == (-32803, "Thirteen is too much.")
        assert expected["data"] == {"code": "extensionFailed", "extension": "counter"}
        for by in (666, 0):  # it raises; it answers with what is no JSON
            error = await refused(d.command(ADD, {"by": by}))
            assert error["message"] == "add of the extension counter failed unexpectedly; the log says how."
        assert "hunter2" in caplog.text
        assert await d.command(ADD, {"by": 1}) == {"count": 667, "session": session}
