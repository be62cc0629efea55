"""The extensions of one session behind one object: it calls their hooks in order, and logs which one raised.

The rules: transforms are chained; one veto is enough, and no extension can allow anything; one of them can end the run;
where several change the next turn, the last one counts.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from steersman.agent.abort import AbortSignal
from steersman.agent.events import Input
from steersman.agent.foreign import require_result
from steersman.agent.hooks import Block, HookError, NextTurn, PendingCall, Stop, TurnSummary
from steersman.agent.inbox import QueueKind
from steersman.agent.messages import CustomMessage, Message, Text, ToolCall, UserMessage
from steersman.agent.tool import Tool, ToolResult
from steersman.extensions import CannotGoOn, Extension, NotPossible
from steersman.session.extension_answers import expect, expect_change, expect_messages
from steersman.session.extension_models import RunsModel
from steersman.session.extension_session import ExtensionSession, Link
from steersman.session.extension_tools import GuardedTool, is_of, tool_fault
from steersman.session.extensions import Extensions, LoadedExtension, overrides
from steersman.session.waiting import ended_within
from steersman.workspace.roots import printable

log = logging.getLogger(__name__)

_CLOSE = 1.0
"""Seconds that an extension has to release what it holds."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    extension: Extension

    @property
    def redacts(self) -> bool:
        """Whether what it removes from results must not be seen elsewhere either."""
        return self.extension.redacts and self.overrides("after_tool_call")

    def overrides(self, hook: str) -> bool:
        return overrides(type(self.extension), hook)


