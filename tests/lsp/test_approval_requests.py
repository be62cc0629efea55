"""Questions by `steersman/requestApproval`, for a client that negotiated this and nothing else."""

import asyncio
import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.approval_requests import MAX_DIFF
from steersman.session.trust import TrustStore
from support.approval_face import ONLY_THIS, SCHEMA, Face, at_desk
from support.json_schema import faults
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk, edit_call, edits
from support.scripted_model import answer, call

TEXT = "".join(f"line {number}\n" for number in range(40))
PLACES = (5, 15, 25, 35)
"""Far enough apart that each is a hunk of its own."""
FOUR_EDITS = edits("a.txt", *((f"line {number}\n", f"LINE {number}\n") for number in PLACES))
ONE_EDIT = edits("a.txt", ("two", "2"))
CREATION = [answer("", call("write", {"path": "new.txt", "content": "theirs\n"})), answer("done")]


async def proposed(it, face, text="one\ntwo\nthree\n"):
    """A run that wants to change a.txt, and its question."""
    path = it.put("a.txt", text)
    run = await it.start()
    return path, run, await face.next()


async def test_the_server_says_that_it_uses_it_and_asks_by_it_alone(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, initialize=False) as it:
        face = Face(it)
        folders = [{"name": "ws", "uri": it.root.as_uri()}]
        result = await it.client.initialize(**ONLY_THIS, workspaceFolders=folders)
        assert result["capabilities"]["experimental"]["steersman"]["uses"] == ["approval"]
        path, _, question = await proposed(it, face)
        question.decide("accept")
        await it.client.wait_for(lambda m: m.get("method") == "window/showMessage")
        assert path.read_text() == "one\n2\nthree\n"
        assert face.pickers == []


@pytest.mark.parametrize(
    "features", [{}, {"approval": False}, {"approval": None}, {"eventToken": 7}], ids=repr
)
async def test_a_client_that_did_not_negotiate_it_never_gets_it(tmp_path, features):
    options = {"steersman": {"version": "1", **features}}
    async with at_desk(tmp_path, *ONE_EDIT, initializationOptions=options) as (it, face):
        it.put("a.txt", "one\ntwo\nthree\n")
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.floor_ended(run)
        assert face.requests == []


@pytest.mark.parametrize("value", [1, "yes", {}], ids=repr)
async def test_only_true_and_false_are_wishes(tmp_path, value):
    async with desk(tmp_path, initialize=False) as it:
        with pytest.raises(AnsweredWithError) as raised:
            await it.client.initialize(initializationOptions={"steersman": {"approval": value}})
        assert raised.value.data["field"] == "initializationOptions.steersman.approval"


async def test_the_question_says_what_would_change_and_on_what_it_stands(tmp_path):
    async with at_desk(tmp_path, *FOUR_EDITS) as (it, face):
        path = it.put("a.txt", "what was saved\n")
        it.editor.open(path, TEXT, version=7)
        run = await it.start()
        question = await face.next()
        asked, change = question.params, question.change
        (session,) = (await it.command("status"))["sessions"]
        assert (asked["session"], asked["run"], asked["kind"]) == (session["session"], run, "edit")
        assert asked["title"] == "Edit a.txt (+4 −4)"
        assert asked["decisions"] == ["accept", "acceptForRun", "acceptForSession", "decline", "cancel"]
        assert change["uri"] == path.as_uri()
        assert change["base"] == {"sha256": hashlib.sha256(TEXT.encode()).hexdigest(), "version": 7}
        assert "-line 5\n+LINE 5\n" in change["diff"]
        assert (len(question.hunks), change["added"], change["removed"]) == (4, 4, 4)
        assert (await it.command("approvals"))["approvals"] == [asked]
        assert it.editor.asked == []
        question.decide("decline")
        await it.floor_ended(run)


