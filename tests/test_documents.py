"""What the documents name exists: no link is broken, every page is found from the README, and every command is one."""

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest

from steersman.cli import COMMANDS
from steersman.session.settings import ConfigFile

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "protocol.md")),
    ROOT / "client-vscode" / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]
TEXTS = [page.read_text("utf-8") for page in PAGES]
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Where a page leads to within the repository, as it is written there."""
    found = [one or other for one, other in _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))]
    return [link for link in found if not re.match(r"\w+:", link)]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_leads_to_every_page():
    found = {(README.parent / link.partition("#")[0]).resolve() for link in links(README)}
    assert [str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md") if page not in found] == []


def test_the_readmes_configuration_of_neovim_is_that_of_its_page():
    (shown,) = re.findall(r"^ *```lua\n(.*?)^ *```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    page = (ROOT / "docs" / "editors" / "neovim.md").read_text("utf-8")
    lines = [line.strip() for line in shown.splitlines()]
    assert len(lines) > 5
    assert [line for line in lines if line not in map(str.strip, page.splitlines())] == []


@pytest.fixture(scope="module")
def commands():
    """The parsers of the command line, by the names of its commands."""
    added = argparse.ArgumentParser().add_subparsers()
    for name in COMMANDS:
        importlib.import_module(f"steersman.cli.{name}").add_parser(added)
    return added.choices


def test_every_command_line_that_is_shown_is_understood(commands):
    shown = {line for text in TEXTS for line in re.findall(r"^    steersman (.+)$", text, re.MULTILINE)}
    assert len(shown) > 10
    for line in shown:
        name, *arguments = shlex.split(line, comments=True)
        commands[name].parse_args(arguments)


def test_every_command_and_option_that_is_mentioned_exists(commands):
    mentioned = {line for text in TEXTS for line in re.findall(r"`steersman ([a-z][^`]+)`", text)}
    assert len(mentioned) > 10
    for line in mentioned:
        name, *arguments = shlex.split(line)
        known = commands[name].format_help()
        assert [word for word in arguments if word.startswith("--") and word not in known] == [], line


def test_every_target_of_make_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {name for text in TEXTS for name in re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.MULTILINE)}
    assert len(named) > 10
    assert named - targets == set()


def test_the_readme_has_every_key_of_the_configuration_and_no_other():
    section = README.read_text("utf-8").split("## Configuration")[1].split("\n## ")[0]
    keys = re.findall(r"^\| `\[?([a-z_]+)(?:\.NAME\])?` ", section, re.MULTILINE)
    assert sorted(keys) == sorted(ConfigFile.model_fields)


def test_the_map_of_the_code_has_every_package_and_leads_to_modules_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z/]+)/` \| .+ \| (.+) \|$", text, re.MULTILINE)
    code = ROOT / "server" / "steersman"
    packages = {path.parent.name for path in code.glob("*/__init__.py")}
    assert {name for name, _ in rows} - {"session/export"} == packages
    named = [
        code / package / module for package, begin in rows for module in re.findall(r"`(\w+\.py)`", begin)
    ]
    assert [str(path) for path in named if not path.is_file()] == []
