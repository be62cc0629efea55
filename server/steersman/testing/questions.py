"""Collects the questions of a session and their answers for its test, and the commands that ran without a question."""

from collections.abc import Mapping
from typing import Any

from steersman.session.approvals import ACCEPTING
from steersman.testing.asked import Asked, Reply
from steersman.testing.known_files import KnownFiles
from steersman.testing.places import Places, path_of
from steersman.testing.story import RunStory, Story


class Questions:
    """The questions of one session, run by run."""

    def __init__(self, whole: Story, places: Places, files: KnownFiles) -> None:
        self.asked_about: set[str] = set()
        """Ids of the tool calls that were asked about."""
        self._whole, self._places, self._files = whole, places, files
        self._asked: dict[str, Asked | None] = {}
        """By id. None: a test is not asked such a question."""
        self._granted: set[str] = set()
        """Commands that were accepted for a whole run or session."""

    def asked(self, story: RunStory, data: Mapping[str, Any]) -> None:
        """Takes an `approval_requested` of this run."""
        self.asked_about.add(data["toolCallId"])
        question = self._question(data)
        self._asked[data["id"]] = None if data["kind"] == "tool" else question
        for each in data["changes"]:
            if path := self._places.relative(each["uri"]):
                self._files.proposed(path, each)
        if data["kind"] == "tool":
            story.notes.append(f"{data['title']}: a test does not have the editor's own tools.")
        elif data["kind"] == "trust":
            story.trusted = False
            if story.mode in (
                "ask",
                "read-only",
            ):  # it was asked only because of the folder's instructions
                self._whole.files.setdefault("AGENTS.md", "")
        elif data["kind"] == "protected" and data["changes"]:
            self._whole.protect += [path for path in question.about if path not in self._whole.protect]

    def answered(self, story: RunStory, data: Mapping[str, Any]) -> None:
        """Takes an `approval_resolved` of this run."""
        question = self._asked[data["id"]]
        if question is None:
            return
        if data["by"] == "nobody":
            story.nobody = True
            return
        if data["decision"] in ("acceptForRun", "acceptForSession") and question.kind == "command":
            self._granted.update(question.about)
        if data.get("edited"):
            story.notes.append(
                f"{question!r} was accepted as rewritten by the user; the log doesn't have that text."
            )
        story.answers.append(_reply(question, data))

    def unasked(self, story: RunStory, command: str) -> None:
        """Takes a command that ran without a question: by its mode, by a grant, or else by a rule of the user."""
        if story.mode == "full-auto" or command in self._granted:
            return
        if command not in self._whole.allow_commands:
            self._whole.allow_commands.append(command)

    def _question(self, data: Mapping[str, Any]) -> Asked:
        if data.get("command") is not None:
            return Asked(data["kind"], (self._places.portable(data["command"]),))
        uris = [each["uri"] for each in data["changes"]]
        if uris:
            return Asked(data["kind"], tuple(self._places.relative(uri) or path_of(uri) for uri in uris))
        return Asked(data["kind"], () if data["kind"] == "trust" else (data["title"],))


def _reply(question: Asked, data: Mapping[str, Any]) -> Reply:
    decision = data["decision"]
    if decision == "withdrawn":
        return question.leave()
    if decision == "cancel":
        return question.stop()
    if decision not in ACCEPTING:
        return question.decline(data.get("feedback"))
    if data.get("hunks") is not None:
        return question.accept_hunks(*data["hunks"])
    if decision == "acceptForRun":
        return question.accept_for_run()
    return question.accept_for_session() if decision == "acceptForSession" else question.accept()
