"""Histories of any shape, for the tests that convert them: what no session would make is among them."""

from hypothesis import strategies as st

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

PICTURE = Image(data="aGk=", mime_type="image/png")
MODELS = (
    "openai-chat:m-1",
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-opus-5-5",
    "gemini:gemini-2.5-flash",
    "gemini:gemini-3-flash-preview",
)

TEXTS = st.text(st.characters(exclude_categories=()), max_size=5) | st.sampled_from(["", " \n"])
_TEXT_BLOCKS = st.builds(lambda text: Text(text=text), TEXTS)
_PICTURES = st.sampled_from(
    [
        PICTURE,
        Image(data="", mime_type="image/png"),
        Image(data="aGk=", mime_type="image/bmp"),
        Image(data="aGk=", mime_type="image/gif"),
    ]
)
_IDS = st.sampled_from(["c1", "c2", "c3", "", "c.4", "x" * 60, "x" * 99])
_USERS = st.builds(
    lambda content: UserMessage(id="u", content=tuple(content)),
    st.lists(_TEXT_BLOCKS | _PICTURES, max_size=3),
)
_CALLS = st.builds(
    ToolCall,
    id=_IDS,
    name=st.sampled_from(["ls", "a b", "", "ü" * 70]),
    arguments=st.sampled_from(["{}", "", '{"a":', "[]", '{"a": "\ud83d"}', '{"a":1}', '{"a": 1.50}']),
    provider_id=st.sampled_from([None, "", "call_0", "call_1", "c2", "toolu.1"]),
    signature=st.sampled_from([None, "", "c2ln"]),
)
_THINKING = st.builds(
    Thinking, text=TEXTS, signature=st.sampled_from([None, "", "sig"]), redacted=st.booleans()
)
_BLOCKS = st.one_of(_CALLS, _TEXT_BLOCKS, _THINKING, st.builds(lambda text: Refusal(text=text), TEXTS))
_ANSWERS = st.builds(
    lambda content, model: AssistantMessage(id="a", content=tuple(content), model=model, stop_reason="stop"),
    st.lists(_BLOCKS, max_size=4),
    st.sampled_from(MODELS),
)
_RESULTS = st.builds(
    lambda call_id, content, outcome: ToolResultMessage(
        tool_call_id=call_id, tool_name="ls", content=tuple(content), outcome=outcome
    ),
    _IDS,
    st.lists(_TEXT_BLOCKS | _PICTURES, max_size=2),
    st.sampled_from(["ok", "failed"]),
)
HISTORIES = st.lists(_USERS | _ANSWERS | _RESULTS, max_size=12)
