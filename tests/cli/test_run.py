"""`steersman run`: what a script relies on."""

import json
import os
import platform
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import CommandLine, calls

EDIT = ("edit", {"path": "calc.py", "edits": [{"oldText": "a - b", "newText": "a + b"}]})
BEFORE, AFTER = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    (workspace / "calc.py").write_text(BEFORE)
    return CommandLine(home, workspace)


@pytest.fixture
def served(line):
    """Serves a tape from a process of its own; the arguments that name it as a model."""
    processes = []

    def serve(*turns):
        file = line.tape(*turns).removeprefix("tape:")
        process = line.start("tape", "serve", file)
        processes.append(process)
        url = json.loads(process.stdout.readline())["url"]
        return "--model", "openai-chat:m", "--base-url", url

    yield serve
    for process in processes:
        process.terminate()
        process.communicate(timeout=300)


INTERRUPTED_AT_THE_START = """
import signal, sys
from steersman.cli import main

class Finder:
    def find_spec(self, name, *_):
        if name == "steersman.cli.run":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.exit(main(["run", "go"]))
"""


def test_ctrl_c_while_it_starts_ends_it_without_a_word():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_AT_THE_START], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def text_of(line):
    return (line.workspace / "calc.py").read_text()


def test_on_a_pipe_standard_output_has_only_the_answer(line):
    model = line.tape(calls(("read", {"path": "calc.py"}), text="Looking."), {"text": "It subtracts."})
    done = line.run("run", "what does it do?", "--model", model)
    assert (done.status, done.out) == (0, "Looking.\nIt subtracts.\n")
    assert "read calc.py: ok" in done.err


def test_a_call_that_nobody_could_be_asked_about_exits_3_and_names_the_flag(line):
    done = line.run("run", "fix it", "--model", line.tape(calls(EDIT), {"text": "I could not."}))
    assert done.status == 3
    assert "--mode auto-edit" in done.err
    assert text_of(line) == BEFORE


def test_a_trusted_auto_edit_changes_the_file(line):
    model = line.tape(calls(EDIT), {"text": "Fixed."})
    done = line.run("run", "fix it", "--model", model, "--mode", "auto-edit", "--trust")
    assert done.status == 0
    assert text_of(line) == AFTER


def test_a_file_that_another_editor_has_open_is_left_alone_where_nobody_can_be_asked(line):
    (line.workspace / ".#calc.py").symlink_to(f"ada@{platform.node()}.{os.getpid()}")
    model = line.tape(calls(EDIT), {"text": "I could not."})
    done = line.run("run", "fix it", "--model", model, "--mode", "full-auto", "--trust")
    assert done.status == 3
    assert "Another editor has it open (Emacs: ada on" in done.err
    assert text_of(line) == BEFORE


def test_without_trust_a_looser_mode_is_not_used_and_that_is_said(line):
    model = line.tape(calls(EDIT), {"text": "No."})
    done = line.run("run", "fix it", "--model", model, "--mode", "full-auto")
    assert done.status == 3
    assert "--trust" in done.err
    assert text_of(line) == BEFORE


def test_read_only_refuses_by_mode(line):
    done = line.run(
        "run", "fix it", "--model", line.tape(calls(EDIT), {"text": "No."}), "--mode", "read-only"
    )
    assert done.status == 3
    assert text_of(line) == BEFORE


def test_json_prints_the_events_of_the_log(line):
    done = line.run("run", "hello", "--model", line.tape({"text": "Hello."}), "--json")
    assert done.status == 0
    durable = [event for event in done.events if "seq" in event]
    assert [event["seq"] for event in durable] == list(range(1, len(durable) + 1))
    assert durable[-1]["type"] == "agent_end"
    assert durable[-1]["data"]["text"] == "Hello."
    log = line.home / "sessions" / f"{durable[0]['session']}.jsonl"
    assert [
        line for line in done.out.splitlines() if line.startswith('{"seq"')
    ] == log.read_text().splitlines()


