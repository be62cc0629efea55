"""The tapes that show one behaviour each: what the user asks and does, and what must happen.

What has to come is checked when a scene is played, so that no description can say what is not so. The model's side
is in the tape of the same name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Decision = Literal["Accept", "Decline"]


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    description: str
    prompt: str
    ends: Sequence[tuple[str, str]] = ()
    """Each call's tool and outcome, in declared order."""
    told: Sequence[tuple[int, str]] = ()
    """What must be new in requests to the model: number of the request (from 1), and a text in it."""
    answer: str = ""
    """A text in the final answer."""
    stops: Sequence[str] = ("complete",)
    """How each run of it ended."""
    changed: Sequence[str] = ()
    """The files that must have changed."""
    decision: Decision = "Accept"
    """The answer to every question."""
    says: tuple[str, str] | None = None
    """A command (`steer`, `followUp`) and its text, sent while the first answer is streaming."""
    aborts: bool = False
    """The user aborts once the command has printed its process ids."""
    then: str | None = None
    """What the user asks in the same session after the run."""
    elsewhere: tuple[str, str] | None = None
    """A file and a text that somebody else writes there after the run; then the user takes the run's changes back, and
    keeps that file."""
    instead: str | None = None
    """What the user asks in a copy of the session, from before `then`."""
    holds: Sequence[tuple[int, str]] = ()
    """What must be in requests to the model, new or not: number of the request (from 1), and a text."""
    lacks: Sequence[tuple[int, str]] = ()
    """What it must not have been sent."""
    summarised: bool = False
    """The model must get a summary in place of old messages."""
    max_turns: int | None = None
    secret: str | None = None
    """A text in the exception that the demo's own tool raises. It may only be in the application log."""
    extension: str | None = None
    """An example extension that is installed beside the server, and enabled."""
    together: int = 0
    """How many calls must run at the same time."""


