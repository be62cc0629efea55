"""A session's transcript: what is told, of which branch, and in what order; and the file it goes to."""

import asyncio
import os
import re
import stat

import pytest

from steersman.session.errors import LogCorrupt, Refused
from steersman.session.export.outline import outline_of
from steersman.session.export.page import MAX_IMAGE
from steersman.session.export.writing import Stopped, transcript, write_transcript
from steersman.session.exports import file_stem
from support.rich_session import LONG, RICH, long_session, rich_person, rich_session
from support.scripted_model import answer, call
from support.told_log import Told, said
from support.well_formed import read_page

PNG = "iVBORw0KGgo="


@pytest.fixture
def log(tmp_path):
    """Writes the records of a `Told` as a log."""

    def write(told: Told):
        path = tmp_path / "ses_told.jsonl"
        path.write_bytes(told.lines)
        return path

    return write


def markdown(path, **options):
    return "".join(transcript(path, "markdown", **options))


def page_of(path, **options):
    page = read_page("".join(transcript(path, "html", **options)))
    assert page.faults == []
    return page


async def test_a_rich_session_is_told_in_order(harness):
    h = harness(*RICH, person=rich_person())
    session = await rich_session(h)
    text = markdown(h.services.log_path(session))
    places = [
        "# do it",
        "> do it",
        "Thinking:",
        "> Let me look.",
        "**`read a.txt`** · done",
        "**`ls .`** · done",
        "discarded (retried)",
        "**`write b.txt`** · done",
        "Answer: accept (by user)",
        "**`edit a.txt`** · declined",
        "not that one",
        "**`wirte c.txt`** · unknown tool",
        "{not json",
        "**`read none.txt`** · failed",
        "> mind the gap",
        "> Done.",
        "> and tidy up",
    ]
    found = [text.find(place) for place in places]
    assert found == sorted(found)
    assert -1 not in found
    page = page_of(h.services.log_path(session))
    assert "mind the gap" in page.text
    assert any("unknown tool" in each for each in page.texts["outcome"])


async def test_only_the_branch_at_the_tip_is_told_and_the_others_are_named(harness):
    h = harness(answer("A1"), answer("A2"), answer("B2"))
    session = (await h.run("one")).session
    await h.run("two", session=session)
    second = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"][1]
    await h.manager.library.go_back(session, second)
    await h.run("other two", session=session)
    path = h.services.log_path(session)
    text = markdown(path)
    assert re.findall(r"^> (.*)", text, re.M) == ["one", "A1", "other two", "B2"]
    assert "Another branch, not shown: “two”, 2 messages, after the answers to “one”" in text
    assert "1 other branch not shown" in page_of(path).text


async def test_all_branches_are_told_one_after_the_other(harness):
    h = harness(answer("A1"), answer("A2"), answer("B2"))
    session = (await h.run("one")).session
    await h.run("two", session=session)
    second = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"][1]
    await h.manager.library.go_back(session, second)
    await h.run("other two", session=session)
    text = markdown(h.services.log_path(session), all_branches=True)
    assert re.findall(r"^> (.*)", text, re.M) == ["one", "A1", "two", "A2", "other two", "B2"]
    before, after = text.split("Another branch: it goes on after the answers to “one”.")
    assert "> A2" in before
    assert "> other two" in after
    assert "not shown" not in text


async def test_a_summary_stands_where_it_was_made_and_a_revert_too(harness):
    h = harness(*LONG, mode="auto-edit")
    session = await long_session(h)
    text = markdown(h.services.log_path(session), all_branches=True)
    assert text.startswith("# My work\n")
    places = [
        text.find(each) for each in ("> and 2", "## Summary", "> all of it", "Revert to before", "deleted")
    ]
    assert places == sorted(places)
    assert -1 not in places
    page = page_of(h.services.log_path(session), all_branches=True)
    assert len(page.texts["summary-text"]) == 1
    # The user went back to before the first message: nothing of it is on the branch at the tip.
    assert "> and 2" not in markdown(h.services.log_path(session))