def test_a_session_goes_on_by_its_id(line):
    model = line.tape({"text": "One."}, {"expect": {"messages": 3}, "text": "Two."})
    first = line.run("run", "first", "--model", model, "--json")
    session = first.events[0]["session"]
    second = line.run("run", "second", "--model", model, "--session", session)
    assert (second.status, second.out) == (0, "Two.\n")
    ended, took = second.err.splitlines()
    assert ended == "Done; nothing was changed."
    assert re.fullmatch(r"[\d,]+ tokens in, 2 out\.", took), "a tape knows no price"


def test_no_session_keeps_nothing(line):
    assert line.run("run", "hello", "--model", line.tape({"text": "Hi."}), "--no-session").status == 0
    assert not (line.home / "sessions").exists()


def test_without_a_model_the_error_names_the_settings_and_the_demo(line):
    done = line.run("run", "hello")
    assert done.status == 1
    for word in (
        "STEERSMAN_MODEL",
        "STEERSMAN_BASE_URL",
        "STEERSMAN_API_KEY",
        "config.toml",
        "steersman demo",
    ):
        assert word in done.err


@pytest.mark.parametrize("prompt", ["", "   \n"])
def test_an_empty_prompt_is_an_error(line, prompt):
    assert line.run("run", prompt, "--model", line.tape({"text": "Hi."})).status == 64


def test_an_empty_prompt_from_a_pipe_is_an_error_too(line):
    done = line.run("run", "-", "--model", line.tape({"text": "Hi."}), input=b"\n")
    assert (done.status, "say what to do" in done.err) == (64, True)


def test_words_without_quotes_are_one_prompt(line):
    done = line.run(
        "run",
        "what",
        "does",
        "it",
        "do?",
        "--model",
        line.tape({"when": "what does it do?"}, {"text": "It adds."}),
    )
    assert (done.status, done.out) == (0, "It adds.\n")


def test_a_session_goes_on_elsewhere_with_the_tape_that_it_was_started_with(line, tmp_path):
    tape = line.tape({"text": "One."}, {"when": "and again"}, {"text": "Two."}).removeprefix("tape:")
    name = os.path.relpath(tape, line.workspace)
    first = line.run("run", "go", "--model", f"tape:{name}", "--json")
    elsewhere = CommandLine(line.home, tmp_path)
    done = elsewhere.run("run", "and again", "--session", first.events[0]["session"])
    assert (done.status, done.out) == (0, "Two.\n")


def test_a_refusal_is_said_too(line):
    done = line.run("run", "do it", "--model", line.tape({"refusal": "I can't help with that."}), "--json")
    assert done.events[-1]["data"]["text"] == "I can't help with that."
    assert line.run("run", "do it", "--model", line.tape({"refusal": "No."})).out == "No.\n"


def test_on_a_pipe_a_failed_call_says_why(line):
    done = line.run(
        "run", "look", "--model", line.tape(calls(("read", {"path": "no.py"})), {"text": "Gone."})
    )
    assert "read no.py: failed: File not found: no.py" in done.err


def test_a_run_that_was_stopped_says_how_to_go_on(line):
    done = line.run("run", "wait", "--model", line.tape({"hang": True, "text": "…"}), "--timeout", "0.3")
    assert "Stopped after 0.3 s (--timeout)." in done.err
    session = next((line.home / "sessions").iterdir()).stem
    assert f"steersman run --session {session}" in done.err


def test_a_relative_home_is_refused(line):
    done = line.run("run", "hello", "--model", line.tape({"text": "Hi."}), STEERSMAN_HOME="here")
    assert done.status == 1
    assert "STEERSMAN_HOME" in done.err and not (line.workspace / "here").exists()


def test_a_dash_reads_the_prompt_from_standard_input(line):
    model = line.tape({"expect": {"user": "from the pipe"}, "text": "Read."})
    assert line.run("run", "-", "--model", model, input=b"from the pipe").out == "Read.\n"


