"""What a message is made of: what was typed stays as it is, and what it mentions is attached to it."""

import asyncio
import base64
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.events import Input
from steersman.agent.messages import Image, Text, UserMessage
from steersman.session.errors import Refused
from steersman.session.pointing import Diagnostic, EditorState, GivenImage, Pointed, Selection
from steersman.session.wire import input_data, message_data, message_from, typed_text
from support.fake_tools import Gate
from support.images import png
from support.manual_clock import settle
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness


def said(h, request=-1):
    """The last user message of a request: what was typed, and what is attached, by name."""
    message = [m for m in h.model.requests[request].messages if isinstance(m, UserMessage)][-1]
    typed, *attached = message.content
    assert typed.attached is None
    return typed.text, {b.attached: b.text for b in attached if isinstance(b, Text)}


def notices(h):
    return [data["message"] for data in h.of("notice")]


async def refused(start):
    with pytest.raises(Refused) as caught:
        await start
    return caught.value


async def test_a_mentioned_file_is_attached_and_the_message_stays_as_typed(harness):
    h = harness(answer("ok"))
    h.put("src/a.py", "one\n```\ntwo\n")
    await h.run("explain @src/a.py, please")
    typed, attached = said(h)
    assert typed == "explain @src/a.py, please"
    assert attached == {"src/a.py": "The file src/a.py:\n````\none\n```\ntwo\n````"}
    (logged,) = [data for data in h.of("message_end") if data["role"] == "user"]
    assert [block.get("attached") for block in logged["content"]] == [None, "src/a.py"]
    assert h.of("agent_start")[0]["inputs"] == [
        {"kind": "prompt", "text": "explain @src/a.py, please", "attached": ["src/a.py"]}
    ]
    assert h.session.picture.title == "explain @src/a.py, please"


