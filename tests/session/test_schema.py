"""What is sent is what the schema says: nothing more, nothing less, in every event that there is."""

import json
import subprocess
import sys

import pytest
from pydantic import ValidationError

from steersman.session.schema import EVENTS, validate
from support.asking_extension import JUDGE, Judged
from support.rich_session import LONG, RICH, long_session, rich_person, rich_session
from support.scripted_model import ScriptedModel, answer, call
from support.session_harness import SessionHarness


@pytest.fixture
async def told(harness, guard) -> list[dict]:
    """Every event of runs in which about everything happens."""
    rich: SessionHarness = harness(*RICH, person=rich_person())
    await rich_session(rich)
    loud = harness(
        answer("", call("bash", {"command": "echo hi"})), answer("ok"), mode="full-auto", guard=guard
    )
    await loud.run()
    untrusted = harness(answer("ok"), mode="auto-edit", trusts_all=False, extensions={"judged": Judged})
    untrusted.models[JUDGE] = ScriptedModel(answer("yes"), name="judge")
    await untrusted.run()
    long = harness(*LONG, mode="auto-edit")
    await long_session(long)
    return [json.loads(event.line) for h in (rich, loud, untrusted, long) for event in h.events]


async def test_every_kind_of_event_is_made_and_fits_its_model(told):
    seen = {type(validate(event)) for event in told}
    assert seen == set(EVENTS)


async def test_a_field_that_the_schema_lacks_or_that_is_missing_is_found(told):
    for event in told:
        more = event | {"data": event["data"] | {"more": 1}}
        with pytest.raises(ValidationError, match="more"):
            validate(more)
    end = next(event for event in told if event["type"] == "agent_end")
    for name in (
        "stopReason",
        "text",
        "message",
        "files",
        "commands",
        "denied",
        "undelivered",
        "usage",
        "cost",
    ):
        data = {key: value for key, value in end["data"].items() if key != name}
        with pytest.raises(ValidationError, match=name):
            validate(end | {"data": data})


async def test_what_is_kept_has_a_number_and_what_passes_has_none(told):
    for event in told:
        durable = type(validate(event)).durable
        assert durable == ("seq" in event)
    update = next(event for event in told if event["type"] == "message_update")
    with pytest.raises(ValueError, match="not kept"):
        validate(update | {"seq": 3})
    with pytest.raises(LookupError):
        validate(update | {"type": "unheard_of"})


def _refs(text: str) -> set[str]:
    return {part.split('"')[0] for part in text.split("#/$defs/")[1:]}


def test_the_schema_is_not_loaded_to_run():
    code = "import sys, steersman.lsp.server; print('steersman.session.schema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
