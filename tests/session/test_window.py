"""What fits into a model's window: units that stay together, the plain character budget, shortening."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Image,
    Text,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from steersman.session.window import (
    LEAST,
    DoesNotFit,
    characters,
    estimate,
    estimate_anew,
    shortened,
    tokens,
    units_of,
    within_characters,
)
from support.event_checker import check_conversation


def user(text, id="u"):
    return UserMessage(id, (Text(text),))


def assistant(text, *calls, usage=None, id="a"):
    blocks = [Text(text)] if text else []
    blocks += [ToolCall(name, "read", "{}") for name in calls]
    return AssistantMessage(id, tuple(blocks), "m", "stop", usage or Usage())


def result(call, text):
    return ToolResultMessage(call, "read", (Text(text),))


TALK = [
    user("a" * 10),
    assistant("b" * 10),
    user("c" * 10),
    assistant("", "x", "y"),
    result("x", "d" * 10),
    result("y", "e" * 10),
    assistant("f" * 10),
]


@st.composite
def conversations(draw):
    messages = []
    for turn in range(draw(st.integers(1, 5))):
        messages.append(user("u" * draw(st.integers(1, 50)), f"u{turn}"))
        for step in range(draw(st.integers(0, 4))):
            calls = [f"c{turn}-{step}-{i}" for i in range(draw(st.integers(0, 3)))]
            messages.append(assistant("a" * draw(st.integers(1, 50)), *calls, id=f"a{turn}-{step}"))
            messages += [result(call, "r" * draw(st.sampled_from([0, 5, 50, 500, 2000]))) for call in calls]
        if draw(st.booleans()):
            messages.append(CustomMessage(f"x{turn}", "note", (Text("n" * 30),)))
    return messages


def test_an_answer_and_the_results_of_its_calls_are_one_unit():
    assert [(unit.start, unit.end) for unit in units_of(TALK)] == [(0, 1), (1, 2), (2, 3), (3, 6), (6, 7)]


class TestTheCharacterBudget:
    """Acceptance 20"""

    def test_what_fits_is_left_as_it_is(self):
        assert within_characters(TALK, 10_000) is TALK

    def test_the_newest_units_that_fit_are_kept(self):
        size = sum(map(characters, TALK))
        assert within_characters(TALK, size - 1) == TALK[2:]

    def test_the_last_message_of_the_user_is_kept_though_what_follows_it_is_long(self):
        talk = [
            user("task"),
            assistant("", "x"),
            result("x", "r" * 100),
            assistant("", "y"),
            result("y", "new"),
        ]
        assert within_characters(talk, 30) == [talk[0], *talk[3:]]

    @pytest.mark.parametrize("limit", [0, -1])
    def test_below_one_is_an_error(self, limit):
        with pytest.raises(ValueError, match="at least 1"):
            within_characters(TALK, limit)

    def test_too_small_for_the_smallest_request_is_an_error_that_says_what_to_do(self):
        with pytest.raises(
            DoesNotFit, match=r"19 characters is too small.*20 characters.*context_max_chars"
        ) as caught:
            within_characters(TALK, 19)
        assert caught.value.code == "context_overflow"
        assert within_characters(TALK, 20) == [TALK[2], TALK[6]]

    @given(conversations(), st.integers(1, 3000))
    def test_whatever_is_left_out_is_whole_units_from_the_old_end(self, talk, limit):
        try:
            kept = within_characters(talk, limit)
        except DoesNotFit:
            return
        assert sum(map(characters, kept)) <= limit
        check_conversation([message for message in kept if message.role != "custom"])
        ids = [id(message) for message in talk]
        assert [id(message) for message in kept] == [each for each in ids if each in {id(m) for m in kept}]
        last_user = next(message for message in reversed(talk) if message.role == "user")
        assert last_user in kept
        told = [message for message in kept if message.role != "custom"]
        assert told[0].role == "user"


class TestEstimates:
    def test_what_the_provider_counted_is_taken_and_only_what_came_since_is_guessed(self):
        talk = [user("x" * 9999), assistant("a", usage=Usage(input=100, output=20)), user("y" * 320)]
        assert estimate(talk, 5000) == 120 + tokens(talk[-1])

    def test_a_conversation_that_nobody_counted_is_guessed_with_system_and_tools(self):
        talk = [user("x" * 320)]
        assert estimate(talk, 5000) == estimate_anew(talk, 5000) == 5000 + 100 + 8

    def test_a_count_of_another_conversation_does_not_count(self):
        talk = [user("x" * 320), assistant("a", usage=Usage(input=10**6))]
        assert estimate(talk, 0, lambda message: False) == estimate_anew(talk, 0)

    def test_an_image_counts_and_a_note_does_not(self):
        assert tokens(UserMessage("u", (Image("AAAA", "image/png"),))) > 1000
        assert characters(CustomMessage("x", "note", (Text("n" * 30),))) == 0


class TestShortening:
    def test_the_longest_items_are_cut_in_the_middle_and_say_so(self):
        talk = [
            user("fix it"),
            assistant("", "x", "y"),
            result("x", "h" + "x" * 100_000 + "t"),
            result("y", "short"),
        ]
        cut = shortened(talk, 5000, 0)
        assert estimate_anew(cut, 0) <= 5000
        text = cut[2].text
        assert text.startswith("hxxx")
        assert text.endswith("xxxt")
        assert "characters left out here" in text
        assert (cut[0], cut[1], cut[3]) == (talk[0], talk[1], talk[3])
        assert len(talk[2].text) == 100_002, "what is stored stays"

    def test_what_fits_is_left_as_it_is(self):
        assert shortened(TALK, 10_000, 0) is TALK

    def test_nothing_gets_longer_by_the_note_that_says_what_is_missing(self):
        talk = [user("x" * (LEAST + 40)), user("y" * 2000)]
        cut = shortened(talk, 200, 0)
        assert cut[0] is talk[0]
        assert len(cut[1].content[0].text) < 2000

    @settings(max_examples=60)
    @given(conversations(), st.integers(100, 3000))
    def test_it_fits_or_nothing_long_is_left(self, talk, limit):
        cut = shortened(talk, limit, 50)
        fits = estimate_anew(cut, 50) <= limit
        longest = max(
            (
                len(b.text)
                for m in cut
                if m.role in ("user", "tool")
                for b in m.content
                if isinstance(b, Text)
            ),
            default=0,
        )
        assert fits or longest <= LEAST + 120
        assert [message.role for message in cut] == [message.role for message in talk]

    def test_only_the_long_text_of_a_message_is_cut(self):
        told = UserMessage("u", (Text("look at this"), Text("x" * 9000, "a.txt")))
        (cut,) = shortened([told], 500, 0)
        assert cut.content[0] == told.content[0]
        assert len(cut.content[1].text) < 2000