async def test_what_a_branch_was_told_that_was_left_while_the_run_began_is_told_again(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    path, preparing = h.put("sub/a.txt", "a\n"), Gate()
    h.put("sub/AGENTS.md", "Be brief.")
    first = await h.run("first")
    h.services.editor_state = lambda: shown(EditorState([path], [], path))
    await h.run("look at @sub/a.txt", session=first.session)
    _, told = said(h)
    assert {"editor", "sub/a.txt"} < told.keys()
    left = [data["messageId"] for data in h.of("message_end") if data["role"] == "user"][-1]
    h.services.prepare_model = preparing
    starting = asyncio.create_task(h.start("look again at @sub/a.txt", session=first.session))
    await preparing.reached.wait()
    await h.manager.library.go_back(first.session, left)
    preparing.open()
    await (await starting).wait()
    assert said(h) == ("look again at @sub/a.txt", told)


async def test_lines_directories_and_names_with_blanks_are_attached_too(harness):
    h = harness(answer("ok"))
    h.put("a.txt", "1\n2\n3\n4\n")
    h.put("dir/x.py")
    h.put("my notes.md", "n\n")
    await h.run('@a.txt#L2-L3 @a.txt#L2-L3 @dir/ @"my notes.md" @a.txt#L4')
    _, attached = said(h)
    assert attached == {
        "a.txt#L2-L3": "Lines 2-3 of a.txt:\n```\n2\n3\n```\n[Lines 2-3 of 4. Use offset=4 to continue]",
        "dir/": "The directory dir/:\n```\nx.py\n```",
        "my notes.md": "The file my notes.md:\n```\nn\n```",
        "a.txt#L4": "Lines 4-4 of a.txt:\n```\n4\n```\n[Lines 4-4 of 4: the end of the file]",
    }


async def test_a_whole_file_that_was_attached_may_be_overwritten_and_a_part_of_one_may_not(harness):
    write = [call("write", {"path": name, "content": "new\n"}) for name in ("whole.txt", "part.txt")]
    h = harness(answer("", *write), answer("ok"), mode="full-auto")
    h.put("whole.txt", "1\n2\n")
    h.put("part.txt", "1\n2\n")
    await h.run("rewrite @whole.txt and @part.txt#L1")
    assert h.outcomes == ["ok", "failed"]
    assert h.text("whole.txt") == "new\n"


async def test_what_was_attached_to_a_message_that_was_taken_back_counts_as_not_seen(harness):
    h = harness(
        answer("", call("write", {"path": "a.txt", "content": "new\n"})), answer("ok"), mode="full-auto"
    )
    h.put("a.txt", "old\n")
    run = await h.manager.start(h.request())
    item = await h.manager.say("followUp", "look at @a.txt")
    h.session.queue.remove(item.item.id)
    run.release()
    await run.wait()
    assert h.outcomes == ["failed"]
    assert h.text("a.txt") == "old\n"


@pytest.mark.parametrize(
    "text",
    [
        "mail a@b.de",
        "a @decorator",
        "@app.route('/x')",
        "@types/node",
        "@/etc",
        "@~",
        "\\@a.txt",
        "@https://x.y/z",
    ],
)
async def test_what_is_not_there_stays_text(harness, text):
    h = harness(answer("ok"))
    h.put("a.txt", "x\n")
    await h.run(text)
    assert said(h) == (text, {})


async def test_a_near_miss_is_told_to_the_user_where_a_path_was_meant(harness):
    h = harness(answer("ok"))
    h.put("src/maths.py", "x\n")
    await h.run("fix @src/math.py and @math")
    (notice,) = notices(h)
    assert notice == "@src/math.py is not there and was sent as text. Did you mean src/maths.py?"
    assert h.types.index("notice") > h.types.index("agent_start")


async def test_a_denied_file_is_refused_and_no_session_is_made(harness):
    h = harness(answer("ok"))
    h.put(".env", "KEY=1\n")
    h.put("ok.txt", "x\n")
    (h.root / "link.txt").symlink_to(h.root / ".env")
    for text in ("see @.env", "see @link.txt"):
        refusal = await refused(h.start(text))
        assert refusal.code == "denied"
    assert h.events == []
    await h.run("see @fixture.key and @.envrc")  # nothing has these names
    assert said(h)[1] == {}


async def test_nothing_outside_the_workspace_is_attached(harness):
    h = harness(answer("ok"))
    (h.base / "secret.txt").write_text("secret\n")
    (h.root / "link.txt").symlink_to(h.base / "secret.txt")
    await h.run(f"see @../secret.txt @{h.base}/secret.txt @link.txt")
    assert said(h)[1] == {}
    assert all("outside the workspace" in notice for notice in notices(h)) and len(notices(h)) == 3


async def test_what_can_not_be_read_is_told_and_stays_text(harness):
    h = harness(answer("ok"))
    (h.root / "x.bin").write_bytes(b"\0\1" * 50)
    h.put("a.txt", "1\n")
    await h.run("see @x.bin and @a.txt#L7")
    assert said(h)[1] == {}
    assert [notice.partition(":")[0] for notice in notices(h)] == [
        "@x.bin is not attached",
        "@a.txt#L7 is not attached" if "@a.txt#L7" in notices(h)[1] else "@a.txt is not attached",
    ]


async def test_attachments_are_bounded_and_what_is_cut_says_how_to_go_on(harness):
    h = harness(answer("ok"))
    for number in range(8):
        h.put(f"{number}.txt", "x" * 99 + "\n" * 1 + ("y" * 99 + "\n") * 600)
    await h.run(" ".join(f"@{number}.txt" for number in range(8)))
    _, attached = said(h)
    assert "Use offset=" in attached["0.txt"]
    assert attached["7.txt"] == "(7.txt is not attached because there was no room left: read it.)"
    assert sum(map(len, attached.values())) < 300_000


async def test_thousands_of_mentions_are_looked_up_to_a_bound(harness):
    h = harness(answer("ok"))
    await h.run(" ".join(f"@name{number}" for number in range(5000)))
    assert notices(h) == ["Only the first 200 mentions were looked up."]


async def test_selections_diagnostics_and_files_that_the_face_points_at_are_attached(harness):
    h = harness(answer("ok"))
    uri = h.put("a.py", "one\ntwo\n").as_uri()
    pointed = Pointed(
        (uri,),
        (Selection(uri, 1, 2, "one\ntwo"), Selection("untitled:1", 1, 1, None)),
        (Diagnostic(uri, 2, 2, "undefined", "error", "lint"),),
    )
    await h.run("explain @selection and @diagnostics", pointed=pointed)
    _, attached = said(h)
    assert attached == {
        "files": "The user points at:\nFile: a.py",
        "a.py#L1-L2": "The user has selected in a.py, lines 1-2:\n```\none\ntwo\n```",
        "untitled:1#L1": "The user has selected in untitled:1, line 1:\n"
        "(the file is not open in the editor: read it)",
        "diagnostics": "Diagnostics that the user points at:\nDiagnostic in a.py, line 2: error (lint): undefined",
    }
    assert notices(h) == []


async def test_without_a_selection_its_mention_stays_text_and_the_user_is_told(harness):
    h = harness(answer("ok"))
    await h.run("explain @selection and @diagnostics.")
    assert said(h)[1] == {}
    assert [notice.split(":")[0] for notice in notices(h)] == ["@selection", "@diagnostics"]


async def test_diagnostics_are_those_that_the_editor_has_told_of(harness):
    h = harness(answer("ok"))
    found = [
        Diagnostic(h.put(name).as_uri(), 1, 1, f"bad {name}", "error") for name in ("a.py", ".env", "b.py")
    ]
    h.services.diagnostics = lambda: found
    await h.run("fix @diagnostics")
    _, attached = said(h)
    assert "bad a.py" in attached["diagnostics"] and "bad b.py" in attached["diagnostics"]
    assert ".env" not in attached["diagnostics"]


async def shown(state):
    return state


async def test_what_the_editor_shows_is_told_when_it_has_changed(harness):
    h = harness(*(answer("ok") for _ in range(3)))
    a, b, env = h.put("a.py"), h.put("b.py"), h.put(".env")
    state = EditorState([a, b, env], [b], a)
    h.services.editor_state = lambda: shown(state)
    run = await h.run("one")
    assert said(h)[1] == {"editor": "The user is in a.py.\nOpen in the editor: b.py (not saved)."}
    await h.run("two", session=run.session)
    assert said(h)[1] == {}
    state = EditorState([a], [], None)
    await h.run("three", session=run.session)
    assert said(h)[1] == {"editor": "Open in the editor: a.py."}


async def test_what_the_user_sees_is_told_apart_from_what_is_only_open(harness):
    h = harness(answer("ok"), answer("ok"))
    a, b, c, env = h.put("a.py"), h.put("b.py"), h.put("c.py"), h.put(".env")
    h.services.editor_state = lambda: shown(EditorState([a, b, c, env], [a], a, [a, b, env]))
    await h.run("one")
    assert said(h)[1] == {
        "editor": "The user is in a.py (not saved).\nThe user also sees b.py.\nOpen in the editor: c.py."
    }
    h.services.editor_state = lambda: shown(EditorState([b], [], None, [b]))
    await h.run("two")
    assert said(h)[1] == {"editor": "The user sees b.py."}


# Images


async def test_an_image_is_attached_from_a_mention_and_from_the_face(harness):
    h = harness(answer("ok"))
    data = png(20, 10)
    (h.root / "shot.png").write_bytes(data)
    coded = base64.b64encode(data).decode()
    await h.run("see @shot.png", pointed=Pointed(images=[GivenImage(coded, "image/jpeg")]))
    message = h.model.requests[0].messages[-1]
    assert [block for block in message.content if isinstance(block, Image)] == [Image(coded, "image/png")] * 2
    assert list(said(h)[1]) == ["shot.png", "image 1"]
    assert said(h)[1]["shot.png"] == f"shot.png (image/png, 20 × 10, {len(data)} bytes)"
    assert message_from(message_data(message)) == message


async def test_what_is_no_image_is_refused_when_a_face_sends_it(harness):
    h = harness()
    for data, code in [("no base64!", "unsupported"), (base64.b64encode(b"text").decode(), "unsupported")]:
        refusal = await refused(h.start("see", pointed=Pointed(images=[GivenImage(data, "image/png")])))
        assert refusal.code == code and "Image 1" in str(refusal)
    many = [GivenImage(base64.b64encode(png()).decode(), "image/png")] * 21
    assert (await refused(h.start("see", pointed=Pointed(images=many)))).code == "tooLarge"
    large = [GivenImage(base64.b64encode(png() + b"\0" * 3_600_000).decode(), "image/png")] * 5
    assert (await refused(h.start("see", pointed=Pointed(images=large)))).code == "tooLarge"
    assert h.events == []


async def test_the_user_is_told_if_the_model_is_not_known_to_take_images(harness):
    h = harness(answer("ok"))
    h.services.takes_images = lambda spec: spec != "test:scripted"
    (h.root / "shot.png").write_bytes(png())
    run = await h.manager.start(h.request("see @shot.png"))
    await h.manager.say("steer", "and @shot.png")
    run.release()
    await run.wait()
    assert ["images = true" in notice for notice in notices(h)] == [True, True]


# Whatever is typed

PIECES = st.sampled_from(
    [
        *(
            "@a.txt",
            "@d",
            "@d/",
            "@.",
            "@..",
            "@../ws/a.txt",
            '@"a b.txt"',
            '@"',
            "@~/x",
            "@/",
            "/",
            "@file:///a",
        ),
        *("@.env", "@x.key", "@loop", "@fifo", "@a.tx", "@selection", "@diagnostics", "#L0", "#L2-L1", "#L1"),
        *("\0", "\ud800", "\udcff", " ", "\n", ".", "```\n", "\\", "é", "@" + "n" * 300),
    ]
) | st.text(max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=8).map("".join))
def test_any_text_is_made_ready_or_refused_and_stays_as_it_was(tmp_path, text):
    if not (root := tmp_path / "ws").exists():
        (root / "d").mkdir(parents=True)
        for name in ("a.txt", "a b.txt", ".env"):
            (root / name).write_text("1\n2\n")
        (root / "loop").symlink_to("loop")
        os.mkfifo(root / "fifo")
    h = SessionHarness(tmp_path)
    try:
        said = asyncio.run(h.manager.prompts.compose(text, h.roots))
    except Refused as refusal:
        assert refusal.code in ("denied", "unknownTemplate")
        return
    assert said.content[0] == Text(text)
    assert all(isinstance(block, Text) and block.attached for block in said.attached)
    assert ".env" not in [block.attached for block in said.attached]


