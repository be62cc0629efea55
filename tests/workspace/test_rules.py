"""Deny and protect rules: what they cover by default, exceptions, links, globs, commands."""

import re
from pathlib import Path

import pytest

from steersman.workspace.globs import GlobError, compile_glob, expand_braces
from steersman.workspace.roots import Roots
from steersman.workspace.rules import PathRules

RULES = PathRules()


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "sub/.env",
        ".ENV",
        ".env.local",
        ".envrc",
        "x/.env.production",
        "id_rsa",
        ".ssh/config",
        "deploy/ID_ED25519",
        "certs/server.pem",
        "tls.key",
        "store.p12",
        ".netrc",
        "/home/u/.aws/credentials",
        "/home/u/.config/gcloud/x/y.json",
        "/home/u/.kube/config",
        ".git-credentials",
        ".e\u200bnv",
        ".env/bin/python",
    ],
)
def test_secrets_are_denied(path: str) -> None:
    assert RULES.denied_name(path) is not None


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "sub/.env.sample",
        ".ENV.Template",
        "environment.py",
        "src/env.ts",
        "my.env.py",
        "id_rsa.pub",
        "cacert.pem",
        "keyboard.py",
        ".key",
        "monkey",
        ".",
        "ssh/config",
        "docs/.netrc.md",
    ],
)
def test_what_only_looks_like_a_secret_is_not(path: str) -> None:
    assert RULES.denied_name(path) is None


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".git",
        "sub/.git/hooks/pre-commit",
        ".steersman/config.toml",
        ".vscode/settings.json",
        "AGENTS.md",
        "agents.md",
        "sub/CLAUDE.md",
        "CLAUDE.local.md",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "uv.lock",
        "web/package-lock.json",
        "go.sum",
        ".cursor/rules/x.mdc",
        "Jenkinsfile",
        "opencode.json",
        "QWEN.md",
        ".github/prompts/fix.md",
        ".lazy.lua",
        ".gdbinit",
        ".forgejo/workflows/ci.yml",
        "lefthook-local.yml",
        ".venv/lib/python3.12/site-packages/a.py",
        "venv/bin/activate",
        "web/node_modules/.bin/tsc",
        "a.pth",
        "src/sitecustomize.py",
    ],
)
def test_what_runs_or_instructs_is_protected(tmp_path: Path, path: str) -> None:
    assert RULES.protected(Roots([tmp_path]).resolve(path)) is not None


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        ".gitignore",
        ".github/README.md",
        "README.md",
        "locks.py",
        "agents/a.py",
        "lib/venv/create.py",
        "rules/a.json",
        "prompts/a.md",
    ],
)
def test_ordinary_files_are_not_protected(tmp_path: Path, path: str) -> None:
    assert RULES.protected(Roots([tmp_path]).resolve(path)) is None


def test_a_link_to_a_secret_is_denied_under_its_harmless_name(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    (tmp_path / "notes.txt").symlink_to(".env")
    roots = Roots([tmp_path])
    assert RULES.denied(roots.resolve("notes.txt")) == ".env*"


def test_a_link_with_a_secrets_name_is_denied_whatever_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").touch()
    (tmp_path / ".env").symlink_to("plain.txt")
    assert RULES.denied(Roots([tmp_path]).resolve(".env")) == ".env*"


def test_the_users_rules_come_last_and_can_reopen(tmp_path: Path) -> None:
    rules = PathRules.of(deny=["secrets/", "/top.txt", "!.env.ci"], protect=["*.sql", "!AGENTS.md"])
    roots = Roots([tmp_path])
    assert rules.denied_name("a/secrets/b/c.txt") == "secrets"
    assert rules.denied_name("top.txt") == "/top.txt"
    assert rules.denied_name("sub/top.txt") is None
    assert rules.denied_name(".env.ci") is None
    assert rules.denied_name(".env") is not None
    assert rules.protected(roots.resolve("db/x.SQL")) == "*.sql"
    assert rules.protected(roots.resolve("AGENTS.md")) is None


NAMES = [
    ".env",
    ".Env.local",
    ".env.example",
    "a.PEM",
    "cert.pem",
    "a.txt",
    "b.sql",
    "\u0130D_RSA",
    "\u017fq",
    ".e\u200bnv",
]


@pytest.mark.parametrize(
    "deny", [[], ["*"], ["**"], ["b*"], ["[ab].txt"], ["a.t?t"], ["\\*.sql", "a\\.txt"], ["!*.pem"], ["sq", "x/"]]
)  # fmt: skip
@pytest.mark.parametrize("folder", [".", "src", "/home/u/x", ".env/lib"])
def test_the_names_of_a_folder_are_denied_as_each_alone(deny: list[str], folder: str) -> None:
    rules = PathRules.of(deny=deny)
    each = [name for name in NAMES if rules.denied_name(f"{folder}/{name}") is not None]
    assert rules.denied_names(folder, NAMES) == each
    assert ".Env.local" in each
    assert rules.denied_names(folder, []) == []


@pytest.mark.parametrize("char", "\u200b\u200c\u200e\u200f\u202a\u202e\u2060\u206a\u206f\ufeff")
def test_a_character_that_a_file_system_leaves_out_hides_no_name(tmp_path: Path, char: str) -> None:
    assert RULES.denied(Roots([tmp_path]).resolve(f".e{char}nv")) is not None
    assert RULES.protected(Roots([tmp_path]).resolve(f".g{char}it/config")) is not None


@pytest.mark.parametrize(("ruled", "named"), [("e\u0301", "\u00e9"), ("\u00e9", "e\u0301")])
def test_a_name_in_another_unicode_form_is_covered_too(tmp_path: Path, ruled: str, named: str) -> None:
    rules = PathRules.of(deny=[f"{ruled}/"], protect=[f"*.{ruled}"])
    (tmp_path / named).mkdir()
    for name in (f"{named}/a", f"{ruled}/a", named):
        assert rules.denied(Roots([tmp_path]).resolve(name)) is not None
    assert rules.protected(Roots([tmp_path]).resolve(f"x.{named}")) is not None
    assert rules.denied_names("x", [named, "a"]) == [named]
    assert rules.mentions_denied(f"cat {named}/a") is not None
    assert rules.denied_name("e/a") is None


def test_letters_that_rules_treat_as_equal_are_not_missed() -> None:
    everything = "".join(map(chr, range(0x110000)))
    for letter in "abcdefghijklmnopqrstuvwxyz":
        for other in re.findall(letter, everything, re.IGNORECASE):
            for pattern, name in (
                (f"*.x{letter}", f"a.X{other}"),
                (f"{letter}q*", f"{other}Q1"),
                (letter, other),
            ):
                assert PathRules.of(deny=[pattern]).denied_name(name) == pattern


def test_exclusions_for_a_search_leave_reopened_names_to_the_filter() -> None:
    exclusions = PathRules.of(deny=["secrets/", "/top.txt"]).exclusions()
    assert "**/secrets" in exclusions
    assert "**/.ssh" in exclusions
    assert "**/.env*" not in exclusions
    assert not [glob for glob in exclusions if "top.txt" in glob]


@pytest.mark.parametrize(
    "command",
    [
        "cat .env",
        "cat ./.env",
        "cat '.env'",
        "cat .e''nv",
        'cat .e"n"v',
        "cat .e\\nv",
        "docker run --env-file=.env x",
        "grep KEY sub/.env.local",
        "cat <.env",
        "x=$(<.env)",
        "cp ~/.ssh/id_rsa x",
        "cat $HOME/.aws/credentials",
        "cat .en?",
        "cat .e*",
        "head id_*",
        "echo a;cat .env|sort",
        "python -c \"print(open('.env').read())\"",
        "cat a\n.env",
        "cat {.env,x}",
        "cat .e{nv,xx}",
        "cat {a,b}/{.e,x}nv",
        "cat " + "{a,b}" * 20,
        "cat .e\\\nnv",
        "tar -T.env",
        "grep -f.env x",
    ],
)
def test_a_command_that_names_a_secret_is_noticed(command: str) -> None:
    assert RULES.mentions_denied(command) is not None


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cat .env.example",
        "ls *",
        "ls -la",
        "echo $PATH",
        "git commit -m 'env: fix'",
        "rm *.pyc",
        "cat src/*.py",
        "jq .key x.json",
        "node -e 'process.env.HOME'",
        "find . -name '*.ts'",
        "mv src/{old,new}.py",
        "awk '{print $1, $2}' x",
    ],
)
def test_an_ordinary_command_is_not(command: str) -> None:
    assert RULES.mentions_denied(command) is None


