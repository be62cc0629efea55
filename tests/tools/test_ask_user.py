"""ask_user: what the model may ask, what it gets to know, and that an abort withdraws the question."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.tool import BadArguments, ToolContext, ToolError, ToolResult
from steersman.tools.ask_user import AskUserTool, Reply, UserQuestion
from steersman.tools.base import MAX_RESULT_BYTES
from support.manual_clock import settle


class FakeUser:
    """Says what the test wrote down."""

    def __init__(self, reply: Callable[[], Awaitable[Reply]]) -> None:
        self._reply = reply
        self.asked: list[UserQuestion] = []
        self.withdrawn = 0

    async def ask(self, question: UserQuestion) -> Reply:
        self.asked.append(question)
        try:
            return await self._reply()
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise


def saying(kind: str, text: str = "") -> FakeUser:
    async def reply() -> Reply:
        return Reply(kind, text)

    return FakeUser(reply)


async def ask(
    user: FakeUser, signal: AbortSignal | None = None, *, takes_text=True, **arguments
) -> ToolResult:
    bound = AskUserTool(user, takes_text=takes_text).bind({"question": "Which one?", **arguments})
    signal = signal or AbortController().signal
    assert await bound.propose(signal) is None  # so that it needs nobody's leave, in any mode
    return await bound.execute(ToolContext("call_1", signal, lambda _: None))


async def test_the_model_gets_the_answer_as_it_was_said():
    user = saying("answered", "  the second — but\nrename it ")
    result = await ask(user, options=["first", "second"])
    assert (result.text, result.is_error) == ("  the second — but\nrename it ", False)
    assert user.asked == [UserQuestion("call_1", "Which one?", ("first", "second"))]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (("closed",), "closed the question without an answer"),
        (("answered", ""), "closed the question without an answer"),
        (("answered", " \n"), "closed the question without an answer"),
        (("later",), "End your turn now, with the question in your answer"),
        (("nobody",), "Nobody can be asked here"),
    ],
)
async def test_without_an_answer_the_model_is_told_what_to_do(reply, says):
    result = await ask(saying(*reply))
    assert says in result.text
    assert not result.is_error


async def test_a_long_answer_is_cut_and_says_so():
    result = await ask(saying("answered", "é" * MAX_RESULT_BYTES))
    assert result.text.endswith("\n\n[The answer has 102,400 bytes: only the first 50 KB are shown]")
    assert result.text.count("é") == MAX_RESULT_BYTES // 2


async def test_an_answer_that_no_encoding_has_can_still_be_kept():
    assert (await ask(saying("answered", "half \ud83d"))).text == "half \\ud83d"


async def test_an_abort_withdraws_the_question():
    never = asyncio.get_running_loop().create_future()
    user, controller = FakeUser(lambda: never), AbortController()
    asking = asyncio.create_task(ask(user, controller.signal))
    await settle()
    controller.abort()
    with pytest.raises(ToolError, match="the question was withdrawn"):
        await asking
    assert user.withdrawn == 1


async def test_after_an_abort_nobody_is_asked():
    user, controller = saying("answered", "yes"), AbortController()
    controller.abort()
    result = await ask(user, controller.signal)
    assert result.is_error
    assert user.asked == []


async def test_an_answer_that_came_with_the_abort_is_not_lost():
    controller = AbortController()

    async def reply() -> Reply:
        controller.abort()
        return Reply("answered", "the second")

    assert (await ask(FakeUser(reply), controller.signal)).text == "the second"


def test_other_calls_of_the_model_wait_for_the_answer():
    assert AskUserTool(saying("closed"), takes_text=True).execution == "sequential"


# What may be asked


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, ()),
        ({"options": None}, ()),
        ({"choices": ["a", "b"]}, ("a", "b")),
        ({"options": '["a", "b"]'}, ("a", "b")),
        ({"options": [" a ", "b", "a", "", "b "]}, ("a", "b")),
        ({"options": [1, 2]}, ("1", "2")),
    ],
)
async def test_options_are_put_right(arguments, options):
    user = saying("closed")
    await ask(user, **arguments)
    assert user.asked[0].options == options


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"question": "  "}, "- question: must not be empty"),
        ({"question": 3, "options": "yes"}, "- options: expected an array"),
        ({"options": ["a"]}, "- options: expected at least 2 items"),
        ({"options": ["a", " a"]}, "- options: expected at least 2 items"),
        ({"options": list("abcdefg")}, "- options: expected at most 6 items, got 7"),
        ({"options": ["a", {}]}, "- options[1]: expected a string"),
        ({"timeout": 5}, "- timeout: there is no such field"),
    ],
)
def test_a_question_that_cannot_be_asked_is_an_error_that_says_why(arguments, says):
    with pytest.raises(BadArguments) as raised:
        AskUserTool(saying("closed"), takes_text=True).bind({"question": "Which?", **arguments})
    assert says in str(raised.value)


def test_where_the_user_can_only_choose_options_are_required():
    free, choosing = (AskUserTool(saying("closed"), takes_text=takes) for takes in (True, False))
    assert free.parameters["required"] == ["question"]
    assert choosing.parameters["required"] == ["question", "options"]
    with pytest.raises(BadArguments, match="- options: required, but missing"):
        choosing.bind({"question": "Which?"})
