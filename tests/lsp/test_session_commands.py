"""The commands about kept sessions, from the client's side."""

import os
from pathlib import Path

import pytest

from steersman.agent.messages import Usage, plain_text
from support import editor_client as editors
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import EVENTS, desk, edit_call
from support.scripted_model import answer, call


async def refused(awaitable) -> dict:
    with pytest.raises(AnsweredWithError) as caught:
        await awaitable
    return caught.value.error["data"]


def said(desk_) -> list[str]:
    return [plain_text(message.content) for message in desk_.model.requests[-1].messages]


async def ran(d, prompt, **params) -> dict:
    """A run from its start to its end."""
    started = await d.command("start", {"prompt": prompt, **params})
    await d.ended(started["run"])
    return started


def user_messages(d) -> list[str]:
    return [e["data"]["messageId"] for e in d.events("message_end") if e["data"].get("role") == "user"]


async def test_sessions_are_listed_renamed_resumed_and_deleted(tmp_path):
    async with desk(tmp_path, answer("A1"), answer("A2")) as d:
        first = (await ran(d, "fix the cart"))["session"]
        second = (await ran(d, "explain"))["session"]
        # A clock of files may be too coarse to tell the two apart.
        os.utime(d.home.sessions / f"{first}.jsonl", (1, 1))
        listed = (await d.command("sessions"))["sessions"]
        assert [(each["session"], each["title"], each["state"]) for each in listed] == [
            (second, "explain", "idle"),
            (first, "fix the cart", "idle"),
        ]
        assert (await d.command("sessions", {"query": "cart"}))["sessions"][0]["session"] == first
        assert (await d.command("sessions", {"root": str(tmp_path / "elsewhere")}))["sessions"] == []
        assert len((await d.command("sessions", d.root.as_uri()))["sessions"]) == 2
        assert await d.command("rename", {"session": first, "title": "The cart"}) == {
            "session": first,
            "title": "The cart",
        }
        resumed = await d.command("resume", first)
        assert (resumed["title"], resumed["roots"]) == ("The cart", [d.root.as_uri()])
        assert await d.command("delete", {"session": second}) == {"session": second}
        assert [each["session"] for each in (await d.command("sessions"))["sessions"]] == [first]
        assert (await refused(d.command("resume", second)))["code"] == "unknownSession"


