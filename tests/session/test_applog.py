"""The application log: whole lines, bounded, without keys, and never a reason to fail."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.session.applog import BACKUPS, RETRY_SECONDS, LogFile, RedactingFormatter
from steersman.session.catalog import secrets_of
from steersman.session.settings import Settings
from support.command_line import CommandLine

KEY = "plain-looking-canary-0123456789"
SHAPES = (
    "Authorization: Bearer abcdef0123456789abcdef",
    "sk-proj-0123456789abcdefghij",
    "sk-ant-api03-0123456789abcdefghij",
    "https://ada:hunter2hunter2@models.example/v1",
    "{'x-api-key': 'qwertyuiop123456'}",
    "STEERSMAN_API_KEY=zxcvbnm123456789",
    "password: correcthorsebattery",
)
CANARIES = (
    KEY,
    "abcdef0123456789abcdef",
    "0123456789abcdefghij",
    "hunter2hunter2",
    "qwertyuiop123456",
    "zxcvbnm123456789",
    "correcthorsebattery",
)


def record(message: str, *args: object, created: float | None = None, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("steersman.test", logging.WARNING, __file__, 1, message, args, None)
    if created is not None:
        made.created = created
    made.__dict__.update(more)
    return made


def log_file(path: Path, **options: int) -> LogFile:
    handler = LogFile(path, **options)
    handler.setFormatter(RedactingFormatter([KEY]))
    return handler


def raised(text: str) -> object:
    try:
        raise RuntimeError(text)
    except RuntimeError:
        return sys.exc_info()


def test_no_secret_is_in_the_file_whether_said_passed_or_raised(tmp_path):
    handler = log_file(tmp_path / "logs" / "x.log")
    for text in (f"the key {KEY} was refused", *SHAPES):
        handler.handle(record(text))
        handler.handle(record("%s", text))
        handler.handle(record("failed", exc_info=raised(text)))
    handler.close()
    written = (tmp_path / "logs" / "x.log").read_text()
    assert [canary for canary in CANARIES if canary in written] == []
    assert written.count("Traceback") == 1 + len(SHAPES)
    assert "models.example" in written


def test_a_secret_at_the_cut_of_an_overlong_record_leaves_nothing_of_itself(tmp_path):
    for shift in range(0, 40, 3):
        text = RedactingFormatter([KEY]).format(record("x" * (16 * 1024 - 70 - shift) + KEY + "y" * 40_000))
        assert not any(KEY[start : start + 8] in text for start in range(len(KEY) - 8))
        assert len(text) < 33 * 1024
        assert "characters left out" in text


def test_the_settings_key_is_taken_out_also_when_the_environment_overrules_it():
    settings = Settings(base_url="http://ada:opensesame@host/v1?token=tokentoken", api_key="key-of-file")
    found = secrets_of(settings, {"STEERSMAN_API_KEY": "key-of-environment"})
    assert {"key-of-file", "key-of-environment", "opensesame", "tokentoken"} <= set(found)


def test_a_text_with_line_breaks_and_control_characters_can_not_forge_a_record(tmp_path):
    handler = log_file(tmp_path / "x.log")
    handler.handle(record("a.py\n2026-01-01 1 ERROR steersman: all is lost\x1b[2J\r\nand more"))
    handler.close()
    first, *others = (tmp_path / "x.log").read_text().splitlines()
    assert f" {os.getpid()} WARNING steersman.test: a.py" in first
    assert all(line.startswith("    ") for line in others)
    assert "\x1b" not in "".join(others)


def test_the_file_is_made_at_the_first_record_and_for_its_owner_only(tmp_path):
    path = tmp_path / "home" / "logs" / "x.log"
    handler = log_file(path)
    assert not (tmp_path / "home").exists()
    handler.handle(record("hello"))
    handler.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_rotation_keeps_a_bounded_number_of_bytes_and_the_newest_lines(tmp_path):
    handler = log_file(tmp_path / "x.log", max_bytes=2000, backups=2)
    for number in range(500):
        handler.handle(record("line %d", number))
    handler.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["x.log", "x.log.1", "x.log.2"]
    assert all(path.stat().st_size <= 2000 for path in tmp_path.iterdir())
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    kept = "".join((tmp_path / name).read_text() for name in reversed(files)).splitlines()
    numbers = [int(line.rsplit(" ", 1)[1]) for line in kept]
    assert numbers == list(range(numbers[0], 500))


WRITER = """
import logging, sys
from pathlib import Path
from steersman.session.applog import LogFile, RedactingFormatter
handler = LogFile(Path(sys.argv[1]), max_bytes=int(sys.argv[3]), backups=30)
handler.setFormatter(RedactingFormatter())
for number in range(400):
    text = f"{sys.argv[2]}:{number}:" + sys.argv[2] * (number % 300) + ":end"
    handler.handle(logging.LogRecord("w", logging.INFO, "", 1, text, (), None))
