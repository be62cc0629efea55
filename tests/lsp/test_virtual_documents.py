"""Documents that are no files, for clients that ask for their text: a question's diff, answered in it, gone with it."""

import asyncio

import pytest

from steersman.lsp.refreshes import Refreshes
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import LIMITS, WINDOW, WORKSPACE, desk, edits
from support.manual_clock import ManualClock, settle

ONE_EDIT = edits("a.txt", ("two", "2"))
VIRTUAL = {**WORKSPACE, "textDocumentContent": {"dynamicRegistration": True}}
CONTENT, REFRESH = "workspace/textDocumentContent", "workspace/textDocumentContent/refresh"


class Viewer:
    """Shows documents that are no files: asks for their text, and opens them if it is attached to such."""

    def __init__(self, it, *, attached=True, succeeds=True):
        self.it, self.attached, self.succeeds = it, attached, succeeds
        self.texts = {}
        self.opened = asyncio.Event()
        it.client.on_request("window/showDocument", self.show)
        it.client.on_request(REFRESH, self.refresh)

    @property
    def uri(self):
        (uri,) = self.texts
        return uri

    async def show(self, params):
        if not self.succeeds:
            return {"success": False}
        await self.refresh(params)
        if self.attached:
            self.open(params["uri"])
        return {"success": True}

    async def refresh(self, params):
        self.texts[params["uri"]] = (await self.it.client.request(CONTENT, {"uri": params["uri"]}))["text"]

    def open(self, uri):
        self.opened.set()
        item = {"uri": uri, "languageId": "diff", "version": 1, "text": self.texts[uri]}
        self.it.client.notify("textDocument/didOpen", {"textDocument": item})

    def close(self, uri):
        self.it.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


async def asked(it):
    path = it.put("a.txt", "one\ntwo\n")
    run = await it.start()
    return path, run, await it.next_question()


async def test_whoever_can_show_them_is_told_of_the_scheme_and_nobody_else(tmp_path):
    for workspace, window, told in (
        (VIRTUAL, WINDOW, {"schemes": ["steersman"]}),
        (WORKSPACE, WINDOW, None),
        (VIRTUAL, {}, None),
    ):
        async with desk(tmp_path, initialize=False) as it:
            result = await it.client.initialize(capabilities={"workspace": workspace, "window": window})
            assert result["capabilities"]["workspace"].get("textDocumentContent") == told


async def test_the_diff_is_no_file_and_its_question_put_again_when_it_is_closed(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, workspace=VIRTUAL) as it:
        viewer = Viewer(it)
        path, run, question = await asked(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        await viewer.opened.wait()
        await it.heard()
        assert "-two\n+2\n" in viewer.texts[viewer.uri]
        assert viewer.uri.startswith("steersman:/questions/")
        assert viewer.uri.endswith("/a.txt.diff")
        assert not it.home.diffs.exists()
        assert it.questions.empty()
        viewer.close(viewer.uri)
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\n"


async def test_it_is_answered_in_the_diff_however_that_is_escaped_and_the_diff_says_that_it_is_over(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, workspace=VIRTUAL) as it:
        viewer = Viewer(it)
        path, run, question = await asked(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        await viewer.opened.wait()
        await it.heard()
        escaped = viewer.uri.replace("a.txt", "a%2Etxt")
        actions = await it.code_actions(escaped)
        assert [action["title"] for action in actions] == [
            f"{title}: Edit a.txt (+1 −1)"
            for title in ("Accept", "Accept all in this run", "Decline", "Stop")
        ]
        await it.client.request("workspace/executeCommand", actions[0]["command"])
        await it.ended(run)
        assert path.read_text() == "one\n2\n"
        await it.client.wait_for_method(REFRESH)
        await it.heard()
        assert viewer.texts[viewer.uri].startswith("This question is closed")
        assert await it.code_actions(viewer.uri) == []


async def test_a_client_that_is_not_attached_to_it_is_asked_again_beside_it(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, workspace=VIRTUAL) as it:
        Viewer(it, attached=False)
        _, run, question = await asked(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        await it.heard()
        await it.clock.let_pass(LIMITS.show_document)
        again = await it.next_question()
        assert again.message == question.message
        assert it.client.of_method("window/showMessage") == []
        assert not it.home.diffs.exists()
        again.choose("Decline")
        await it.ended(run)


async def test_where_it_can_not_be_shown_there_is_a_file_and_the_diff_is_in_the_question(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, workspace=VIRTUAL) as it:
        Viewer(it, succeeds=False)
        _, run, question = await asked(it)
        question.choose("Show diff")
        again = await it.next_question()
        (diff,) = it.home.diffs.iterdir()
        assert "-two\n+2\n" in again.message
        assert str(diff) in again.message
        again.choose("Decline")
        await it.ended(run)
        assert list(it.home.diffs.iterdir()) == []


@pytest.mark.parametrize(
    "uri",
    ["steersman:/", "steersman:/nothing/x", "steersman:/transcripts/../x.md", "file:///etc/passwd", "::"],
)
async def test_there_are_no_other_documents(tmp_path, uri):
    async with desk(tmp_path, workspace=VIRTUAL) as it:
        with pytest.raises(AnsweredWithError, match="There is no document"):
            await it.client.request(CONTENT, {"uri": uri})


@pytest.mark.parametrize("params", [None, {}, {"uri": 5}, []])
async def test_a_request_that_names_none_is_told_what_it_lacks(tmp_path, params):
    async with desk(tmp_path, workspace=VIRTUAL) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.client.request(CONTENT, params)
        assert refused.value.code == -32602


async def test_a_client_that_did_not_say_so_is_not_asked_to_serve_it(tmp_path):
    async with desk(tmp_path) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.client.request(CONTENT, {"uri": "steersman:/questions/x"})
        assert refused.value.code == -32601


class AnsweringAtOnce:
    """A connection to a client that answers everything at once."""

    def __init__(self):
        self.requests = []

    async def request(self, method, params, *, timeout):
        self.requests.append(params)


@pytest.mark.parametrize("moment", range(20))
async def test_a_reason_to_ask_again_is_never_lost(moment):
    rpc = AnsweringAtOnce()
    refreshes = Refreshes(rpc, LIMITS, ManualClock())
    refreshes.ask(REFRESH)
    for _ in range(moment):
        await asyncio.sleep(0)
    before = len(rpc.requests)
    refreshes.ask(REFRESH)
    await settle()
    assert len(rpc.requests) > before


async def test_a_client_that_answers_no_refresh_is_not_asked_twice_at_a_time(tmp_path):
    async with desk(tmp_path, workspace=VIRTUAL) as it:
        refreshes = Refreshes(it.server.rpc, it.server.services.limits, it.clock)
        refreshes.ask(REFRESH, {"uri": "steersman:/questions/x"})
        await it.client.wait_for_method(REFRESH)
        for _ in range(3):
            refreshes.ask(REFRESH, {"uri": "steersman:/questions/x"})
        await it.heard()
        assert len(it.client.of_method(REFRESH)) == 1
        await it.clock.let_pass(it.server.services.limits.refresh)
        await it.has_heard(REFRESH, times=2)
        await refreshes.close()