# Steering, follow-ups, the queue


async def test_mentions_are_attached_to_what_is_said_to_a_live_run(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    h.put("a.txt", "A\n")
    run = await h.manager.start(h.request())
    await h.manager.say("steer", "mind @a.txt")
    await h.manager.say("followUp", "then @a.txt#L1 and @a.tx")
    assert notices(h) == ["@a.tx is not there and was sent as text. Did you mean a.txt?"]
    run.release()
    await run.wait()
    assert said(h, 0)[1] == {"a.txt": "The file a.txt:\n```\nA\n```"}
    typed, attached = said(h, 1)
    assert (typed, list(attached)) == ("then @a.txt#L1 and @a.tx", ["a.txt#L1"])


class SlowReads:
    """A disk that reads nothing until `go` is set."""

    def __init__(self, inner):
        self._inner, self.go = inner, asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._inner, name)

    async def read(self, path):
        await self.go.wait()
        return await self._inner.read(path)


async def test_messages_keep_their_order_however_long_their_files_take(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    h.put("a.txt", "A\n")
    run = await h.manager.start(h.request())
    slow = SlowReads(h.services.make_workspace(h.roots, None))
    h.services.make_workspace = lambda *_: slow
    both = [asyncio.create_task(h.manager.say("followUp", text)) for text in ("first @a.txt", "second")]
    await settle()
    assert h.session.queue.items == ()
    slow.go.set()
    await asyncio.gather(*both)
    assert [typed_text(item.message) for item in h.session.queue.items] == ["first @a.txt", "second"]
    run.release()
    await run.wait()


async def test_a_message_whose_run_ends_while_it_is_made_ready_is_handed_back(harness):
    h = harness(answer("one"))
    h.put("a.txt", "A\n")
    run = await h.manager.start(h.request())
    slow = SlowReads(h.services.make_workspace(h.roots, None))
    h.services.make_workspace = lambda *_: slow
    late = asyncio.create_task(h.manager.say("steer", "see @a.txt"))
    await settle()
    run.release()
    await run.wait()
    slow.go.set()
    refusal = await refused(late)
    assert (refusal.code, refusal.data["text"]) == ("notRunning", "see @a.txt")


async def test_an_edited_item_has_what_its_new_text_mentions_and_keeps_what_came_with_it(harness):
    h = harness(answer("one"), answer("two"))
    h.put("a.txt", "A\n")
    h.put("b.txt", "B\n")
    run = await h.manager.start(h.request())
    pointed = Pointed(images=[GivenImage(base64.b64encode(png()).decode(), "image/png")])
    queued = await h.manager.say("followUp", "see @a.txt", pointed=pointed)
    await h.manager.edit_queued(h.session, queued.item.id, "see @b.txt")
    run.release()
    await run.wait()
    typed, attached = said(h)
    assert (typed, list(attached)) == ("see @b.txt", ["b.txt", "image 1"])


async def test_a_denied_mention_to_a_live_run_is_refused_with_its_text(harness):
    h = harness(answer("one"))
    h.put(".env", "KEY=1\n")
    run = await h.manager.start(h.request())
    refusal = await refused(h.manager.say("steer", "see @.env"))
    assert (refusal.code, refusal.data["text"]) == ("denied", "see @.env")
    assert h.session.queue.items == ()
    run.release()
    await run.wait()


async def test_what_is_handed_back_is_what_was_typed(harness):
    h = harness(answer("one"))
    h.put("a.txt", "A\n")
    run = await h.manager.start(h.request("see @a.txt"))
    h.manager.abort(run.id)
    run.release()
    await run.wait()
    assert [(item["text"], item["attached"]) for item in h.end["undelivered"]] == [("see @a.txt", ["a.txt"])]
    item = Input("steer", UserMessage("m", (Text("a"), Text("b", "x"), Text("c"))))
    assert typed_text(item.message) == "a\nc"
    assert input_data(item) == {"kind": "steer", "text": "a\nc", "attached": ["x"]}


async def test_the_conversation_with_attachments_is_the_same_after_it_is_opened_again(harness):
    h = harness(answer("ok"))
    h.put("a.txt", "A\n")
    run = await h.run("see @a.txt")
    before = list(h.session.picture.messages)
    await h.close()
    h.restart(answer("more"))
    await h.run("go on", session=run.session)
    assert h.session.picture.messages[: len(before)] == before


async def test_instructions_beside_a_mentioned_file_come_with_it_where_the_folder_is_trusted(harness):
    for trusted in (True, False):
        h = harness(answer("ok"), trusts_all=trusted, person=Person(otherwise="decline"))
        h.put("sub/a.txt", "A\n")
        h.put("sub/AGENTS.md", "Be brief.")
        await h.run("see @sub/a.txt")
        assert ("sub/AGENTS.md" in said(h)[1]) is trusted