@pytest.mark.parametrize("decision", ["accept", "acceptForRun", "acceptForSession"])
async def test_a_yes_makes_the_change_and_a_grant_covers_what_it_says(tmp_path, decision):
    second = answer("", edit_call("a.txt", "one", "1"))
    async with at_desk(tmp_path, ONE_EDIT[0], second, answer("done")) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide(decision)
        if decision == "accept":
            (await face.next()).decide("decline")
        await it.floor_ended(run)
        assert path.read_text() == ("one\n2\nthree\n" if decision == "accept" else "1\n2\nthree\n")
        (first, *_) = await face.resolved()
        assert (first["decision"], first["by"]) == (decision, "user")


async def test_what_is_said_with_a_no_reaches_the_model(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("decline", feedback="use the word two")
        await it.floor_ended(run)
        assert 'They said: "use the word two"' in face.told()
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_cancel_stops_the_run(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("cancel")
        await it.floor_ended(run)
        assert len(it.model.requests) == 1
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_a_no_is_a_no_whatever_comes_with_it(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("decline", hunks=["none"], edited=[{"uri": path.as_uri(), "newText": "x"}])
        await it.floor_ended(run)
        (resolved,) = await face.resolved()
        assert resolved["decision"] == "decline"
        assert "edited" not in resolved and "hunks" not in resolved
        assert face.pickers == []


async def test_a_command_is_asked_about_with_its_directory(tmp_path):
    script = [answer("", call("bash", {"command": "touch x"})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, face):
        run = await it.start()
        question = await face.next()
        assert (question.params["kind"], question.params["changes"]) == ("command", [])
        assert (question.params["command"], question.params["cwd"]) == ("touch x", str(it.root))
        question.decide("accept")
        await it.floor_ended(run)
        assert (it.root / "x").exists()


async def test_whether_a_folder_is_trusted_is_asked_by_it_too(tmp_path):
    async with at_desk(tmp_path, answer("hi"), trusted=False) as (it, face):
        it.put("AGENTS.md", "always shout")
        run = await it.start()
        question = await face.next()
        assert (question.params["kind"], question.params["toolCallId"]) == ("trust", "")
        assert question.params["decisions"] == ["accept", "acceptForSession", "decline"]
        question.decide("accept")
        await it.floor_ended(run)
        assert "always shout" in it.model.requests[0].system
        assert TrustStore(it.home).answer(it.root) is True


async def test_trust_for_the_session_holds_for_this_server_and_is_not_kept(tmp_path):
    async with at_desk(tmp_path, answer("hi"), answer("hi"), trusted=False) as (it, face):
        it.put("AGENTS.md", "always shout")
        run = await it.start()
        (await face.next()).decide("acceptForSession")
        await it.floor_ended(run)
        await it.floor_ended(await it.start())
        assert ["always shout" in request.system for request in it.model.requests] == [True, True]
        assert TrustStore(it.home).answer(it.root) is None


# Answers that are none


@pytest.mark.parametrize("how", ["null", "error"])
async def test_null_and_an_error_are_a_no(tmp_path, how):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.reply(None) if how == "null" else question.fail(-32603)
        await it.floor_ended(run)
        assert path.read_text() == "one\ntwo\nthree\n"
        assert "The user declined this" in face.told()
        assert face.pickers == []


async def test_a_client_without_the_method_after_all_is_asked_as_every_client_is(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.fail(-32601)
        (await it.next_question()).choose("Accept")
        await it.floor_ended(run)
        assert path.read_text() == "one\n2\nthree\n"


def _edited(*items: Any) -> dict[str, Any]:
    return {"decision": "accept", "edited": list(items)}


MALFORMED = [
    "accept",
    True,
    [],
    {},
    {"decision": "yes"},
    {"decision": None},
    {"decision": "accept", "sure": True},
    {"decision": "accept", "feedback": 3},
    {"decision": "accept", "hunks": "all"},
    {"decision": "accept", "hunks": []},
    {"decision": "accept", "hunks": ["9-00000000"]},
    _edited("text"),
    _edited({"uri": "file:///elsewhere.txt", "newText": "x"}),
    _edited({"uri": "untitled:1", "newText": "x"}),
    _edited({"uri": "HERE", "text": "x"}),
    _edited({"uri": "HERE", "newText": "a\0b"}),
    _edited({"uri": "HERE", "newText": "\ud800"}),
    _edited({"uri": "HERE", "newText": "one\ntwo\nthree\n"}),
    _edited({"uri": "HERE", "newText": "x"}, {"uri": "HERE", "newText": "y"}),
    {"decision": "accept", "hunks": ["1-x"], "edited": [{"uri": "HERE", "newText": "x"}]},
]


@pytest.mark.parametrize("reply", MALFORMED, ids=ascii)
async def test_after_a_malformed_answer_the_question_goes_out_once_more_by_the_floor(tmp_path, reply):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        if isinstance(reply, dict):
            for item in reply.get("edited", []):
                if isinstance(item, dict) and item["uri"] == "HERE":
                    item["uri"] = path.as_uri()
        question.reply(reply)
        again = await it.next_question()
        assert path.read_text() == "one\ntwo\nthree\n"
        assert [each["id"] for each in (await it.command("approvals"))["approvals"]] == [
            question.params["id"]
        ]
        again.choose("Accept")
        await it.floor_ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        assert (len(face.requests), len(face.pickers)) == (1, 1)


async def test_a_command_has_no_text_to_edit(tmp_path):
    script = [answer("", call("bash", {"command": "touch x"})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, face):
        run = await it.start()
        (await face.next()).decide("accept", edited=[{"uri": it.root.as_uri(), "newText": "touch y"}])
        (await it.next_question()).choose("Decline")
        await it.floor_ended(run)
        assert not (it.root / "x").exists()


# Answered elsewhere, withdrawn


async def test_an_answer_by_command_takes_the_question_away(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        await it.command("approve", {"id": question.params["id"], "decision": "decline"})
        cancelled = await it.client.wait_for_method("$/cancelRequest")
        assert cancelled["params"] == {"id": face.requests[0]["id"]}
        question.decide("accept")  # too late
        await it.floor_ended(run)
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_an_abort_withdraws_the_question(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, _ = await proposed(it, face)
        await it.command("abort")
        cancelled = await it.client.wait_for_method("$/cancelRequest")
        assert cancelled["params"] == {"id": face.requests[0]["id"]}
        await it.floor_ended(run)
        (resolved,) = await face.resolved()
        assert resolved["decision"] == "withdrawn"
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_a_client_that_is_lost_has_said_nothing(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, _ = await proposed(it, face)
        it.client.close_output()
        await it.client.wait_for_end()
        assert "interrupted" in (await it.floor_ended(run)).lower()
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_several_questions_are_open_at_once_and_answered_in_any_order(tmp_path):
    def by_prompt(request, signal):
        name = "b.txt" if "b" in request.messages[0].content[0].text else "a.txt"
        has_result = len(request.messages) > 1

        async def stream():
            for step in answer("done") if has_result else answer("", edit_call(name, "two", "2")):
                yield step

        return stream()

    async with at_desk(tmp_path, *[by_prompt] * 4) as (it, face):
        paths = {name: it.put(f"{name}.txt", "two\n") for name in "ab"}
        runs = {name: await it.start(name) for name in "ab"}
        asked = [await face.next(), await face.next()]
        by_run = {question.params["run"]: question for question in asked}
        by_run[runs["b"]].decide("accept")
        await it.floor_ended(runs["b"])
        assert [path.read_text() for path in paths.values()] == ["two\n", "2\n"]
        by_run[runs["a"]].decide("accept")
        await it.floor_ended(runs["a"])
        assert [path.read_text() for path in paths.values()] == ["2\n", "2\n"]


# Edited


@pytest.mark.parametrize("place", ["on the disk", "in the editor"])
async def test_what_the_user_has_edited_is_written_and_the_model_is_told(tmp_path, place):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path = it.put("a.txt", "one\ntwo\nthree\n")
        uri = it.editor.open(path) if place == "in the editor" else path.as_uri()
        run = await it.start()
        mine = "one\nzwei\nthree\nfour"
        (await face.next()).decide("accept", edited=[{"uri": uri, "newText": mine}])
        await it.floor_ended(run)
        assert (it.editor.buffers[uri].text if place == "in the editor" else path.read_text()) == mine
        assert "The user changed your text before accepting it" in face.told()
        assert "-2\n+zwei\n" in face.told()
        (resolved,) = await face.resolved()
        assert (resolved["decision"], resolved["edited"]) == ("accept", True)
        assert "hunks" not in resolved


async def test_a_new_file_is_made_with_the_bytes_of_the_user(tmp_path):
    async with at_desk(tmp_path, *CREATION) as (it, face):
        run = await it.start()
        question = await face.next()
        question.decide("accept", edited=[{"uri": question.change["uri"], "newText": "mine\r\nno end"}])
        await it.floor_ended(run)
        assert (it.root / "new.txt").read_bytes() == b"mine\r\nno end"
        assert "-theirs\n+mine" in face.told()


async def test_line_ends_of_an_edited_text_become_those_of_the_file(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face, "one\r\ntwo\r\n")
        question.decide("accept", edited=[{"uri": path.as_uri(), "newText": "one\ntwo and\na half\n"}])
        await it.floor_ended(run)
        assert path.read_bytes() == b"one\r\ntwo and\r\na half\r\n"


async def test_an_edit_that_changes_nothing_of_the_proposal_is_a_plain_yes(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("accept", edited=[{"uri": path.as_uri(), "newText": "one\n2\nthree\n"}])
        await it.floor_ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        assert "changed your text" not in face.told()
        assert "edited" not in (await face.resolved())[0]


async def test_a_uri_may_be_spelt_as_the_client_spells_it(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        spelt = path.as_uri().replace("a.txt", "%61.txt")
        question.decide("accept", edited=[{"uri": spelt, "newText": "mine\n"}])
        await it.floor_ended(run)
        assert path.read_text() == "mine\n"


async def test_only_the_chosen_hunks_are_made_and_the_model_is_told(tmp_path):
    async with at_desk(tmp_path, *FOUR_EDITS) as (it, face):
        path, run, question = await proposed(it, face, TEXT)
        chosen = [question.hunks[0], question.hunks[2]]
        question.decide("accept", hunks=chosen)
        await it.floor_ended(run)
        assert path.read_text() == TEXT.replace("line 5\n", "LINE 5\n").replace("line 25\n", "LINE 25\n")
        assert "-LINE 15\n+line 15\n" in face.told()
        (resolved,) = await face.resolved()
        assert resolved["hunks"] == chosen
        assert "edited" not in resolved


async def test_all_hunks_are_a_plain_yes(tmp_path):
    delete = answer("", call("delete", {"path": "a.txt"}))
    async with at_desk(tmp_path, ONE_EDIT[0], delete, answer("done")) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("accept", hunks=question.hunks)
        deletion = await face.next()
        assert path.read_text() == "one\n2\nthree\n"
        assert "changed your text" not in face.told()
        deletion.decide("accept", hunks=deletion.hunks)
        await it.floor_ended(run)
        assert not path.exists()
        assert [resolved.get("hunks") for resolved in await face.resolved()] == [None, None]


async def test_a_file_is_not_deleted_otherwise_than_asked(tmp_path):
    script = [answer("", call("delete", {"path": "a.txt"})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, face):
        path, run, question = await proposed(it, face)
        question.decide("accept", edited=[{"uri": path.as_uri(), "newText": "one\n"}])
        (await it.next_question()).choose("Decline")
        await it.floor_ended(run)
        assert path.read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("how", ["edited", "hunks"])
async def test_the_command_takes_edits_as_the_request_does(tmp_path, how):
    async with at_desk(tmp_path, *FOUR_EDITS) as (it, face):
        path, run, question = await proposed(it, face, TEXT)
        given = {
            "edited": [{"uri": path.as_uri(), "newText": "mine\n"}],
            "hunks": question.hunks[:1],
        }
        await it.command("approve", {"id": question.params["id"], "decision": "accept", how: given[how]})
        await it.floor_ended(run)
        wanted = {"edited": "mine\n", "hunks": TEXT.replace("line 5\n", "LINE 5\n")}
        assert path.read_text() == wanted[how]
        assert (await face.resolved())[0][how] == {"edited": True, "hunks": question.hunks[:1]}[how]


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({"hunks": ["9-00000000"]}, "badAnswer", "9-00000000"),
        ({"edited": [{"uri": "file:///elsewhere.txt", "newText": ""}]}, "badAnswer", "elsewhere.txt"),
        ({"hunks": [], "edited": []}, "badAnswer", "Either edited or hunks"),
        ({"edited": {"uri": "x"}}, None, "edited"),
        ({"edited": [{"uri": "x"}]}, None, "edited.0.newText"),
    ],
)
async def test_edits_that_do_not_fit_get_an_error_from_the_command_and_leave_the_question_open(
    tmp_path, given, code, says
):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        with pytest.raises(AnsweredWithError) as raised:
            await it.command("approve", {"id": question.params["id"], "decision": "accept", **given})
        assert raised.value.data.get("code") == code
        assert says in raised.value.message
        question.decide("accept")
        await it.floor_ended(run)
        assert path.read_text() == "one\n2\nthree\n"


async def test_edits_follow_a_base_that_moved_elsewhere(tmp_path):
    async with at_desk(tmp_path, *FOUR_EDITS) as (it, face):
        path, run, question = await proposed(it, face, TEXT)
        path.write_text("a new first line\n" + TEXT)
        question.decide("accept", hunks=question.hunks[3:])
        await it.floor_ended(run)
        assert path.read_text() == "a new first line\n" + TEXT.replace("line 35", "LINE 35")


async def test_edits_that_would_come_out_otherwise_on_a_base_that_moved_are_asked_about_again(tmp_path):
    async with at_desk(tmp_path, *FOUR_EDITS) as (it, face):
        path, run, question = await proposed(it, face, TEXT)
        moved = TEXT.replace("line 5\n", "LINE 5\n")
        path.write_text(moved)  # somebody has made one of the two already
        question.decide("accept", hunks=question.hunks[:2])
        again = await face.next()
        assert again.params["supersedes"] == question.params["id"] != again.params["id"]
        assert "supersedes" not in question.params
        assert again.change["base"]["sha256"] == hashlib.sha256(moved.encode()).hexdigest()
        assert "-line 15\n+LINE 15\n" in again.change["diff"]
        assert "LINE 25" not in again.change["diff"], "what was left out stays out"
        assert path.read_text() == moved
        again.decide("accept")
        await it.floor_ended(run)
        assert path.read_text() == moved.replace("line 15\n", "LINE 15\n")


async def test_edits_that_overlap_with_what_has_changed_write_nothing(tmp_path):
    async with at_desk(tmp_path, *ONE_EDIT) as (it, face):
        path, run, question = await proposed(it, face)
        path.write_text("one\nsomebody's\nthree\n")
        question.decide("accept", edited=[{"uri": path.as_uri(), "newText": "one\nmine\nthree\n"}])
        await it.floor_ended(run)
        assert path.read_text() == "one\nsomebody's\nthree\n"
        assert "changed meanwhile in the same place" in face.told()


# Long texts


async def test_a_diff_that_is_too_long_is_left_out_and_its_texts_can_be_asked_for(tmp_path):
    content = "a line that is as long as others are\n" * (MAX_DIFF // 30)
    script = [answer("", call("write", {"path": "a.txt", "content": content})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, face):
        run = await it.start()
        question = await face.next()
        assert (question.change["truncated"], question.change["diff"]) == (True, "")
        asked = {"id": question.params["id"]}
        texts = await it.client.request("steersman/approvalTexts", asked)
        assert texts == {"changes": [{"uri": question.change["uri"], "oldText": "", "newText": content}]}
        assert faults(texts, {"$ref": "#/$defs/ApprovalTextsAnswer"}, SCHEMA) == []
        question.decide("accept")
        await it.floor_ended(run)
        with pytest.raises(AnsweredWithError) as raised:
            await it.client.request("steersman/approvalTexts", asked)
        assert raised.value.data == {"code": "alreadyAnswered", **asked}


async def test_few_but_long_lines_are_too_long_too(tmp_path):
    script = [answer("", call("write", {"path": "a.txt", "content": "x" * MAX_DIFF})), answer("done")]
    async with at_desk(tmp_path, *script) as (it, face):
        run = await it.start()
        question = await face.next()
        assert (question.change["truncated"], question.change["diff"]) == (True, "")
        question.decide("decline")
        await it.floor_ended(run)


@pytest.mark.parametrize(
    ("given", "code", "data"),
    [
        ({"id": "apr_unknown"}, -32803, {"code": "unknownApproval", "id": "apr_unknown"}),
        ({"id": 3}, -32602, None),
        ({}, -32602, None),
        (None, -32602, None),
        (["apr_unknown"], -32602, None),
    ],
)
async def test_texts_of_no_question_are_refused(tmp_path, given, code, data):
    async with at_desk(tmp_path) as (it, _):
        with pytest.raises(AnsweredWithError) as raised:
            await it.client.request("steersman/approvalTexts", given)
        assert raised.value.code == code
        if data is not None:
            assert raised.value.data == data


# Any edit


@settings(max_examples=25, deadline=None)
@given(chosen=st.sets(st.sampled_from(PLACES), min_size=1), in_editor=st.booleans())
def test_whichever_hunks_are_chosen_those_and_no_others_are_made(tmp_path_factory, chosen, in_editor):
    async def run():
        async with at_desk(tmp_path_factory.mktemp("x"), *FOUR_EDITS) as (it, face):
            path = it.put("a.txt", TEXT)
            uri = it.editor.open(path) if in_editor else path.as_uri()
            started = await it.start()
            question = await face.next()
            ids = dict(zip(PLACES, question.hunks, strict=True))
            question.decide("accept", hunks=[ids[place] for place in chosen])
            await it.floor_ended(started)
            wanted = TEXT
            for place in chosen:
                wanted = wanted.replace(f"line {place}\n", f"LINE {place}\n")
            assert (it.editor.buffers[uri].text if in_editor else path.read_text()) == wanted

    asyncio.run(run())


LINES = st.lists(st.sampled_from(["one\n", "two\n", "2\n", "three\n", "ünï\n", "😀\n", "\n", "no end"]))


@settings(max_examples=40, deadline=None)
@given(lines=LINES, creates=st.booleans())
def test_whatever_the_user_has_made_of_it_is_what_is_there(tmp_path_factory, lines, creates):
    text = "".join(lines)

    async def run():
        base = tmp_path_factory.mktemp("x")
        async with at_desk(base, *(CREATION if creates else ONE_EDIT)) as (it, face):
            path = it.root / "new.txt" if creates else it.put("a.txt", "one\ntwo\nthree\n")
            started = await it.start()
            (await face.next()).decide("accept", edited=[{"uri": path.as_uri(), "newText": text}])
            if not creates and text == "one\ntwo\nthree\n":  # no change is no answer
                (await it.next_question()).choose("Decline")
            await it.floor_ended(started)
            assert path.read_bytes() == text.encode()

    asyncio.run(run())
