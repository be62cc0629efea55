"""Reads the records of a finished session as the story that a test repeats."""

from collections.abc import Iterable, Mapping
from typing import Any

from steersman.session.log_lines import Record
from steersman.session.log_picture import FORMAT
from steersman.session.settings import Mode
from steersman.testing.known_files import GetBytes, KnownFiles
from steersman.testing.places import Places, path_of
from steersman.testing.questions import Questions
from steersman.testing.run_reader import RunReader
from steersman.testing.story import CannotRepeat, RunStory, Story


def read_story(records: Iterable[Record], preimages: GetBytes | None) -> Story:
    """The story of a whole log.

    Args:
        preimages: the bytes that were kept before files were changed; without, only what was read is known.

    Raises:
        CannotRepeat: the log isn't one of a finished session, or holds what a test has no way to do again.
    """
    reader: _Reader | None = None
    for record in records:
        if reader is None:
            reader = _Reader(record, preimages)
        else:
            reader.take(record)
    if reader is None:
        raise CannotRepeat("The session's log is empty.")
    return reader.end()


class _Reader:
    def __init__(self, record: Record, preimages: GetBytes | None) -> None:
        data = record.get("data", {})
        if record["type"] != "session" or data.get("format") != FORMAT:
            raise CannotRepeat("This is no session log that this version reads: it has no such first record.")
        self._story = Story(data["session"], data["created"])
        self._places = Places(data["roots"])
        if len(data["roots"]) > 1:
            self._story.notes.append("The session had several folders; only the first one is here.")
        self._files = KnownFiles(self._places, preimages)
        self._questions = Questions(self._story, self._places, self._files)
        self._run: RunReader | None = None
        self._mode: Mode | None = None

    def take(self, record: Record) -> None:
        kind, data = record["type"], record.get("data", {})
        if kind == "head" or kind.startswith("compaction"):
            what = "was taken back to an earlier message" if kind == "head" else "was compacted"
            raise CannotRepeat(f"The session {what} (record {record['seq']}): a test can't repeat that yet.")
        if kind == "agent_start":
            self._begin(data)
        elif kind == "checkpoint":
            self._files.kept(data)
        elif kind == "edit_applied":
            self._applied(data)
        elif kind == "config":
            self._mode = data["mode"]
        elif self._run is not None:
            self._run.take(kind, data)
            if kind == "agent_end":
                self._ended(self._run.story)

    def end(self) -> Story:
        """Raises:
        CannotRepeat: nothing has run, or something has not ended.
        """
        if self._run is not None:
            raise CannotRepeat("The session's last run has not ended.")
        if not self._story.runs:
            raise CannotRepeat("Nothing has run in this session.")
        self._story.files |= self._files.files
        self._story.notes += self._files.notes
        return self._story

    def _begin(self, data: Mapping[str, Any]) -> None:
        inputs = data["inputs"]
        prompt = "\n".join(item["text"] for item in inputs) if inputs else None
        self._run = RunReader(RunStory(prompt, data["mode"]), self._places, self._files, self._questions)

    def _ended(self, run: RunStory) -> None:
        self._run = None
        self._story.runs.append(run)
        if self._mode is not None and run.trusted:
            # As it was used: that of a folder that is not trusted is stricter than what was asked for.
            run.mode = self._mode

    def _applied(self, data: Mapping[str, Any]) -> None:
        for uri in (data["uri"], data.get("target")):
            if uri is None:
                continue
            path = self._places.relative(uri)
            if path is None:
                raise CannotRepeat(
                    f"The session has changed {path_of(uri)}, outside its workspace: a test must not do that again."
                )
            self._files.changed(path)
            is_gone = data.get("target") is not None and uri == data["uri"]
            self._story.final[path] = None if is_gone else data["sha256"]