async def test_a_run_that_is_cut_off_in_a_call_shows_it_without_a_result(harness):
    h = harness(answer("", call("read", {"path": "a.txt"})), answer("done"))
    h.put("a.txt", "one\n")
    path = h.services.log_path((await h.run("go")).session)
    lines = path.read_bytes().splitlines(keepends=True)
    started = next(i for i, line in enumerate(lines) if b'"tool_execution_running"' in line)
    cut = h.root.parent / f"{path.stem}.jsonl"
    cut.write_bytes(b"".join(lines[: started + 1]) + b'{"seq":')
    text = markdown(cut)
    assert "**`read a.txt`** · no result" in text
    assert "State: a run is under way, or was cut off" in text


def test_calls_are_told_in_declared_order(log):
    told = Told()
    told.run()
    told.said("user", said("go"))
    told.said("assistant", *({"type": "toolCall", "id": c, "name": "read", "arguments": "{}"} for c in "ab"))
    for name in "ba":
        end = {"toolCallId": name, "name": "read", "outcome": "ok", "isError": False, "durationMs": 1}
        told.add("tool_execution_end", end | {"content": [said(f"result {name}")]}, run="run_1")
    text = markdown(log(told))
    assert text.index("result a") < text.index("result b")


def test_a_diff_is_coloured_and_shown_without_being_asked_for(log):
    told = Told()
    told.run()
    told.said("user", said("go"))
    told.called(
        "edit", {"path": "a.py"}, "Changed a.py:\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-<old>\n+new & new"
    )
    page = page_of(log(told))
    assert page.texts["del"] == ["-<old>\n"]
    assert page.texts["add"] == ["+new & new\n"]
    assert page.texts["file"] == ["--- a/a.py\n", "+++ b/a.py\n"]
    assert "<old>" not in page.texts["call"][0]
    assert "```diff\nChanged a.py:" in markdown(log(told))


def test_the_diff_of_what_was_declined_is_there_too(log):
    told = Told()
    told.run()
    told.said("user", said("go"))
    told.said("assistant", {"type": "toolCall", "id": "c", "name": "edit", "arguments": "{}"})
    asked = {"id": "apr", "toolCallId": "c", "title": "Edit a.py", "changes": [{"diff": "@@ -1 +1 @@\n+no"}]}
    told.add("approval_requested", asked, run="run_1")
    told.add(
        "approval_resolved",
        {"id": "apr", "toolCallId": "c", "decision": "decline", "by": "user"},
        run="run_1",
    )
    end = {"toolCallId": "c", "name": "edit", "outcome": "denied", "isError": True, "durationMs": 0}
    told.add("tool_execution_end", end | {"content": [said("Declined.")]}, run="run_1")
    page = page_of(log(told))
    assert page.texts["add"] == ["+no\n"]
    assert "Asked: Edit a.py. Answer: decline (by user)" in page.texts["label"]


def test_markdown_of_the_assistant_is_rendered_and_fetches_nothing(log):
    told = Told()
    told.run()
    told.said("user", said("**not** mine"))
    told.said(
        "assistant",
        said(
            "**yes** [a](https://x.org) [b](javascript:alert(1)) ![c](https://x.org/t.png) <img src=x>\n\n"
            "[r]: https://y.org\n\n| h |\n|---|\n| d |\n\n```py\nx = 1\n```"
        ),
    )
    page = page_of(log(told))
    assert page.texts["strong"] == ["yes"]
    assert page.texts["td"] == ["d"]
    assert [link for link in page.links if not link.startswith("#")] == [
        "https://x.org",
        "https://x.org/t.png",
    ]
    assert page.images == []
    assert "[r]: https://y.org" in page.text  # a definition is not swallowed
    assert "javascript:alert(1)" in page.text
    assert page.texts["said"] == ["**not** mine"]
    text = markdown(log(told))  # an image and HTML would act in a viewer: this is fenced
    assert "````text\n**yes**" in text