def test_a_failing_model_exits_1_with_its_message(line):
    failing = {"error": {"kind": "auth", "message": "The key is not valid."}}
    done = line.run("run", "hello", "--model", line.tape(failing))
    assert done.status == 1
    assert "The key is not valid." in done.err


def test_the_limit_of_turns_exits_2_and_says_how_to_go_on(line):
    reading = calls(("read", {"path": "calc.py"}))
    done = line.run("run", "read on", "--model", line.tape(reading, reading, reading), "--max-turns", "2")
    assert done.status == 2
    assert "limit of turns" in done.err and "read calc.py" in done.err


def test_the_timeout_aborts_and_exits_124(line):
    done = line.run("run", "wait", "--model", line.tape({"hang": True, "text": "…"}), "--timeout", "0.3")
    assert done.status == 124


def test_ctrl_c_aborts_and_exits_130(line):
    process = line.start("run", "wait", "--model", line.tape({"text": "thinking", "hang": True}), "--json")
    for printed in process.stdout:
        if b"message_update" in printed:
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b'"stopReason":"aborted"' in rest.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments", [[], ["run"], ["run", "x", "--mode", "wild"], ["run", "x", "--max-turns", "0"]]
)
def test_a_wrong_command_line_exits_64(line, arguments):
    assert line.run(*arguments).status == 64


@pytest.mark.parametrize("name", ["nowhere", "n" * 300])
def test_a_missing_workspace_is_an_error(line, name):
    done = line.run("run", "hello", "--model", line.tape({"text": "Hi."}), "--workspace", name)
    assert done.status == 64
    assert done.err.endswith(f"{name} is not a folder\n")


def test_an_unknown_session_is_an_error(line):
    done = line.run("run", "hello", "--model", line.tape({"text": "Hi."}), "--session", "ses_none")
    assert done.status == 1
    assert "ses_none" in done.err


def test_an_unknown_key_of_the_configuration_is_named(line):
    (line.home / "config.toml").write_text('modle = "x"\n')
    done = line.run("run", "hello")
    assert done.status == 1
    assert "modle" in done.err


def test_the_configuration_file_is_used(line):
    (line.home / "config.toml").write_text(f'model = "{line.tape({"text": "From the file."})}"\n')
    assert line.run("run", "hello").out == "From the file.\n"


def test_a_command_gets_no_key_of_ours_or_of_a_provider(line):
    config = '[providers.mine]\napi = "openai-chat"\nbase_url = "http://x.test/v1"\nkey_env = "MINE"\n'
    (line.home / "config.toml").write_text(config)
    command = 'echo "key=$STEERSMAN_API_KEY$GROQ_API_KEY$OPENAI_API_KEY$MINE."; env'
    model = line.tape(calls(("bash", {"command": command})), {"text": "Done."})
    done = line.run(
        "run",
        "look",
        "--model",
        model,
        "--mode",
        "full-auto",
        "--trust",
        "--json",
        **dict.fromkeys(("STEERSMAN_API_KEY", "GROQ_API_KEY", "OPENAI_API_KEY", "MINE"), "canary-7"),
    )
    assert done.status == 0
    assert "key=." in done.out and "canary-7" not in done.out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this platform has no pseudo-terminals")
