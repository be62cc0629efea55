"""Work-done progress: one begin, reports that no client drops, one end, whatever the client does with its token."""

import asyncio
import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.messages import Usage
from steersman.lsp.client import Client
from steersman.lsp.errors import RpcError
from steersman.lsp.features import ClientFeatures
from steersman.lsp.progress import FloorProgress
from steersman.lsp.run_progress import INTERVAL
from steersman.session.journal import Emitted
from steersman.session.limits import Limits
from steersman.session.wire import usage_data
from support.lsp_client import NO_ANSWER, AnsweredWithError
from support.lsp_workspace import LIMITS, desk, edits, is_progress
from support.manual_clock import ManualClock, settle
from support.scripted_model import answer


@dataclass
class Ears:
    """What a client hears, and when; it takes a token as soon as `answer` is set."""

    clock: ManualClock
    answer: "asyncio.Future[object]"
    heard: list[tuple[float, str, Any]] = field(default_factory=list)
    keys: list[object] = field(default_factory=list)
    """Of the progress: what has the same key as something that waits takes its place."""

    async def request(self, method, params, *, timeout):
        self.heard.append((self.clock.now, method, params))
        return await asyncio.shield(self.answer)

    def notify(self, method, params):
        self.heard.append((self.clock.now, method, params))
        return True

    def send_raw_notification(self, method, params_json, *, droppable=False, key=None):
        assert not droppable
        self.keys.append(key)
        return self.notify(method, json.loads(params_json))

    def values(self):
        return [(at, params["value"]) for at, method, params in self.heard if method == "$/progress"]

    def kinds(self):
        return [value["kind"] for _, value in self.values()]

    def logged(self):
        return [params["message"] for _, method, params in self.heard if method == "window/logMessage"]


class Stage:
    """A run's progress, told event by event."""

    def __init__(self, *, progress=True, taken=True, features=None):
        self.clock = ManualClock()
        self.ears = Ears(self.clock, asyncio.get_running_loop().create_future())
        client = Client(progress=progress, features=features or ClientFeatures())
        self.floor = FloorProgress(self.ears, client, Limits(), self.clock)
        self.floor.begin("run_1", "Steersman: go")
        if taken:
            self.ears.answer.set_result(None)

    async def tell(self, kind, **data):
        self.floor.on_event(Emitted("ses_1", kind, data, 0, 1, "run_1"))
        await settle()

    async def end(self, **data):
        given = {"message": "Done.", "text": "", "stopReason": "complete", "undelivered": []}
        await self.tell("agent_end", **(given | data))

    async def close(self):
        await self.floor.close()


async def test_begin_reports_and_end():
    stage = Stage()
    await settle()
    await stage.tell("turn_start", turn=1)
    stage.clock.advance(INTERVAL)
    await settle()
    await stage.tell("tool_execution_start", name="edit", args={"path": "a.py"})
    stage.clock.advance(INTERVAL)
    await settle()
    await stage.end()
    assert [value for _, value in stage.ears.values()] == [
        {"kind": "begin", "title": "Steersman: go", "cancellable": True},
        {"kind": "report", "message": "turn 1 · thinking"},
        {"kind": "report", "message": "turn 1 · edit a.py"},
        {"kind": "end", "message": "Done."},
    ]
    await stage.close()
    assert stage.ears.kinds().count("end") == 1


async def test_no_text_of_a_progress_can_be_clicked_or_acts_on_a_terminal():
    stage = Stage()
    await settle()
    link = "[see](command:workbench.action.quit)"
    await stage.tell("tool_execution_start", toolCallId="c", name="bash", args={"command": f"echo {link}"})
    stage.clock.advance(INTERVAL)
    await settle()
    await stage.end(message=f"Failed: {link}\x1b[2J")
    values = [value for _, value in stage.ears.values()]
    assert [value["kind"] for value in values] == ["begin", "report", "end"]
    assert not any("](" in text or "\x1b" in text for value in values for text in map(str, value.values()))
    assert "[see] (command:workbench.action.quit)" in values[1]["message"]
    await stage.close()


