"""Commands that a rule allows unasked, held against bash: one program runs, with the very words that the rule saw."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steersman.session.policy import matches
from steersman.workspace.launch import shell_arguments
from support.cases import cases

PROGRAMS = ("ls", "git", "rm", "sh", "env", "time", "eval", "exec", "command", "sudo", "xargs", "cat")
RULES = ("ls", "ls *", "git log *", "git status", "'ls' *", "ls -l *", "env *")
WORDS = st.sampled_from(
    (
        *PROGRAMS,
        *(
            "log",
            "status",
            "-l",
            "-c",
            "a",
            "b.txt",
            "x=y",
            "PATH=.",
            "PATH+=.",
            "a+=b",
            "'a b'",
            '"a b"',
            "''",
            '""',
            "'",
            '"',
        ),
        *(
            "a'b'c",
            "--",
            "-",
            "%1",
            "^a^b",
            "@",
            "=ls",
            "+",
            ",",
            "é",
            "\U0001f600",
            "\u202e",
            "\\",
            "\\'",
            "\\ ",
        ),
    )
)
JOINTS = st.sampled_from(
    (
        *[" "] * 12,
        *(
            "  ",
            "\t",
            "",
            "",
            ";",
            "&",
            "&&",
            "|",
            "||",
            "\n",
            "\r",
            "\r\n",
            "\v",
            "\f",
            "\0",
            "\xa0",
            "\x85",
            "\u2028",
            ">",
        ),
        *(
            ">>",
            "<",
            "<<",
            "<<<",
            "2>&1",
            "<(",
            "$(",
            ")",
            "`",
            "${",
            "}",
            "{",
            "(",
            "*",
            "?",
            "[",
            "]",
            "~",
            "#",
            "!",
            "$",
        ),
        *("$'", '$"', "\\\n", "\\", "=", "|&", "&>", ";;", "[[", "]]", "!!", ",", ":"),
    )
)
TAILS = st.lists(st.tuples(JOINTS, WORDS), max_size=5).map(lambda parts: "".join(a + b for a, b in parts))
commands = st.builds(
    lambda before, first, tail: before + first + tail,
    st.sampled_from(["", "", "", " ", "\t", "x=y ", "! ", "\n", "time ", "exec ", "command "]),
    st.sampled_from(["ls", "ls", "git log", "git status", "'ls'", 'l"s"', "ls -l", "env", "l\\s"]),
    TAILS,
)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory) -> Path:
    """A folder whose programs do nothing but write down how they were called; there are no others."""
    folder = tmp_path_factory.mktemp("programs")
    bash = shutil.which("bash")
    assert bash is not None
    (folder / "bash").symlink_to(bash)
    for name in PROGRAMS:
        program = folder / name
        program.write_text(
            f'#!{bash}\nprintf "%s\\0" "${{0##*/}}" "$@" >>"$CALLS"\nprintf "\\0" >>"$CALLS"\n'
        )
        program.chmod(0o755)
    return folder


@cases(200)
@given(commands, st.sampled_from(RULES))
@example("ls a+=b", "ls *")
@example("env PATH=. rm", "env *")
def test_bash_runs_what_a_rule_allows_as_one_program_with_the_words_of_the_rule(sandbox, command, rule):
    if not matches(rule, command):
        return
    home = sandbox / "home"
    home.mkdir(exist_ok=True)
    calls = sandbox / "calls"
    calls.unlink(missing_ok=True)
    environment = {"PATH": str(sandbox), "CALLS": str(calls), "HOME": str(home)}
    arguments = [os.fsencode(part) for part in shell_arguments(command, environment)]
    done = subprocess.run(arguments, env=environment, cwd=home, capture_output=True, check=False)
    called = calls.read_bytes() if calls.exists() else b""
    words = shlex.split(command)
    assert called == b"".join(os.fsencode(word) + b"\0" for word in words) + b"\0", done.stderr
    assert list(home.iterdir()) == []
    wanted = shlex.split(rule)
    assert words[: len(wanted) - wanted.count("*")] == [word for word in wanted if word != "*"]