class TestOnATerminal:
    def test_a_person_is_shown_the_diff_and_asked(self, line):
        model = line.tape(calls(EDIT), {"text": "Fixed."})
        done = line.run_on_terminal(
            "run", "fix it", "--model", model, typed=[("say what you want", "x\n"), ("x", "a\n")]
        )
        assert done.status == 0
        assert done.out.count("[a]ccept") == 2  # a single letter that means nothing is asked about again
        assert "return a + b" in done.out
        assert text_of(line) == AFTER

    def test_one_question_shows_the_diffs_of_several_files(self, line):
        (line.workspace / "b.py").write_text("b = 1\n")
        edits = [*EDIT[1]["edits"], {"path": "b.py", "oldText": "1", "newText": "2"}]
        both = ("edit", {"path": "calc.py", "edits": edits})
        model = line.tape(calls(both), {"text": "Fixed."})
        done = line.run_on_terminal("run", "fix it", "--model", model, typed=[("say what you want", "a\n")])
        assert done.status == 0
        assert done.out.count("[a]ccept") == 1
        assert "Edit 2 files (+2 −2): calc.py, b.py" in done.out
        assert "return a + b" in done.out
        assert "b = 2" in done.out
        assert "edit calc.py and 1 more file" in done.out
        assert "2 files changed (+2 −2)" in done.out
        assert (text_of(line), (line.workspace / "b.py").read_text()) == (AFTER, "b = 2\n")

    def test_words_decline_and_reach_the_model(self, line):
        model = line.tape(calls(EDIT), {"expect": {"toolResults": "use sum instead"}, "text": "Then sum."})
        done = line.run_on_terminal(
            "run", "fix it", "--model", model, typed=[("say what you want", "use sum instead\n")]
        )
        assert done.status == 0  # a person's own no, in a run that went on
        assert text_of(line) == BEFORE

    def test_stop_aborts(self, line):
        model = line.tape(calls(EDIT), {"text": "Never said."})
        done = line.run_on_terminal("run", "fix it", "--model", model, typed=[("say what you want", "s\n")])
        assert done.status == 130
        assert text_of(line) == BEFORE

    @pytest.mark.parametrize(
        ("typed", "said"), [("spaces, 2\n", "spaces, 2"), ("2\n", "spaces"), ("\n", "closed the question")]
    )
    def test_the_model_asks_and_gets_a_line_or_one_of_its_options(self, line, served, typed, said):
        asks = calls(("ask_user", {"question": "Which?\x1b[2J", "options": ["tabs", "spaces"]}))
        remote = served(asks, {"expect": {"toolResults": said}, "text": "As you like."})
        done = line.run_on_terminal("run", "indent it", *remote, typed=[("(Enter: none)", typed)])
        assert done.status == 0
        assert "Which?\\x1b[2J" in done.out and "  2. spaces" in done.out

    def test_no_line_of_a_models_question_is_a_line_of_our_own(self, line, served):
        forged = "Which?\n\nRun ls\n[a]ccept, [d]ecline"
        remote = served(
            calls(("ask_user", {"question": forged, "options": ["tabs\n[a]ccept", "spaces"]})),
            {"text": "Well."},
        )
        done = line.run_on_terminal("run", "indent it", *remote, typed=[("(Enter: none)", "\n")])
        shown = done.out.replace("\r\n", "\n")
        assert "\nThe model asks:\n> Which?\n> \n> Run ls\n> [a]ccept, [d]ecline\n" in shown
        assert "\n  1. tabs\\n[a]ccept\n  2. spaces\n" in shown

    def test_ctrl_c_ends_a_question_and_the_run(self, line, served):
        remote = served(calls(("ask_user", {"question": "Which?"})), {"text": "Never said."})
        done = line.run_on_terminal("run", "indent it", *remote, typed=[("(Enter: none)", "\x03")])
        assert done.status == 130

    @pytest.mark.parametrize("kept", ["recorded", "replayed"])
    def test_a_tape_is_made_and_played_without_the_question_so_that_it_fits_everywhere(
        self, line, served, kept
    ):
        asks = calls(("ask_user", {"question": "Which?"}))
        turns = (asks, {"expect": {"toolResults": "ask_user"}, "text": "Then I guess."})
        if kept == "recorded":
            remote = (*served(*turns), "--record", str(line.home / "new.tape"))
        else:
            remote = ("--model", line.tape(*turns))
        done = line.run_on_terminal("run", "indent it", *remote, typed=[])
        assert done.status == 0
        assert "(Enter: none)" not in done.out

    def test_escape_sequences_of_the_model_are_not_obeyed(self, line):
        done = line.run_on_terminal(
            "run", "hi", "--model", line.tape({"text": "\x1b]0;owned\x07hi"}), typed=[]
        )
        assert "\x1b]0;owned" not in done.out and "hi" in done.out


