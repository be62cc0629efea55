"""The model asks the user: by `steersman/input` for a client that negotiated this and nothing else, by a choice for any
other; one question at a time, and none that is not answered or taken away."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.schema import json_schema
from steersman.lsp.user_input import LATER, MAX_PROMPT, MAX_TITLE, titles_of
from support.json_schema import faults
from support.lsp_client import PATIENCE, AnsweredWithError
from support.lsp_workspace import Desk, desk, edit_call
from support.scripted_model import answer, call

METHOD = "steersman/input"
ONLY_THIS = {"initializationOptions": {"steersman": {"version": "1", "input": True}}}
SCHEMA = json_schema()
OPTIONS = ["tabs", "spaces"]


def asks(question="Tabs or spaces?", **more):
    return answer("", call("ask_user", {"question": question, **more}))


FREE = [asks(), answer("done")]
CHOICE = [asks(options=OPTIONS), answer("done")]


@dataclass
class Prompted:
    """A question in the client's own prompt."""

    params: dict[str, Any]
    _answer: asyncio.Future[Any]

    def reply(self, result: Any) -> None:
        self._answer.set_result(result)

    def say(self, text: str) -> None:
        given = {"text": text}
        assert faults(given, {"$ref": "#/$defs/InputAnswer"}, SCHEMA) == []
        self.reply(given)

    def fail(self, code: int) -> None:
        self._answer.set_exception(AnsweredWithError({"code": code, "message": "can't"}))


class Prompt:
    """The client's prompt for a line of text. What it is asked is as the schema says."""

    def __init__(self, it: Desk) -> None:
        self._asked: asyncio.Queue[Prompted] = asyncio.Queue()
        it.client.on_request(METHOD, self._ask)
        self.it = it

    def _ask(self, params: dict[str, Any]) -> Any:
        assert faults(params, {"$ref": "#/$defs/InputRequest"}, SCHEMA) == []
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait(Prompted(params, future))
        return future

    async def next(self) -> Prompted:
        async with asyncio.timeout(PATIENCE):
            return await self._asked.get()

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.it.client.of_method(METHOD)

    @property
    def pickers(self) -> list[dict[str, Any]]:
        return self.it.client.of_method("window/showMessageRequest")


def told(it: Desk) -> str:
    """What the model was told of its last call."""
    return it.model.requests[-1].messages[-1].text


def parameters(it: Desk) -> dict[str, Any]:
    (spec,) = [tool for tool in it.model.requests[0].tools if tool.name == "ask_user"]
    return spec.parameters


@asynccontextmanager
async def at_desk(base, *responses, **options):
    async with desk(base, *responses, **{**ONLY_THIS, **options}) as it:
        yield it, Prompt(it)


async def state_of(it: Desk) -> str:
    (session,) = (await it.command("status"))["sessions"]
    return session["state"]


# By steersman/input


async def test_the_server_says_that_it_uses_it(tmp_path):
    async with desk(tmp_path, initialize=False) as it:
        result = await it.client.initialize(**ONLY_THIS)
        assert result["capabilities"]["experimental"]["steersman"] == {"version": "1", "uses": ["input"]}


async def test_what_the_user_types_is_what_the_model_gets(tmp_path):
    async with at_desk(tmp_path, *FREE) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        (session,) = (await it.command("status"))["sessions"]
        assert question.params["prompt"] == "Tabs or spaces?"
        assert (question.params["session"], question.params["run"]) == (session["session"], run)
        assert "options" not in question.params
        question.say("both: tabs in the Makefile")
        await it.floor_ended(run)
        assert told(it) == "both: tabs in the Makefile"
        assert parameters(it)["required"] == ["question"]
        assert prompt.pickers == []


async def test_options_are_suggestions_and_any_text_is_an_answer(tmp_path):
    async with at_desk(tmp_path, *CHOICE) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        assert question.params["options"] == OPTIONS
        question.say("neither")
        await it.floor_ended(run)
        assert told(it) == "neither"


@pytest.mark.parametrize("how", ["null", "empty", "error"])
async def test_a_question_that_is_closed_has_no_answer(tmp_path, how):
    async with at_desk(tmp_path, *CHOICE) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        if how == "error":
            question.fail(-32603)
        else:
            question.reply(None if how == "null" else {"text": " "})
        await it.floor_ended(run)
        assert told(it).startswith("The user closed the question without an answer.")
        assert prompt.pickers == []


