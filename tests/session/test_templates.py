"""Prompt templates: whose they are, what they may do, and what a message that looks like one becomes."""

import os

import pytest

from steersman.session.errors import Refused
from steersman.session.templates import called
from support.scripted_model import answer
from support.session_harness import Person


def own(h, name, text):
    path = h.home.templates / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def ours(h, name, text):
    return h.put(f".steersman/templates/{name}", text)


def told(h):
    return [block.text for block in h.model.requests[-1].messages[-1].content]


async def refusal(start):
    with pytest.raises(Refused) as caught:
        await start
    return caught.value


async def listed(h):
    found = await h.manager.prompts.templates(h.roots)
    return {each.name: each for each in found}


async def test_a_template_is_expanded_behind_what_was_typed(harness):
    h = harness(answer("ok"))
    own(h, "fix.md", "---\ndescription: Fix an issue\nargument-hint: NUMBER\n---\nFix #$1 in @a.txt. ($@)\n")
    h.put("a.txt", "A\n")
    h.put("b.txt", "B\n")
    await h.run("/fix 12 '@b.txt'")
    assert told(h) == [
        "/fix 12 '@b.txt'",
        "The template /fix says:\n\nFix #12 in @a.txt. (12 '@b.txt')",
        "The file a.txt:\n```\nA\n```",
        "The file b.txt:\n```\nB\n```",
    ]
    assert h.session.picture.title == "/fix 12 '@b.txt'"
    assert [block.attached for block in h.model.requests[-1].messages[-1].content][1] == "/fix"


async def test_the_users_own_template_wins_over_the_workspaces(harness):
    h = harness(answer("ok"))
    path = own(h, "fix.md", "mine")
    ours(h, "fix.md", "theirs")
    ours(h, "team.md", "---\ndescription: Ours\n---\ntheirs")
    found = await listed(h)
    assert {name: (each.source, each.description) for name, each in found.items()} == {
        "fix": ("user", ""),
        "team": ("workspace", "Ours"),
    }
    assert found["fix"].path == path
    await h.run("/fix")
    assert told(h)[1].endswith("mine")


@pytest.mark.parametrize(
    "text", ["/usr/bin is full", "/ 2", "/tmp is full", "//", "/", " /fix me", "/-x", "a /fix", "/ä"]
)
def test_what_does_not_look_like_a_command_is_none(text):
    assert called(text) is None


async def test_an_unknown_one_is_an_error_that_names_the_near_ones_and_how_to_send_it_as_it_is(harness):
    h = harness(answer("ok"))
    own(h, "review.md", "Review.")
    refused = await refusal(h.start("/reveiw this"))
    assert refused.code == "unknownTemplate"
    assert "Did you mean /review?" in str(refused) and "begin with a space" in str(refused)
    assert h.events == []
    await h.run(" /reveiw this")
    assert told(h) == [" /reveiw this"]


async def test_a_workspaces_templates_are_used_only_where_it_is_trusted(harness):
    person = Person("accept")
    h = harness(answer("one"), answer("two"), person=person, trusts_all=False)
    ours(h, "team.md", "Do it.")
    assert await listed(h) == {}
    refused = await refusal(h.start("/team"))
    assert refused.code == "untrusted" and "--trust" in str(refused)
    await h.run("hello")
    assert person.kinds == ["trust"], "templates of its own are a reason to ask"
    await h.run("/team")
    assert told(h)[1].endswith("Do it.")


async def test_a_workspaces_template_makes_a_run_stricter_and_never_looser(harness):
    h = harness(*(answer("ok") for _ in range(4)), mode="auto-edit")
    ours(h, "look.md", "---\nmode: read-only\n---\nLook.")
    ours(h, "loose.md", "---\nmode: full-auto\n---\nDo.")
    own(h, "mine.md", "---\nmode: full-auto\n---\nDo.")
    modes = [
        (await h.run(text, **options)).mode
        for text, options in [
            ("/look", {}),
            ("/loose", {}),
            ("/mine", {}),
            ("/mine", {"mode": "ask"}),
        ]
    ]
    assert modes == ["read-only", "auto-edit", "full-auto", "ask"]


async def test_the_users_template_names_its_model_and_a_workspaces_may_not(harness):
    h = harness(answer("ok"))
    h.models["test:other"] = h.model
    own(h, "big.md", "---\nmodel: test:other\n---\nThink.")
    own(h, "gone.md", "---\nmodel: test:gone\n---\nThink.")
    ours(h, "theirs.md", "---\nmodel: test:other\n---\nThink.")
    assert (await h.run("/big")).model == "test:other"
    assert (await refusal(h.start("/gone"))).code == "unknownModel"
    refused = await refusal(h.start("/theirs"))
    assert refused.code == "badTemplate" and "names no model" in str(refused)


async def test_one_that_sets_a_mode_does_not_join_a_live_run(harness):
    h = harness(answer("one"), answer("two"))
    own(h, "look.md", "---\nmode: read-only\n---\nLook.")
    own(h, "plain.md", "Also $1.")
    run = await h.manager.start(h.request())
    refused = await refusal(h.manager.say("steer", "/look"))
    assert (refused.code, refused.data["text"]) == ("unsupported", "/look")
    await h.manager.say("followUp", "/plain this")
    run.release()
    await run.wait()
    assert told(h) == ["/plain this", "The template /plain says:\n\nAlso this."]


async def test_what_can_not_be_used_is_listed_with_its_problem_and_refused_by_name(harness):
    h = harness()
    (h.base / "outside.md").write_text("outside")
    own(h, "open.md", "---\ndescription: x\n")
    own(h, "empty.md", "---\ndescription: x\n---\n\n")
    own(h, "mode.md", "---\nmode: wild\n---\nx")
    own(h, "long.md", "x" * 70_000)
    own(h, "bytes.md", "").write_bytes(b"\xff\xfe\0")
    own(h, "dir.md/x", "")
    os.mkfifo(own(h, "x", "").with_name("pipe.md"))  # to open it would wait for its other end
    ours(h, "in.md", "x").unlink()
    (h.root / ".steersman/templates/link.md").symlink_to(h.base / "outside.md")
    own(h, "not a name.md", "x")
    own(h, "no-template.txt", "x")
    found = await listed(h)
    assert sorted(found) == ["bytes", "dir", "empty", "link", "long", "mode", "open", "pipe"]
    assert all(each.problem for each in found.values())
    for name in found:
        refused = await refusal(h.start(f"/{name}"))
        assert refused.code == "badTemplate" and found[name].problem in str(refused)