def test_a_run_whose_reader_has_gone_is_aborted(line):
    process = line.start("run", "wait", "--model", line.tape({"text": "thinking", "hang": True}), "--json")
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        process.stderr.read()
    assert process.wait(30) == 130


def test_a_run_whose_terminal_has_gone_is_aborted(line):
    arguments = ["run", "wait", "--model", line.tape({"text": "Thinking\n", "hang": True})]
    process_id, fd = pty.fork()
    if process_id == 0:
        os.chdir(line.workspace)
        os.execve(
            sys.executable, [sys.executable, "-m", "steersman", *arguments], line.environ(PYTHONUNBUFFERED="")
        )
    screen = b""
    while b"Thinking" not in screen:
        screen += os.read(fd, 4096)
    os.close(fd)
    assert os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]) == 130
    assert not (line.home / "logs").exists(), "nothing has failed"


@pytest.fixture
def unread():
    """A pipe that nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


def test_a_run_whose_reader_has_gone_before_it_begins_does_nothing(line, unread):
    model = line.tape(calls(EDIT), {"text": "Done."})
    process = line.start(
        "run", "fix it", "--model", model, "--mode", "auto-edit", "--trust", "--json", stdout=unread
    )
    assert process.communicate(timeout=300)[1] == b""
    assert (process.returncode, (line.workspace / "calc.py").read_text()) == (130, BEFORE)


def test_where_nobody_reads_standard_error_the_run_goes_on_to_its_end_and_status(line, unread):
    model = line.tape(calls(EDIT, ("bash", {"command": "ls"})), {"text": "Done."})
    process = line.start(
        "run",
        "fix it",
        "--model",
        model,
        "--mode",
        "auto-edit",
        "--trust",
        stderr=unread,
        PYTHONUNBUFFERED="",
    )
    assert process.communicate(timeout=300)[0] == b"Done.\n"
    assert (process.returncode, (line.workspace / "calc.py").read_text()) == (3, AFTER)


@pytest.mark.parametrize("face", [(), ("--json",)])
def test_a_run_whose_output_can_not_be_written_is_aborted_and_exits_1(line, face):
    model = line.tape(calls(EDIT, text="I begin."), {"text": "Done."})
    with Path("/dev/full").open("wb") as full:
        process = line.start(
            "run", "fix it", "--model", model, "--mode", "auto-edit", "--trust", *face, stdout=full.fileno()
        )
    told = process.communicate(timeout=300)[1].decode()
    assert told.endswith("steersman run: standard output can't be written: No space left on device\n")
    assert (process.returncode, (line.workspace / "calc.py").read_text()) == (1, BEFORE)


LONG = "x" * 200_000
"""More than a pipe takes."""


def test_a_reader_that_takes_nothing_does_not_keep_a_run_from_its_timeout(line):
    process = line.start("run", "hi", "--model", line.tape({"text": LONG}), "--timeout", "1")
    assert process.wait(300) == 124
    assert process.stderr.read().endswith(b"nobody has read standard output to its end.\n")
    process.communicate()


def test_a_reader_that_takes_nothing_of_both_streams_does_not_keep_a_run_from_its_timeout(line):
    model = line.tape({"text": LONG})
    process = line.start("run", "hi", "--model", model, "--timeout", "1", stderr=subprocess.STDOUT)
    assert process.wait(300) == 124
    process.communicate()


@pytest.mark.parametrize("face", [(), ("--json",)])
def test_a_reader_that_takes_nothing_does_not_keep_a_run_from_a_signal(line, face, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    command = f"echo begun > {tmp_path}/pipe; sleep 1000"
    model = line.tape(calls(("bash", {"command": command}), text=LONG), {"text": "Never said."})
    process = line.start("run", "wait", "--model", model, "--mode", "full-auto", "--trust", *face)
    assert (tmp_path / "pipe").read_text() == "begun\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 130
    process.communicate()


def test_a_reader_that_is_late_gets_everything(line, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    model = line.tape(
        calls(("bash", {"command": f"echo begun > {tmp_path}/pipe"}), text=LONG), {"text": "Done."}
    )
    process = line.start("run", "go", "--model", model, "--mode", "full-auto", "--trust")
    assert (tmp_path / "pipe").read_text() == "begun\n"
    assert process.communicate(timeout=300)[0].decode() == f"{LONG}\nDone.\n"
    assert process.returncode == 0


def test_a_reader_that_is_far_behind_misses_pieces_and_nothing_whole(line, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    text = "x" * 3_000_000
    turn = calls(("bash", {"command": f"echo begun > {tmp_path}/pipe"}), text=text) | {"chunk": 10_000}
    model = line.tape(turn, {"text": "Done."})
    process = line.start("run", "go", "--model", model, "--mode", "full-auto", "--trust", "--json")
    assert (tmp_path / "pipe").read_text() == "begun\n"
    events = [json.loads(each) for each in process.communicate(timeout=300)[0].splitlines()]
    pieces = [each["data"]["text"] for each in events if each["type"] == "message_update"]
    assert 0 < len("".join(pieces)) < len(text)
    whole = [each["data"] for each in events if each["type"] == "message_end"]
    assert whole[1]["content"][0]["text"] == text
    assert [each["seq"] for each in events if "seq" in each] == list(range(1, events[-1]["seq"] + 1))


def test_under_nohup_a_run_outlives_its_terminal(line):
    model = line.tape(calls(("bash", {"command": 'kill -HUP "$PPID"'})), {"text": "Done."})
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = line.start("run", "try", "--model", model, "--mode", "full-auto", "--trust")
        out, _ = process.communicate(timeout=300)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (process.returncode, out) == (0, b"Done.\n")


def test_a_failing_command_is_noticed_also_under_a_parent_that_ignores_its_children(line):
    model = line.tape(
        calls(("bash", {"command": "exit 3"})), {"expect": {"toolResults": "code 3"}, "text": "Seen."}
    )
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        process = line.start("run", "try", "--model", model, "--mode", "full-auto", "--trust")
        out, _ = process.communicate(timeout=300)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert out == b"Seen.\n"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a stranger's end by a pidfd")
def test_a_second_ctrl_c_ends_the_process_at_once_and_the_guard_ends_the_command(line):
    command = "trap '' TERM; echo pid=$$; while :; do sleep 300; done"
    model = line.tape(calls(("bash", {"command": command})), {"text": "Never said."})
    process = line.start("run", "wait", "--model", model, "--mode", "full-auto", "--trust", "--json")
    told = b""
    while b"tool_execution_update" not in told:
        told = process.stdout.readline()
        assert told, "the run ended before its command began"
    stranger = os.pidfd_open(int(re.search(rb"pid=(\d+)", told)[1]))
    try:
        process.send_signal(signal.SIGINT)
        for printed in process.stdout:  # the abort has been seen before the second one comes
            if b'"aborting"' in printed:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        assert process.returncode == 130
        assert select.select([stranger], [], [], 30)[0], "the command outlived its run"
    finally:
        os.close(stranger)


def test_mentions_and_templates_work_from_the_command_line(line):
    templates = line.home / "templates"
    templates.mkdir()
    (templates / "fix.md").write_text("Fix $1 as @calc.py shows.")
    model = line.tape({"text": "ok"})
    done = line.run("run", "--model", model, "--json", "/fix add")
    (said,) = [e["data"] for e in done.events if e["type"] == "message_end" and e["data"]["role"] == "user"]
    assert [block.get("attached") for block in said["content"]] == [None, "/fix", "calc.py"]
    assert "Fix add as" in said["content"][1]["text"] and BEFORE in said["content"][2]["text"]
    unknown = line.run("run", "--model", model, "/fxi add")
    assert unknown.status == 1 and "Did you mean /fix?" in unknown.err