async def test_a_path_that_leads_nowhere_or_is_none_is_no_fault_of_the_server(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    async with desk(tmp_path, answer("A1")) as d:
        session = (await ran(d, "fix the cart"))["session"]
        for root in (str(tmp_path / "loop"), "/" + "x" * 5000):
            assert await d.command("sessions", {"root": root}) == {"sessions": []}
        assert (await refused(d.command("sessions", {"root": "a\0b"})))["field"] == "root"
        assert (await refused(d.command("export", {"session": session, "path": "/a\0b"})))["field"] == "path"
        started = d.command("start", {"prompt": "go", "root": "/" + "x" * 5000})
        assert (await refused(started))["code"] == "outsideRoot"


async def test_going_back_returns_the_text_and_the_next_prompt_follows_from_there(tmp_path):
    async with desk(tmp_path, answer("A1"), answer("A2"), answer("B2")) as d:
        session = (await ran(d, "one"))["session"]
        await ran(d, "two", session=session)
        second = user_messages(d)[1]
        went = await d.command("fork", {"session": session, "message": second, "place": "here"})
        assert (went["session"], went["text"], went["state"]) == (session, "two", "idle")
        assert (await d.event("head"))["tip"] == went["tip"]
        await ran(d, "other two", session=session)
        assert said(d) == ["one", "A1", "other two"]


async def test_a_fork_is_a_session_of_its_own(tmp_path):
    async with desk(tmp_path, answer("A1"), answer("A2"), answer("B2")) as d:
        session = (await ran(d, "one"))["session"]
        await ran(d, "two", session=session)
        forked = await d.command("fork", {"session": session, "message": user_messages(d)[1]})
        assert (forked["forkedFrom"], forked["text"]) == (session, "two")
        await ran(d, "other two", session=forked["session"])
        assert said(d) == ["one", "A1", "other two"]
        events = (await d.command("events", forked["session"]))["events"]
        assert events[0]["data"]["forkedFrom"]["session"] == session
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


async def test_a_plain_client_goes_on_in_what_it_resumed(tmp_path):
    async with desk(tmp_path, answer("A1"), answer("A2"), answer("A3"), rich=False) as d:
        first = await d.command("start", "one")
        await d.floor_ended(first["run"])
        second = await d.command("start", "two")
        await d.floor_ended(second["run"])
        await d.command("resume", first["session"])
        third = await d.command("followUp", "three")
        await d.floor_ended(third["run"])
        assert said(d) == ["one", "A1", "three"]


@pytest.mark.parametrize(
    ("command", "params", "code"),
    [
        ("fork", {"session": "ses_none"}, "unknownSession"),
        ("resume", {"session": "ses_none"}, "unknownSession"),
        ("delete", {"session": "../../etc/passwd"}, "unknownSession"),
        ("checkpoints", {"session": "ses_none"}, "unknownSession"),
    ],
)
async def test_what_is_not_there_is_refused(tmp_path, command, params, code):
    async with desk(tmp_path) as d:
        assert (await refused(d.command(command, params)))["code"] == code


async def test_old_messages_are_summarised_on_demand(tmp_path):
    long = "x" * 4000
    script = [answer(f"A{n} {long}", usage=Usage(), piece=1000) for n in range(6)]
    async with desk(tmp_path, *script, answer("SUMMARY"), answer("done")) as d:
        session = (await ran(d, "task 0"))["session"]
        for n in range(1, 6):
            await ran(d, f"task {n}", session=session)
        answered = await d.command("compact", {"session": session, "instructions": "keep names"})
        assert answered["operation"]
        end = await d.event("compaction_end")
        assert end["summary"] == "SUMMARY"
        await ran(d, "go on", session=session)
        assert "SUMMARY" in said(d)[0]
        assert (await refused(d.command("compact", {"session": "ses_none"})))["code"] == "unknownSession"


async def test_a_plain_client_is_told_what_came_of_it(tmp_path):
    long = "x" * 4000
    async with desk(
        tmp_path, answer("A " + long, piece=1000), answer("B"), answer("SUMMARY"), rich=False
    ) as d:
        for prompt in ("one", "two"):
            started = await d.command("followUp", prompt)
            await d.floor_ended(started["run"])
        await d.command("compact")
        message = await d.client.wait_for(
            lambda m: m.get("method") == "window/showMessage" and "summarised" in m["params"]["message"]
        )
        assert "tokens became" in message["params"]["message"]


class TestReverts:
    async def test_an_open_file_is_taken_back_in_the_editor_with_what_its_user_had_not_saved(self, tmp_path):
        script = [answer("", edit_call("a.txt", "two", "TWO")), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit") as d:
            path = d.put("a.txt", "one\ntwo\n")
            uri = d.editor.open(path)
            d.editor.replace(uri, "one", "unsaved one")
            run = await ran(d, "go")
            assert d.editor.buffers[uri].text == "unsaved one\nTWO\n"
            await self.revert(d, run)
            assert d.editor.buffers[uri].text == "unsaved one\ntwo\n"
            assert path.read_text() == "one\ntwo\n", "the disk was never changed"

    async def test_what_the_user_typed_since_is_a_conflict(self, tmp_path):
        script = [answer("", edit_call("a.txt", "two", "TWO")), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit") as d:
            uri = d.editor.open(d.put("a.txt", "one\ntwo\n"))
            run = await ran(d, "go")
            d.editor.replace(uri, "one", "typed since")
            await d.heard()
            params = {"session": run["session"], "checkpoint": run["run"], "preview": False}
            data = await refused(d.command("revert", params))
            assert (data["code"], [file["uri"] for file in data["files"]]) == ("conflict", [uri])
            assert d.editor.buffers[uri].text == "typed since\nTWO\n"
            await self.revert(d, run, onConflict={uri: "restore"})
            assert d.editor.buffers[uri].text == "one\ntwo\n"

    async def test_what_the_user_typed_while_the_edit_was_made_is_a_conflict(self, tmp_path):
        script = [answer("", edit_call("a.txt", "two", "TWO")), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit") as d:
            uri = d.editor.open(d.put("a.txt", "one\ntwo\nthree\n"))
            d.editor.behaviour = editors.bundled(("three", "three, typed"))
            run = await ran(d, "go")
            assert d.editor.buffers[uri].text == "one\nTWO\nthree, typed\n"
            params = {"session": run["session"], "checkpoint": run["run"], "preview": False}
            data = await refused(d.command("revert", params))
            assert (data["code"], [file["uri"] for file in data["files"]]) == ("conflict", [uri])
            assert "three, typed" in d.editor.buffers[uri].text
            d.editor.behaviour = editors.honest
            await self.revert(d, run, onConflict={uri: "restore"})
            assert d.editor.buffers[uri].text == "one\ntwo\nthree\n"

    async def test_an_edit_that_the_editor_formats_on_save_is_taken_back_without_a_question(self, tmp_path):
        script = [answer("", edit_call("a.txt", "two", "TWO")), answer("done")]
        options = {"steersman": {"version": "1", "eventToken": EVENTS, "save": True}}
        async with desk(tmp_path, *script, mode="auto-edit", initializationOptions=options) as d:
            path = d.put("a.txt", "one\ntwo\n")
            uri = d.editor.open(path)

            def formats(params):
                d.editor.set_text(uri, d.editor.buffers[uri].text.replace("TWO", "TWO, formatted"))
                d.editor.save(uri)
                return {"saved": [uri]}

            d.client.on_request("steersman/save", formats)
            run = await ran(d, "go")
            assert path.read_text() == "one\nTWO, formatted\n"
            await self.revert(d, run)
            assert d.editor.buffers[uri].text == "one\ntwo\n"

    async def test_an_edit_that_was_saved_is_taken_back_in_the_editor(self, tmp_path):
        script = [answer("", edit_call("a.txt", "two", "TWO")), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit") as d:
            path = d.put("a.txt", "one\ntwo\n")
            uri = d.editor.open(path)
            run = await ran(d, "go")
            d.editor.save(uri)
            await self.revert(d, run)
            assert d.editor.buffers[uri].text == "one\ntwo\n"

    async def test_without_a_preview_that_is_off_it_only_tells(self, tmp_path):
        script = [answer("", call("write", {"path": "new.txt", "content": "new\n"})), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit") as d:
            run = await ran(d, "go")
            listed = (await d.command("checkpoints", run["session"]))["checkpoints"]
            assert [(each["title"], len(each["files"])) for each in listed] == [("go", 1)]
            preview = await d.command(
                "revert", {"session": run["session"], "checkpoint": listed[0]["checkpoint"]}
            )
            assert [(file["action"], file["state"]) for file in preview["files"]] == [("delete", "ready")]
            assert (d.root / "new.txt").exists()
            await self.revert(d, run)
            assert not (d.root / "new.txt").exists()

    async def test_a_plain_client_is_told_what_became_of_the_files(self, tmp_path):
        script = [answer("", call("write", {"path": "new.txt", "content": "new\n"})), answer("done")]
        async with desk(tmp_path, *script, mode="auto-edit", rich=False) as d:
            run = await d.command("start", "go")
            await d.floor_ended(run["run"])
            params = {"session": run["session"], "checkpoint": run["run"], "preview": False}
            await d.command("revert", params)
            message = await d.client.wait_for(
                lambda m: m.get("method") == "window/showMessage" and "files" in m["params"]["message"]
            )
            assert message["params"]["message"] == "Steersman: files: 1 deleted again."

    async def revert(self, d, run, **params) -> None:
        before = len(d.events("revert_end"))
        params = {"session": run["session"], "checkpoint": run["run"], "preview": False, **params}
        assert (await d.command("revert", params))["operation"]
        await d.event("revert_end", number=before + 1)
        await d.heard()


async def test_an_export_is_told_by_its_event_and_shown_in_a_browser(tmp_path):
    async with desk(tmp_path, answer("A1"), window={"showDocument": {"support": True}}) as d:
        shown = []
        d.client.on_request("window/showDocument", lambda params: shown.append(params) or {"success": True})
        session = (await ran(d, "fix the cart"))["session"]
        told = await d.command("export", session)
        end = await d.event("export_end")
        assert end == {"operation": told["operation"], "path": told["path"]}
        assert Path(told["path"]).parent == d.home.exports
        assert "<title>fix the cart</title>" in Path(told["path"]).read_text()
        await d.has_heard("window/showDocument", times=1)
        assert shown == [{"uri": Path(told["path"]).as_uri(), "external": True, "takeFocus": True}]
        assert "seq" not in d.events("export_end")[0]


async def test_an_export_to_a_path_of_the_users_is_not_opened_and_replaces_nothing(tmp_path):
    async with desk(tmp_path, answer("A1"), window={"showDocument": {"support": True}}) as d:
        session = (await ran(d, "one"))["session"]
        target = d.root / "out.md"
        params = {"session": session, "format": "markdown", "path": target.as_uri()}
        assert (await d.command("export", params))["path"] == str(target)
        await d.event("export_end")
        assert "> A1" in target.read_text()
        assert (await refused(d.command("export", params)))["code"] == "exists"
        await d.command("export", params | {"path": str(target), "overwrite": True})
        await d.event("export_end", number=2)
        assert d.client.of_method("window/showDocument") == []


async def test_a_plain_client_is_told_where_an_export_is(tmp_path):
    async with desk(tmp_path, answer("A1"), rich=False, window={}) as d:
        started = await d.command("start", "one")
        told = await d.command("export", started["session"])  # of what there is
        await d.client.wait_for(
            lambda m: m.get("method") == "window/showMessage" and told["path"] in m["params"]["message"]
        )


async def test_an_editor_that_does_not_show_it_is_told_the_path(tmp_path):
    window = {"showDocument": {"support": True}, "workDoneProgress": True}
    async with desk(tmp_path, answer("A1"), rich=False, window=window) as d:
        d.client.on_request("window/showDocument", lambda params: {"success": False})
        started = await d.command("start", "one")
        await d.floor_ended(started["run"])
        told = await d.command("export", {"session": started["session"], "format": "markdown"})
        await d.client.wait_for(
            lambda m: m.get("method") == "window/showMessage" and told["path"] in m["params"]["message"]
        )
        assert d.client.of_method("window/showDocument")[0]["params"]["external"] is False


async def test_an_export_that_fails_is_told_to_a_plain_client(tmp_path):
    async with desk(tmp_path, answer("A1"), rich=False) as d:
        started = await d.command("start", "one")
        await d.floor_ended(started["run"])
        log = d.server.services.log_path(started["session"])
        log.write_bytes(log.read_bytes().replace(b'"messageId"', b'"other"'))
        await d.command("export", started["session"])
        await d.client.wait_for(
            lambda m: m.get("method") == "window/showMessage" and "was not exported" in m["params"]["message"]
        )
        assert list(d.home.exports.iterdir()) == []
