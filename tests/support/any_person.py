"""A person at an awkward client who can do anything in any order."""

from collections.abc import Awaitable, Callable
from typing import Any

from support.any_memory import Memory, Started
from support.any_workspace import FILES, words
from support.awkward_client import Prompt
from support.in_memory import quiet
from support.lsp_workspace import Desk

YES = ("accept", "acceptForRun", "acceptForSession")
LATER = "Answer later"
"""Where it can be chosen, nothing that can be chosen decides."""
TITLES = {
    "accept": "Accept",
    "acceptForRun": "Accept all in this run",
    "decline": "Decline",
    "cancel": "Stop",
}
NO_ANSWERS: tuple[Any, ...] = ({}, 42, [], {"title": 5}, "nonsense", {"decision": "maybe"}, {"title": None})
Action = tuple[Any, ...]
"""Its name, what it takes, and whether the next one comes before anything can have happened."""


class Person(Memory):
    """Its methods `_name` are the actions; one that could not be done returns False."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.client.typing = self._type_along

    async def do(self, action: Action) -> None:
        name, *details, rushed = action
        done = getattr(self, f"_{name}")(*details)
        if isinstance(done, Awaitable):
            done = await done
        if done is not False:
            self.done[name] += 1
        if not rushed:
            await self.settle()

    # Commands

    def _began(self, text: str, mode: str | None = None) -> Callable[[dict[str, Any]], None]:
        modes = frozenset([mode] if mode else self._modes)

        def then(result: dict[str, Any]) -> None:
            if text:
                self.taken[text] += 1
            if result.get("disposition", "started") == "started":
                self.runs.append(Started(result["run"], result["session"], modes))

        return then

    def _start(self, again: bool, mode: str | None) -> None:
        text = self.word("say ")
        argument: dict[str, Any] = {"prompt": text}
        if again and self.runs:
            argument["session"] = self.runs[-1].session
        if mode is not None:
            argument["mode"] = mode
        self.command("start", argument, self._began(text, mode), text)

    def _continue(self) -> bool | None:
        if not self.runs:
            return False
        self.command("continue", {"session": self.runs[-1].session}, self._began(""))
        return None

    def _named(self, named: bool) -> dict[str, str]:
        return {"run": self.runs[-1].id} if named and self.runs else {}

    def _steer(self, named: bool) -> None:
        text = self.word("say ")
        self.command("steer", {"text": text, **self._named(named)}, self._began(text), text)

    def _followUp(self, named: bool) -> None:
        text = self.word("say ")
        self.follow_ups.add(text)
        self.command("followUp", {"text": text, **self._named(named)}, self._began(text), text)

    def _queue(self, op: str, which: int) -> bool | None:
        if not self.runs:
            return False

        def then(listed: dict[str, Any]) -> None:
            items = listed["items"]
            if not items:
                return
            item = items[which % len(items)]
            argument = {"op": op, "run": listed["run"], "id": item["id"]}
            if op == "edit":
                text = self.word("say ")
                if item["kind"] == "followUp":
                    self.follow_ups.add(text)

                def edited(_: Any) -> None:
                    # An edit that was answered in between has given the item another text than the one listed.
                    self.taken[text] += 1
                    self.taken[self.edited.get(item["id"], item["text"])] -= 1
                    self.edited[item["id"]] = text

                self.command("queue", argument | {"text": text}, edited, text)
            elif op == "remove":

                def removed(answer: Any) -> None:
                    for each in answer["removed"]:
                        self.taken[each["text"]] -= 1

                self.command("queue", argument, removed)
            else:
                self.command("queue", argument | {"to": 0})

        self.command("queue", {"op": "list", "run": self.runs[-1].id}, then)
        return None

    def _abort(self, named: bool) -> None:
        self.command("abort", self._named(named))

    def _configure(self, mode: str, session: bool) -> None:
        self._modes.add(mode)
        where = {"session": self.runs[-1].session} if session and self.runs else {}
        self.command("configure", {"mode": mode, **where})

    def _cancel(self) -> bool | None:
        if not self.runs:
            return False
        token = f"steersman/{self.runs[-1].id}"
        self.desk.client.notify("window/workDoneProgress/cancel", {"token": token})
        return None

    # Questions

    def _answer(self, how: str, decision: str, which: int) -> bool | None:
        prompts = self.client.prompts
        if not prompts:
            return False
        prompt = prompts[which % len(prompts)]
        match how:
            case "the other way":
                self._approve(prompt, decision, {})
            case "with text" if prompt.params.get("changes"):
                self._rewrite(prompt, decision)
            case "hunks" if prompt.params.get("changes"):
                hunks = prompt.params["changes"][0]["hunks"]
                self._approve(prompt, decision, {"hunks": [hunk["id"] for hunk in hunks[:1]]})
            case "close":
                self.client.reply(prompt, None)
            case "fail":
                self.client.fail(prompt)
            case "nonsense":
                self.client.reply(prompt, NO_ANSWERS[which % len(NO_ANSWERS)])
            case "look" if prompt.titles and prompt.titles[0].startswith("Show"):
                self.client.reply(prompt, self.client.item(prompt.titles[0]))
            case _:
                self._say(prompt, decision)
        return None

    def _say(self, prompt: Prompt, decision: str, more: dict[str, Any] | None = None) -> None:
        if decision in YES:
            self.said_yes.add(prompt.id or prompt.params["message"].splitlines()[0])
        if prompt.id is not None:
            self.client.reply(prompt, {"decision": decision, **(more or {})})
        elif LATER in prompt.titles:
            self._say_by_command(prompt, decision)
        elif decision in TITLES:
            self.client.reply(prompt, self.client.item(TITLES[decision]))
        else:
            self.client.reply(prompt, None)

    def _say_by_command(self, prompt: Prompt, decision: str) -> None:
        """No choice of this prompt decides: the question is looked up by what it says, and answered by its id."""

        def then(answer: dict[str, Any]) -> None:
            title = prompt.params["message"].splitlines()[0].removeprefix("Steersman: ")
            for question in answer["approvals"]:
                if question["title"] == title and decision in question["decisions"]:
                    self.command("approve", {"id": question["id"], "decision": decision})
                    return

        self.command("approvals", {}, then)

    async def decline_what_waits(self) -> None:
        """Says no to what no prompt can be said no to."""
        if self.client.habits.name == "Neovim":
            for question in (await self.desk.command("approvals"))["approvals"]:
                self.command("approve", {"id": question["id"], "decision": "decline"})
            await self.settle()

    def _approve(self, prompt: Prompt, decision: str, more: dict[str, Any]) -> None:
        """By the command `steersman.approve`, for which the id has to be known; else as the client would."""
        if prompt.id is None or more:
            self._say(prompt, decision, more)
            return
        if decision in YES:
            self.said_yes.add(prompt.id)
        self.command("approve", {"id": prompt.id, "decision": decision})

    def _rewrite(self, prompt: Prompt, decision: str) -> None:
        """Answers with what is proposed and a line more."""

        def then(texts: dict[str, Any]) -> None:
            (change,) = texts["changes"]
            word = self.word("e")
            self.edited_in.add(word)
            text = change["newText"] + f"{word}\n"
            if prompt in self.client.prompts:
                self._say(prompt, decision, {"edited": [{"uri": change["uri"], "newText": text}]})

        self._open.append((self.desk.client.begin("steersman/approvalTexts", {"id": prompt.id}), then, None))

    def _act(self, decision: str, file: int) -> bool | None:
        """By a code action in a document."""
        uris = sorted(self.editor.buffers)
        if not uris:
            return False
        here = {"line": 0, "character": 0}
        params = {
            "textDocument": {"uri": uris[file % len(uris)]},
            "range": {"start": here, "end": here},
            "context": {"diagnostics": []},
        }

        def then(actions: list[dict[str, Any]]) -> None:
            answers = [each for each in actions if each["kind"] == "quickfix.steersman.answer"]
            for action in answers:
                (argument,) = action["command"]["arguments"]
                if argument["decision"] == decision:
                    if decision in YES:
                        self.said_yes.add(argument["id"])
                    self.client.last_action = self.desk.clock.now
                    self.command("approve", argument)
                    self.done["answered by a code action"] += 1
                    return

        self._open.append((self.desk.client.begin("textDocument/codeAction", params), then, None))
        return None

    # Files

    def _uri(self, file: int) -> str | None:
        uris = sorted(self._ours())
        return uris[file % len(uris)] if uris else None

    def _ours(self) -> list[str]:
        """Documents of the workspace that are open."""
        return [uri for uri, each in self.editor.buffers.items() if each.path.is_relative_to(self.desk.root)]

    def _name(self, file: int) -> str:
        names = self.world().names or ["a.txt"]
        return names[file % len(names)]

    def _type(self, file: int, how: str, line: int) -> bool | None:
        uri = self._uri(file)
        if uri is None:
            return False
        with self.acting():
            self.editor.type(uri, _changed(self.editor.buffers[uri].text, how, line, self.word("u")))
        return None

    def _type_along(self, uri: str) -> None:
        with self.acting():
            self.editor.step(uri, _changed(self.editor.buffers[uri].text, "insert", 0, self.word("u")))
        self.done["typed while an edit was made"] += 1

    def _undo(self, file: int) -> bool | None:
        uri = self._uri(file)
        if uri is None or not self.editor.buffers[uri].undo:
            return False
        before = words(self.editor.buffers[uri].text)
        with self.acting():
            self.editor.undo(uri)
        self.brought_back |= words(self.editor.buffers[uri].text) - before
        return None

    def _save(self, file: int) -> bool | None:
        uri = self._uri(file)
        if uri is None:
            return False
        with self.acting():
            self.editor.save(uri)
        return None

    def _close(self, file: int) -> bool | None:
        """Without saving."""
        uri = self._uri(file)
        if uri is None:
            return False
        with self.acting():
            self.editor.close(uri)
        return None

    def _close_shown(self) -> bool | None:
        return None if self.close_shown() else False

    def close_shown(self) -> bool:
        """Closes what the server has shown; whether there was anything."""
        shown = [uri for uri in self.editor.buffers if uri not in self._ours()]
        for uri in shown:
            self.editor.close(uri)
        return bool(shown)

    def _open_file(self, file: int) -> bool | None:
        path = self.desk.root / self._name(file)
        if not path.is_file() or path.as_uri() in self.editor.buffers:
            return False
        with self.acting():
            self.editor.open(path)
        return None

    def _disk(self, file: int, how: str, line: int) -> bool | None:
        """Another program changes the file."""
        path = self.desk.root / self._name(file)
        if not path.is_file():
            return False
        with self.acting():
            text = path.read_bytes().decode()
            path.write_bytes(_changed(text, how, line, self.word("d")).encode())
        return None

    def _remove(self, file: int) -> bool | None:
        path = self.desk.root / self._name(file)
        if not path.is_file():
            return False
        with self.acting():
            path.unlink()
        return None

    # Time

    async def _wait(self, seconds: float) -> None:
        """In half a second, if it is not over before, the client has come to what it had put off."""
        pause = min(seconds, 0.5)
        self.desk.clock.advance(pause)
        await quiet()
        if pause == 0.5:
            self.client.catch_up()
            await quiet()
        self.desk.clock.advance(seconds - pause)

    def _catch_up(self) -> bool | None:
        waited = bool(self.client.postponed or self.editor.untold)
        self.client.catch_up()
        return None if waited else False

    def _go_on(self) -> bool | None:
        waited = bool(self.model.holds)
        self.model.go_on()
        return None if waited else False


def _changed(text: str, how: str, line: int, word: str) -> str:
    """One line more, or another in the place of one, or one less."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    at = line % (len(lines) + 1)
    match how:
        case "replace" if lines:
            lines[at % len(lines)] = f"{word} 😀{end}"
        case "take out" if len(lines) > 1:
            del lines[at % len(lines)]
        case _:
            if at == len(lines) and lines and not lines[-1].endswith("\n"):
                lines[-1] += end
            lines.insert(at, f"{word} é{end}")
    return "".join(lines)


def put_files(desk: Desk) -> None:
    for name, text in FILES.items():
        desk.put(name, text)