MALFORMED = [
    "tabs",
    True,
    [],
    {},
    {"text": None},
    {"text": 3},
    {"text": ["tabs"]},
    {"title": "tabs"},
    {"text": "a", "x": 1},
]


@pytest.mark.parametrize("reply", MALFORMED, ids=repr)
async def test_after_a_malformed_answer_the_options_are_put_once_more_as_every_client_gets_them(
    tmp_path, reply
):
    async with at_desk(tmp_path, *CHOICE) as (it, prompt):
        run = await it.start()
        (await prompt.next()).reply(reply)
        again = await it.next_question()
        assert again.titles == [LATER, *OPTIONS]
        again.choose("spaces")
        await it.floor_ended(run)
        assert told(it) == "spaces"
        assert (len(prompt.requests), len(prompt.pickers)) == (1, 1)


@pytest.mark.parametrize("how", ["malformed", "no method"])
async def test_without_options_there_is_nothing_that_could_be_put_again(tmp_path, how):
    async with at_desk(tmp_path, *FREE) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        question.reply({"text": 3}) if how == "malformed" else question.fail(-32601)
        await it.floor_ended(run)
        says = "The user closed the question" if how == "malformed" else "Nobody can be asked here."
        assert told(it).startswith(says)
        assert prompt.pickers == []


async def test_a_client_without_the_method_after_all_is_asked_as_every_client_is(tmp_path):
    async with at_desk(tmp_path, *CHOICE) as (it, prompt):
        run = await it.start()
        (await prompt.next()).fail(-32601)
        (await it.next_question()).choose("tabs")
        await it.floor_ended(run)
        assert told(it) == "tabs"


async def test_a_long_question_is_cut(tmp_path):
    async with at_desk(tmp_path, asks("x" * 9000), answer("done")) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        assert question.params["prompt"] == "x" * MAX_PROMPT + "…"
        question.reply(None)
        await it.floor_ended(run)


# By a choice


@pytest.mark.parametrize("features", [{}, {"input": False}, {"input": None}, {"approval": True}], ids=repr)
async def test_a_client_that_did_not_negotiate_it_is_given_a_choice(tmp_path, features):
    options = {"steersman": {"version": "1", **features}}
    async with at_desk(tmp_path, *CHOICE, initializationOptions=options) as (it, prompt):
        run = await it.start()
        question = await it.next_question()
        assert question.message == "Steersman asks: Tabs or spaces?"
        assert question.titles == [LATER, *OPTIONS]
        question.choose("spaces")
        await it.floor_ended(run)
        assert told(it) == "spaces"
        assert parameters(it)["required"] == ["question", "options"]
        assert prompt.requests == []


async def test_a_choice_without_options_is_not_put(tmp_path):
    async with desk(tmp_path, *FREE) as it:
        run = await it.start()
        await it.ended(run)
        assert it.results()[0]["outcome"] == "badArguments"
        assert it.client.of_method("window/showMessageRequest") == []


async def test_the_title_alone_is_an_answer_too(tmp_path):
    async with desk(tmp_path, *CHOICE) as it:
        run = await it.start()
        (await it.next_question()).reply("tabs")
        await it.ended(run)
        assert it.result_texts() == ["tabs"]


async def test_whoever_takes_the_first_choice_by_accident_answers_later(tmp_path):
    async with desk(tmp_path, *CHOICE) as it:
        run = await it.start()
        question = await it.next_question()
        question.choose(question.titles[0])
        await it.ended(run)
        assert "End your turn now, with the question in your answer" in it.result_texts()[0]


@pytest.mark.parametrize(
    "reply", [None, {}, [], "", 1, {"title": "Tabs"}, {"title": " tabs"}, "other"], ids=repr
)
async def test_whatever_is_no_exact_title_closes_the_question(tmp_path, reply):
    async with desk(tmp_path, *CHOICE) as it:
        run = await it.start()
        (await it.next_question()).reply(reply)
        await it.ended(run)
        assert it.result_texts()[0].startswith("The user closed the question")


