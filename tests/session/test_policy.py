"""What the modes and rules allow, as tables, and what an allow rule of commands covers."""

import shlex
import shutil
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steersman.session.policy import Allowed, Ask, Grants, Need, Policy, Refuse, matches
from steersman.session.settings import MODES, stricter
from support.cases import cases

NEEDS = {
    "create": Need("create"),
    "edit": Need("edit"),
    "move": Need("move"),
    "delete": Need("delete"),
    "command": Need("command", command="make"),
    "protected": Need("edit", protected=".git/"),
    "protected create": Need("create", protected="AGENTS.md"),
    "outside": Need("edit", outside=True),
    "outside read": Need("read", outside=True),
    "conflict": Need("edit", conflict=True),
    "held": Need("create", held="Vim: ada on box, process 12"),
    "tool": Need("tool", tool="digest of a call"),
    "names a secret": Need("command", command="cat .env", names_denied=".env"),
}
TABLE = {
    #                    read-only ask   auto-edit full-auto
    "create": ("no", "ask", "yes", "yes"),
    "edit": ("no", "ask", "yes", "yes"),
    "move": ("no", "ask", "yes", "yes"),
    "delete": ("no", "ask", "ask", "yes"),
    "command": ("no", "ask", "ask", "yes"),
    "tool": ("no", "ask", "ask", "yes"),
    "protected": ("no", "ask", "ask", "ask"),
    "protected create": ("no", "ask", "ask", "ask"),
    "outside": ("no", "ask", "ask", "ask"),
    "outside read": ("ask", "ask", "ask", "ask"),
    "conflict": ("no", "ask", "ask", "ask"),
    "held": ("no", "ask", "ask", "ask"),
    "names a secret": ("no", "ask", "ask", "ask"),
}
BASH = shutil.which("bash") or "bash"
WORDS = {Allowed: "yes", Ask: "ask", Refuse: "no"}


@pytest.mark.parametrize("need", TABLE)
def test_the_table_of_modes(need):
    got = tuple(WORDS[type(Policy(mode).decide(NEEDS[need]))] for mode in MODES)
    assert got == TABLE[need]


@pytest.mark.parametrize(
    "need", ["delete", "protected", "outside", "outside read", "conflict", "held", "names a secret"]
)
def test_no_grant_of_edits_or_commands_covers_it(need):
    grants = Grants()
    for granted in NEEDS.values():
        grants.add(granted)
    grants.edits = True
    assert not grants.cover(NEEDS[need])
    assert isinstance(Policy("ask").decide(NEEDS[need], [grants]), Ask)


def test_a_grant_of_a_tool_covers_it_with_the_same_arguments_only():
    grants = Grants()
    grants.add(NEEDS["tool"])
    assert grants.cover(Need("tool", tool="digest of a call"))
    for other in (Need("tool", tool="another"), NEEDS["edit"], NEEDS["command"]):
        assert not grants.cover(other)
    grants.clear()
    assert not grants.cover(NEEDS["tool"])


def test_read_only_is_not_loosened_by_a_grant():
    grants = Grants()
    grants.add(Need("edit"))
    assert isinstance(Policy("read-only").decide(Need("edit"), [grants]), Refuse)


def test_the_reason_of_a_conflict_is_the_one_that_there_is():
    verdicts = {name: Policy("full-auto").decide(NEEDS[name]) for name in ("conflict", "held")}
    assert {verdict.kind for verdict in verdicts.values()} == {"conflict"}
    assert "unsaved changes in the editor" in verdicts["conflict"].reason
    assert verdicts["held"].reason == "Another editor has it open (Vim: ada on box, process 12)."


def test_an_allow_rule_does_not_cover_a_command_that_names_a_secret():
    policy = Policy("full-auto", allow_commands=["cat *"])
    assert isinstance(policy.decide(NEEDS["names a secret"]), Ask)


def test_the_stricter_of_two_modes():
    assert stricter("full-auto", "ask") == "ask"
    assert stricter("read-only", "auto-edit") == "read-only"


# Allow rules


@pytest.mark.parametrize(
    ("rule", "command", "covered"),
    [
        ("ls", "ls", True),
        ("ls", "  ls  ", True),
        ("ls", "ls -la", False),
        ("ls *", "ls -la", True),
        ("ls *", "ls", True),
        ("ls *", "lsof", False),
        ("pytest *", "pytest -q tests/test_a.py::test_b", True),
        ("git status", "git status", True),
        ("git status", "git  status", True),
        ("git status", "git push", False),
        ("git log *", "git log --format='%h %s'", True),
        ("*", "ls", False),
        ("", "", False),
        ("ls *", "ls 'unclosed", False),
        ("'ls", "ls", False),
    ],
)
def test_what_a_rule_covers(rule, command, covered):
    assert matches(rule, command) is covered


@pytest.mark.parametrize(
    "command",
    [
        "ls && rm x",
        "ls; rm x",
        "ls | sh",
        "ls || rm x",
        "ls & rm x",
        "ls\nrm x",
        "ls\r\nrm x",
        "ls $(rm x)",
        "ls `rm x`",
        "ls > x",
        "ls >> x",
        "ls < x",
        "ls 2>&1",
        "ls <(rm x)",
        'ls "$(rm x)"',
        "ls $HOME",
        "ls ${x}",
        "ls ~",
        "ls *",
        "ls a?",
        "ls [a]",
        "ls {a,b}",
        "ls \\\nrm",
        "LD_PRELOAD=x ls",
        "PATH+=:x ls",
        "ls # rm",
        "ls !!",
        "(ls)",
        "ls\vrm",
        "ls\x00rm",
        "ls a\x00b",
    ],
)
def test_a_command_that_is_more_than_plain_words_is_covered_by_no_rule(command):
    assert not any(matches(rule, command) for rule in ("ls", "ls *", "LD_PRELOAD=x *", "PATH+=:x *", "(ls)"))


@cases(150, share=0.2)
@given(st.text(st.sampled_from("ab -'\"/=.,:;&|<>()$`\\\n\r\t{}*?[]~#!%^+@\v\f\xa0é"), max_size=12))
@example("'b'")
@example("a=b c")
def test_bash_runs_what_a_rule_covers_as_one_program_with_those_words(tail):
    """Held against bash itself: the command is a function that prints its arguments, and nothing else may run."""
    command = f"ls {tail}"
    if not matches("ls *", command):
        return
    script = 'ls() { printf "%s\\0" ls "$@"; }\n' + command
    done = subprocess.run(
        [BASH, "--norc", "-c", script], capture_output=True, env={"PATH": "/nowhere"}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().split("\0")[:-1] == shlex.split(command)
