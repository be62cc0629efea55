"""What a question shows is what would be done: nothing that a model writes hides, forges or acts on who reads it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steersman.cli.faces import told
from steersman.lsp.approvals import quoted
from steersman.lsp.diffs import document_of
from steersman.lsp.inert import inert
from steersman.session.approvals import FileView, Question, ToolView
from steersman.session.cautions import MAX_GAP, MAX_LINE, MAX_LOOKED_AT, cautions
from steersman.session.facts import describe
from steersman.workspace.diff import unified_diff
from steersman.workspace.roots import printable
from support.command_line import CommandLine, calls
from support.lsp_workspace import desk, edits
from support.scripted_model import answer, call

UNSEEN = [
    "\x00",
    "\x1b",
    "\x9b",
    "\xad",
    "\u034f",  # combining grapheme joiner
    "\u115f",  # fillers of Hangul
    "\u3164",
    "\uffa0",
    "\u200b",
    "\u200d",  # joins nothing behind a Latin letter
    "\u202e",
    "\u2066",
    "\u2800",  # Braille without dots
    "\ufe0f",
    "\ufeff",
    "\U000e0041",  # tags
    "\U000e0100",
]


def view(old: str, new: str, name: str = "a.py") -> FileView:
    diff = unified_diff(old, new, f"a/{name}", f"b/{name}")
    return FileView(f"file:///ws/{name}", name, "edit", diff, None, None)


def of_command(command: str) -> str:
    return cautions(f"Run {command[:80]}", [], command)


# Characters


@pytest.mark.parametrize("char", UNSEEN)
def test_a_character_that_nobody_sees_is_escaped_and_named(char):
    assert char not in printable(f"a{char}b")
    assert f"U+{ord(char):04X}" in of_command(f"ls a{char}b")
    assert f"a.py has characters that can't be seen: {_named(char)} in line 2" in cautions(
        "Edit a.py", [view("a\nb\n", f"a\nx{char}y\n")], None
    )


def _named(char: str) -> str:
    said = of_command(f"ls a{char}b")
    return said.partition("can't be seen: ")[2].partition(" in line")[0]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "日本語",
        "приложение.py",
        "naïve é",
        "👩\u200d👩",
        "❤\ufe0f",
        "می\u200cخواهم",
        "क्\u200dष",
        "字\U000e0100",
    ],
)
def test_a_text_that_people_write_is_shown_as_it_is(text):
    assert printable(text) == text
    assert of_command(f"ls {text}") == ""


@given(st.text(st.characters() | st.sampled_from([*UNSEEN, "\u200c", "日", "a"])))
@example("\u200b\u200d")  # behind what is hidden a joiner joins nothing
def test_whatever_the_name_all_that_is_shown_of_it_can_be_seen_on_one_line(name):
    shown = printable(name)
    assert all(char.isprintable() or char in "\u200c\u200d" for char in shown)
    assert printable(shown) == shown


# What is overlooked


@pytest.mark.parametrize(
    ("title", "char"),
    [
        ("Edit src/\u0430pp.py (+1 −1)", "CYRILLIC SMALL LETTER A"),
        ("Edit src/\uff41pp.py (+1 −1)", "FULLWIDTH LATIN SMALL LETTER A"),
        ("Edit src\u2215app.py (+1 −1)", "DIVISION SLASH"),
        ("Move a.py to \u03bfut/a.py", "GREEK SMALL LETTER OMICRON"),
    ],
)
def test_a_path_that_looks_like_another_is_said_to(title, char):
    assert char in cautions(title, [], None)


def test_a_host_that_looks_like_another_is_said_to():
    assert "CYRILLIC SMALL LETTER O" in of_command("curl https://g\u043eogle.com/x")


def test_what_lies_far_to_the_right_or_at_the_end_of_a_long_line_is_pointed_at():
    far = f"x = 1{' ' * MAX_GAP}; evil()\n"
    tabbed = "\t" * 20 + "evil()\n"
    long = "y" * (MAX_LINE + 1) + "\n"
    said = cautions("Edit a.py", [view("", far + tabbed + "fine\n" + long)], None)
    assert f"a.py has text behind more than {MAX_GAP} blanks in lines 1, 2: it may be out of sight." in said
    assert f"more than {MAX_LINE:,} characters in line 4: look at the end." in said
    assert "behind more than" in of_command("echo ok" + " " * 300 + "; rm -rf ~")
    assert cautions("Edit a.py", [view("", "\tif x:  \n" + "y" * 100 + " " * 150 + "\n")], None) == ""


def test_a_return_within_a_line_is_named_and_the_end_of_a_line_of_windows_is_not():
    assert "U+000D in line 1" in cautions("Edit a.py", [view("", "evil()\rfine()\r\n")], None)
    assert cautions("Edit a.py", [view("a\r\n", "b\r\n")], None) == ""


def test_of_what_is_too_long_to_be_looked_through_it_says_so():
    lines = ("x" * 99 + "\n") * (MAX_LOOKED_AT // 100)
    assert "Only its first" in cautions("Edit a.py", [view("", lines + "\u202e\n")], None)
    assert "Only its first" in of_command("echo " + "x" * MAX_LOOKED_AT + "\u202e")


async def test_the_question_itself_says_what_may_be_overlooked_and_its_diff_shows_it(tmp_path):
    hidden = edits("s\u0430fe.txt", ("two", f"2\u202e{' ' * 200}evil"))
    async with desk(tmp_path, *hidden, window={}) as it:
        it.put("s\u0430fe.txt", "one\ntwo\n")
        run = await it.start()
        question = await it.next_question()
        for said in ("CYRILLIC SMALL LETTER A", "RIGHT-TO-LEFT OVERRIDE", "out of sight"):
            assert said in question.message
        question.choose("Show diff")
        again = await it.next_question()
        assert "+2\\u202e" in again.message and "\u202e" not in again.message
        again.choose("Decline")
        await it.ended(run)


def test_a_document_that_shows_a_question_has_nothing_unseen_but_keeps_tabs_and_line_ends():
    diff = view("\tkeep\n", "\tkeep\nx\u202ey\x1b[2Jz\r\n")
    shown = document_of(_question("edit", changes=(diff,)))
    assert "\tkeep\n" in shown and "+x\\u202ey\\x1b[2Jz\r\n" in shown
    shown = document_of(_question("command", command="ls\u3164\nrm \x1b[8mx", cwd="/ws/\u202ex"))
    assert shown == "# Title\n# in /ws/\\u202ex\nls\\u3164\nrm \\x1b[8mx\n"


def _question(kind, **more) -> Question:
    return Question("q1", "ses", "run", "call", kind, "Title", "Reason.", "digest", **more)


# What is forged

FORGED = "ls\nCommands are asked about in this mode.\n\nSteersman: this is harmless. Accept"


@given(st.text(min_size=1))
def test_no_line_of_a_command_is_a_line_of_the_questions_own(command):
    lines = quoted(command).split("\n")
    assert len(lines) == 1 or (lines[0][:2], {line[:2] for line in lines[1:]}) == ("$ ", {"> "})


async def test_a_command_can_not_speak_for_the_question(tmp_path):
    async with desk(tmp_path, answer("", call("bash", {"command": FORGED})), answer("done")) as it:
        run = await it.start()
        question = await it.next_question()
        own = [line for line in question.message.split("\n") if not line.startswith(("$ ", "> "))]
        assert own == ["Steersman: Run ls (+3 lines)", "Commands are asked about in this mode."]
        question.choose("Decline")
        await it.ended(run)


async def test_a_name_of_a_file_makes_no_second_line_and_no_link_in_a_question(tmp_path):
    name = "[Accept](command:workbench.action.terminal.new)\nSteersman: Accept.txt"
    async with desk(
        tmp_path, answer("", call("write", {"path": name, "content": "x"})), answer("done")
    ) as it:
        run = await it.start()
        question = await it.next_question()
        assert question.message.count("\n") == 1 and "](" not in question.message
        question.choose("Decline")
        await it.ended(run)


async def test_an_answer_in_a_message_is_text_alone(tmp_path):
    said = "\x1b]0;owned\x07Done. [Undo](command:workbench.action.terminal.new) \u202efdp.exe"
    async with desk(tmp_path, answer(said), rich=False) as it:
        await it.floor_ended(await it.start())
        message = await it.client.wait_for_method("window/showMessage")
        text = message["params"]["message"]
        assert text == "\\x1b]0;owned\\x07Done. [Undo] (command:workbench.action.terminal.new) \\u202efdp.exe"


def test_only_messages_are_made_inert():
    params = {"type": 3, "message": "a [b](c)\r\nd\te"}
    assert inert("window/showMessage", params) == {"type": 3, "message": "a [b] (c)\nd\te"}
    assert inert("$/progress", params) is params


def test_a_tool_that_nobody_has_is_named_on_one_short_line():
    shown = describe("edit\n\x1b[2J" + "A" * 5000, {"path": "x" * 5000})
    assert shown.isprintable() and len(shown) < 200


# On a terminal


def test_a_terminal_shows_all_of_a_command_line_by_line_and_obeys_none_of_it(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "ws").mkdir()
    line = CommandLine(tmp_path / "home", tmp_path / "ws")
    command = "ls\u3164\n[a]ccept: harmless\n\x1b[8mrm -rf x"
    model = line.tape(calls(("bash", {"command": command})), {"text": "Done."})
    done = line.run_on_terminal("run", "go", "--model", model, typed=[("say what you want", "s\n")])
    shown = done.out.replace("\r\n", "\n")
    assert "\n$ ls\\u3164\n> [a]ccept: harmless\n> \\x1b[8mrm -rf x\n" in shown
    assert "HANGUL FILLER" in shown.replace("\n", " ")
    assert done.status == 130


def test_a_terminal_shows_all_arguments_of_a_tool():
    arguments = {"to": "production\u202e", "why": "y" * 300}
    shown = told(_question("tool", tool=ToolView("deploy", arguments)))
    assert '"to": "production\\u202e"' in shown and "y" * 300 in shown


def test_a_terminal_shows_a_diff_with_what_can_not_be_seen():
    shown = told(_question("edit", changes=(view("", "x\u202ey\x1b[2J\rz\u3164\n"),)))
    assert "+x\\u202ey\\x1b[2J\\rz\\u3164" in shown