def test_images_are_within_the_page_up_to_a_size(log):
    told = Told()
    told.run()
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    told.said(
        "user",
        image,
        image | {"data": "A" * (MAX_IMAGE + 4)},
        image | {"mimeType": "image/svg+xml"},
        image | {"data": '" onerror="x'},
    )
    page = page_of(log(told))
    assert page.images == [f"data:image/png;base64,{PNG}"]
    assert "left out" in page.text
    assert "[image: image/svg+xml]" in page.text
    assert "image/png, 9 bytes" in markdown(log(told)).replace("\\", "")


def test_the_page_names_no_other_resource_and_no_script(log):
    told = Told()
    told.run()
    told.said("user", said("go"))
    html = "".join(transcript(log(told), "html"))
    assert "default-src &#x27;none&#x27;" in html
    assert not re.search(r"<(script|link|iframe|object|embed|form|base)\b|@import|url\(", html)


def test_a_long_session_lists_what_the_user_said(log):
    told = Told()
    told.run()
    names = [told.said("user", said(f"part {number}")) for number in range(4)]
    page = page_of(log(told))
    assert [link for link in page.links if link[1:] in names][:4] == [f"#{name}" for name in names]
    assert set(names) <= set(page.ids)


def test_a_text_that_is_very_long_is_cut_and_says_so(log):
    told = Told()
    told.run()
    told.said("user", said("x" * 250_000))
    assert "50,000 more characters are in the log" in page_of(log(told)).text
    assert "50,000 more characters are in the log" in markdown(log(told))


def test_a_log_that_grows_meanwhile_is_told_as_it_was(log):
    told = Told()
    told.run()
    told.said("user", said("go"))
    path = log(told)
    pieces = transcript(path, "markdown")
    first = next(pieces)
    told.said("assistant", said("too late"))
    path.write_bytes(told.lines)
    assert "too late" not in first + "".join(pieces)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told.add("message_end", {"role": "user"}, run="run_1"),
        lambda told: told.add("config", {}),
        lambda told: told.add("agent_end", {"stopReason": 1, "usage": 3}, run="run_1"),
        lambda told: told.records[0]["data"].update(format=99),
    ],
)
def test_a_log_that_is_not_as_it_should_be_is_an_error_and_no_file(log, tmp_path, spoil):
    told = Told()
    told.run()
    spoil(told)
    with pytest.raises(LogCorrupt):
        write_transcript(log(told), tmp_path / "out.html", "html")
    assert [path.name for path in tmp_path.iterdir()] == ["ses_told.jsonl"]


# The file


def test_what_exists_is_not_overwritten_unless_that_is_said(log, tmp_path):
    path, target = log(Told()), tmp_path / "out.md"
    target.write_text("mine")
    with pytest.raises(FileExistsError):
        write_transcript(path, target, "markdown")
    assert target.read_text() == "mine"
    write_transcript(path, target, "markdown", replace=True)
    assert target.read_text().startswith("# A session")


def test_a_file_that_cannot_be_written_is_named(log, tmp_path):
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "none" / "out.md", tmp_path / "folder"):
        with pytest.raises(OSError, match=re.escape(str(target))) as caught:
            write_transcript(log(Told()), target, "markdown", replace=True)
        assert caught.value.filename == str(target)


def test_the_log_itself_is_never_replaced(log):
    path = log(Told())
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="own log"):
        write_transcript(path, path, "markdown", replace=True)
    assert path.read_bytes() == before


def test_one_that_is_stopped_leaves_nothing(log, tmp_path):
    path = log(Told())
    with pytest.raises(Stopped):
        write_transcript(path, tmp_path / "out.md", "markdown", stopped=lambda: True)
    assert list(tmp_path.glob("*")) == [path]


async def test_without_a_path_it_goes_to_the_home_for_its_owner_only_under_a_name_that_is_free(harness):
    h = harness(answer("A1"))
    session = (await h.run("Fix: the Cart!")).session
    paths = []
    for _ in range(2):
        ended = []
        told = await h.manager.exports.begin(session, "html", on_end=ended.append)
        await h.manager.exports.settled()
        assert (str(ended[0].path), ended[0].failed) == (told["path"], None)
        paths.append(ended[0].path)
    stem = f"fix-the-cart-{session}"
    assert [path.name for path in paths] == [f"{stem}.html", f"{stem}-2.html"]
    assert {path.parent for path in paths} == {h.home.exports}
    assert stat.S_IMODE(paths[0].stat().st_mode) == 0o600
    assert [data["path"] for data in h.of("export_end")] == [str(path) for path in paths]