async def test_the_end_tells_what_the_run_took_where_that_was_counted():
    stage = Stage()
    await settle()
    await stage.end(usage=usage_data(Usage(1200, 30, cache_read=800, cost=0.5)))
    _, ended = stage.ears.values()[-1]
    assert ended["message"] == "Done. 1,200 tokens in (800 from the cache), 30 out, $0.5000."
    await stage.close()


async def test_of_the_reports_that_a_slow_client_has_not_taken_the_latest_replaces_the_others():
    stage = Stage()
    await settle()
    for turn in (1, 2):
        stage.clock.advance(INTERVAL)
        await stage.tell("turn_start", turn=turn)
    await stage.end()
    assert stage.ears.kinds() == ["begin", "report", "report", "end"]
    begin, *reports, end = stage.ears.keys
    assert begin is end is None
    assert len(set(reports)) == 1 and reports[0] is not None
    await stage.close()


async def test_what_happens_before_the_client_has_the_token_is_in_the_begin():
    stage = Stage(taken=False)
    await stage.tell("turn_start", turn=1)
    await stage.tell("approval_requested", title="Edit a.py")
    assert stage.ears.kinds() == []
    stage.ears.answer.set_result(None)
    await settle()
    assert stage.ears.values()[0][1]["message"] == "turn 1 · Edit a.py · waiting for you"
    await stage.close()


async def test_a_run_that_ends_before_the_client_has_the_token_has_its_begin_and_end():
    stage = Stage(taken=False)
    await stage.tell("turn_start", turn=1)
    await stage.end()
    assert stage.ears.kinds() == []
    stage.ears.answer.set_result(None)
    await settle()
    assert stage.ears.kinds() == ["begin", "end"]
    await stage.close()


@pytest.mark.parametrize("how", ["refused", "silent", "unsupported"])
async def test_without_a_token_the_log_says_the_same(how):
    stage = Stage(progress=how != "unsupported", taken=False)
    await settle()
    if how == "refused":
        stage.ears.answer.set_exception(RpcError(-32603, "no"))
    elif how == "silent":
        stage.clock.advance(Limits().create_progress)
    await settle()
    await stage.tell("approval_requested", title="Edit a.py")
    stage.clock.advance(1)
    await settle()
    await stage.end()
    assert stage.ears.kinds() == []
    assert stage.ears.logged() == [
        "Steersman: go",
        "Steersman: Edit a.py · waiting for you",
        "Steersman: Done.",
    ]
    await stage.close()
    if not stage.ears.answer.done():
        stage.ears.answer.cancel()


async def test_a_question_asked_while_the_client_ponders_the_token_is_in_the_log_too():
    stage = Stage(taken=False)
    await stage.tell("approval_requested", title="Edit a.py")
    stage.ears.answer.set_exception(RpcError(-32603, "no"))
    await settle()
    assert stage.ears.logged() == ["Steersman: go", "Steersman: Edit a.py · waiting for you"]
    await stage.close()


async def test_a_client_that_sees_the_events_and_has_no_progress_is_not_told_by_the_log():
    stage = Stage(progress=False, features=ClientFeatures.model_validate({"eventToken": "x"}))
    await settle()
    await stage.end(text="answer")
    assert stage.ears.heard == []
    await stage.close()


async def test_closing_ends_every_token_that_was_begun_and_begins_none():
    begun, waiting = Stage(), Stage(taken=False)
    await settle()
    for stage in (begun, waiting):
        await stage.close()
        stage.floor.begin("run_2", "too late")
        await settle()
    assert begun.ears.kinds() == ["begin", "end"]
    assert waiting.ears.kinds() == []
    waiting.ears.answer.cancel()


async def test_a_question_right_after_a_report_is_told_at_once_and_once_more():
    stage = Stage()
    await settle()
    stage.clock.advance(1)
    await stage.tell("turn_start", turn=1)
    await stage.tell("approval_requested", title="Edit a.py")
    assert [value.get("message") for _, value in stage.ears.values()][1:] == [
        "turn 1 · thinking",
        "turn 1 · Edit a.py · waiting for you",
    ]
    stage.clock.advance(INTERVAL)
    await settle()
    assert stage.ears.values()[-1][1]["message"] == "turn 1 · Edit a.py · waiting for you"
    stage.clock.advance(5)
    await settle()
    assert len(stage.ears.values()) == 4
    await stage.close()


