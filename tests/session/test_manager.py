"""Which run and which session is meant, and every way in which a request is refused."""

import asyncio

import pytest

from steersman.models.catalog import Catalog
from steersman.session.errors import Refused
from steersman.session.said import MAX_PROMPT
from steersman.workspace.roots import Roots
from support.fake_tools import Gate
from support.scripted_model import answer
from support.session_harness import SessionHarness


def waiting(gate: Gate) -> list:
    return [gate, *answer("done")]


class Live:
    """A harness with so many live runs, each in a session of its own."""

    def __init__(self, harness, count: int, *, folders: int = 1) -> None:
        self.gates = [Gate() for _ in range(count)]
        names = [f"ws{number}" for number in range(folders)]
        self.h: SessionHarness = harness(*(waiting(gate) for gate in self.gates), folders=names)
        self.h.model.fallback = answer("more")
        self.runs = []

    async def __aenter__(self) -> "Live":
        for gate in self.gates:
            self.runs.append(await self.h.start("go"))
            await gate.reached.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        for gate in self.gates:
            gate.open()
        await asyncio.gather(*(run.wait() for run in self.runs))


async def refusal(work) -> Refused:
    with pytest.raises(Refused) as refused:
        outcome = work()
        if asyncio.iscoroutine(outcome):
            await outcome
    return refused.value


# Whose run


@pytest.mark.parametrize(
    ("live", "named", "outcome"),
    [
        (0, None, "notRunning"),
        (1, None, "taken"),
        (2, None, "ambiguous"),
        (0, "ended", "notRunning"),
        (1, "ended", "notRunning"),
        (2, "second", "taken"),
        (1, "unheard of", "unknownRun"),
        (0, "unheard of", "unknownRun"),
    ],
)
async def test_whose_run_a_message_is_for(harness, live, named, outcome):
    async with Live(harness, live) as lives:
        h = lives.h
        h.model.responses.append(answer("over"))
        ended = await h.run("short")
        run = {"ended": ended.id, "second": lives.runs[-1].id if lives.runs else "", "unheard of": "run_none"}
        target = run.get(named) if named else None
        for kind in ("steer", "followUp"):
            if outcome == "taken":
                assert h.manager.add(kind, "this", target).run is lives.runs[-1]
                continue
            refused = await refusal(lambda kind=kind: h.manager.add(kind, "this", target))
            assert refused.code == outcome
            assert refused.data["text"] == "this"
            if outcome == "ambiguous":
                assert refused.data["runs"] == [each.id for each in lives.runs]


async def test_an_abort_is_idempotent_and_needs_a_name_among_several(harness):
    async with Live(harness, 2) as lives:
        manager = lives.h.manager
        assert (await refusal(manager.abort)).code == "ambiguous"
        assert (await refusal(lambda: manager.abort("run_none"))).code == "unknownRun"
        assert manager.abort(lives.runs[0].id) is True
        assert manager.abort(lives.runs[0].id) is False
        await lives.runs[0].wait()
        assert manager.abort(lives.runs[0].id) is False
        assert manager.abort() is True, "one is left"
        await lives.runs[1].wait()
        assert manager.abort() is False


# Starts


async def test_two_pipelined_starts_in_one_session_give_one_run_and_one_error(harness):
    h = harness(answer("one"), answer("two"))
    session = (await h.run("first")).session
    for reopened in (False, True):
        if reopened:
            await h.close()
            h.restart(answer("three"))
        outcomes = await asyncio.gather(
            h.start("a", session=session), h.start("b", session=session), return_exceptions=True
        )
        (refused,) = [each for each in outcomes if isinstance(each, Refused)]
        (run,) = [each for each in outcomes if not isinstance(each, Refused)]
        assert refused.code == "busy"
        await run.wait()
        prompts = [m.content[0].text for m in h.model.requests[-1].messages if m.role == "user"]
        assert prompts[-1] == "a"
        assert "b" not in prompts


async def test_runs_have_begun_from_the_first_start_on(harness):
    h = harness(answer("one"))
    assert not h.manager.has_begun
    run = await h.start("a")
    assert h.manager.has_begun
    await run.wait()
    assert h.manager.has_begun


async def test_a_start_that_is_refused_begins_nothing(harness):
    h = harness()
    assert (await refusal(lambda: h.start(" "))).code == "emptyPrompt"
    assert not h.manager.has_begun