async def test_a_path_that_cannot_be_is_refused_at_once(harness, tmp_path):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    taken = tmp_path / "taken.md"
    taken.write_text("mine")
    for path, code in [
        (taken, "exists"),
        (tmp_path, "readOnly"),
        (tmp_path / "none" / "x.md", "readOnly"),
        (type(tmp_path)("x.md"), "readOnly"),
    ]:
        with pytest.raises(Refused) as caught:
            await h.manager.exports.begin(session, "markdown", path)
        assert caught.value.code == code
    with pytest.raises(Refused) as caught:
        await h.manager.exports.begin("ses_none", "markdown")
    assert caught.value.code == "unknownSession"
    assert taken.read_text() == "mine"


async def test_one_that_fails_is_told(harness, tmp_path):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    target = tmp_path / "out.md"
    await h.manager.exports.begin(session, "markdown", target)
    target.write_text("somebody was faster")
    await h.manager.exports.settled()
    assert "File exists" in h.of("export_end")[0]["failed"]
    assert target.read_text() == "somebody was faster"


async def test_an_abort_ends_exports_and_leaves_no_file(harness):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    told = await h.manager.exports.begin(session, "html")
    assert h.manager.abort()
    await h.manager.exports.settled()
    assert h.of("export_end")[0]["failed"] == "It was aborted."
    assert not os.path.lexists(told["path"])
    assert not h.manager.abort()


async def test_a_session_that_is_open_elsewhere_can_be_exported(harness):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    other = harness(answer("B1"))
    os.link(h.services.log_path(session), _made(other.services.log_path(session)))
    await other.manager.exports.begin(session, "html")
    await other.manager.exports.settled()
    assert "failed" not in other.of("export_end")[0]


def _made(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_a_name_for_a_file_is_short_and_plain():
    assert file_stem("ses_1", "Fix: ../the “Cart”!") == "fix-the-cart-ses_1"
    assert file_stem("ses_1", "...") == "ses_1"
    assert file_stem("ses_1", None) == "ses_1"
    assert file_stem("ses_1", "字" * 300) == f"{'字' * 60}-ses_1"
    assert file_stem("ses_1", "😀\ud800") == "ses_1"


def test_the_outline_of_a_long_log_holds_no_texts(log):
    told = Told()
    told.run()
    told.said("user", said("y" * 100_000))
    outline = outline_of(told.records)
    assert max(len(title) for title in outline.asked.values()) == 80


async def test_none_is_begun_when_the_server_ends(harness):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    await h.manager.close()
    with pytest.raises(Refused) as caught:
        await h.manager.exports.begin(session, "html")
    assert caught.value.code == "shuttingDown"


async def test_two_at_once_have_two_files(harness):
    h = harness(answer("A1"))
    session = (await h.run("go")).session
    told = await asyncio.gather(*(h.manager.exports.begin(session, "markdown") for _ in range(2)))
    await h.manager.exports.settled()
    assert len({each["path"] for each in told}) == 2
    assert all("failed" not in data for data in h.of("export_end"))


async def test_a_folder_for_exports_that_can_not_be_made_is_told_of_with_what_to_do(harness):
    h = harness(answer("done"))
    run = await h.run()
    h.home.exports.write_text("in the way")
    with pytest.raises(Refused, match="Name a file to export to") as refused:
        await h.manager.exports.begin(run.session, "markdown")
    assert refused.value.code == "readOnly"


async def test_a_file_with_a_name_that_none_can_have_is_not_written_and_the_event_says_why(harness, tmp_path):
    h = harness(answer("done"))
    run = await h.run()
    began = await h.manager.exports.begin(run.session, "markdown", tmp_path / ("x" * 300))
    await h.manager.exports.settled()
    (end,) = h.of("export_end")
    assert (end["operation"], end["path"]) == (began["operation"], began["path"])
    assert "too long" in end["failed"]
