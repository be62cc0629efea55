"""protocol.md says what the server does: its examples fit the models, its tables name what exists."""

import json
import re
from pathlib import Path

import pytest

from steersman.lsp import params
from steersman.lsp.server import SteersmanServer
from steersman.session.errors import RefusalCode
from steersman.session.home import Home
from steersman.session.schema import EVENTS, validate
from steersman.session.settings import Settings

DOCUMENT = (Path(__file__).parents[1] / "protocol.md").read_text()
FENCE = re.compile(r"^```json ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [(match[1].split(), json.loads(match[2])) for match in FENCE.finditer(DOCUMENT)]
PARAMS = {
    "steersman.start": params.StartParams,
    "steersman.steer": params.TextParams,
    "steersman.followUp": params.TextParams,
    "steersman.approve": params.ApproveParams,
    "steersman.events": params.EventsParams,
}


def test_every_example_says_what_it_is_of():
    assert DOCUMENT.count("```json") == len(EXAMPLES) > 10


@pytest.mark.parametrize("example", [value for kind, value in EXAMPLES if kind[0] == "event"])
def test_an_example_of_an_event_is_one(example):
    validate(example)


@pytest.mark.parametrize(
    ("command", "example"), [(kind[1], value) for kind, value in EXAMPLES if kind[0] == "params"]
)
def test_an_example_of_parameters_is_taken(command, example):
    params.parse(PARAMS[command], [example], string_as="prompt" if command == "steersman.start" else None)


@pytest.mark.parametrize("example", [value for kind, value in EXAMPLES if kind[0] == "error"])
def test_an_example_of_an_error_has_a_code_that_exists(example):
    assert example["code"] in RefusalCode.__args__


def test_every_code_of_an_error_is_in_the_table():
    table = DOCUMENT.split("## Errors")[1]
    told = set(re.findall(r"`([a-zA-Z]+)`", table))
    assert told - {"data"} - {"code"} - {"text"} <= set(RefusalCode.__args__)


def test_every_type_of_event_is_in_the_table_with_its_fields():
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.+) \|$", DOCUMENT, re.MULTILINE))
    for model in EVENTS:
        told = set(re.findall(r"`([A-Za-z0-9]+)`", rows[model.event]))
        fields = {info.alias or name for name, info in model.model_fields.items()}
        if model.event != "agent_end":  # shown whole in an example, and told of in the text after it
            assert fields <= told, (model.event, fields - told)


def test_every_command_is_in_the_table(tmp_path):
    server = SteersmanServer(Home(tmp_path), Settings())
    told = set(re.findall(r"^\| `(steersman\.[a-zA-Z]+)` \|", DOCUMENT, re.MULTILINE))
    assert told == set(server.rpc.protocol.fm.commands)