async def test_two_string_starts_in_one_root_give_one_run_and_one_error(harness):
    h = harness()
    h.model.fallback = answer("done")
    outcomes = await asyncio.gather(
        h.start("a", exclusive=True), h.start("b", exclusive=True), return_exceptions=True
    )
    assert [type(each) for each in outcomes].count(Refused) == 1
    run = next(each for each in outcomes if not isinstance(each, Refused))
    await run.wait()
    await h.run("c", exclusive=True)


async def test_a_string_start_is_refused_while_any_run_is_live_in_its_root_and_not_elsewhere(
    harness, tmp_path
):
    async with Live(harness, 1) as lives:
        h = lives.h
        assert (await refusal(lambda: h.start("more", exclusive=True))).code == "busy"
        other = tmp_path / "other"
        other.mkdir()
        await h.run("elsewhere", exclusive=True, roots=Roots([other]))
        await h.run("in a session of its own")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"prompt": ""}, "emptyPrompt"),
        ({"prompt": " \n"}, "emptyPrompt"),
        ({"prompt": "x" * (MAX_PROMPT + 1)}, "tooLarge"),
        ({"prompt": None}, "emptyPrompt"),
        ({"session": "ses_none"}, "unknownSession"),
        ({"session": "../ses_1"}, "unknownSession"),
        ({"session": "x" * 500}, "unknownSession"),
        ({"session": ""}, "unknownSession"),
        ({"model": "test:none"}, "unknownModel"),
    ],
)
async def test_a_start_that_cant_be_done_is_refused_and_leaves_nothing(harness, options, code):
    h = harness()
    prompt = options.pop("prompt", "go")
    refused = await refusal(lambda: h.start(prompt, **options))
    assert refused.code == code
    assert h.events == []
    assert not h.home.sessions.exists()


@pytest.mark.parametrize(("text", "code"), [(" ", "emptyPrompt"), ("x" * (MAX_PROMPT + 1), "tooLarge")])
async def test_a_message_that_says_nothing_or_too_much_is_refused(harness, text, code):
    async with Live(harness, 1) as lives:
        assert (await refusal(lambda: lives.h.manager.add("steer", text))).code == code


async def test_there_is_nothing_to_continue_after_a_whole_answer(harness):
    h = harness(answer("whole"))
    run = await h.run()
    assert (await refusal(lambda: h.start(None, session=run.session))).code == "emptyPrompt"
    assert h.session.live is None


async def test_a_session_without_a_log_directory_to_write_to_is_refused(harness):
    h = harness()
    h.home.root.mkdir()
    h.home.sessions.write_text("in the way")
    assert (await refusal(h.start)).code == "readOnly"


# Sessions


async def test_a_session_goes_on_after_a_restart_with_its_history(harness):
    h = harness(answer("one"))
    run = await h.run("first")
    await h.close()
    h.restart(answer("two"))
    await h.run("second", session=run.session)
    texts = [message.content[0].text for message in h.model.requests[0].messages]
    assert texts == ["first", "one", "second"]
    assert h.session.picture.title == "first"


async def test_opening_a_session_twice_at_once_opens_it_once(harness):
    h = harness(answer("one"))
    run = await h.run("first")
    await h.close()
    h.restart()
    one, two = await asyncio.gather(h.manager.resume(run.session), h.manager.resume(run.session))
    assert one is two


async def test_a_session_is_resumed_in_the_folders_that_it_was_made_in(harness):
    h = harness(answer("one"))
    run = await h.run("first")
    await h.close()
    h.restart()
    session = await h.manager.resume(run.session)
    assert session.roots.primary.path == h.root


async def test_the_session_that_was_used_last_in_a_root(harness, tmp_path):
    h = harness()
    h.model.fallback = answer("done")
    first, second = await h.run("a"), await h.run("b")
    assert h.manager.find.most_recent(h.roots) == second.session
    await h.run("c", session=first.session)
    assert h.manager.find.most_recent(h.roots) == first.session
    (tmp_path / "other").mkdir()
    assert h.manager.find.most_recent(Roots([tmp_path / "other"])) is None


