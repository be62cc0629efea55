"""Every editor without a plugin, through a whole run each: fakes that copy what each was seen to do.

`make matrix` prints the table, how each thing was done in each editor, and keeps it in docs/editors/matrix.md.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from steersman.lsp.quirks import TABLE
from support.at_an_editor import AtAnEditor
from support.in_memory import connected, run_alone
from support.known_editors import EDITORS
from support.lsp_workspace import desk, edit_call
from support.scripted_model import answer, call

DOCUMENT = Path(__file__).parents[2] / "docs" / "editors" / "matrix.md"
WRITTEN = os.environ.get("STEERSMAN_MATRIX")
"""The file that the table is written to."""
OUTCOMES: dict[tuple[str, str], str] = {}


async def halting(request, signal):
    await signal.wait()
    for step in answer("never"):
        yield step


# The scenarios: what the model says, and what somebody does


async def start(it: AtAnEditor) -> None:
    """starts, and sees the answer"""
    run = await it.start("what is it?")
    await it.ended(run)
    assert it.said("It is a shop.")
    assert it.desk.progress(run)[0]["kind"] == "begin"


async def approve(it: AtAnEditor) -> None:
    """looks at the diff, and accepts"""
    path = it.desk.put("a.txt", "one\ntwo\n")
    run = await it.start("change it")
    assert "-two\n+2" in await it.look()
    assert path.read_text() == "one\ntwo\n"
    await it.accept(path.as_uri())
    await it.ended(run)
    assert path.read_text() == "one\n2\n"


async def close_the_question(it: AtAnEditor) -> None:
    """closes the question: no"""
    path = it.desk.put("a.txt", "one\ntwo\n")
    run = await it.start("change it")
    await it.asked()
    if it.known.prompts:
        await it.close_prompt()
    if (
        it.known.typed_prompt or not it.known.prompts
    ):  # what closed it may have been typing: the question stays
        await it.choose("Decline: ", path.as_uri())
    else:
        it.way("prompt")
    await it.ended(run)
    assert path.read_text() == "one\ntwo\n"
    assert "declined" in it.told


async def edit_open(it: AtAnEditor) -> None:
    """has an open file edited"""
    path = it.desk.put("a.txt", "one\ntwo\n")
    uri = it.editor.open(path)
    run = await it.start("change it")
    await it.accept(uri)
    await it.ended(run)
    assert it.text_of(path) == "one\n2\n"
    it.ways[:] = ["by the editor" if it.editor.asked else "on the disk"]
    if (
        not it.known.habits.reloads
    ):  # the editor has it in its buffer, and nothing was written behind its back
        assert it.editor.asked


async def edit_while_typing(it: AtAnEditor) -> None:
    """types into the open file while the question is up"""
    path = it.desk.put("a.txt", "one\ntwo\nthree\n")
    uri = it.editor.open(path)
    run = await it.start("change it")
    await it.asked()
    it.editor.type(uri, "one\ntwo\nthree, and typed\n")
    await it.accept(uri)
    for _ in range(3):
        if it.client.prompts:  # what was approved is not the same any more
            it.way("asked again")
            await it.accept(uri)
    await it.ended(run)
    if it.text_of(path) == "one\n2\nthree, and typed\n":
        it.ways[:] = ["both are there"]
    else:
        assert it.text_of(path) == "one\ntwo\nthree, and typed\n"
        assert "Nothing was changed" in it.told
        it.ways[:] = ["typing kept, edit refused"]


async def edit_closed(it: AtAnEditor) -> None:
    """has a file edited that is not open"""
    path = it.desk.put("a.txt", "one\ntwo\n")
    run = await it.start("change it")
    await it.accept(path.as_uri())
    await it.ended(run)
    assert path.read_text() == "one\n2\n"
    assert it.editor.asked == []
    it.ways[:] = ["on the disk"]


async def create(it: AtAnEditor) -> None:
    """has a file made, in a new folder"""
    path = it.desk.root / "new" / "b.txt"
    run = await it.start("make it")
    await it.accept(path.as_uri())
    await it.ended(run)
    assert path.read_text() == "new\n"
    it.ways[:] = ["on the disk"]


async def delete(it: AtAnEditor) -> None:
    """has an open file deleted"""
    path = it.desk.put("a.txt", "one\n")
    uri = it.editor.open(path)
    run = await it.start("delete it")
    await it.accept(uri)
    await it.ended(run)
    assert not path.exists()
    it.ways[:] = ["by the editor" if it.editor.asked else "on the disk"]


async def move(it: AtAnEditor) -> None:
    """has an open file moved"""
    path = it.desk.put("a.txt", "one\n")
    uri = it.editor.open(path)
    run = await it.start("move it")
    await it.accept(uri)
    await it.ended(run)
    assert not path.exists()
    assert (it.desk.root / "b.txt").read_text() == "one\n"
    it.ways[:] = ["by the editor" if it.editor.asked else "on the disk"]


async def steer(it: AtAnEditor) -> None:
    """says something to the live run"""
    path = it.desk.put("a.txt", "one\ntwo\n")
    run = await it.start("change it")
    await it.asked()
    it.ways.clear()
    await it.steer("mind the gap")
    ways = list(it.ways)
    await it.accept(path.as_uri())
    await it.ended(run)
    assert any("mind the gap" in str(message) for message in it.desk.model.requests[-1].messages)
    it.ways[:] = ways


async def abort(it: AtAnEditor) -> None:
    """stops the run"""
    uri = it.editor.open(it.desk.put("a.txt", "one\n"))
    run = await it.start("think")
    await it.settle()
    it.ways.clear()
    await it.abort(run, uri)
    await it.ended(run)
    status = await it.answered(it.desk.client.command("steersman.status"))
    assert [each["state"] for each in status["sessions"]] == ["idle"]


async def transcript(it: AtAnEditor) -> None:
    """looks at the transcript"""
    uri = it.editor.open(it.desk.put("a.txt", "one\n"))
    await it.ended(await it.start("what is it?"))
    it.ways.clear()
    await it.choose("Show the transcript", uri)
    await it.settle()
    if it.known.virtual:
        (text,) = it.client.texts.values()
        it.ways[:] = ["document without a file"]
    else:
        (path,) = it.desk.home.transcripts.iterdir()
        text = path.read_text()
        assert path.as_uri() in it.editor.buffers or it.said(str(path))
        it.ways[:] = ["file" if path.as_uri() in it.editor.buffers else "file, named in a message"]
    assert "It is a shop." in text


EDIT = (answer("", edit_call("a.txt", "two", "2")), answer("It is done."))
SCENARIOS = {
    start: (answer("It is a shop."),),
    approve: EDIT,
    close_the_question: EDIT,
    edit_open: EDIT,
    edit_while_typing: EDIT,
    edit_closed: EDIT,
    create: (answer("", call("write", {"path": "new/b.txt", "content": "new\n"})), answer("It is done.")),
    delete: (answer("", call("delete", {"path": "a.txt"})), answer("It is done.")),
    move: (answer("", call("move", {"path": "a.txt", "to": "b.txt"})), answer("It is done.")),
    steer: EDIT,
    abort: (halting,),
    transcript: (answer("It is a shop."),),
}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
@pytest.mark.parametrize("known", EDITORS, ids=lambda known: known.name)
def test_somebody_without_a_plugin(known, scenario):
    async def run(base: Path) -> None:
        async with desk(
            base,
            *SCENARIOS[scenario],
            rich=False,
            encoding=known.habits.encoding,
            connect=connected,
            capabilities=known.capabilities,
            **({"clientInfo": known.info} if known.info else {}),
        ) as it:
            at = AtAnEditor(it, known)
            it.model.fallback = answer("It is done.")
            await scenario(at)
            assert not at.client.lost
            OUTCOMES[known.name, scenario.__name__] = ", ".join(at.ways)

    with tempfile.TemporaryDirectory() as base:
        run_alone(run(Path(base)))


# The table


def table(outcomes: dict[tuple[str, str], str]) -> str:
    names = [known.name for known in EDITORS]
    rows = [["somebody …", *names], ["---"] * (len(names) + 1)]
    for scenario in SCENARIOS:
        assert scenario.__doc__
        cells = [outcomes.get((name, scenario.__name__), "**fails**") for name in names]
        rows.append([scenario.__doc__, *cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@pytest.fixture(scope="module", autouse=True)
def _written() -> Iterator[None]:
    yield
    if WRITTEN:
        path = Path(WRITTEN)
        parts = re.split(r"(?<=<!-- table -->\n)|(?=<!-- end -->)", path.read_text())
        path.write_text(f"{parts[0]}{table(OUTCOMES)}{parts[-1]}")


@pytest.mark.skipif(bool(WRITTEN), reason="it is being made")
def test_the_kept_table_has_every_editor_and_every_scenario():
    kept = [line.split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("|")]
    made = [line.split(" | ") for line in table({}).splitlines()]
    assert [row[0] for row in kept] == [row[0] for row in made]  # else: make matrix
    assert kept[0] == made[0]
    assert "**fails**" not in DOCUMENT.read_text()


def test_every_client_in_the_table_of_quirks_is_one_of_the_editors():
    sent = {known.info["name"].lower() for known in EDITORS if known.info}
    assert {each.client.lower() for each in TABLE} <= sent