@pytest.mark.parametrize(
    ("pattern", "matches", "doesnt"),
    [
        ("*.py", ["a.py", ".py"], ["a/b.py", "a.pyc"]),
        ("**/*.py", ["a.py", "x/y/a.py"], ["a.pyx"]),
        ("src/**", ["src/a", "src/b/c"], ["src", "source/a"]),
        ("src/**/t?st.*", ["src/test.js", "src/a/b/tast.x"], ["test.js"]),
        ("a/**/**/b", ["a/b", "a/x/y/b"], ["ab"]),
        ("[a-c]x[!0-9]", ["axb", "cxx"], ["dxb", "ax1", "ax/"]),
        ("*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.t", "a.{ts,tsx}"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b"]),
        ("{x}", ["{x}"], ["x"]),
        ("a{b", ["a{b"], []),
        ("\\*", ["*"], ["a"]),
        ("[", ["["], []),
        ("[]]", ["]"], []),
        ("[z-a]", [], ["z", "a"]),
        ("[%--]", ["%", "'", "-"], ["$", "."]),
        ("[a-c--e&&~~||[]", ["b", "A", "&", "|", "~", "["], ["%"]),
        ("**", ["a", "a/b"], [""]),
        ("a/**/**", ["a/b", "a/b/c"], ["a", "b/c"]),
        ("**/a/b/**/c", ["a/b/c", "a/a/b/x/y/c", "a/b/c/b/c"], ["a/x/b/c", "a/b", "a/b/cc"]),
        ("**/a/**/a/b", ["a/a/b", "a/b/a/a/b"], ["a/b", "a/a/x/b"]),
        ("*a*b*", ["ab", "xaxbx"], ["ba", "a/b"]),
    ],
)
def test_globs(pattern: str, matches: list[str], doesnt: list[str]) -> None:
    compiled = compile_glob(pattern)
    assert [path for path in matches if not compiled.fullmatch(path)] == []
    assert [path for path in doesnt if compiled.fullmatch(path)] == []


def test_a_glob_of_many_stars_ends() -> None:
    # With backtracking this would not end in our lifetime.
    assert not compile_glob("*a" * 100 + "b").fullmatch("a" * 250)


def test_a_glob_of_many_double_stars_ends() -> None:
    folders = "a/" * 200
    for pattern in (
        "**/a/" * 100 + "b",
        "**/*/" * 100 + "b",
        "**/**/a*/" * 60 + "b",
        "**/a/?/" * 60 + "**/b",
    ):
        assert not compile_glob(pattern).fullmatch(f"{folders}a")
    assert compile_glob("**/a/" * 100 + "b").fullmatch(f"{folders}b")


def test_a_glob_that_expands_without_end_is_refused() -> None:
    with pytest.raises(GlobError):
        expand_braces("{a,b}" * 30)
    with pytest.raises(GlobError):
        expand_braces("x" * 5000)
