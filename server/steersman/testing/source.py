"""Writes the Python source of a test that repeats a session."""

import itertools
import json
import keyword
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from steersman.testing.asked import KINDS, Asked, Reply
from steersman.testing.commands import Ran
from steersman.testing.moments import Action
from steersman.testing.story import RunStory, Story
from steersman.testing.trees import Content, Link, Tree
from steersman.testing.turns import Call, Turn

_STEP = "    "
_WIDTH = 80
"""Most characters on a line that could be broken."""
_REPEATED = 5
"""Most equal lines that are written one by one."""


class Source:
    """Writes one test.

    Args:
        changed: what each run changes.
        remarks: comments for each run, on what differs from the session.
        last: comments for the end.
    """

    def __init__(
        self, story: Story, changed: Iterable[Tree], remarks: Iterable[list[str]], last: Iterable[str]
    ) -> None:
        self._story, self._changed, self._remarks, self._last = story, changed, remarks, last
        self._used: set[str] = set()

    def write(self, name: str) -> str:
        """The whole file, with a test function of this name."""
        body = self._body()
        names = ", ".join(sorted(self._used))
        imports = ["", f"from steersman.testing import {names}"] if names else []
        if len(names) > _WIDTH:
            imports = [
                "",
                "from steersman.testing import (",
                *_indented(f"{n}," for n in sorted(self._used)),
                ")",
            ]
        head = [f'"""{self._title()}"""', *imports, "", ""]
        return "\n".join([*head, f"def {name}(steersman_agent):", *_indented(body)]) + "\n"

    def _title(self) -> str:
        day = datetime.fromtimestamp(self._story.created / 1000, UTC).date()
        return f"Made from the session {self._story.session} of {day}."

    def _body(self) -> list[str]:
        story = self._story
        lines = _comments(story.notes)
        settings = {"allow_commands": story.allow_commands, "protect": story.protect}
        given = [f"{key}={_value(value)}" for key, value in settings.items() if value]
        if given:
            lines.append(f"steersman_agent.configure({', '.join(given)})")
        if story.files:
            lines += _call("steersman_agent.workspace.write", self._tree(story.files))
        for run, changed, remarks in zip(story.runs, self._changed, self._remarks, strict=True):
            lines += [*([""] if lines else []), *_comments([*run.notes, *remarks]), *self._run(run)]
            lines += [
                f"assert result.stop_reason == {quoted(run.stop_reason)}",
                *_prefixed("assert result.changed == ", self._tree(changed)),
            ]
        return [*lines, *_comments(self._last)]

    def _run(self, run: RunStory) -> list[str]:
        parts = [
            *_ended([quoted_lines(run.prompt)] if run.prompt is not None else [["None"]]),
            *_ended([_list(self._turn(each) for each in run.turns)]),
        ]
        if run.nobody:
            parts.append('answers="nobody",')
        elif run.answers:
            parts += _ended([_prefixed("answers=", _list([self._reply(each)] for each in run.answers))])
        if run.during:
            parts += _ended([_prefixed("during=", _list([self._action(each)] for each in run.during))])
        if run.mode != "ask":
            parts.append(f"mode={quoted(run.mode)},")
        if not run.trusted:
            parts.append("trusted=False,")
        if run.max_turns is not None:
            self._used.add("Budget")
            parts.append(f"budget=Budget(turns={run.max_turns}),")
        if run.commands or any(each.name == "bash" for turn in run.turns for each in turn.tool_calls):
            parts += _ended([_prefixed("commands=", self._commands(run.commands))])
        return ["result = steersman_agent.run(", *_indented(parts), ")"]

    def _turn(self, turn: Turn) -> list[str]:
        if turn.error is not None:
            self._used.add("failure")
            error = turn.error
            options = {"after": error.after, "retry_after": error.retry_after}
            more = [f"{key}={_value(value)}" for key, value in options.items() if value]
            return _call(
                "failure", [quoted(error.kind)], quoted_lines(error.message), *([each] for each in more)
            )
        usual = "tool_calls" if turn.tool_calls else "stop"
        extras = turn.thinking or turn.refusal or turn.hang or turn.stop_reason != usual or turn.tool_calls
        if turn.text and not extras:
            return quoted_lines(turn.text)
        self._used.add("turn")
        parts = [quoted_lines(turn.text)] if turn.text else []
        parts += [self._tool_call(each) for each in turn.tool_calls]
        for key in ("thinking", "refusal"):
            if text := getattr(turn, key):
                parts.append(_prefixed(f"{key}=", quoted_lines(text)))
        if turn.hang:
            parts.append(["hang=True"])
        if turn.stop_reason != usual:
            parts.append([f"stop={quoted(turn.stop_reason)}"])
        return _call("turn", *parts)

    def _tool_call(self, call: Call) -> list[str]:
        self._used.add("call")
        name = [quoted(call.name)]
        try:
            arguments = json.loads(call.arguments)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return _call("call", name, quoted_lines(call.arguments))
        if not all(key.isidentifier() and not keyword.iskeyword(key) for key in arguments):
            return _call("call", name, _value_lines(arguments))
        return _call("call", name, *(_prefixed(f"{key}=", _value_lines(arguments[key])) for key in arguments))

    def _reply(self, reply: Reply) -> str:
        question = self._question(reply.question)
        answer = reply.answer
        if answer is None:
            return f"{question}.leave()"
        if answer.hunks is not None:
            return f"{question}.accept_hunks({', '.join(map(quoted, answer.hunks))})"
        if answer.decision == "decline":
            return f"{question}.decline({'' if answer.feedback is None else quoted(answer.feedback)})"
        verbs = {"acceptForRun": "accept_for_run", "acceptForSession": "accept_for_session", "cancel": "stop"}
        return f"{question}.{verbs.get(answer.decision, 'accept')}()"

    def _question(self, question: Asked) -> str:
        about = ", ".join(map(quoted, question.about))
        if question.kind in KINDS:
            self._used.add(KINDS[question.kind])
            return f"{KINDS[question.kind]}({about})"
        self._used.add("Asked")
        return f"Asked({quoted(question.kind)}, ({about}{',' if about else ''}))"

    def _action(self, action: Action) -> str:
        self._used.add("after")
        nth = "" if action.moment.nth == 1 else f", nth={action.moment.nth}"
        text = "" if action.text is None else quoted(action.text)
        return f"after({quoted(action.moment.event)}{nth}).{action.verb}({text})"

    def _commands(self, commands: Mapping[str, list[Ran]]) -> list[str]:
        return _dict({command: self._results(results) for command, results in commands.items()})

    def _results(self, results: list[Ran]) -> list[str]:
        written = [self._ran(each) for each in results]
        return written[0] if len(written) == 1 else _list(written)

    def _ran(self, ran: Ran) -> list[str]:
        if not ran.is_error:
            return quoted_lines(ran.output)
        self._used.add("Ran")
        return _call("Ran", quoted_lines(ran.output), ["is_error=True"])

    def _tree(self, files: Mapping[str, Content]) -> list[str]:
        return _dict({path: self._content(files[path]) for path in files})

    def _content(self, content: Content) -> list[str]:
        if isinstance(content, Link):
            self._used.add("Link")
            return [f"Link({quoted(content.target)})"]
        return quoted_lines(content) if isinstance(content, str) else [repr(content)]


