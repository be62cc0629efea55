"""What a server has loaded when it has answered initialize: as little as will do. No time is measured here."""

import json
import os
import subprocess
import sys

import pytest

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "processId": None,
        "rootUri": None,
        "capabilities": {"workspace": {"applyEdit": True}},
        "initializationOptions": {"steersman": {"version": "1", "eventToken": "ev"}},
    },
}

NOT_NEEDED = {
    # Of others: for a terminal, for requests to a model (but h11, since a prompt may come at once).
    "rich", "pygments", "httpx", "httpcore", "anyio", "certifi", "ripgrep", "importlib.metadata",
    # Of the standard library: for the date in an answer, for names that were wrong.
    "email", "difflib",
    # Ours: models, tapes, other commands, descriptions of the protocol.
    "steersman.models.openai_chat", "steersman.models.anthropic", "steersman.models.tape", "steersman.models.debug",
    "steersman.session.doctor", "steersman.session.schema", "steersman.lsp.schema", "steersman.lsp.tables",
    "steersman.lsp.typescript", "steersman.cli.faces", "steersman.testing",
    "steersman.cli.batch", "steersman.cli.run", "steersman.cli.sessions", "steersman.cli.terminal",
}  # fmt: skip
MOST_MODULES = 650
"""All that are imported, the interpreter's own too: 555 when this was written."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server that got initialize and then the end of its input; `-X importtime` tells of each import."""
    body = json.dumps(INITIALIZE).encode()
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "steersman", "serve"],
        input=b"Content-Length: %d\r\n\r\n%b" % (len(body), body),
        env={
            "PATH": os.environ["PATH"],
            "STEERSMAN_HOME": str(tmp_path_factory.mktemp("home")),
            "STEERSMAN_MODEL": "openai-chat:m",
            "STEERSMAN_BASE_URL": "http://127.0.0.1:9/v1",
        },
        capture_output=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def imported(served):
    lines = [line for line in served.stderr.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_it_has_answered(served):
    answer = json.loads(served.stdout.partition(b"\r\n\r\n")[2])
    capabilities = answer["result"]["capabilities"]
    assert "steersman.start" in capabilities["executeCommandProvider"]["commands"]
    assert capabilities["experimental"]["steersman"]["uses"] == ["eventToken"]


def test_nothing_is_loaded_that_only_a_prompt_or_another_command_needs(imported):
    assert "steersman.lsp.server" in imported
    assert {name for name in imported if name in NOT_NEEDED or name.partition(".")[0] in NOT_NEEDED} == set()


def test_no_more_modules_are_loaded_than_known(imported):
    assert len(imported) <= MOST_MODULES
