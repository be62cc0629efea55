"""A transcript that goes on with its session: as a private file that only can be read, or as a document of ours."""

import asyncio
import stat
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from steersman.lsp.transcripts import INTERVAL, MAX_KEPT
from steersman.session.housekeeping import DIFF_AGE, tidy
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import WORKSPACE, desk, edit_call, edits
from support.scripted_model import answer, call

CONTENT, REFRESH = "workspace/textDocumentContent", "workspace/textDocumentContent/refresh"
VIRTUAL = {**WORKSPACE, "textDocumentContent": {}}


def shows(it):
    it.client.on_request("window/showDocument", lambda params: {"success": True})


async def shown(it):
    """The path that the client was told to show."""
    told = await it.client.wait_for_method("window/showDocument")
    return Path(told["params"]["uri"].removeprefix("file://"))


def times_shown(it, path):
    shown = it.client.of_method("window/showDocument")
    return [message["params"]["uri"] for message in shown].count(path.as_uri())


async def until(it, path, text):
    """Lets time pass until a transcript has a text."""
    for _ in range(20):
        if text in path.read_text():
            return
        await it.clock.let_pass(INTERVAL)
        await it.heard()
    raise AssertionError(path.read_text())


async def test_it_is_a_private_file_that_only_can_be_read(tmp_path):
    async with desk(tmp_path, answer("The answer is 42.")) as it:
        shows(it)
        await it.ended(await it.start("what is the answer?"))
        told = await it.command("transcript")
        path = await shown(it)
        assert path.as_uri() == told["uri"]
        assert path == it.home.transcripts / f"{told['session']}.md"
        assert "what is the answer?" in path.read_text()
        assert "> The answer is 42." in path.read_text()
        modes = [stat.S_IMODE(each.stat().st_mode) for each in (path.parent, path)]
        assert [oct(mode) for mode in modes] == ["0o700", "0o400"]


async def test_it_goes_on_with_the_run_and_says_what_is_under_way(tmp_path):
    script = [
        answer("First I look.", call("read", {"path": "a.txt"})),
        answer("", edit_call("a.txt", "two", "2")),
        answer("It is done."),
    ]
    async with desk(tmp_path, *script) as it:
        shows(it)
        it.put("a.txt", "two\n")
        run = await it.start("change it")
        question = await it.next_question()
        await it.command("transcript")
        path = await shown(it)
        assert "First I look." in path.read_text()
        assert "*Waiting for you: Edit a.txt (+1 −1)*" in path.read_text()
        question.choose("Accept")
        await it.ended(run)
        await until(it, path, "> It is done.")
        text = path.read_text()
        assert "Waiting for you" not in text
        assert "· done" in text
        assert text.count("# change it") == 1


async def test_what_was_said_until_it_is_asked_for_again_is_in_it(tmp_path):
    async with desk(tmp_path, answer("one"), answer("two")) as it:
        shows(it)
        await it.ended(await it.start("first"))
        session = (await it.command("transcript"))["session"]
        path = await shown(it)
        await it.ended(await it.start("second", session=session))
        it.client.received.clear()
        await it.command("transcript")
        assert "> two" in (await shown(it)).read_text()
        assert path.read_text().count("> two") == 1


async def test_it_is_written_no_more_often_than_its_interval_says(tmp_path):
    async with desk(tmp_path, *(answer("", call("ls", {})) for _ in range(5)), answer("enough")) as it:
        shows(it)
        first = await it.start("look", mode="full-auto", budget={"turns": 1})
        await it.ended(first)
        session = (await it.command("status"))["sessions"][0]["session"]
        await it.command("transcript", session)
        path = await shown(it)
        before = path.stat().st_ino
        await it.ended(await it.start("and again", session=session))
        await it.heard()
        assert path.stat().st_ino == before
        await until(it, path, "> enough")


