"""A file that somebody else changes between the moment when it is read and the one in which it is changed.

Whatever they do and whenever: what they did is there afterwards. Either the tool's change was made on top of it, as it
was asked about, or nothing was changed and the model is told so. Nothing outside the workspace is touched, and nobody
waits for ever.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from steersman.session.approvals import Answer
from steersman.session.journal import Emitted
from support.editor_client import EditorClient, honest
from support.in_memory import connected, quiet, run_alone
from support.lsp_workspace import EVENTS as EVENT_TOKEN
from support.lsp_workspace import desk
from support.saving import saves, saving
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness
from support.somebody import BEFORE, DEEDS, Tree, tree_of

NEW = "all of it is new\n"
CALLS = {
    "edit": call("edit", {"path": "a.txt", "edits": [{"oldText": "two\n", "newText": "2\n"}]}),
    "write": call("write", {"path": "a.txt", "content": NEW}),
    "delete": call("delete", {"path": "a.txt"}),
    "move": call("move", {"from": "a.txt", "to": "b.txt"}),
}
INSTANTS = (
    "after it was read",
    "while it is asked about",
    "once it is accepted",
    "before its base is checked",
    "after its base was checked",
)
EVENTS = dict(zip(INSTANTS[2:], ("tool_execution_running", "edit_start", "checkpoint"), strict=True))
"""What is told at that moment."""
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
UNHARMED = {("made read-only", "delete"), ("made read-only", "move")}
"""What is done though the file has changed since it was asked about, if that is seen early enough."""
MADE_ANEW = {("replaced", "edit")}
"""On top of theirs; in an editor only once it shows that."""

every_case = pytest.mark.parametrize(
    ("deed", "tool", "instant"),
    [
        pytest.param(deed, tool, instant, id=f"{deed}, {tool}, {instant}")
        for instant in INSTANTS
        for deed in DEEDS
        for tool in CALLS
    ],
)


@dataclass
class Scene:
    """A workspace folder with a file that is to be changed, another one, and a file outside."""

    base: Path
    deed: str
    before: Tree = field(default_factory=dict)
    """What is there once they have done it."""

    def __post_init__(self) -> None:
        self.root, self.outside = self.base / "ws", self.base / "outside.txt"
        self.root.mkdir(parents=True)
        (self.root / "a.txt").write_text(BEFORE)
        (self.root / "other.txt").write_text("other\n")
        self.outside.write_text(BEFORE)

    def happens(self) -> None:
        if not self.before:
            DEEDS[self.deed](self.root / "a.txt", self.outside)
            self.before = tree_of(self.root)

    def with_change(self, tool: str) -> Tree:
        """The tree, with what the tool does to what they have left."""
        found = dict(self.before)
        match tool:
            case "edit":
                found["a.txt"] = found["a.txt"].replace("two\n", "2\n")
            case "write":
                found["a.txt"] = f"file {NEW}"
            case "delete":
                del found["a.txt"]
            case "move":
                found = {f"b{name[1:]}" if name.startswith("a.txt") else name: found[name] for name in found}
        return found

    def check(
        self, tool: str, instant: str, outcome: str, result: str, *, made: Collection[tuple[str, str]]
    ) -> None:
        assert self.before, "it has happened"
        assert self.outside.read_text() == BEFORE
        if outcome == "ok":
            assert tree_of(self.root) == self.with_change(tool), result
        else:
            assert outcome == "failed"
            assert tree_of(self.root) == self.before, result
        if instant != INSTANTS[0]:
            late = instant == INSTANTS[-1] and (self.deed, tool) in UNHARMED
            assert (outcome == "ok") == ((self.deed, tool) in made and not late), result


@every_case
async def test_what_somebody_else_did_to_a_file_is_never_undone_or_hidden(tmp_path, deed, tool, instant):
    scene = Scene(tmp_path, deed)

    async def now(_: object) -> Answer:
        if instant == INSTANTS[1]:
            scene.happens()
        return Answer("accept")

    async def before_the_call(_: object) -> None:
        if instant == INSTANTS[0]:
            scene.happens()

    h = SessionHarness(
        tmp_path,
        answer("", call("read", {"path": "a.txt"})),
        [before_the_call, *answer("", CALLS[tool])],
        answer("done"),
        person=Person(otherwise=now),
    )

    def on_event(event: Emitted) -> None:
        if event.type == EVENTS.get(instant) and h.types.count("tool_execution_start") == 2:
            scene.happens()

    h.services.bus.listen(on_event)
    async with asyncio.timeout(60):
        await h.run()
    assert h.end["stopReason"] == "complete"
    scene.check(tool, instant, h.outcomes[1], h.results()[1], made=UNHARMED | MADE_ANEW)
    h.verify()
    await h.close()


async def test_nothing_is_saved_through_a_link_that_was_put_there_meanwhile(tmp_path):
    """Even where it leads to the same text."""
    scene = Scene(tmp_path, "made a link to outside")

    def edits(editor: EditorClient, params: dict[str, Any]) -> Any:
        answered = honest(editor, params)
        scene.happens()
        return answered

    script = (answer("", call("read", {"path": "a.txt"})), answer("", CALLS["edit"]), answer("done"))
    features = {"steersman": {"version": "1", "eventToken": EVENT_TOKEN, "save": True}}
    async with desk(scene.base, *script, mode="auto-edit", initializationOptions=features) as it:
        it.editor.behaviour = edits
        asked = saving(it.editor, saves)
        it.editor.open(scene.root / "a.txt")
        await it.ended(await it.start())
        assert asked == []
        assert it.results()[1]["outcome"] == "ok"
        assert "not saved yet" in it.result_texts()[1]
    assert scene.outside.read_text() == BEFORE


@every_case
def test_a_file_that_is_open_in_the_editor_is_as_safe(tmp_path, deed, tool, instant):
    """The editor has not loaded it again. An edit goes into its text, unsaved; then the disk stays as they left it."""
    run_alone(_in_an_editor(Scene(tmp_path, deed), tool, instant))


async def _in_an_editor(scene: Scene, tool: str, instant: str) -> None:
    async def before_the_call(_: object) -> None:
        if instant == INSTANTS[0]:
            scene.happens()

    script = (
        answer("", call("read", {"path": "a.txt"})),
        [before_the_call, *answer("", CALLS[tool])],
        answer("done"),
    )
    async with desk(scene.base, *script, connect=connected) as it:
        told: list[str] = []

        def on_event(event: Emitted) -> None:
            told.append(event.type)
            if event.type == EVENTS.get(instant) and told.count("tool_execution_start") == 2:
                scene.happens()

        it.server.services.bus.listen(on_event)
        uri = it.editor.open(scene.root / "a.txt")
        await it.heard()
        run = it.client.command("steersman.start", {"prompt": "go"})
        while not it.events("agent_end"):
            await quiet()
            if it.questions.empty():
                it.clock.advance(1.0)  # for what an editor does late
                continue
            if instant == INSTANTS[1]:
                scene.happens()
            it.questions.get_nowait().choose("Accept")
        await run
        result = it.results()[1]
        text = it.editor.buffers[uri].text
    said = "".join(block["text"] for block in result["content"])
    assert it.events("agent_end")[0]["data"]["stopReason"] == "complete"
    if text != BEFORE:
        assert "link" not in scene.deed, "the editor would save it elsewhere"
        assert (result["outcome"], text) == ("ok", {"edit": BEFORE.replace("two", "2"), "write": NEW}[tool])
        assert "not saved yet" in said
        assert tree_of(scene.root) == scene.before
        assert scene.outside.read_text() == BEFORE
    else:
        scene.check(tool, instant, result["outcome"], said, made=UNHARMED)


def test_the_page_lists_what_is_done_and_when():
    text = PAGE.read_text()
    for each in (*DEEDS, *INSTANTS):
        assert each in text, each