_ALL = (
    Scene(
        "plain-answer",
        "an answer without any tool",
        "What is a pure function?",
        answer="same result for the same arguments",
    ),
    Scene(
        "mentions",
        "what a message mentions goes with it: the model answers without reading anything",
        "Is @src/math.ts#L5-L7 right?",
        told=[(1, "Lines 5-7 of src/math.ts"), (1, "sum + value")],
        answer="mean([]) is NaN",
    ),
    Scene(
        "list-files",
        "the model lists a folder and answers",
        "Which files are in src?",
        ends=[("ls", "ok")],
        told=[(2, "shapes.ts")],
        answer="index.ts, math.ts and shapes.ts",
    ),
    Scene(
        "mended-path",
        "src/maths.ts does not exist; the error names src/math.ts, and the model mends its path",
        "What does src/maths.ts export?",
        ends=[("read", "failed"), ("read", "ok")],
        told=[(2, "Did you mean src/math.ts?"), (3, "export function mean")],
        answer="clamp and mean",
    ),
    Scene(
        "missing-file",
        "a file that does not exist and resembles none: the model looks into it",
        "What does docs/rounding.txt say?",
        ends=[("read", "failed"), ("find", "ok"), ("grep", "ok")],
        told=[(2, "File not found: docs/rounding.txt"), (3, "half up")],
        answer="does not exist",
    ),
    Scene(
        "unknown-tool",
        "the model calls a tool that is not there, and is told which are",
        "Which version is this?",
        ends=[("read_file", "unknownTool"), ("read", "ok")],
        told=[(2, "Unknown tool: read_file. Did you mean read?")],
        answer="1.0.0",
    ),
    Scene(
        "tool-exception",
        "a tool raises with a secret in its text: only the application log has it",
        "Which version is live?",
        ends=[("deployment", "failed")],
        told=[(2, "Tool execution failed.")],
        answer="fails unexpectedly",
        secret="token=demo-secret-3f9a1c",
    ),
    Scene(
        "truncated-arguments",
        "an answer is cut in the middle of a call: that is not executed, the whole one is",
        "Add roundHalfUp in src/round.ts.",
        ends=[("write", "truncated"), ("write", "ok")],
        told=[(2, "the response was cut off")],
        answer="exports roundHalfUp",
        changed=["src/round.ts"],
    ),
    Scene(
        "parallel-reads",
        "three reads of one answer run at the same time; results come in declared order",
        "What does this package export?",
        ends=[("read", "ok"), ("read", "ok"), ("read", "ok")],
        told=[(2, "circleArea")],
        answer="circleArea from shapes.ts",
        together=3,
    ),
    Scene(
        "steer",
        "a message in the middle of a run joins its next request",
        "What is in this project?",
        ends=[("bash", "ok")],
        says=("steer", "Don't count lines, the names are enough."),
        told=[(2, "the names are enough")],
        answer="index.ts, math.ts and shapes.ts",
    ),
    Scene(
        "follow-up",
        "a message that waits until the run would have ended",
        "What does math.ts export?",
        ends=[("bash", "ok")],
        says=("followUp", "And shapes.ts?"),
        told=[(3, "And shapes.ts?")],
        answer="circleArea",
    ),
    Scene(
        "abort-command",
        "an abort during a command: it is ended with all that it started, and then the run",
        "Build it.",
        ends=[("bash", "aborted")],
        stops=["aborted", "complete"],
        aborts=True,
        then="What happened?",
        told=[(2, "Operation aborted")],
        answer="you aborted it",
    ),
    Scene(
        "declined-edit",
        "the user declines an edit; nothing changes, and the model is told",
        "Is mean correct?",
        ends=[("read", "ok"), ("edit", "denied")],
        told=[(3, "The user declined this.")],
        answer="Left as it is",
        decision="Decline",
    ),
    Scene(
        "plan",
        "an extension: the model plans with tools that only read, the plan is kept and shown, then it is carried out",
        "The mean of an empty list should be 0.",
        ends=[("read", "ok"), ("edit", "ok"), ("report_step", "ok"), ("edit", "ok"), ("report_step", "ok")],
        told=[(3, "Plan, 0 of 2 done"), (4, "Plan, 1 of 2 done")],
        answer="mean([]) is 0 now",
        changed=["README.md", "src/math.ts"],
        extension="plan_strategy",
    ),
    Scene(
        "compaction",
        "the conversation no longer fits the model: old messages are summarised, and the work goes on",
        "Run the whole suite.",
        ends=[("bash", "ok")],
        stops=["complete", "complete"],
        then="Which case failed?",
        told=[(4, "case 1201: FAILED"), (5, "Which case failed?")],
        holds=[(3, "case 777: passed"), (5, "1,200 cases passed")],
        lacks=[(5, "case 777: passed")],
        summarised=True,
        answer="Case 1201",
    ),
    Scene(
        "revert",
        "what a run changed is taken back, but for a file that somebody else has changed since",
        "Round half to even from now on.",
        ends=[("edit", "ok"), ("edit", "ok"), ("write", "ok")],
        elsewhere=("package.json", '{ "name": "maths", "version": "2.0.1" }\n'),
        answer="half to even",
        changed=["package.json"],
    ),
    Scene(
        "fork",
        "another way from before a message, in a copy of the session: the first one stays as it is",
        "What does math.ts export?",
        stops=["complete", "complete", "complete"],
        then="Rename clamp.",
        instead="Rename mean.",
        told=[(3, "Rename mean.")],
        lacks=[(3, "Rename clamp."), (3, "limit")],
        answer="average",
    ),
    Scene(
        "turn-limit",
        "a run that goes on and on is stopped at its limit of turns",
        "Look around.",
        ends=[("ls", "ok"), ("ls", "ok"), ("ls", "ok")],
        stops=["max_turns"],
        max_turns=3,
    ),
)
SCENES = {scene.name: scene for scene in _ALL}