TOLD = st.sampled_from(["turn_start", "tool_execution_start", "tool_execution_end", "approval_requested"])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.05, 0.15, 0.2, 0.3, 1.0]), TOLD), max_size=25))
def test_at_most_five_reports_a_second_the_latest_state_wins_and_no_question_is_dropped(script):
    async def run():
        stage = Stage()
        await settle()
        questions = 0
        for number, (pause, kind) in enumerate(script):
            stage.clock.advance(pause)
            await settle()
            data = {"turn": number, "name": "read", "args": {"path": f"{number}"}, "title": f"Edit {number}"}
            await stage.tell(kind, **data)
            if kind == "approval_requested":
                questions += 1
                assert stage.ears.values()[-1][1]["message"].endswith(f"Edit {number} · waiting for you")
        stage.clock.advance(INTERVAL + 1e-6)
        await settle()
        if script:
            last = stage.ears.values()[-1][1]["message"]
            expected = {
                "turn_start": f"turn {len(script) - 1} · thinking",
                "tool_execution_start": f"read {len(script) - 1}",
                "tool_execution_end": "thinking",
                "approval_requested": f"Edit {len(script) - 1} · waiting for you",
            }[script[-1][1]]
            assert last.endswith(expected)
        await stage.end()
        values = stage.ears.values()
        assert [values[0][1]["kind"], values[-1][1]["kind"]] == ["begin", "end"]
        reports = values[1:-1]
        assert {value["kind"] for _, value in reports} <= {"report"}
        ordinary = [at for at, value in reports if "waiting for you" not in value["message"]]
        assert all(after - before >= INTERVAL - 1e-6 for before, after in pairwise(ordinary))
        assert sum("waiting for you" in value["message"] for _, value in reports) >= questions
        await stage.close()

    asyncio.run(run())


# With the whole server


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        (lambda _: None, {"begin", "report", "end"}),
        (lambda _: {}, {"begin", "report", "end"}),
        (lambda _: NO_ANSWER, set()),
    ],
    ids=["null", "object", "silent"],
)
async def test_the_model_is_asked_while_the_client_ponders_the_token(tmp_path, reply, kinds):
    async with desk(tmp_path, answer("hello"), rich=False) as it:
        it.client.on_request("window/workDoneProgress/create", reply)
        started = await it.command("start", {"prompt": "go"})
        shown = await it.client.wait_for_method("window/showMessage")
        assert shown["params"] == {"type": 3, "message": "hello"}
        if kinds:
            await it.floor_ended(started["run"])
            assert {value["kind"] for value in it.progress(started["run"])} <= kinds
        else:
            await it.clock.let_pass(LIMITS.create_progress)
            await it.client.wait_for(
                lambda m: m.get("method") == "window/logMessage" and "Done" in m["params"]["message"]
            )
            assert it.progress(started["run"]) == []


async def test_a_refused_token_is_no_reason_not_to_run(tmp_path):
    def no(_):
        raise AnsweredWithError({"code": -32603, "message": "no"})

    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        it.client.on_request("window/workDoneProgress/create", no)
        path = it.put("a.txt", "two\n")
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        assert (path.read_text(), it.progress(run)) == ("2\n", [])


async def test_shutdown_ends_the_run_its_token_and_its_question_before_it_is_answered(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        path = it.put("a.txt", "two\n")
        run = await it.start()
        await it.next_question()
        request = it.client.begin("shutdown")
        await request
        order = [
            m["params"]["value"]["kind"] if is_progress(m, f"steersman/{run}") else "answer"
            for m in it.client.received
            if is_progress(m, f"steersman/{run}") or (m.get("id") == request.id and "result" in m)
        ]
        assert (order[0], order[-2:], order.count("end")) == ("begin", ["end", "answer"], 1)
        assert it.events("agent_end")[0]["data"]["stopReason"] == "interrupted"
        assert path.read_text() == "two\n"
        it.client.notify("exit")
        await it.client.wait_for_end()
        assert len(it.events("agent_end")) == 1
