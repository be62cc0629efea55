"""Fingerprints of requests: the same on every machine and every day, another for another question."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
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
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.tape_normal import Normaliser, folders_of
from steersman.models.tape_request import Fingerprinter
from steersman.session.context import system_prompt

HERE, THERE = "/home/ann/code/calculator", "/srv/ci/build 7/calculator"


def conversation(folder: str, *, number: str = "1", result: str = "ok", **fields) -> ModelRequest:
    """One and the same conversation, as it is in `folder` in a run with ids of `number`."""
    call = ToolCall(f"call_{number}", "bash", json.dumps({"command": f"cd {folder} && ls"}))
    messages = [
        UserMessage(f"msg_{number}", (Text(f"fix {folder}/calc.py"),)),
        AssistantMessage(
            f"a{number}", (Thinking("hm", signature=number), Text("I look."), call), "m", "stop"
        ),
        ToolResultMessage(call.id, "bash", (Text(result),)),
    ]
    system = system_prompt([Path(folder)], today=date(2026, 1, int(number)), tools=["bash"])
    return ModelRequest(
        fields.pop("system", system), messages, fields.pop("tools", [ToolSpec("bash", "", {})])
    )


def digest(request: ModelRequest) -> str:
    return Fingerprinter().take(request).digest


SAME = [
    (f"{HERE}/calc.py:3", f"{THERE}/calc.py:3"),
    ("file:///home/ann/code/calculator/a", f"file://{THERE}/a"),
    ("/home/ann/.venv/bin/python", "/Users/bob/.venv/bin/python"),
    ("in /tmp/tmpab12cd/x.py", "in /var/folders/zz/abc123/T/tmpq_9/x.py"),
    ("/tmp/pytest-of-ann/pytest-3/test_a0/f", "/tmp/pytest-of-root/pytest-12/test_a0/f"),
    ("made 2026-01-02", "made 2025-12-31"),
    ("at 2026-01-02T03:04:05.123Z.", "at 2025-11-30 13:14:15+01:00."),
    ("-rw-r--r-- Jan  2 03:04 a.py", "-rw-r--r-- Nov 29 22:17 a.py"),
    ("Fri Jan  2 03:04:05 UTC 2026", "Sun Nov 29 22:17:09 UTC 2026"),
    ("3 passed in 0.12s", "3 passed in 12.01s"),
    ("===== 3 passed in 0.12s =====".center(80, "="), "===== 3 passed in 12.01s =====".center(80, "=")),
    ("real\t0m0.012s", "real\t1m2.5s"),
    ("took 12 ms", "took 1.5 seconds"),
    ("[main 1a2b3c4] fix", "[main 9f8e7d6] fix"),
    ("id 123e4567-e89b-42d3-a456-426614174000", "id 00000000-e89b-42d3-a456-426614174fff"),
    ("<object at 0x7f0011223344>", "<object at 0x7fffaabbccdd>"),
    ("pid 123", "pid 45678"),
    ("http://127.0.0.1:40123/v1", "http://127.0.0.1:50999/v1"),
    ("\x1b[31mred\x1b[0m  \r\nnext", "red\nnext"),
    (
        "The whole is in /home/ann/.local/share/steersman/outputs/output-ab_12cd9.log",
        "The whole is in /srv/ci/home/outputs/output-zz9yx8w7.log",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_from_machine_to_machine_and_run_to_run_makes_no_difference(one, other):
    assert digest(conversation(HERE, result=one)) == digest(conversation(THERE, number="2", result=other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return a - b", "return a + b"),
        ("calc.py:3: error", "calc.py:4: error"),
        (f"{HERE}/calc.py", f"{HERE}/main.py"),
        (f"{HERE}/calc.py", f"{HERE}-old/calc.py"),
        ("3 passed", "2 passed"),
        ("version 1.2.3", "version 1.2.4"),
        ("x = 1234567", "x = 1234568"),
        ("  indented", "    indented"),
        ("a\nb", "a\n\nb"),
        ("0xff", "0xfe"),
    ],
)
def test_what_the_model_should_see_makes_a_difference(one, other):
    assert digest(conversation(HERE, result=one)) != digest(conversation(HERE, result=other))


def test_a_long_output_full_of_slashes_is_normalised_in_linear_time():
    """What takes quadratic time would take minutes here."""
    text = "=/" * 100_000 + " /output-"
    assert Normaliser(())(text) == text


def test_other_tools_another_order_of_messages_or_another_system_prompt_make_a_difference():
    plain = conversation(HERE)
    two = [ToolSpec("bash", "", {}), ToolSpec("read", "", {})]
    assert digest(conversation(HERE, tools=two)) == digest(conversation(HERE, tools=two[::-1]))
    others = [
        conversation(HERE, tools=two),
        conversation(HERE, system=plain.system + "\nBe brief."),
        ModelRequest(plain.system, plain.messages[:-1], plain.tools),
        ModelRequest(plain.system, plain.messages[::-1], plain.tools),
    ]
    assert digest(plain) not in map(digest, others)


def test_arguments_are_compared_as_what_they_mean():
    def asked(arguments: str) -> str:
        message = AssistantMessage("a", (ToolCall("c", "read", arguments),), "m", "tool_calls")
        return digest(ModelRequest("", [message]))

    assert asked('{"a": 1, "b": "ü"}') == asked('{ "b":"\\u00fc","a":1}')
    assert asked("") == asked("{}")
    assert asked('{"a": 1') != asked('{"a": 2')
    assert asked("[" * 5000) == asked("[" * 5000)
    assert asked('{"a": ' + "[" * 300 + "]" * 300 + "}") != asked("{}")


def test_pictures_and_refusals_count_and_thinking_does_not():
    def said(*content) -> str:
        return digest(ModelRequest("", [AssistantMessage("a", content, "m", "stop")]))

    def sent(data: str) -> str:
        return digest(ModelRequest("", [UserMessage("u", (Image(data, "image/png"),))]))

    assert sent("aaaa") != sent("bbbb")
    assert said(Refusal("no")) == said(Thinking("hm"), Text("no")) != said(Text("yes"))


def test_folders_are_those_of_the_system_prompt():
    today = date(2026, 1, 2)
    assert folders_of(system_prompt([Path("/a, /b")], today=today, tools=[])) == ("/a, /b",)
    assert folders_of(system_prompt([Path("/a"), Path("/b/c")], today=today, tools=[])) == ("/a", "/b/c")
    assert folders_of(system_prompt([Path("/")], today=today, tools=[])) == ()
    assert folders_of(system_prompt([], today=today, tools=[])) == ()
    assert folders_of("Be brief.") == ()


def test_a_folder_in_another_one_keeps_its_own_name():
    normalise = Normaliser(["/w/all", "/w/all/one"])
    assert normalise("/w/all/one/a /w/all/b") == "<workspace 2>/a <workspace>/b"
    assert Normaliser(["/private/tmp/w"])("/tmp/w/a") == "<workspace>/a"


def test_a_history_that_grows_is_the_same_as_one_that_is_read_at_once():
    whole = conversation(HERE)
    growing = Fingerprinter()
    for count in (1, 2, 3, 1, 3):
        part = ModelRequest(whole.system, whole.messages[:count], whole.tools)
        assert growing.take(part).digest == digest(part)
    assert growing.take(conversation(THERE, number="3")).digest == digest(whole)


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.characters(), max_size=60)
    | st.text(alphabet="0123456789abf:-/ .smJan\x1b[", max_size=60)
)
def test_any_text_can_be_normalised_and_written(text):
    normalise = Normaliser([HERE])
    normalise(text).encode()  # no half of a surrogate pair is left
    assert HERE not in normalise(f"{text} {HERE} {text}")


@pytest.mark.parametrize(
    "piece",
    ["/", "a/", "1", "1a", " ", "=", "call_", "run-", "\x1b[", "12:", "Jan 1 ", "/tmp", "/tmp/", "/home/"],
)
def test_long_texts_are_no_trouble(piece):
    # Hours with a rule that goes back over what it has read; a moment without.
    text = piece * (200_000 // len(piece))
    assert Normaliser([HERE])(f"{text} {HERE}").endswith(" <workspace>")