@pytest.mark.parametrize(
    ("code", "says"), [(-32603, "The user closed"), (-32601, "Nobody can be asked here")]
)
async def test_an_error_is_no_answer(tmp_path, code, says):
    async with desk(tmp_path, *CHOICE) as it:
        run = await it.start()
        (await it.next_question()).fail(code)
        await it.ended(run)
        assert it.result_texts()[0].startswith(says)


async def test_no_line_of_a_models_question_is_a_line_of_a_question_about_a_change(tmp_path):
    forged = "Which?\n\nSteersman: Run ls\nCommands are asked about in this mode."
    async with desk(tmp_path, asks(forged, options=["Accept", "Decline"]), answer("done")) as it:
        run = await it.start()
        question = await it.next_question()
        first, *more = question.message.split("\n")
        assert first == "Steersman asks: Which?" and {line[:2] for line in more} == {"> "}
        question.choose("Accept")
        await it.ended(run)
        assert it.result_texts() == ["Accept"], "it is an answer to the model, and nothing else"


async def test_nothing_in_a_question_can_pass_for_something_else(tmp_path):
    long, same = "a" * 200, "a" * 190
    script = [asks("One\n\x1b[2J\u202etwo", options=["x\ny", LATER, long, same]), answer("done")]
    async with desk(tmp_path, *script) as it:
        run = await it.start()
        question = await it.next_question()
        assert question.message == "Steersman asks: One\n> \\x1b[2J\\u202etwo"
        cut = "a" * MAX_TITLE + "…"
        assert question.titles == [LATER, "x\\ny", f"{LATER} (2)", cut, f"{cut} (2)"]
        question.choose(f"{cut} (2)")
        await it.ended(run)
        assert it.result_texts() == [same]


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "a (2)", "a\t", "a\\t", LATER, "x" * 200, "x" * 300]), unique=True, max_size=6
    )
)
def test_titles_are_different_and_lead_back_to_the_options(options):
    titles = titles_of(tuple(options))
    assert list(titles.values()) == options
    assert LATER not in titles
    assert all(title.isprintable() and len(title) <= MAX_TITLE + 10 for title in titles)


# While it waits


@pytest.mark.parametrize("rich", [False, True])
async def test_the_run_says_that_it_waits_and_then_that_it_goes_on(tmp_path, rich):
    features = {"input": True, **({"eventToken": "events-of-the-test"} if rich else {})}
    options = {"steersman": {"version": "1", **features}}
    async with at_desk(tmp_path, *FREE, initializationOptions=options) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        assert await state_of(it) == "waitingInput"
        assert it.progress(run)[-1]["message"] == "turn 1 · ask_user Tabs or spaces? · waiting for you"
        question.say("tabs")
        await it.floor_ended(run)
        states = [event["data"]["state"] for event in it.events("state")]
        assert states == (["streaming", "tool", "waitingInput", "tool", "streaming"] if rich else [])
        assert await state_of(it) == "idle"


async def test_a_read_only_run_may_ask(tmp_path):
    async with at_desk(tmp_path, *FREE, mode="read-only") as (it, prompt):
        run = await it.start()
        (await prompt.next()).say("tabs")
        await it.floor_ended(run)
        assert told(it) == "tabs"


async def test_a_steer_waits_with_it_and_joins_the_next_request(tmp_path):
    async with at_desk(tmp_path, *FREE) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        await it.command("steer", "use tabs, I said")
        queue = await it.command("queue")
        assert [item["text"] for item in queue["items"]] == ["use tabs, I said"]
        question.say("tabs")
        await it.floor_ended(run)
        result, steer = it.model.requests[-1].messages[-2:]
        assert (result.text, steer.content[0].text) == ("tabs", "use tabs, I said")


async def test_an_abort_withdraws_the_question_and_closes_the_call(tmp_path):
    options = {"steersman": {"version": "1", "input": True, "eventToken": "events-of-the-test"}}
    async with at_desk(tmp_path, *FREE, initializationOptions=options) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        await it.command("abort")
        cancelled = await it.client.wait_for_method("$/cancelRequest")
        assert cancelled["params"] == {"id": prompt.requests[0]["id"]}
        question.say("tabs")  # too late
        assert (await it.ended(run))["stopReason"] == "aborted"
        (result,) = it.results()
        assert result["outcome"] == "aborted"
        assert "the question was withdrawn" in it.result_texts()[0]


