"""A folder's own instructions are strangers' words until the user trusts the folder."""

import asyncio

import pytest

from steersman.session.approvals import Answer, Question
from steersman.session.errors import Refused
from steersman.session.home import Home
from steersman.session.trust import TrustStore
from support.manual_clock import settle
from support.scripted_model import answer, call
from support.session_harness import Person

WRITE = answer("", call("write", {"path": "a.txt", "content": "x\n"}))


def system(h) -> str:
    return h.model.requests[-1].system


async def test_a_trusted_folders_instructions_are_followed_and_it_is_asked_once(harness):
    person = Person("accept")
    h = harness(answer("one"), answer("two"), answer("three"), person=person, trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    run = await h.run()
    assert "Speak like a pirate." in system(h)
    assert person.kinds == ["trust"]
    await h.run("more", session=run.session)
    await h.close()
    h.restart(answer("three"))
    await h.run("more")
    assert "Speak like a pirate." in system(h)
    assert len(person.asked) == 1


async def test_an_untrusted_folders_instructions_are_not_loaded(harness):
    person = Person("decline")
    h = harness(answer("one"), answer("two"), person=person, trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    await h.run()
    await h.run()
    assert "pirate" not in repr(h.model.requests)
    assert len(person.asked) == 1
    assert h.of("notice") == []


async def test_with_nobody_to_ask_they_are_not_loaded_and_the_run_says_so_before_its_first_request(harness):
    h = harness(answer("one"), trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    await h.run()
    assert "pirate" not in system(h)
    (notice,) = h.of("notice")
    assert "--trust" in notice["message"]
    assert h.types.index("notice") < h.types.index("turn_start")
    assert TrustStore(h.home).answer(h.root) is None, "nobody has said no"


async def test_a_mode_looser_than_ask_needs_a_trusted_folder(harness):
    h = harness(WRITE, answer("ok"), mode="full-auto", trusts_all=False)
    await h.run()
    assert h.outcomes == ["denied"]
    assert "mode full-auto is not used" in h.of("notice")[0]["message"]
    assert h.of("config")[-1]["mode"] == "ask"


async def test_where_no_folder_is_trusted_what_was_said_before_does_not_count_and_nobody_is_asked(harness):
    person = Person("decline")
    h = harness(WRITE, answer("ok"), mode="full-auto", person=person, trusts_all=True)
    h.put("AGENTS.md", "Speak like a pirate.")
    h.put(".steersman/templates/mine.md", "the template's words")
    TrustStore(h.home).remember(h.root, True)
    h.services.trusts_none = True
    await h.run()
    assert person.kinds == ["create"], "the mode is not looser than ask"
    assert "pirate" not in system(h)
    assert "trust the workspace in the editor" in h.of("notice")[0]["message"]
    with pytest.raises(Refused, match="trust"):
        await h.run("/mine")


async def test_in_a_folder_that_the_user_trusts_when_asked_the_mode_holds(harness):
    person = Person("accept")
    h = harness(WRITE, answer("ok"), mode="auto-edit", person=person, trusts_all=False)
    await h.run()
    assert h.outcomes == ["ok"]
    assert person.kinds == ["trust"]


async def test_a_folder_that_wants_nothing_is_not_asked_about(harness):
    person = Person("accept")
    h = harness(answer("one"), person=person, trusts_all=False)
    await h.run()
    assert person.asked == []


async def test_a_loose_mode_needs_trust_in_every_folder(harness):
    person = Person("accept", "decline", "decline")
    h = harness(
        WRITE, answer("ok"), mode="auto-edit", person=person, trusts_all=False, folders=("one", "two")
    )
    await h.run()
    assert person.kinds == ["trust", "trust", "create"]
    assert h.outcomes == ["denied"]


@pytest.mark.parametrize(("decision", "followed"), [("accept", True), ("decline", False)])
async def test_two_runs_that_ask_about_a_folder_at_once_have_one_answer(harness, decision, followed):
    asked: list[asyncio.Future[Answer]] = []

    class Waits:
        async def ask(self, question: Question) -> Answer:
            asked.append(asyncio.get_running_loop().create_future())
            return await asked[-1]

    h = harness(answer("one"), answer("two"), person=Waits(), trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    runs = [await h.start("first"), await h.start("second")]
    await settle()
    assert len(asked) == 2
    asked[1].set_result(Answer(decision))
    await runs[1].wait()
    assert asked[0].cancelled(), "it is not left on the screen"
    await runs[0].wait()
    assert [data["decision"] for data in h.of("approval_resolved")] == [decision] * 2
    assert [("pirate" in request.system) for request in h.model.requests] == [followed] * 2
    assert TrustStore(h.home).answer(h.root) is followed


async def test_an_abort_while_trust_is_asked_ends_the_run_without_a_request(harness):
    async def abort(_):
        h.manager.abort()

    h = harness(person=Person(abort), trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    await h.run("the task")
    assert h.end["stopReason"] == "aborted"
    assert h.end["undelivered"] == [{"kind": "prompt", "text": "the task"}]
    assert h.of("approval_resolved")[0]["decision"] == "withdrawn"
    assert h.model.requests == []


def test_an_answer_that_cant_be_kept_holds_for_this_process(tmp_path):
    home = Home(tmp_path / "home")
    (tmp_path / "home").write_text("in the way")
    store = TrustStore(home)
    with pytest.raises(Exception, match="can't be kept"):
        store.remember(tmp_path, True)
    assert store.answer(tmp_path) is True
    assert TrustStore(home).answer(tmp_path) is None


@pytest.mark.parametrize("text", ["", "garbage", "[]", '{"/x": "yes"}', "\x00"])
def test_an_unreadable_store_is_no_trust(tmp_path, text):
    home = Home(tmp_path)
    home.trust.write_text(text)
    store = TrustStore(home)
    assert store.answer(tmp_path) is None
    store.remember(tmp_path, True)
    store.remember(tmp_path / "b", False)
    assert TrustStore(home).answer(tmp_path) is True
    assert TrustStore(home).answer(tmp_path / "b") is False
    assert home.trust.stat().st_mode & 0o077 == 0


async def test_an_answer_that_can_not_be_kept_holds_for_the_run_and_the_user_hears_of_it(harness):
    h = harness(answer("one"), person=Person("accept"), trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    h.home.trust.mkdir(parents=True)
    await h.run()
    assert "pirate" in system(h)
    assert "can't be kept" in h.of("notice")[0]["message"]


async def test_trust_for_the_session_holds_for_this_server_and_is_not_kept(harness):
    person = Person("acceptForSession", "decline")
    h = harness(answer("one"), answer("two"), person=person, trusts_all=False)
    h.put("AGENTS.md", "Speak like a pirate.")
    await h.run()
    await h.run()
    assert "pirate" in system(h)
    assert len(person.asked) == 1
    assert TrustStore(h.home).answer(h.root) is None