async def test_status_tells_sessions_runs_and_defaults(harness):
    async with Live(harness, 1) as lives:
        queued = lives.h.manager.add("followUp", "then that")
        status = lives.h.manager.status()
        (session,) = status["sessions"]
        assert session["run"] == lives.runs[0].id
        assert session["state"] == "streaming"
        assert session["queue"] == [{"id": queued.item.id, "kind": "followUp", "text": "then that"}]
        assert session["title"] == "go"
        assert status["model"] == "test:scripted"
        assert status["mode"] == "ask"
    (session,) = lives.h.manager.status()["sessions"]
    assert session["state"] == "idle"
    assert "run" not in session


# Configuration


async def test_configure_sets_the_defaults_or_one_sessions(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    h.models["test:other"] = h.model
    run = await h.run("first")
    assert await h.manager.configure(model="test:other", mode="auto-edit") == {
        "model": "test:other",
        "mode": "auto-edit",
        "thinking": "off",
    }
    await h.run("second")
    assert h.specs[-1] == "test:other"
    assert h.of("config")[-1]["mode"] == "auto-edit"
    answered = await h.manager.configure(session=run.session, mode="read-only")
    assert answered == {"model": "test:scripted", "mode": "read-only", "thinking": "off"}
    await h.run("third", session=run.session)
    assert h.specs[-1] == "test:scripted"
    assert (
        await refusal(lambda: h.manager.configure(session="ses_none", mode="ask"))
    ).code == "unknownSession"
    assert (await refusal(lambda: h.manager.configure(model="test:none"))).code == "unknownModel"


async def test_the_mode_of_a_start_is_for_that_run(harness):
    h = harness(answer("one"), answer("two"))
    run = await h.run("first", mode="full-auto")
    await h.run("second", session=run.session)
    assert [data["mode"] for data in h.of("agent_start")] == ["full-auto", "ask"]


# Events


async def test_events_are_read_from_the_log_in_pages(harness):
    h = harness(answer("one"), answer("two"))
    run = await h.run("first")
    await h.run("second", session=run.session)
    records = h.records()

    async def events(**options):
        options = {"run": None, "after": 0, "limit": None} | options
        return await h.manager.events(run.session, **options)

    assert await events() == {"events": records, "more": False, "streaming": None}
    page = await events(after=3, limit=4)
    assert page == {"events": records[3:7], "more": True, "streaming": None}
    assert (await events(after=len(records)))["events"] == []
    assert (await events(limit=len(records)))["more"] is False
    of_run = await events(run=run.id)
    assert {record["run"] for record in of_run["events"]} == {run.id}
    assert of_run["events"][-1]["type"] == "agent_end"
    assert (await events(run=run.id, after=len(records)))["events"] == []
    assert (await refusal(lambda: events(run="run_none"))).code == "unknownRun"
    refused = await refusal(lambda: h.manager.events("ses_none", run=None, after=0, limit=None))
    assert refused.code == "unknownSession"


async def test_a_page_of_events_is_bounded_in_bytes_and_a_long_one_comes_alone(harness):
    h = harness()
    h.model.fallback = answer("done")
    run = await h.run("x" * 3_000_000)
    sizes, after = [], 0
    while True:
        page = await h.manager.events(run.session, run=None, after=after, limit=None)
        sizes.append([record["seq"] for record in page["events"]])
        after = sizes[-1][-1]
        if not page["more"]:
            break
    assert len(sizes) > 1
    assert [seq for page in sizes for seq in page] == [record["seq"] for record in h.records()]


async def test_a_session_keeps_its_model_for_as_long_as_its_requests_go_the_same_way(harness):
    h: SessionHarness = harness(*(answer("done") for _ in range(6)))
    keys = {"OPENAI_API_KEY": "sk-1"}
    h.models |= dict.fromkeys(("openai:gpt-5", "openai:gpt-5-mini"), h.model)
    catalog = Catalog(environ=keys)
    h.services.route = catalog.route_if_known

    async def made(**options: str) -> list[str]:
        before = len(h.specs)
        await h.run(**options)
        return h.specs[before:]

    first = await h.run(model="openai:gpt-5")
    assert await made(session=first.session) == []
    assert await made(session=first.session, model="openai:gpt-5-mini") == ["openai:gpt-5-mini"]
    assert await made(session=first.session) == []
    keys["OPENAI_API_KEY"] = "sk-2"
    assert await made(session=first.session) == ["openai:gpt-5-mini"], "another key is another way"
    other = await made(model="openai:gpt-5-mini")
    assert set(other) == {"openai:gpt-5-mini"}, "what one session has encoded is no other's"
