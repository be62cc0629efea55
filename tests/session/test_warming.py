"""Warming up loads what a first run needs, fails nowhere, and does nothing where no run could be."""

import subprocess
import sys

import pytest

from steersman.session.warming import warm

SCRIPT = """
ENOUGH = lambda: {enough}
import sys
from steersman.session.compose import build_services
from steersman.session.home import Home
from steersman.session.settings import load_settings
from steersman.session.warming import warm
home = Home.from_environment()
services = build_services(home, load_settings(home), approver=None)
assert "httpx" not in sys.modules
warm(services, enough=ENOUGH)
print(*sys.modules)
"""


def warmed(tmp_path, *, enough: str = "False", **settings: str) -> set[str]:
    """The modules of a process that has warmed up; `enough` is when it ends early, in Python."""
    environment = {"STEERSMAN_HOME": str(tmp_path / "home"), **settings}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(enough=enough)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("base_url", ["http://model.test/v1", "https://127.0.0.1:9/v1"])
def test_what_the_first_request_needs_is_there(tmp_path, base_url):
    modules = warmed(tmp_path, STEERSMAN_MODEL="openai-chat:m", STEERSMAN_BASE_URL=base_url)
    assert {"httpx", "httpcore", "steersman.models.openai_chat"} <= modules


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:9/v1", " http://localhost:9 "])
def test_a_server_of_this_machine_needs_no_httpx(tmp_path, base_url):
    modules = warmed(tmp_path, STEERSMAN_MODEL="openai-chat:m", STEERSMAN_BASE_URL=base_url)
    assert "steersman.models.openai_chat" in modules
    assert not {"httpx", "httpcore", "anyio"} & modules


def test_without_a_model_nothing_is_loaded(tmp_path):
    assert "httpx" not in warmed(tmp_path)


def test_a_model_that_can_not_be_used_is_told_of_at_the_first_prompt_only(tmp_path):
    assert "httpx" not in warmed(tmp_path, STEERSMAN_MODEL="no-such-provider:m")
    assert "httpx" not in warmed(tmp_path, STEERSMAN_MODEL="anthropic:m")  # there is no key


def test_a_tape_needs_no_network(tmp_path):
    tape = tmp_path / "empty.jsonl"
    tape.write_text("")
    assert "httpx" not in warmed(tmp_path, STEERSMAN_MODEL=f"tape:{tape}")


def test_the_command_line_of_httpx_is_not_loaded_though_what_it_needs_is_installed():
    code = (
        "import sys, types\n"
        "sys.modules['click'] = types.ModuleType('click')\n"  # as if it were there
        "from steersman.models.lean_httpx import httpx\n"
        "print('httpx._main' in sys.modules, 'rich' in sys.modules, httpx.AsyncClient.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "AsyncClient"]


def test_it_ends_when_it_is_enough(tmp_path):
    settings = {"STEERSMAN_MODEL": "openai-chat:m", "STEERSMAN_BASE_URL": "http://model.test/v1"}
    assert "steersman.models.openai_chat" not in warmed(tmp_path, enough="True", **settings)
    when_the_model_is_made = '"steersman.models.openai_chat" in sys.modules'
    assert "httpx" not in warmed(tmp_path, enough=when_the_model_is_made, **settings)


def test_it_ends_between_tools_when_it_is_enough(harness):
    asked = []

    def enough() -> bool:
        asked.append(None)
        return len(asked) == 3

    warm(harness().services, enough=enough)
    assert len(asked) == 3