def quoted(text: str) -> str:
    """A string literal, in double quotes unless the text has some."""
    return repr(text) if '"' in text else '"' + repr("'" + text)[2:]


def quoted_lines(text: str) -> list[str]:
    """A string literal in source lines: one for each line of the text, but many equal lines are one product."""
    lines = text.splitlines(keepends=True)
    if len(lines) <= 1:
        return [quoted(text)]
    written: list[str] = []
    joined = ""
    for line, group in itertools.groupby(lines):
        times = len(list(group))
        if times > _REPEATED:
            written.append(f"{'+ ' if written else ''}{quoted(line)} * {times}")
            joined = "+ "
        else:
            written += [joined + quoted(line), *[quoted(line)] * (times - 1)]
            joined = ""
    return ["(", *_indented(written), ")"]


def _value(value: Any) -> str:
    return "".join(line.strip() for line in _value_lines(value))


def _value_lines(value: Any) -> list[str]:
    """A JSON value as a Python literal."""
    if isinstance(value, str):
        return quoted_lines(value)
    if isinstance(value, dict) and value:
        return _dict({key: _value_lines(each) for key, each in value.items()})
    if isinstance(value, list) and value:
        return _list(_value_lines(each) for each in value)
    return [repr(value)]


def _dict(items: Mapping[str, list[str]]) -> list[str]:
    if not items:
        return ["{}"]
    lines = [_prefixed(f"{quoted(key)}: ", value) for key, value in items.items()]
    return _bracketed("{", lines, "}")


def _list(items: Iterable[list[str]]) -> list[str]:
    return _bracketed("[", list(items), "]")


def _call(name: str, *arguments: list[str]) -> list[str]:
    return _bracketed(f"{name}(", list(arguments), ")")


def _bracketed(opening: str, items: list[list[str]], closing: str) -> list[str]:
    """The items in brackets: on one line if they fit, else on one each."""
    if all(len(each) == 1 for each in items):
        line = opening + ", ".join(each[0] for each in items) + closing
        if len(line) <= _WIDTH:
            return [line]
    return [opening, *_indented(_ended(items)), closing]


def _ended(items: Iterable[list[str]]) -> list[str]:
    """The items, each with a comma after it."""
    return [line for each in items for line in (*each[:-1], each[-1] + ",")]


def _prefixed(prefix: str, lines: list[str]) -> list[str]:
    return [prefix + lines[0], *lines[1:]]


def _indented(lines: Iterable[str]) -> list[str]:
    return [_STEP + line if line else line for line in lines]


def _comments(notes: Iterable[str]) -> list[str]:
    return [f"# {line}" for note in notes for line in note.splitlines() if line.strip()]