"""


@pytest.mark.parametrize("max_bytes", [10_000_000, 20_000])
def test_processes_that_write_one_log_corrupt_and_lose_no_line(tmp_path, max_bytes):
    arguments = [sys.executable, "-c", WRITER, str(tmp_path / "x.log")]
    writers = [subprocess.Popen([*arguments, name, str(max_bytes)]) for name in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    lines = [line for path in tmp_path.iterdir() for line in path.read_text().splitlines()]
    said = [line.split(" w: ", 1)[1] for line in lines]
    expected = [f"{name}:{n}:{name * (n % 300)}:end" for name in "abc" for n in range(400)]
    assert sorted(said) == sorted(expected)


def test_a_file_that_was_removed_is_made_again(tmp_path):
    handler = log_file(tmp_path / "x.log")
    handler.handle(record("one"))
    (tmp_path / "x.log").unlink()
    handler.handle(record("two"))
    handler.close()
    assert (tmp_path / "x.log").read_text().endswith(": two\n")


def test_a_log_that_can_not_be_written_says_so_once_and_is_tried_again_later(tmp_path, capsys):
    (tmp_path / "logs").write_text("a file where the folder should be")
    handler = log_file(tmp_path / "logs" / "x.log")
    for second in range(5):
        handler.handle(record("lost", created=1000.0 + second))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path / "logs" / "x.log") in said
    (tmp_path / "logs").unlink()
    handler.handle(record("too early", created=1005.0))
    assert not (tmp_path / "logs").exists()
    handler.handle(record("kept", created=1000.0 + RETRY_SECONDS))
    handler.close()
    assert (tmp_path / "logs" / "x.log").read_text().endswith(": kept\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_one_line_on_standard_error(tmp_path, capsys):
    (tmp_path / "x.log").symlink_to("/dev/full")
    handler = log_file(tmp_path / "x.log")
    handler.handle(record("one"))
    handler.handle(record("two"))
    handler.close()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "No space left" in said


def test_arguments_that_can_not_be_shown_fail_nothing(tmp_path, capsys):
    handler = log_file(tmp_path / "x.log")
    handler.handle(record("%d", "no number"))
    handler.handle(record("fine \ud800"))
    handler.close()
    assert (tmp_path / "x.log").read_text().endswith(": fine \\ud800\n")
    assert "can't be written" in capsys.readouterr().err


CONFIGURED = """
import logging, sys
from pathlib import Path
from steersman.session.applog import configure_logging
from steersman.session.home import Home
from steersman.session.settings import load_settings
home = Home(Path(sys.argv[1]))
for _ in range(2):
    configure_logging(home, load_settings(home), "info", stderr_level=sys.argv[2])
for name in ("steersman.x", "httpx"):
    for level in ("debug", "info", "warning", "error"):
        getattr(logging.getLogger(name), level)("%s %s %s", name, level, sys.argv[3])
"""


def configured(home: Path, stderr_level: str) -> tuple[list[str], list[str]]:
    """What a process logs: as the last words of the lines in the file, and on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", CONFIGURED, str(home), stderr_level, KEY],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "STEERSMAN_API_KEY": KEY, "STEERSMAN_HOME": str(home)},
    )
    assert done.stdout == ""
    path = home / "logs" / "steersman.log"
    return [_words(line) for line in path.read_text().splitlines()], [
        _words(line) for line in done.stderr.splitlines()
    ]


def _words(line: str) -> str:
    assert line.endswith(" [redacted]")
    return line.split(": ", 1)[1].removesuffix(" [redacted]")


def test_the_file_has_information_of_our_own_and_standard_error_what_was_asked_for(tmp_path):
    expected = [
        "steersman.x info",
        "steersman.x warning",
        "steersman.x error",
        "httpx warning",
        "httpx error",
    ]
    in_file, on_stderr = configured(tmp_path, "error")
    assert in_file == expected
    assert on_stderr == ["steersman.x error", "httpx error"]


def test_a_standard_error_that_wants_more_gives_the_file_more(tmp_path):
    in_file, on_stderr = configured(tmp_path, "debug")
    assert in_file == on_stderr
    assert len(in_file) == 8


@pytest.fixture
def line(tmp_path) -> CommandLine:
    for name in ("home", "workspace"):
        (tmp_path / name).mkdir()
    return CommandLine(tmp_path / "home", tmp_path / "workspace")


def test_a_server_logs_to_the_home_and_keeps_standard_error_quiet(line):
    done = line.run("serve", input=b"", STEERSMAN_API_KEY=KEY)
    assert (done.out, done.err) == ("", "")
    assert "stopping: eof" in (line.home / "logs" / "steersman.log").read_text()


def test_a_run_logs_a_warning_to_the_home_only(line):
    model = line.tape({"text": "One."}, {"text": "Two."})
    session = line.run("run", "one", "--model", model, "--json").events[0]["session"]
    path = line.home / "sessions" / f"{session}.jsonl"
    path.write_bytes(path.read_bytes() + b'{"seq": 99, "ty')
    done = line.run("run", "two", "--model", model, "--session", session)
    assert "unfinished" not in done.err
    assert "15 bytes of an unfinished record" in (line.home / "logs" / "steersman.log").read_text()


def test_the_log_is_bounded_in_all():
    assert 1 <= BACKUPS <= 5
