"""A person at one of the known editors, without a plugin: starts, answers, steers and stops with what that editor has.

Works only inside `in_memory.run_alone`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.awkward_client import Prompt, path_at
from support.in_memory import quiet
from support.known_editors import EditorAsSeen, KnownEditor, knows_method
from support.lsp_client import Request
from support.lsp_workspace import Desk, is_progress

WAITS = "by the command steersman.approve."
NOTE = "notes.py"
"""A document from which actions are chosen where no command can be given."""


@dataclass
class AtAnEditor:
    desk: Desk
    known: KnownEditor
    ways: list[str] = field(default_factory=list)
    """How things were done, for the table."""

    def __post_init__(self) -> None:
        self.client = EditorAsSeen(
            self.desk.client, self.known.habits, lambda: self.desk.clock.now, known=self.known
        )
        self.editor = self.client.editor

    # What somebody does

    async def start(self, prompt: str) -> str:
        """Begins a run; its id."""
        if self.known.runs_commands:
            self.way("command")
            return (await self.answered(self.desk.client.command("steersman.start", prompt)))["run"]
        uri = self.editor.open(self.desk.put(NOTE, f"# steersman: {prompt}\n"))
        started = await self.choose("Do what this comment says", uri)
        return started["run"]

    async def steer(self, text: str) -> None:
        if self.known.runs_commands:
            self.way("command")
            await self.answered(self.desk.client.command("steersman.steer", text))
            return
        uri = self.editor.open(self.desk.put("steer.py", f"# steersman: {text}\n"))
        await self.choose("Steer the run", uri)

    async def abort(self, run: str, uri: str) -> None:
        if self.known.cancels:
            self.way("cancel button")
            self.desk.client.notify("window/workDoneProgress/cancel", {"token": f"steersman/{run}"})
        else:
            await self.choose("Stop the run", uri)
        await self.settle()

    async def accept(self, uri: str | None = None) -> None:
        """Says yes to the question: at its prompt, or by a code action in a document."""
        await self._say("Accept", uri)

    async def close_prompt(self) -> None:
        """Has the question go away without an answer."""
        self.client.reply(await self.question(), self.known.closed)
        await self.settle()

    async def look(self) -> str:
        """Has the question's document shown; its text."""
        if not self.known.prompts:
            self.way("in a message")
            return await self.asked()
        prompt = await self.question()
        self.client.reply(prompt, self.client.item(prompt.titles[0]))
        for _ in range(3):
            await self.settle()
            if not self.client.prompts:
                self.desk.clock.advance(self.desk.server.services.limits.show_document + 0.1)
        await self.settle()
        if self.client.texts:
            self.way("document without a file")
            return next(iter(self.client.texts.values()))
        if self.known.show_document:
            self.way("file")
            shown = [uri for uri in self.editor.buffers if path_at(uri).is_relative_to(self.desk.home.diffs)]
            text = self.editor.buffers[shown[0]].text
            self.editor.close(shown[0])
            await self.settle()
            return text
        self.way("in the question")
        return (await self.question()).params["message"]

    async def _say(self, title: str, uri: str | None) -> None:
        if self.known.typed_prompt:
            prompt = await self.question()
            self.client.reply(prompt, None)  # by what is being typed
            await self.settle()
            assert uri is not None
            await self.choose(f"{title}: ", uri)
        elif not self.known.prompts:
            await self.asked()
            assert uri is not None
            await self.choose(f"{title}: ", uri)
        else:
            self.way("prompt")
            self.client.reply(await self.question(), self.client.item(title))
        await self.settle()

    async def choose(self, title: str, uri: str) -> Any:
        """Gives the command of a code action at the start of a document."""
        self.way("code action")
        here = {"line": 0, "character": 0}
        params = {
            "textDocument": {"uri": uri},
            "range": {"start": here, "end": here},
            "context": {"diagnostics": [], "triggerKind": 1},
        }
        offered = await self.answered(self.desk.client.begin("textDocument/codeAction", params))
        found = [each for each in offered if each["title"].startswith(title)]
        assert found, [each["title"] for each in offered]
        command = found[0]["command"]
        self.client.last_action = self.desk.clock.now
        return await self.answered(self.desk.client.command(command["command"], *command["arguments"]))

    # What comes of it

    async def asked(self) -> str:
        """What the question says that is open, in a prompt or a message."""
        if self.known.prompts:
            return (await self.question()).params["message"]
        for _ in range(10):
            await self.settle()
            shown = self.desk.client.of_method("window/showMessage")
            said = [each["params"]["message"] for each in shown]
            if self.desk.server.services.approvals.list() and said and said[-1].endswith(WAITS):
                return said[-1]
            self.desk.clock.advance(1.0)
        raise AssertionError("nothing is asked")

    async def question(self) -> Prompt:
        """The one on the screen."""
        for _ in range(10):
            await self.settle()
            if self.client.prompts:
                (prompt,) = self.client.prompts
                return prompt
            self.desk.clock.advance(1.0)
        raise AssertionError("nothing is asked")

    async def ended(self, run: str) -> str:
        """What the end of the run's progress says; time passes until then."""
        for _ in range(30):
            await self.settle()
            values = self.desk.progress(run)
            if values and values[-1]["kind"] == "end":
                self._check_what_was_sent()
                return values[-1]["message"]
            for prompt in [
                each for each in self.client.prompts if "the instruction" in each.params["message"]
            ]:
                self.client.reply(prompt, self.client.item("Accept"))
            for question in [] if self.known.prompts else self.desk.server.services.approvals.list():
                if "the instruction" in question.title:
                    ways = list(self.ways)
                    await self.choose("Accept: ", question.changes[0].uri)
                    self.ways[:] = ways
            self.desk.clock.advance(1.0)
        raise AssertionError(f"the run does not end: {self.desk.progress(run)}")

    async def settle(self) -> None:
        """Until nothing more happens by itself: the editor tells of what it put off, and loads clean files again."""
        await quiet()
        self.client.take_back()
        self.client.catch_up()
        if self.known.habits.reloads:
            list(self.editor.reload_changed())
        await quiet()

    def text_of(self, path: Path) -> str:
        """What the user sees of a file: the buffer, else the disk."""
        buffer = self.editor.buffers.get(path.as_uri())
        return path.read_text() if buffer is None else buffer.text

    @property
    def told(self) -> str:
        """What the model was told last."""
        return str(self.desk.model.requests[-1].messages[-1])

    def said(self, text: str) -> bool:
        """Whether the user was told something, by a message."""
        shown = self.desk.client.of_method("window/showMessage")
        return any(text in message["params"]["message"] for message in shown)

    def way(self, how: str) -> None:
        if how not in self.ways:
            self.ways.append(how)

    def _check_what_was_sent(self) -> None:
        """Nothing that the editor did not say it can take."""
        for message in self.desk.client.received:
            method = message.get("method")
            assert method is None or knows_method(self.known, method), message
            if method == "$/progress":
                assert message["params"]["value"]["kind"] in ("begin", "report", "end")
        assert not any(is_progress(message, "steersman-events") for message in self.desk.client.received)

    async def answered(self, request: Request) -> Any:
        await self.settle()
        return await request


Scenario = Callable[[AtAnEditor], Any]
