"""What goes with a message from an editor: mentions, selections, diagnostics, images, templates, what is open."""

import base64

import pytest

from steersman.agent.messages import Image, Text
from support.images import png
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import EVENTS, desk
from support.scripted_model import answer

DATA = base64.b64encode(png()).decode()


def options(**features):
    return {"initializationOptions": {"steersman": {"version": "1", "eventToken": EVENTS, **features}}}


def attached(it, request=-1):
    content = it.model.requests[request].messages[-1].content
    return {block.attached: block.text for block in content[1:] if isinstance(block, Text)}


async def refusal(awaitable):
    with pytest.raises(AnsweredWithError) as raised:
        await awaitable
    return raised.value.data


async def test_a_mentioned_file_is_what_the_editor_shows(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        path = it.put("a.py", "saved\n")
        it.editor.open(path, "typed\n")
        await it.ended(await it.start("explain @a.py"))
        assert "typed" in attached(it)["a.py"] and "saved\n" not in attached(it)["a.py"]
        assert "not saved yet" in attached(it)["a.py"]


async def test_steers_and_follow_ups_take_a_context_as_starts_do(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        uri = it.put("a.py", "one\ntwo\n").as_uri()
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        context = {
            "selections": [{"uri": uri, "range": span, "text": "one\n"}],
            "images": [{"data": DATA, "mimeType": "image/png"}],
        }
        started = await it.command("followUp", {"text": "see @selection", "context": context})
        await it.ended(started["run"])
        assert list(attached(it)) == ["a.py#L1", "image 1"]
        assert it.model.requests[0].messages[-1].content[-1] == Image(DATA, "image/png")
        data = await refusal(it.command("steer", {"text": "see", "context": {"images": [{"data": "x"}]}}))
        assert data["field"] == "context.images.0.mimeType"


async def test_an_image_that_can_not_be_used_is_refused_with_the_text(tmp_path):
    async with desk(tmp_path) as it:
        context = {"images": [{"data": "AAAA", "mimeType": "image/png"}]}
        data = await refusal(it.command("start", {"prompt": "see", "context": context}))
        assert (data["code"], data["text"]) == ("unsupported", "see")
        assert (await it.command("status", {}))["sessions"] == []


async def test_a_denied_mention_comes_back_with_its_text(tmp_path):
    async with desk(tmp_path) as it:
        uri = it.put(".env", "KEY=1\n").as_uri()
        data = await refusal(it.command("start", "see @.env"))
        assert (data["code"], data["uri"], data["text"]) == ("denied", uri, "see @.env")


async def test_diagnostics_are_those_that_the_client_has_passed_on(tmp_path):
    async with desk(tmp_path, answer("ok"), **options(diagnostics=True)) as it:
        uri = it.put("a.py", "x = y\n").as_uri()
        span = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}
        found = {"range": span, "message": "y is not defined", "severity": 1, "source": "lint"}
        it.client.notify("$/steersman/diagnostics", {"uri": uri, "diagnostics": [found]})
        await it.ended(await it.start("fix @diagnostics"))
        assert attached(it)["diagnostics"].endswith("a.py, line 1: error (lint): y is not defined")


async def test_what_is_open_is_told_by_clients_that_know_all_of_it(tmp_path):
    for features, told in [({}, []), ({"openDocuments": True}, ["editor"])]:
        async with desk(tmp_path, answer("ok"), **options(**features)) as it:
            it.client.on_request("steersman/openDocuments", lambda _: {"documents": []})
            it.editor.open(it.put("a.py", "saved\n"), "typed\n")
            await it.ended(await it.start("go"))
            assert list(attached(it)) == told
            if told:
                assert attached(it)["editor"] == "Open in the editor: a.py (not saved)."


async def test_what_the_user_sees_is_told_and_an_attached_document_that_is_not_listed_is_not_open(tmp_path):
    async with desk(tmp_path, answer("ok"), answer("ok"), **options(openDocuments=True)) as it:
        a, b = it.put("a.py", "saved\n"), it.put("b.py", "saved\n")
        it.editor.open(it.put("c.py", "saved\n"))
        listed = [
            {"uri": a.as_uri(), "dirty": True, "visible": True, "active": True},
            {"uri": b.as_uri(), "dirty": False, "visible": False, "active": False},
        ]
        it.client.notify("steersman/openDocumentsChanged", {"documents": listed})
        await it.ended(await it.start("go"))
        assert attached(it)["editor"] == "The user is in a.py (not saved).\nOpen in the editor: b.py."
        it.client.notify("steersman/openDocumentsChanged", {"documents": []})
        await it.ended(await it.start("go"))
        assert "editor" not in attached(it)


async def test_templates_are_listed_and_called(tmp_path):
    async with desk(tmp_path, answer("ok")) as it:
        it.put(
            ".steersman/templates/fix.md", "---\ndescription: Fix it\nargument-hint: NUMBER\n---\nFix #$1."
        )
        (it.home.templates).mkdir(parents=True)
        (it.home.templates / "bad.md").write_text("---\n")
        found = (await it.command("templates", {}))["templates"]
        assert [(each["name"], each["source"], "problem" in each) for each in found] == [
            ("bad", "user", True),
            ("fix", "workspace", False),
        ]
        assert found[1]["description"] == "Fix it" and found[1]["hint"] == "NUMBER"
        assert (await it.command("templates", it.root.as_uri()))["templates"] == found
        await it.ended(await it.start("/fix 12"))
        assert attached(it)["/fix"].endswith("Fix #12.")
        data = await refusal(it.command("start", "/fxi 12"))
        assert (data["code"], data["text"]) == ("unknownTemplate", "/fxi 12")