class SessionExtensions:
    """One object of each extension."""

    def __init__(self, extensions: Extensions, link: Link) -> None:
        self._problems = list(extensions.problems)
        self._told: set[str] = set()
        """Problems of which the user was told at once."""
        self.link = link
        self._members = [member for each in extensions.loaded if (member := self._make(each)) is not None]

    def _make(self, loaded: LoadedExtension) -> _Member | None:
        try:
            return _Member(loaded.name, loaded.kind(ExtensionSession(self.link, loaded.name)))
        except Exception as error:  # noqa: BLE001 - it is logged, and told to the user
            self._left_out(f"The extension {loaded.name} is left out of this session", error)
            return None

    def _left_out(self, what: str, error: Exception) -> None:
        log.error("%s", what, exc_info=error)
        self._problems.append(f"{what}: it failed with {type(error).__name__}; the log says how.")

    def take_problems(self) -> list[str]:
        """What was left out and why, for a person; each only once."""
        problems, self._problems = self._problems, []
        return problems

    def implements(self, hook: str) -> bool:
        """Whether any of them has a hook of its own."""
        return any(each.overrides(hook) for each in self._members)

    def get(self, name: str) -> Extension | None:
        """The object of one extension; None if it was left out."""
        return next((each.extension for each in self._members if each.name == name), None)

    @property
    def withholds_output(self) -> bool:
        """Whether the output of commands may be kept only in their results."""
        return any(each.redacts for each in self._members)

    def tools(self, taken: Sequence[str]) -> list[Tool]:
        """The tools that they add to those named `taken`. A tool that can't be used is left out."""
        names = {name.casefold() for name in taken}
        added: list[Tool] = []
        for each in self._members:
            try:
                for tool in each.extension.tools():
                    if fault := tool_fault(tool, names):
                        self._problems.append(_tool_left_out(tool, each.name, fault))
                        continue
                    names.add(tool.name.casefold())
                    added.append(GuardedTool(tool, each.name))
            except Exception as error:  # noqa: BLE001 - as above
                self._left_out(f"The extension {each.name} adds no more tools", error)
        return added

    # Before and between turns

    async def prepare_run(self, inputs: Sequence[Input], signal: AbortSignal) -> NextTurn | None:
        """The kernel's hook of this name."""
        return await self._changes("prepare_run", lambda it: it.prepare_run(inputs, signal))

    async def prepare_next_turn(self, turn: TurnSummary, signal: AbortSignal) -> NextTurn | None:
        """The kernel's hook of this name."""
        return await self._changes("prepare_next_turn", lambda it: it.prepare_next_turn(turn, signal))

    async def _changes(
        self, hook: str, ask: Callable[[Extension], Awaitable[NextTurn | None]]
    ) -> NextTurn | None:
        merged: NextTurn | None = None
        for each in self._members:
            with _named(each, hook):
                change = expect_change(await ask(each.extension))
                if change is not None:
                    model = change.model and RunsModel(change.model)
                    change = replace(change, model=model, tools=self._usable(change.tools, each.name))
            if change is not None:
                merged = change if merged is None else changed(merged, change)
        return merged

    def _usable(self, tools: Sequence[Tool] | None, name: str) -> Sequence[Tool] | None:
        """The session's own tools as they are; any others as `tools` adds them. What can't be used is left out, which
        the user is told once."""
        if tools is None:
            return None
        known = self.link.parts.tools
        # The extension may hand in a tool of its own that the session has wrapped already.
        taken = {tool.name.casefold() for tool in known if not is_of(tool, name)}
        usable: dict[str, Tool] = {}
        for tool in tools:
            if any(tool is each for each in known):
                usable[tool.name.casefold()] = tool
            elif fault := tool_fault(tool, {*taken, *usable}):
                self._tell_once(_tool_left_out(tool, name, fault))
            else:
                usable[tool.name.casefold()] = GuardedTool(tool, name)
        return list(usable.values())

    def _tell_once(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            self.link.parts.notice(problem)

    async def should_stop_after_turn(self, turn: TurnSummary) -> str | None:
        """Why the run should end; None if it should not. Every extension sees every turn."""
        reasons: list[str] = []
        for each in self._members:
            with _named(each, "should_stop_after_turn"):
                reason = expect(await each.extension.should_stop_after_turn(turn), str, type(None))
            if reason is not None:
                reasons.append(f"{each.name}: {reason}")
        return " ".join(reasons) if reasons else None

    # What models see

    async def transform_context(self, messages: Sequence[Message], signal: AbortSignal) -> Sequence[Message]:
        """The conversation as the model gets it. Custom messages become text only where an extension shows them."""
        messages = self._with_custom(messages)
        for each in self._members:
            if not each.overrides("transform_context"):
                continue
            with _named(each, "transform_context"):
                messages = expect_messages(await each.extension.transform_context(tuple(messages), signal))
        return messages

    def _with_custom(self, messages: Sequence[Message]) -> Sequence[Message]:
        showing = [each for each in self._members if each.overrides("show_to_model")]
        if not showing or not any(isinstance(message, CustomMessage) for message in messages):
            return messages
        return [
            self._shown(showing, message) if isinstance(message, CustomMessage) else message
            for message in messages
        ]

    def _shown(self, showing: Sequence[_Member], message: CustomMessage) -> Message:
        for each in showing:
            with _named(each, "show_to_model"):
                text = expect(each.extension.show_to_model(message), str, type(None))
            if text is not None:
                return UserMessage(message.id, (Text(text),), each.name)
        return message

    # Tool calls

    async def veto(self, pending: PendingCall, signal: AbortSignal) -> tuple[str, Block | Stop] | None:
        """The extension that forbids the call, and how. None if none does: that does not allow the call yet."""
        for each in self._members:
            with _named(each, "before_tool_call"):
                said = expect(await each.extension.before_tool_call(pending, signal), Block, Stop, type(None))
            if said is not None:
                return each.name, said
        return None

    async def after_tool_call(
        self, pending: PendingCall, result: ToolResult, signal: AbortSignal
    ) -> ToolResult:
        """The result after every extension has had it."""
        for each in self._members:
            with _named(each, "after_tool_call"):
                made = await each.extension.after_tool_call(pending, result, signal)
                if made is not None:
                    require_result(made)
                    result = made
        return result

    def transform_update(self, call: ToolCall, text: str) -> str | None:
        """The kernel's hook of this name."""
        for each in self._members:
            if each.redacts and not each.overrides("transform_update"):
                return None
            with _named(each, "transform_update"):
                shown = expect(each.extension.transform_update(call, text), str, type(None))
            if shown is None:
                return None
            text = shown
        return text

    # What they say

    def poll(self, kind: QueueKind) -> None:
        """Queues the messages that they have for the model."""
        for each in self._members:
            hook = "get_steering_messages" if kind == "steer" else "get_follow_up_messages"
            if not each.overrides(hook):
                continue
            with _named(each, hook):
                ask = (
                    each.extension.get_steering_messages
                    if kind == "steer"
                    else each.extension.get_follow_up_messages
                )
                for text in expect(ask(), list, tuple):
                    try:
                        self.link.queue(kind, text, each.name)
                    except NotPossible as error:
                        raise TypeError(str(error)) from error

    def take_custom(self) -> Sequence[CustomMessage]:
        """The kernel's `get_custom_messages`."""
        taken, self.link.custom = self.link.custom, []
        return taken

    async def close(self) -> None:
        """Lets each release what it holds, once and in bounded time. Whatever they raise is logged."""
        members, self._members = self._members, []
        await asyncio.gather(*(self._close(each) for each in members if each.overrides("close")))

    async def _close(self, member: _Member) -> None:
        clock, task = self.link.parts.services.clock, asyncio.create_task(_closing(member.extension))
        if not await ended_within(task, _CLOSE, clock):
            log.error("the extension %s did not close and was cut off", member.name)
            task.cancel()
            await ended_within(task, _CLOSE, clock)
        elif not task.cancelled() and (error := task.exception()) is not None:
            log.error("the extension %s failed to close", member.name, exc_info=error)


async def _closing(extension: Extension) -> None:
    await extension.close()


@contextmanager
def _named(member: _Member, hook: str) -> Iterator[None]:
    """Logs whose hook raised."""
    try:
        yield
    except CannotGoOn as error:
        raise HookError("hookFailed", f"{member.name}: {error}") from error
    except Exception:
        log.error("the extension %s raised in %s", member.name, hook)
        raise


def _tool_left_out(tool: Tool, extension: str, fault: str) -> str:
    return f"The tool {printable(str(tool.name)[:80])} of the extension {extension} is left out: {fault}."


def changed(first: NextTurn, later: NextTurn) -> NextTurn:
    """Both changes as one. Where both set the same thing, the later one counts."""
    fields = ("model", "thinking", "tools", "system", "context")
    said = {name: value for name in fields if (value := getattr(later, name)) is not None}
    return replace(first, **said)
