"""`steersman demo` as its user starts it: a process with an empty home, whose output is a pipe."""

import os
import re
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

from steersman.cli.demo.documents import Documents, offset_at, position_at
from steersman.cli.demo.processes import DATA, tape
from steersman.cli.demo.scenes import SCENES
from steersman.models.tape_format import load_tape
from support.processes import alive_with

PATIENCE = 60


@dataclass
class Finished:
    code: int
    out: str
    err: str
    left: set[int]
    """Processes that were started by it and live."""
    files: list[Path]
    """What is left in its HOME and TMPDIR."""

    @property
    def words(self) -> str:
        """The output without its line breaks."""
        return " ".join(self.out.split())

    def scene(self, name: str) -> str:
        """What was told of one scene, without line breaks."""
        found = re.search(rf"^{name}\n(.*?)(?=\n\n[a-z-]+\n|\Z)", self.out, re.S | re.M)
        assert found, f"{name} was not played:\n{self.out}"
        return " ".join(found[1].split())


class Demo:
    """Starts demos in an empty home, with nothing configured but what would be wrong to use."""

    def __init__(self, folder: Path) -> None:
        self._home, self._temporary = folder / "home", folder / "tmp"
        self._home.mkdir()
        self._temporary.mkdir()
        self._marker = f"demo-{uuid.uuid4().hex}"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "TMPDIR": str(self._temporary),
            "STEERSMAN_MODEL": "tape:/nowhere",
            "STEERSMAN_MODE": "full-auto",
            "DEMO_MARKER": self._marker,
        }
        return subprocess.Popen(
            [sys.executable, "-m", "steersman", "demo", *arguments],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        files = [path for folder in (self._home, self._temporary) for path in folder.rglob("*")]
        return Finished(process.returncode, out, err, alive_with(self._marker), files)

    def run(self, *arguments: str) -> Finished:
        return self.finish(self.start(*arguments))


@pytest.fixture
def demo(tmp_path) -> Demo:
    return Demo(tmp_path)


@pytest.fixture(scope="module")
def accepted(tmp_path_factory) -> Finished:
    return Demo(tmp_path_factory.mktemp("accepted")).run("--yes")


@pytest.fixture(scope="module")
def scenes(tmp_path_factory) -> Finished:
    return Demo(tmp_path_factory.mktemp("scenes")).run("all")


# The story


def test_with_yes_the_tests_pass_afterwards_and_the_unsaved_text_is_kept(accepted):
    assert accepted.code == 0, accepted.out + accepted.err
    assert "The tests before: they fail" in accepted.out
    assert "The tests after: they pass" in accepted.out
    assert 'today\'s prices.""" is still there' in accepted.words
    assert "Fixed: the tests pass, and what was typed is still there." in accepted.words


def test_the_open_file_is_edited_through_the_editor_and_the_other_on_the_disk(accepted):
    assert "edited shop/basket.py, through the editor" in accepted.words
    assert "edited shop/shipping.py, on the disk" in accepted.words


def test_events_progress_questions_diffs_and_timings_are_shown(accepted):
    for shown in ("agent_start", "message_update", "· progress", "approval_requested", "agent_end"):
        assert shown in accepted.out
    assert accepted.out.count("→ Accept (--yes)") + accepted.out.count("→  Accept (--yes)") == 4
    assert "+    if goods == 0 or goods >= FREE_FROM:" in accepted.out
    assert re.search(r"cold start \S+ s · first delta \S+ s · approval to applied \S+ s", accepted.words)


def test_in_the_first_run_of_the_tests_the_model_is_told_of_the_unsaved_file_and_in_the_second_not(accepted):
    assert accepted.words.count("the editor has newer, unsaved text of shop/basket.py") == 1


def test_a_pipe_gets_no_escape_sequence_and_no_file_or_process_is_left(accepted, scenes):
    for finished in (accepted, scenes):
        assert "\x1b" not in finished.out + finished.err
        assert (finished.left, finished.files) == (set(), [])


def test_without_a_terminal_everything_is_declined_and_no_file_changes(demo):
    finished = demo.run()
    assert finished.code == 1
    assert "no terminal; --yes would accept" in finished.words
    assert "What changed on the disk Nothing." in finished.words
    assert "answers decline, decline, decline" in finished.words
    assert "is still there, still unsaved" in finished.words
    assert "Not fixed: the tests still fail." in finished.words
    assert (finished.left, finished.files) == (set(), [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_ends_everything(demo, number):
    process = demo.start("--yes")
    assert process.stdout is not None
    for line in process.stdout:
        if "turn_start" in line:
            break
    process.send_signal(number)
    finished = demo.finish(process)
    assert finished.code == 130
    assert "nothing is left behind" in finished.err
    assert (finished.left, finished.files) == (set(), [])


# The tapes of one behaviour


def test_the_list_names_every_tape_with_its_description(demo):
    finished = demo.run("--list")
    assert finished.code == 0
    for scene in SCENES.values():
        assert f"{scene.name} {scene.description}" in finished.words


def test_every_scene_has_a_tape_and_every_tape_a_scene():
    assert {path.stem for path in (DATA / "tapes").iterdir()} == {*SCENES, "fix-the-tests"}
    for name in SCENES:
        load_tape(tape(name))


@pytest.mark.parametrize("name", SCENES)
def test_each_scene_is_as_described(scenes, name):
    assert scenes.scene(name).endswith("✓ as described"), scenes.scene(name)
    assert scenes.code == 0


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("mended-path", "the tool read"),
        ("missing-file", "the tool read"),
        ("unknown-tool", "the kernel: there is no tool of this name"),
        ("tool-exception", "the kernel: the tool raised something unexpected"),
        ("truncated-arguments", "the kernel: calls of an answer that was cut are not executed"),
        ("abort-command", "the kernel: the run was aborted"),
        ("declined-edit", "the user, who was asked"),
    ],
)
def test_a_scene_that_fails_tells_who_refused_that_the_model_was_told_and_what_changed(scenes, name, who):
    told = scenes.scene(name)
    changed = "changed: src/round.ts" if name == "truncated-arguments" else "nothing changed (5 files"
    assert f"by {who}" in told
    assert re.search(r"model told request \d has the result above, word for word", told)
    assert f"on disk {changed}" in told


def test_the_secret_of_a_tool_that_raised_is_shown_nowhere(scenes):
    assert SCENES["tool-exception"].secret is not None
    assert SCENES["tool-exception"].secret not in scenes.out + scenes.err
    assert "the secret is in the application log; it is not in the events" in scenes.scene("tool-exception")


def test_the_turn_limit_tells_which_turn_was_refused(scenes):
    assert "refused turn 4 by the kernel: the run's budget of 3 turns" in scenes.scene("turn-limit")


def test_a_name_that_is_not_known_is_a_usage_error(demo):
    finished = demo.run("plain-anser")
    assert (finished.code, finished.out) == (64, "")
    assert "no such tape: plain-anser" in finished.err


# The editor's documents


@pytest.mark.parametrize(
    ("offset", "line", "character"), [(0, 0, 0), (2, 0, 3), (3, 0, 4), (5, 1, 0), (7, 1, 2), (8, 2, 0)]
)
def test_positions_count_utf16_units_and_every_kind_of_line_end(offset, line, character):
    text = "a😀b\r\nc\u2028\rd"
    assert position_at(text, offset) == {"line": line, "character": character}
    assert offset_at(text, {"line": line, "character": character}) == offset


def test_edits_of_one_version_are_applied_together_and_another_version_is_refused(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    sent: list[tuple[str, object]] = []
    documents = Documents(lambda method, params: sent.append((method, params)))
    document = documents.open(file, "plaintext")

    def edit(line: int, start: int, end: int, text: str) -> dict[str, object]:
        span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        return {"range": span, "newText": text}

    change = {
        "textDocument": {"uri": file.as_uri(), "version": 1},
        "edits": [edit(0, 0, 3, "1"), edit(1, 0, 1, "T")],
    }
    documents.apply({"documentChanges": [change]})
    assert (document.text, document.version) == ("1\r\nTwo\r\n", 2)
    with pytest.raises(LookupError, match="version 2"):
        documents.apply({"documentChanges": [change]})
    assert file.read_bytes() == b"one\r\ntwo\r\n"
    assert [method for method, _ in sent] == ["textDocument/didOpen", "textDocument/didChange"]
