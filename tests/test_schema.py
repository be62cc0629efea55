"""The protocol's schema says what is sent and taken: nothing more, nothing less. What is made from it is current."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from steersman.agent.messages import Usage
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, StreamDone
from steersman.lsp import answers, params
from steersman.lsp.command_list import COMMANDS
from steersman.lsp.schema import json_schema, parts_of
from steersman.lsp.server import SteersmanServer
from steersman.lsp.tables import embed, markdown, tables
from steersman.lsp.typescript import typescript
from steersman.session.errors import RefusalCode
from steersman.session.home import Home
from steersman.session.schema import EVENTS
from steersman.session.settings import Settings
from steersman.workspace.guard import Guard
from support.asking_extension import JUDGE, Judged
from support.json_schema import faults
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import EVENTS as TOKEN
from support.lsp_workspace import Desk, desk, edits
from support.rich_session import LONG, RICH, long_session, rich_person, rich_session
from support.scripted_model import ScriptedModel, answer, call
from support.session_harness import SessionHarness

DOCUMENT = json_schema()
BY_NAME = {command.name: command for command in COMMANDS}


def misfits(value: Any, name: str) -> list[str]:
    """How a value differs from a definition of the document."""
    return faults(value, {"$ref": f"#/$defs/{name}"}, DOCUMENT)


class Streaming:
    """A response that stops in its middle until the test lets it go on, or it is aborted."""

    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self, request, signal):
        yield BlockStart(0, "text")
        yield BlockDelta(0, "half of ")
        self.begun.set()
        waits = [asyncio.ensure_future(self.go.wait()), asyncio.ensure_future(signal.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        yield BlockDelta(0, "it")
        yield BlockEnd(0)
        yield StreamDone("stop", Usage(input=10, output=5))


class Checked:
    """Gives commands, and holds what they take and answer against the document and the models."""

    def __init__(self, it: Desk) -> None:
        self._it = it
        self.forms: set[type[BaseModel]] = set()

    async def __call__(self, name: str, *arguments: Any) -> dict[str, Any]:
        given = await self._it.command(name, *arguments)
        schema = DOCUMENT["$defs"]["Commands"]["properties"][f"steersman.{name}"]["properties"]
        assert [faults(each, schema["params"], DOCUMENT) for each in arguments] == [[]] * len(arguments)
        assert faults(given, schema["answer"], DOCUMENT) == []
        fitting = [form for form in BY_NAME[name].answers if _fits(form, given)]
        assert len(fitting) == 1
        self.forms.add(fitting[0])
        return given

    async def refusal(self, name: str, *arguments: Any) -> dict[str, Any]:
        """The data of a refusal, whose fields are all named in the document."""
        with pytest.raises(AnsweredWithError) as raised:
            await self._it.command(name, *arguments)
        data = raised.value.data
        form = answers.InvalidParamsData if raised.value.code == -32602 else answers.RefusedData
        assert misfits(data, form.__name__) == []
        assert not form.model_validate(data).model_extra
        self.forms.add(form)
        return data


def _fits(form: type[BaseModel], value: Any) -> bool:
    try:
        form.model_validate(value)
    except ValidationError:
        return False
    return True


async def test_every_answer_of_every_command_is_as_the_schema_says(tmp_path):
    first, second = Streaming(), Streaming()
    responses = (first, answer("steered"), answer("followed"), *edits("a.txt", ("one", "1")), second)
    options = {"steersman": {"version": "1", "eventToken": TOKEN, "input": True}}
    async with desk(tmp_path, *responses, initializationOptions=options) as it:
        checked = Checked(it)
        it.client.on_request("steersman/input", lambda _: None)
        await checked("ask", {"question": "What is to be done?"})
        it.put("a.txt", "one\n")
        started = await checked("start", "say something")
        await first.begun.wait()
        session = started["session"]
        await checked("steer", {"text": "shorter", "run": started["run"]})
        queued = await checked("followUp", "and then?")
        await checked("queue", {"op": "edit", "id": queued["id"], "text": "and now?"})
        await checked("queue", {"op": "move", "id": queued["id"], "to": 0})
        unwanted = await checked("followUp", "one more")
        await checked("queue", {"op": "remove", "id": unwanted["id"]})
        await checked("queue", "list")
        await checked("status")
        streaming = await checked("events", {"session": session, "after": 0, "limit": 500})
        assert streaming["streaming"]["blocks"] == [{"index": 0, "kind": "text", "text": "half of "}]
        assert (await checked("events", {"session": session, "limit": 1}))["more"] is True
        first.go.set()
        await it.ended(started["run"])
        again = await checked("followUp", "now change the file")
        question = await it.event("approval_requested")
        assert (await checked("approvals"))["approvals"] == (await checked("status"))["approvals"] != []
        await checked("showQuestion", question["id"])
        await checked("approve", {"id": question["id"], "decision": "accept"})
        await it.ended(again["run"])
        third = await checked("start", {"prompt": "go on", "session": session, "budget": {"turns": 1}})
        await second.begun.wait()
        await checked("abort", third["run"])
        await it.ended(third["run"])
        await checked("abort")
        await checked("configure", {"mode": "auto-edit"})
        await checked("configure", {"session": session, "model": "test:scripted"})
        it.model.fallback = answer("went on")
        await it.ended((await checked("continue", {"session": session}))["run"])
        await checked("status")
        await checked("events", session)
        it.put(".steersman/templates/fix.md", "Fix $1.")
        it.put(".steersman/templates/odd.md", "---\n")
        assert len((await checked("templates"))["templates"]) == 2
        assert (await checked("models"))["providers"]
        await checked("sessions", it.root.as_uri())
        await checked("resume", session)
        listed = await checked("checkpoints", session)
        since = {"session": session, "checkpoint": listed["checkpoints"][0]["checkpoint"]}
        await checked("revert", since)
        await checked("revert", since | {"preview": False})
        await it.event("revert_end")
        await checked("rename", {"session": session, "title": "My work"})
        await checked("fork", session)
        message = {"session": session, "message": since["checkpoint"]}
        assert "text" in await checked("fork", message)
        it.model.fallback = answer("long " * 1000, piece=1000)
        await it.ended((await checked("start", {"prompt": "on", "session": session}))["run"])
        it.model.fallback = answer("in short")
        await it.ended((await checked("start", {"prompt": "on", "session": session}))["run"])
        await checked("compact", {"session": session})
        await it.event("compaction_end")
        await checked("fork", message | {"place": "here"})
        await checked("transcript", session)
        await checked("export", session)
        await it.event("export_end")
        await checked("delete", {"session": session})
        assert checked.forms == {form for command in COMMANDS for form in command.answers}


async def test_the_data_of_every_refusal_is_as_the_schema_says(tmp_path):
    held = Streaming()
    async with desk(tmp_path, held) as it:
        checked = Checked(it)
        started = await checked("start", "one")
        await held.begun.wait()
        told = [
            await checked.refusal("start", "two"),
            await checked.refusal("start", {"prompt": "two", "session": started["session"]}),
            await checked.refusal("start", " "),
            await checked.refusal("start", {"prompt": "x", "root": str(tmp_path / "none")}),
            await checked.refusal("steer", {"text": "x", "run": "run_000000000000"}),
            await checked.refusal("queue", {"op": "edit", "id": "in_000000000000", "text": "x"}),
            await checked.refusal("queue", {"op": "remove"}),
            await checked.refusal("approve", {"id": "apr_000000000000", "decision": "accept"}),
            await checked.refusal("events", "ses_000000000000"),
            await checked.refusal("start", {"prompt": "/none"}),
            await checked.refusal("start", {"prompt": 3}),
            await checked.refusal("status", {"more": 1}),
        ]
        assert {data.get("code") for data in told} == {
            *("busy", "emptyPrompt", "outsideRoot", "unknownRun", "unknownApproval", "unknownSession"),
            "unknownItem",
            "unknownTemplate",
            None,
        }
        assert answers.InvalidParamsData in checked.forms


async def test_every_event_fits_its_alternative_and_no_other(harness_of_rich_runs):
    seen = set()
    for event in harness_of_rich_runs:
        assert misfits(event, "Event") == []
        seen.add((event["type"], "discarded" in event["data"]))
        assert misfits(event | {"type": "unheard_of"}, "Event") != []
        assert misfits(event | {"data": event["data"] | {"more": 1}}, "Event") != []
    assert len(seen) == len(EVENTS)


@pytest.fixture
async def harness_of_rich_runs(tmp_path) -> list[dict[str, Any]]:
    for name in ("rich", "loud", "untrusted", "long"):
        (tmp_path / name).mkdir()
    rich = SessionHarness(tmp_path / "rich", *RICH, person=rich_person())
    await rich_session(rich)
    with Guard() as guard:
        responses = answer("", call("bash", {"command": "echo hi"})), answer("ok")
        loud = SessionHarness(tmp_path / "loud", *responses, mode="full-auto", guard=guard)
        await loud.run()
    untrusted = SessionHarness(
        tmp_path / "untrusted",
        answer("ok"),
        mode="auto-edit",
        trusts_all=False,
        extensions={"judged": Judged},
    )
    untrusted.models[JUDGE] = ScriptedModel(answer("yes"), name="judge")
    await untrusted.run()
    long = SessionHarness(tmp_path / "long", *LONG, mode="auto-edit")
    await long_session(long)
    return [json.loads(event.line) for h in (rich, loud, untrusted, long) for event in h.events]


async def test_what_is_said_at_initialize_is_as_the_schema_says(tmp_path):
    asked = {"steersman": {"version": "1", "eventToken": "x"}}
    assert misfits(asked, "InitializationOptions") == []
    assert (
        misfits({"steersman": {"eventToken": 7, "unheardOf": True}, "other": 1}, "InitializationOptions")
        == []
    )
    assert misfits({"steersman": {"eventToken": 1.5}}, "InitializationOptions") != []
    async with desk(tmp_path, initialize=False) as it:
        result = await it.client.initialize(initializationOptions=asked)
        assert misfits(result["capabilities"]["experimental"], "ExperimentalCapabilities") == []


def test_every_command_of_the_server_is_in_the_schema(tmp_path):
    server = SteersmanServer(Home(tmp_path), Settings())
    assert set(DOCUMENT["$defs"]["Commands"]["properties"]) == set(server.rpc.protocol.fm.commands)


def test_the_document_is_whole_and_the_same_in_every_process():
    text = json.dumps(DOCUMENT)
    assert {ref.removeprefix("#/$defs/") for ref in re.findall(r"#/\$defs/\w+", text)} <= set(
        DOCUMENT["$defs"]
    )
    assert not [name for name in DOCUMENT["$defs"] if "__" in name], "two models have one name"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "steersman", "schema"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert json.loads(done.stdout) == DOCUMENT
        assert list(json.loads(done.stdout)["$defs"]) == sorted(DOCUMENT["$defs"])


def test_every_code_of_a_refusal_is_in_the_document():
    assert DOCUMENT["$defs"]["RefusedData"]["properties"]["code"]["enum"] == list(RefusalCode.__args__)


def test_a_field_that_the_server_leaves_out_is_optional_and_not_null():
    end = DOCUMENT["$defs"]["AgentEndData"]
    assert end["properties"]["lastAction"] == {"type": "string"}
    assert "lastAction" not in end["required"]
    assert {"type": "null"} in DOCUMENT["$defs"]["StartParams"]["properties"]["session"]["anyOf"]


def test_what_parameters_mean_is_in_the_document():
    fields = DOCUMENT["$defs"]["EventsParams"]["properties"]
    assert "last event that the client has" in fields["after"]["description"]


# TypeScript


def test_every_definition_has_its_type_and_every_type_is_defined():
    text = typescript(DOCUMENT)
    declared = re.findall(r"^export (?:interface|type) (\w+)", text, re.MULTILINE)
    assert declared == list(DOCUMENT["$defs"])
    assert re.search(r"\bany\b", re.sub(r"/\*\*.*?\*/", "", text, flags=re.DOTALL)) is None
    assert typescript(json_schema()) == text


def test_the_types_of_our_own_client_are_current():
    kept = Path(__file__).parents[1] / "client-vscode" / "src" / "protocol.ts"
    how = "run: steersman schema --typescript --out client-vscode/src/protocol.ts"
    assert kept.read_text("utf-8") == typescript(DOCUMENT), how


def test_types_are_spelt_as_typescript_does():
    document = {
        "$defs": {
            "Thing": {
                "type": "object",
                "description": "A thing */ of\ntwo lines.",
                "properties": {
                    "kind": {"const": "a"},
                    "items": {"type": "array", "items": {"enum": ["x", "y"], "type": "string"}},
                    "any-key": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                    "inner": {
                        "type": "object",
                        "properties": {"on": {"type": "boolean"}},
                        "required": ["on"],
                    },
                    "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}},
                },
                "required": ["kind", "items"],
                "additionalProperties": True,
            },
            "Nothing": {"type": "object", "properties": {}, "additionalProperties": False},
            "Value": {},
        }
    }
    assert typescript(document).split("\n\n", 1)[1] == (
        "/**\n * A thing *\\/ of\n * two lines.\n */\n"
        "export interface Thing {\n"
        '  kind: "a";\n'
        '  items: ("x" | "y")[];\n'
        '  "any-key"?: number | null;\n'
        "  inner?: {\n    on: boolean;\n  };\n"
        "  map?: Record<string, Value>;\n"
        "  [more: string]: unknown;\n"
        "}\n\n"
        "export type Nothing = Record<string, never>;\n\n"
        "export type Value = unknown;\n"
    )


def test_a_keyword_without_a_type_is_refused_and_not_guessed_at():
    with pytest.raises(ValueError, match="patternProperties"):
        typescript({"$defs": {"Thing": {"type": "object", "patternProperties": {}}}})


CLIENT = """
import type { Commands, Event, RefusedData } from "./protocol";
export function label(event: Event): string {
  switch (event.type) {
    case "agent_end": return event.data.stopReason;
    case "message_end": return "discarded" in event.data ? event.data.discarded : event.data.messageId;
    case "state": return event.data.state;
    default: return event.type;
  }
}
export declare function execute<K extends keyof Commands>(
  id: K, params: Commands[K]["params"],
): Promise<Commands[K]["answer"]>;
export async function followUp(): Promise<string> {
  const answer = await execute("steersman.followUp", { text: "x" });
  return answer.disposition === "started" ? answer.token : answer.run;
}
export const refused: RefusedData = { code: "busy", text: "x" };
// @ts-expect-error a state has no number
export const numbered: Event = { seq: 1, session: "s", ts: 1, type: "state", data: { state: "idle" } };
// @ts-expect-error the text is missing
export const steer = execute("steersman.steer", { run: "r" });
"""


def test_the_types_compile_and_tell_events_apart(tmp_path):
    compiler = _compiler()
    if compiler is None:
        pytest.skip("there is no tsc in PATH or in client-vscode/node_modules")
    (tmp_path / "protocol.ts").write_text(typescript(DOCUMENT))
    (tmp_path / "client.ts").write_text(CLIENT)
    flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"]
    done = subprocess.run(
        [compiler, *flags, "client.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "")


def _compiler() -> str | None:
    local = Path(__file__).parents[1] / "client-vscode" / "node_modules" / ".bin" / "tsc"
    return str(local) if local.exists() else shutil.which("tsc")


# Tables


def test_the_tables_name_every_command_and_event_with_every_field():
    made = tables()
    for command in COMMANDS:
        row = next(line for line in made["commands"].splitlines() if line.startswith(f"| `{command.id}` "))
        forms = [command.params, *command.answers]
        assert all(f"`{info.alias}`" in row for form in forms for info in form.model_fields.values())
    for form in EVENTS:
        rows = [line for line in made["events"].splitlines() if line.startswith(f"| `{form.event}` ")]
        assert len(rows) == 1
        assert all(f"`{info.alias}`" in rows[0] for info in form.model_fields.values())
    assert [form.event for form in EVENTS if not form.__doc__] == [], "an event whose meaning is not told"
    assert all(re.fullmatch(r"\|( [^|]+ \|)+", line) for text in made.values() for line in text.splitlines())


def test_every_object_that_a_table_names_has_a_row():
    text = markdown()
    named = set(re.findall(r"[( ]`([A-Z]\w+)`", text))
    rows = set(re.findall(r"^\| `([A-Z]\w+)` \|", text, re.MULTILINE))
    assert named - rows == {"Event"}


def test_the_generated_sections_of_a_document_are_filled_in_and_the_rest_is_left_alone():
    empty = "<!-- generated: objects -->\n<!-- end -->\n"
    old = f"# Title\n\n<!-- generated: events -->\nold\n<!-- end -->\n\nprose\n{empty}"
    new = embed(old)
    assert new.startswith("# Title\n\n<!-- generated: events -->\n| type | data | meaning |\n")
    assert "<!-- end -->\n\nprose\n<!-- generated: objects -->\n| object |" in new
    assert "\nold\n" not in new
    assert embed(new) == new


@pytest.mark.parametrize("document", ["no section", "<!-- generated: unheard -->\n<!-- end -->\n"])
def test_a_document_without_a_known_section_is_refused(document):
    with pytest.raises(ValueError, match="generated"):
        embed(document)


def test_every_part_of_a_model_is_found_once():
    found = parts_of([params.StartParams, params.ContinueParams])
    assert len(found) == len(set(found))
    assert {params.BudgetParams, params.Span, params.Place} <= set(found)


def test_nothing_of_this_is_loaded_to_serve():
    code = "import sys, steersman.lsp.server; print([m for m in sys.modules if m.endswith(('.answers', '.schema'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [
        name for name in json.loads(done.stdout.replace("'", '"')) if name != "steersman.tools.schema"
    ] == []