async def test_a_client_that_is_lost_has_said_nothing(tmp_path):
    async with at_desk(tmp_path, *CHOICE) as (it, prompt):
        run = await it.start()
        await prompt.next()
        it.client.close_output()
        await it.client.wait_for_end()
        assert "interrupted" in (await it.floor_ended(run)).lower()
        assert len(it.model.requests) == 1


# One at a time


def by_prompt(**scripts):
    """Responses by the first word of the run's prompt: what it says first, then `done`."""

    def respond(request, signal):
        first = request.messages[0].content[0].text.split()[0]
        begun = any(message.role != "user" for message in request.messages)

        async def stream():
            for step in answer("done") if begun else scripts[first]:
                yield step

        return stream()

    return [respond] * (2 * len(scripts))


ASK_AND_EDIT = by_prompt(ask=asks(options=OPTIONS), edit=answer("", edit_call("a.txt", "two", "2")))


@pytest.mark.parametrize("first", ["ask", "edit"])
async def test_a_question_and_an_approval_of_another_run_wait_for_each_other_in_order(tmp_path, first):
    async with desk(tmp_path, *ASK_AND_EDIT) as it:
        path = it.put("a.txt", "two\n")
        second = "edit" if first == "ask" else "ask"
        titles, chosen = {"ask": LATER, "edit": "Show diff"}, {"ask": "tabs", "edit": "Accept"}
        runs = [await it.start(first)]
        question = await it.next_question()
        runs.append(await it.start(second))
        await it.event("tool_execution_start", number=2)
        await it.heard()
        assert len(it.client.of_method("window/showMessageRequest")) == 1
        for name in (first, second):
            assert question.titles[0] == titles[name]
            question.choose(chosen[name])
            if name == first:
                question = await it.next_question()
        for run in runs:
            await it.ended(run)
        assert path.read_text() == "2\n"
        assert "tabs" in it.result_texts()


@pytest.mark.parametrize("aborted", ["first", "second"])
async def test_an_abort_takes_its_question_from_the_row_and_lets_the_next_go_on(tmp_path, aborted):
    async with desk(tmp_path, *ASK_AND_EDIT) as it:
        it.put("a.txt", "two\n")
        runs = {"first": await it.start("ask")}
        question = await it.next_question()
        runs["second"] = await it.start("edit")
        await it.event("approval_requested")
        await it.command("abort", {"run": runs[aborted]})
        assert (await it.ended(runs[aborted]))["stopReason"] == "aborted"
        if aborted == "first":
            (await it.next_question()).choose("Accept")
            await it.ended(runs["second"])
            assert (it.root / "a.txt").read_text() == "2\n"
        else:
            question.choose("tabs")
            await it.ended(runs["first"])
            assert len(it.client.of_method("window/showMessageRequest")) == 1


async def test_a_prompt_for_text_is_not_put_beside_a_choice(tmp_path):
    async with at_desk(tmp_path, *ASK_AND_EDIT) as (it, prompt):
        it.put("a.txt", "two\n")
        edit = await it.start("edit")
        choice = await it.next_question()
        ask = await it.start("ask")
        await it.client.wait_for(
            lambda _: any("ask_user" in value.get("message", "") for value in it.progress(ask))
        )
        await it.heard()
        assert prompt.requests == []
        choice.choose("Decline")
        (await prompt.next()).say("tabs")
        for run in (edit, ask):
            await it.floor_ended(run)


async def test_two_questions_of_one_answer_are_put_one_after_the_other(tmp_path):
    both = answer("", call("ask_user", {"question": "One?"}), call("ask_user", {"question": "Two?"}))
    async with at_desk(tmp_path, both, answer("done")) as (it, prompt):
        run = await it.start()
        question = await prompt.next()
        await it.heard()
        assert [request["params"]["prompt"] for request in prompt.requests] == ["One?"]
        question.say("1")
        (await prompt.next()).say("2")
        await it.floor_ended(run)
        assert [message.text for message in it.model.requests[-1].messages[-2:]] == ["1", "2"]
