"""Turns a finished session into a test, and runs it once before giving it away."""

import hashlib
import re
import tempfile
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

from steersman.agent.config import Budget
from steersman.session.errors import SessionError
from steersman.session.home import Home
from steersman.session.log_lines import Record
from steersman.session.log_reading import read_records
from steersman.testing.agent import Agent
from steersman.testing.errors import RunMismatch, ScriptError
from steersman.testing.known_files import GetBytes
from steersman.testing.plan import RunOptions
from steersman.testing.result import Result
from steersman.testing.source import Source
from steersman.testing.story import CannotRepeat, RunStory, Story
from steersman.testing.story_reader import read_story
from steersman.workspace.preimages import BlobStore

__all__ = ["CannotRepeat", "session_to_test", "to_test"]

_ID = re.compile(r"[A-Za-z0-9_-]+")


def session_to_test(session: str | Path, home: Home, *, name: str = "test_session") -> str:
    """The source of a test that repeats a session.

    Args:
        session: its id, or the path of its log.
        home: where its log and its pre-images are kept.
        name: of the test function.

    Raises:
        CannotRepeat: there is no such session, or a test can't do what it did.
        LogError: its log can't be read.
    """
    if isinstance(session, str):
        if not _ID.fullmatch(session):
            raise CannotRepeat(f"{session!r} is not the id of a session.")
        session = home.sessions / f"{session}.jsonl"
    if not session.is_file():
        raise CannotRepeat(f"There is no session {session.stem} ({session}).")
    return to_test(read_records(session), preimages=BlobStore(home.preimages).get, name=name)


def to_test(
    records: Iterable[Record], *, preimages: GetBytes | None = None, name: str = "test_session"
) -> str:
    """The source of a test that repeats the session of a log: its files as far as they are known, the model's answers,
    the user's, and what became of the files. It is run only in a temporary folder, and runs no command.

    Args:
        records: all records of the log.
        preimages: gives the bytes that were kept before a change. Without it, only what was read is known.
        name: of the test function.

    Raises:
        CannotRepeat: a test can't do what the session did.
    """
    if not name.isidentifier():
        raise CannotRepeat(f"{name!r} can't name a function.")
    story = read_story(records, preimages)
    with tempfile.TemporaryDirectory(prefix="steersman-") as base:
        agent = Agent(Path(base), Path(base))
        try:
            results = _repeat(agent, story)
        finally:
            agent.close()
        remarks = [_remarks(run, result) for run, result in zip(story.runs, results, strict=True)]
        last = _other_ends(story, agent.workspace.path)
    return Source(story, [result.changed for result in results], remarks, last).write(name)


def _repeat(agent: Agent, story: Story) -> list[Result]:
    """Raises:
    CannotRepeat: something else happened than in the session.
    """
    agent.configure(allow_commands=story.allow_commands, protect=story.protect)
    results = []
    try:
        agent.workspace.write(story.files)
        for number, run in enumerate(story.runs, 1):
            result = agent.run(run.prompt, run.turns, **_options(run))
            if result.stop_reason != run.stop_reason:
                raise CannotRepeat(
                    f"Run {number} of the session ended as {run.stop_reason}, its repetition as {result.stop_reason}."
                )
            results.append(result)
    except (RunMismatch, ScriptError, SessionError) as error:
        raise CannotRepeat(f"The repetition differs from the session: {error}") from error
    return results


def _options(run: RunStory) -> RunOptions:
    return RunOptions(
        answers="nobody" if run.nobody else run.answers,
        during=run.during,
        mode=run.mode,
        trusted=run.trusted,
        budget=None if run.max_turns is None else Budget(turns=run.max_turns),
        # Never None: no command of the session may run.
        commands={command: ran[0] if len(ran) == 1 else ran for command, ran in run.commands.items()},
    )


def _remarks(run: RunStory, result: Result) -> list[str]:
    """Says which calls had another outcome than in the session."""
    remarks = []
    for told, repeated in zip_longest(run.calls, result.calls):
        if told is None or repeated is None:
            remarks.append("There were other calls in the session.")
            break
        if told.outcome != repeated.outcome:
            said = (repeated.text.strip().splitlines() or [""])[0]
            remarks.append(
                f"`{told.what}` was {told.outcome} in the session; here it is {repeated.outcome}: {said}"
            )
    return remarks


def _other_ends(story: Story, workspace: Path) -> list[str]:
    """Says which files the session left with another content: something that the log doesn't have changed them too."""
    remarks = []
    for path, digest in story.final.items():
        file = workspace / path
        there = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
        if there != digest:
            remarks.append(f"The session left {path} with another content than this test does.")
    return remarks
