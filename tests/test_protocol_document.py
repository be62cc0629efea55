"""protocol.md says what the server does: its examples fit the models, its tables name what exists."""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from steersman.lsp import answers, client_asks, client_documents, client_results, params, reported
from steersman.lsp.arguments import parse
from steersman.lsp.command_list import COMMANDS
from steersman.lsp.tables import embed
from steersman.session.errors import RefusalCode
from steersman.session.schema import validate

DOCUMENT = (Path(__file__).parents[1] / "protocol.md").read_text()
FENCE = re.compile(r"^```json ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [(match[1].split(), json.loads(match[2])) for match in FENCE.finditer(DOCUMENT)]
PARAMS = {command.id: command.params for command in COMMANDS}
REQUESTS = {
    "steersman/requestApproval": {"request": answers.ApprovalRequest, "result": params.ApprovalAnswer},
    "steersman/save": {"request": answers.SaveRequest, "result": client_documents.SaveAnswer},
    "steersman/openDocuments": {
        "request": answers.OpenDocumentsRequest,
        "result": client_documents.OpenDocumentsAnswer,
    },
    "steersman/openDocumentsChanged": {"notification": client_documents.OpenDocumentsChanged},
    "$/steersman/diagnostics": {"notification": reported.ReportedDiagnostics},
    "steersman/input": {"request": client_asks.InputRequest, "result": client_results.InputAnswer},
    "steersman/callTool": {"request": client_asks.CallToolRequest, "result": client_results.CallToolAnswer},
    "steersman/approvalTexts": {
        "request": params.ApprovalTextsParams,
        "result": answers.ApprovalTextsAnswer,
    },
}


HANDSHAKE = {
    "initializationOptions": answers.InitializationOptions,
    "experimental": answers.ExperimentalCapabilities,
}
FEATURES = {field.alias or name for name, field in answers.SteersmanOptions.model_fields.items()} - {
    "version"
}
CHECKED = {*HANDSHAKE, "event", "params", "answer", "request", "result", "notification", "error"}


def test_every_example_says_what_it_is_of():
    assert DOCUMENT.count("```json") == len(EXAMPLES) > 10
    assert {kind[0] for kind, _ in EXAMPLES} == CHECKED


@pytest.mark.parametrize(
    ("kind", "example"), [(kind[0], value) for kind, value in EXAMPLES if kind[0] in HANDSHAKE]
)
def test_an_example_of_the_handshake_names_features_that_exist(kind, example):
    HANDSHAKE[kind].model_validate(example)
    named = example["steersman"].keys() if kind == "initializationOptions" else example["steersman"]["uses"]
    assert set(named) <= FEATURES | {"version"}


def test_every_feature_is_in_the_table_of_features():
    rows = set(re.findall(r"^\| `(\w+)` \|", DOCUMENT.split("## Commands")[0], re.MULTILINE))
    assert rows == FEATURES


@pytest.mark.parametrize("example", [value for kind, value in EXAMPLES if kind[0] == "event"])
def test_an_example_of_an_event_is_one(example):
    validate(example)


@pytest.mark.parametrize(
    ("command", "example"), [(kind[1], value) for kind, value in EXAMPLES if kind[0] == "params"]
)
def test_an_example_of_parameters_is_taken(command, example):
    parse(PARAMS[command], [example], string_as="prompt" if command == "steersman.start" else None)


@pytest.mark.parametrize(
    ("kind", "example"),
    [(kind, value) for kind, value in EXAMPLES if kind[0] in ("request", "result", "notification")],
)
def test_an_example_of_a_message_or_its_result_is_one(kind, example):
    REQUESTS[kind[1]][kind[0]].model_validate(example)


@pytest.mark.parametrize(
    ("command", "example"), [(kind[1], value) for kind, value in EXAMPLES if kind[0] == "answer"]
)
def test_an_example_of_an_answer_is_one(command, example):
    (command,) = [each for each in COMMANDS if each.id == command]
    assert [form for form in command.answers if _fits(form, example)], f"no form of {command.id}"


def _fits(form, example) -> bool:
    try:
        form.model_validate(example)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("example", [value for kind, value in EXAMPLES if kind[0] == "error"])
def test_an_example_of_an_error_has_a_code_that_exists(example):
    assert example["code"] in RefusalCode.__args__


def test_the_table_of_errors_has_every_code_and_no_other():
    rows = re.findall(r"^\| (`[^|]+`) \|", DOCUMENT.split("## Errors")[1], re.MULTILINE)
    told = {code for row in rows for code in re.findall(r"`([a-zA-Z]+)`", row)}
    assert told == set(RefusalCode.__args__)


def test_the_tables_are_those_of_the_models():
    assert embed(DOCUMENT) == DOCUMENT  # else: steersman schema --markdown --into protocol.md