class HeldThreads(ThreadPoolExecutor):
    """Does at once what it is given, except the first thing: that is done when the test lets it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.begun = asyncio.Event()
        self._held: Callable[[], None] | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()

        def work() -> None:
            future.set_result(fn(*args, **kwargs))

        if self.begun.is_set():
            work()
        else:
            self._held = work
            self.begun.set()
        return future

    def let_go_on(self) -> None:
        assert self._held is not None
        self._held()


async def test_one_that_is_no_longer_updated_and_asked_for_again_is_not_written_over_by_what_was_under_way(
    tmp_path,
):
    async with desk(tmp_path, *(answer(f"answer {n}") for n in range(MAX_KEPT + 3))) as it:
        shows(it)
        loop, sessions = asyncio.get_running_loop(), []
        loop.set_default_executor(ThreadPoolExecutor(1))
        for _ in range(MAX_KEPT + 1):
            started = await it.command("start", "first")
            await it.ended(started["run"])
            sessions.append(started["session"])
        session, *others = sessions
        await it.command("transcript", session)
        path = await shown(it)
        await it.ended(await it.start("second", session=session))
        await it.heard()
        await asyncio.to_thread(int)  # all that was begun in the thread is done
        threads = HeldThreads()
        loop.set_default_executor(threads)
        await it.clock.let_pass(INTERVAL)
        await threads.begun.wait()
        for other in others:
            await it.command("transcript", other)
        await it.ended(await it.start("third", session=session))
        await it.command("transcript", session)
        await it.heard()
        threads.let_go_on()
        await it.client.wait_for(lambda _: times_shown(it, path) == 2)
        assert f"> answer {MAX_KEPT + 2}" in path.read_text()


async def test_what_is_streamed_is_in_it_when_it_is_whole(tmp_path):
    async def halting(request, signal):
        for step in answer("half of it")[:-1]:
            yield step
        await signal.wait()

    async with desk(tmp_path, halting) as it:
        shows(it)
        await it.start("say it")
        await it.client.wait_for(lambda _: len(it.events("message_update")) > 0)
        await it.command("transcript")
        path = await shown(it)
        assert "half" not in path.read_text()
        assert "a run is under way" in path.read_text()


async def test_a_session_that_goes_back_has_the_other_branch_in_it(tmp_path):
    async with desk(tmp_path, answer("old answer"), answer("new answer")) as it:
        shows(it)
        await it.ended(await it.start("old question"))
        session = (await it.command("transcript"))["session"]
        path = await shown(it)
        assert "old answer" in path.read_text()
        message = next(e for e in it.events("message_end") if e["data"]["role"] == "user")["data"][
            "messageId"
        ]
        await it.command("fork", {"session": session, "message": message, "place": "here"})
        await it.ended(await it.start("new question", session=session))
        await until(it, path, "new answer")
        assert "old answer" not in path.read_text()


async def test_without_a_name_it_is_the_live_one_or_the_last(tmp_path):
    async with desk(tmp_path, answer("one"), answer("", call("bash", {"command": "true"}))) as it:
        shows(it)
        await it.ended(await it.start("first"))
        await it.start("second")
        await it.next_question()
        told = await it.command("transcript")
        assert "second" in (await shown(it)).read_text()
        assert told == await it.command("transcript", told["session"])


@pytest.mark.parametrize("name", ["ses_nothing", "../../etc/passwd", ""])
async def test_a_session_that_is_not_there_is_refused(tmp_path, name):
    async with desk(tmp_path) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.command("transcript", {"session": name})
        assert refused.value.data["code"] == "unknownSession"


@pytest.mark.parametrize("window", [{}, {"showDocument": {"support": True}}], ids=["unsupported", "refused"])
async def test_where_it_can_not_be_shown_its_path_is_said(tmp_path, window):
    async with desk(tmp_path, answer("hello"), window=window) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": False})
        await it.ended(await it.start())
        await it.command("transcript")
        said = await it.client.wait_for(lambda m: "The transcript is in" in str(m.get("params")))
        (path,) = it.home.transcripts.iterdir()
        assert said["params"]["message"].endswith(str(path))


async def test_one_that_can_not_be_written_is_said(tmp_path):
    async with desk(tmp_path, answer("hello")) as it:
        await it.ended(await it.start())
        it.home.transcripts.write_text("a file in its place")
        await it.command("transcript")
        said = await it.client.wait_for_method("window/showMessage")
        assert said["params"]["message"].startswith("Steersman: The transcript could not be made: ")


async def test_one_that_can_be_shown_neither_as_a_document_nor_as_a_file_is_said(tmp_path):
    async with desk(tmp_path, answer("hello"), workspace=VIRTUAL) as it:
        it.client.on_request("window/showDocument", lambda _: {"success": False})
        await it.ended(await it.start())
        it.home.transcripts.write_text("a file in its place")
        await it.command("transcript")
        said = await it.client.wait_for_method("window/showMessage")
        assert said["params"]["message"].startswith("Steersman: The transcript could not be made: ")


async def test_a_session_is_deleted_though_its_transcript_can_not_be(tmp_path):
    async with desk(tmp_path, answer("hello")) as it:
        shows(it)
        await it.ended(await it.start())
        session = (await it.command("transcript"))["session"]
        path = await shown(it)
        path.unlink()
        (path / "in the way").mkdir(parents=True)
        assert await it.command("delete", {"session": session}) == {"session": session}


async def test_it_goes_with_its_session(tmp_path):
    async with desk(tmp_path, answer("hello")) as it:
        shows(it)
        await it.ended(await it.start())
        session = (await it.command("transcript"))["session"]
        path = await shown(it)
        await it.command("delete", {"session": session})
        assert not path.exists()


async def test_it_is_not_written_for_an_editor_that_says_too_late_that_it_does_not_show_it(tmp_path):
    async with desk(tmp_path, answer("hello"), workspace=VIRTUAL) as it:
        says = asyncio.get_running_loop().create_future()
        it.client.on_request("window/showDocument", lambda _: says)
        await it.ended(await it.start())
        session = (await it.command("transcript"))["session"]
        await it.client.wait_for_method("window/showDocument")
        await it.command("delete", {"session": session})
        says.set_result({"success": False})
        await it.heard()
        assert await it.command("sessions") == {"sessions": []}
        assert not it.home.transcripts.exists()
        assert it.client.of_method("window/showMessage") == []


async def test_old_ones_are_taken_away(tmp_path):
    async with desk(tmp_path, answer("hello")) as it:
        shows(it)
        await it.ended(await it.start())
        await it.command("transcript")
        path = await shown(it)
        made = path.stat().st_mtime
        tidy(it.home, now=made + DIFF_AGE - 1)
        assert path.exists()
        tidy(it.home, now=made + DIFF_AGE + 1)
        assert not path.exists()


async def test_it_is_no_file_where_the_client_asks_for_the_text(tmp_path):
    async with desk(tmp_path, answer("one"), answer("two"), workspace=VIRTUAL) as it:
        shows(it)
        it.client.on_request(REFRESH, lambda _: None)
        await it.ended(await it.start("first"))
        told = await it.command("transcript")
        assert told["uri"] == f"steersman:/transcripts/{told['session']}.md"
        await it.client.wait_for_method("window/showDocument")
        assert "> one" in (await it.client.request(CONTENT, {"uri": told["uri"]}))["text"]
        await it.ended(await it.start("second", session=told["session"]))
        await it.clock.let_pass(INTERVAL)
        await it.client.wait_for_method(REFRESH)
        assert "> two" in (await it.client.request(CONTENT, {"uri": told["uri"]}))["text"]
        assert not it.home.transcripts.exists()


async def test_one_that_an_earlier_server_has_shown_is_there_again(tmp_path):
    async with desk(tmp_path, answer("one")) as it:
        session = (await it.command("start", "first"))["session"]
        await it.client.wait_for(lambda _: len(it.events("agent_end")) > 0)
    async with desk(tmp_path, workspace=VIRTUAL) as it:
        uri = f"steersman:/transcripts/{session}.md"
        assert "> one" in (await it.client.request(CONTENT, {"uri": uri}))["text"]


async def test_a_long_answer_says_where_the_whole_of_it_is(tmp_path):
    async with desk(tmp_path, answer("long " * 200), rich=False) as it:
        await it.floor_ended(await it.start())
        said = await it.client.wait_for_method("window/showMessage")
        assert "Show the transcript" in said["params"]["message"]
        assert "steersman.transcript" in said["params"]["message"]


async def test_a_file_that_is_edited_stands_in_it_with_its_diff(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2")), mode="auto-edit") as it:
        shows(it)
        it.put("a.txt", "two\n")
        await it.ended(await it.start())
        await it.command("transcript")
        assert "-two\n+2\n" in (await shown(it)).read_text()
