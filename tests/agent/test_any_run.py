"""Whatever a model, tools, hooks, people, the disk and subscribers do: every run ends, whole, and nothing is lost."""

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from steersman.agent.config import Budget, KernelLimits
from steersman.agent.events import AgentEnd, AgentEvent
from steersman.agent.hooks import Allow, Block, GiveUp, Hooks, NextTurn, Retry, Stop
from steersman.agent.inbox import Inbox, InboxClosed
from steersman.agent.messages import CustomMessage, Text, UserMessage
from steersman.agent.model import BlockDelta, StreamDone
from steersman.agent.tool import ProposalSuperseded, ToolError, text_result
from support.agent_harness import AgentHarness
from support.event_checker import check_conversation
from support.fake_tools import FakeProposal, FakeTool, ignores_everything
from support.scripted_model import answer, call, failure

SECRET = "hunter2-in-an-exception"
QUICK = ("good", "slow", "mended", "crashes", "cancels", "terminates", "returnsNothing", "supersedes")
TOOLS = (*QUICK, "forever", "deaf", "writes", "deafProposal", "badProposal", "late")
CALLS = (*TOOLS, "unknown", "badArguments", "malformed", "truncated")
STREAMS = ("answer", "empty", "fails", "overflows", "raises", "unended", "stalls", "cancelled", "badDelta")
STREAMS += ("deafStream", "closesNever", "thinksOnly")
HOOK_NAMES = (
    "transform_context",
    "convert_to_llm",
    "before_tool_call",
    "after_tool_call",
    "transform_update",
)
HOOK_NAMES += ("prepare_next_turn", "should_stop_after_turn", "on_stream_failure", "prepare_run")
HOOK_NAMES += ("get_custom_messages",)
HOOK_MODES = ("passes", "acts", "raises", "cancels", "hangs", "deaf")


@dataclass(frozen=True)
class Response:
    kind: str
    text: str
    calls: tuple[str, ...]
    stop: str


@dataclass(frozen=True)
class Plan:
    responses: tuple[Response, ...]
    hooks: tuple[tuple[str, str, int], ...]
    """Hook, what it does, and from which of its calls on (1 is the first)."""
    deeds: tuple[tuple[int, Literal["steer", "followUp", "abort", "cancel"]], ...]
    """What happens while which event is told."""
    before: tuple[Literal["steer", "followUp", "abort"], ...]
    raising: frozenset[int]
    """Events on which a subscriber raises."""
    sink_fails_at: int | None
    turns: int
    closes: bool
    steering: Literal["one", "all"]
    follow_up: Literal["one", "all"]
    execution: Literal["auto", "sequential"]
    on_tool_exception: Literal["report", "raise"]


RESPONSES = st.builds(
    Response,
    st.sampled_from(("answer",) * 24 + STREAMS),
    st.sampled_from(("", "hm", "a longer text with 𝒂stral characters")),
    st.lists(st.sampled_from(("good", "slow", "writes", "mended") * 4 + CALLS), max_size=4).map(tuple),
    st.sampled_from(("stop",) * 4 + ("tool_calls",) * 4 + ("length", "content_filter")),
)
EVENT = st.integers(0, 60)
PLANS = st.builds(
    Plan,
    st.lists(RESPONSES, min_size=1, max_size=5).map(tuple),
    st.lists(
        st.tuples(st.sampled_from(HOOK_NAMES), st.sampled_from(HOOK_MODES), st.integers(1, 3)), max_size=3
    ).map(tuple),
    st.lists(
        st.tuples(EVENT, st.sampled_from(("steer",) * 3 + ("followUp",) * 3 + ("abort", "cancel"))),
        max_size=6,
    ).map(tuple),
    st.lists(st.sampled_from(("steer", "followUp") * 4 + ("abort",)), max_size=2).map(tuple),
    st.frozensets(EVENT, max_size=3),
    st.sampled_from((None,) * 120 + tuple(range(40))),
    st.sampled_from((100, 100, 100, 2, 1)),
    st.booleans(),
    st.sampled_from(("one", "all")),
    st.sampled_from(("one", "all")),
    st.sampled_from(("auto", "sequential")),
    st.sampled_from(("report", "raise")),
)
CALM = Plan((), (), (), (), frozenset(), None, 100, False, "one", "one", "auto", "report")


class Crash(Exception):
    pass


class World:
    """One plan, come to life."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.calm = False
        self.release = asyncio.Event()
        self.sent: list[str] = []
        self.refused: list[str] = []
        self.hook_calls: Counter[str] = Counter()
        self.seen = 0
        self.task: asyncio.Task[object] | None = None
        self.harness = AgentHarness(
            *(self._response(response) for response in plan.responses),
            tools=[self._tool(name) for name in TOOLS],
            hooks=Hooks(**{name: self._hook(name) for name, _, _ in plan.hooks}),
            inbox=Inbox(steering=plan.steering, follow_up=plan.follow_up, closes=plan.closes),
            budget=Budget(turns=plan.turns),
            limits=KernelLimits(attempts=3),
            execution=plan.execution,
            on_tool_exception=plan.on_tool_exception,
        )
        self.harness.model.fallback = answer("that is all")
        self.harness.sink.fails = self._sink_fails
        self.harness.agent.subscribe(self._watch)

    # People, disk, subscribers

    def say(self, kind: str) -> None:
        message = UserMessage(f"said_{len(self.sent)}", said(kind))
        self.sent.append(message.id)
        agent = self.harness.agent
        try:
            (agent.steer if kind == "steer" else agent.follow_up)(message)
        except InboxClosed as closed:
            self.refused.append(closed.item.message.id)

    def do(self, deed: str) -> None:
        if deed == "abort":
            self.harness.agent.abort("enough")
        elif deed == "cancel" and self.task:
            self.task.cancel()
        elif deed in ("steer", "followUp"):
            self.say(deed)

    def _watch(self, _: AgentEvent) -> None:
        at, self.seen = self.seen, self.seen + 1
        if self.calm:
            return
        for when, deed in self.plan.deeds:
            if when == at:
                self.do(deed)
        if at in self.plan.raising:
            raise Crash(SECRET)

    def _sink_fails(self, _: object) -> bool:
        fails_at = self.plan.sink_fails_at
        return not self.calm and fails_at is not None and self.harness.sink.records > fails_at

    # The model

    def _response(self, plan: Response):
        stop = "length" if "truncated" in plan.calls else plan.stop
        calls = [call(name, {"malformed": '{"value": 1', "badArguments": {"value": []}}.get(name, {}))
                 for name in plan.calls]  # fmt: skip
        good = answer(plan.text, *calls, stop=stop) if plan.text or calls else answer("x", stop=stop)
        cut = [piece for piece in good if not isinstance(piece, StreamDone)]
        match plan.kind:
            case "answer":
                return good
            case "empty":
                return answer(stop=stop)
            case "thinksOnly":
                return answer(thinking="hm")
            case "fails":
                return failure(after=plan.text)
            case "overflows":
                return failure("context_overflow")
            case "raises":
                return [*cut, Crash(SECRET)]
            case "cancelled":
                return [*cut, asyncio.CancelledError()]
            case "unended":
                return cut
            case "badDelta":
                return [*cut, BlockDelta(99, "where?")]
            case "stalls":
                return [*cut, lambda signal: asyncio.Event().wait()]
            case "deafStream":
                return lambda request, signal: self._deaf(cut, good)
            case _:
                return lambda request, signal: self._closes_never(good)

    async def _deaf(self, cut, good):
        for piece in cut:
            yield piece
        await ignores_everything(self.release)
        yield good[-1]

    async def _closes_never(self, good):
        try:
            for piece in good:
                yield piece
        finally:
            await ignores_everything(self.release)

    # Tools

    def _tool(self, name: str) -> FakeTool:
        execution = "sequential" if name in ("writes", "supersedes") else "parallel"
        proposes = {"deafProposal": self._deaf_proposal, "badProposal": self._bad_proposal}.get(name)
        return FakeTool(
            name,
            lambda context, arguments: self._work(name, context),
            execution=execution,
            proposes=proposes or self._proposal,
        )

    async def _proposal(self, arguments, signal):
        return FakeProposal("a change")

    async def _deaf_proposal(self, arguments, signal):
        await ignores_everything(self.release)

    async def _bad_proposal(self, arguments, signal):
        raise ToolError("there is no such place")

    async def _work(self, name: str, context):
        context.update("be")
        await asyncio.sleep(0)
        context.update("gun 𝒂")
        match name:
            case "slow":
                for _ in range(7):
                    await asyncio.sleep(0)
            case "mended":
                raise ToolError("no such file. Did you mean b?")
            case "crashes":
                raise Crash(SECRET)
            case "cancels":
                raise asyncio.CancelledError
            case "terminates":
                return replace(text_result("the end"), terminate=True)
            case "returnsNothing":
                return None
            case "supersedes":
                raise ProposalSuperseded(FakeProposal("another change"))
            case "forever":
                await asyncio.Event().wait()
            case "deaf":
                await ignores_everything(self.release)
            case "late":
                asyncio.get_running_loop().call_soon(context.update, "too late")
        return f"{name} is done"

    # Hooks

    def _hook(self, name: str):
        modes = [(mode, at) for hook, mode, at in self.plan.hooks if hook == name]

        def mode() -> str:
            self.hook_calls[name] += 1
            active = [what for what, at in modes if self.hook_calls[name] >= at]
            return "passes" if self.calm or not active else active[-1]

        def plain(*args):
            what = mode()
            if what not in ("passes", "acts"):
                raise Crash(SECRET)
            if name == "get_custom_messages":
                number = self.hook_calls[name]
                return [CustomMessage(f"custom_{number}", "note", (Text("noted"),))] if what == "acts" else []
            return [m for m in args[0] if m.role != "custom"] if name == "convert_to_llm" else args[1]

        async def awaited(*args):
            what = mode()
            await asyncio.sleep(0)
            if what == "raises":
                raise Crash(SECRET)
            if what == "cancels":
                raise asyncio.CancelledError
            if what == "hangs":
                await asyncio.Event().wait()
            if what == "deaf":
                await ignores_everything(self.release)
            return self._answers(name, args, acts=what == "acts")

        return plain if name in ("convert_to_llm", "transform_update", "get_custom_messages") else awaited

    def _answers(self, name: str, args, *, acts: bool):
        match name:
            case "transform_context":
                return list(args[0])
            case "before_tool_call":
                return (
                    (Stop("stop it") if self.hook_calls[name] % 3 == 0 else Block("no")) if acts else Allow()
                )
            case "after_tool_call":
                return text_result("replaced") if acts else None
            case "prepare_run":
                return NextTurn(system="prepared") if acts else None
            case "prepare_next_turn":
                return NextTurn(context=list(args[0].history)) if acts else None
            case "should_stop_after_turn":
                return "hook" if acts else None
            case _:
                return Retry(after=1.5) if acts else GiveUp()

    # The whole story

    async def run(self) -> None:
        harness = self.harness
        for deed in self.plan.before:
            if deed != "abort":
                self.do(deed)
        self.sent.append("prompt")
        self.task = harness.start(UserMessage("prompt", said("prompt")))
        if "abort" in self.plan.before:
            harness.agent.abort()
            await asyncio.sleep(0)
            harness.agent.abort()
        await self._until_ended()
        self.account(harness.end)
        event(f"ended as {harness.end.stop_reason} {harness.end.error.code if harness.end.error else ''}")
        for outcome in {*harness.outcomes}:
            event(f"a call ended as {outcome}")
        harness.verify()
        assert SECRET not in harness.everything
        await self._next_prompt()
        self.release.set()
        assert await harness.config.strays.close(harness.clock, 10) == []

    async def _until_ended(self) -> None:
        clock, agent = self.harness.clock, self.harness.agent
        try:
            await clock.elapse_until(self.task)
        except AssertionError:  # it waits for a tool or a hook, which may take for ever; so somebody stops it
            agent.abort()
            await clock.elapse_until(self.task)
        if not self.task.cancelled() and (error := self.task.exception()):
            assert isinstance(error, Crash) or type(error).__name__ in ("WorkAborted", "TypeError"), error

    def account(self, end: AgentEnd) -> None:
        """Everything said is in one place, once."""
        agent = self.harness.agent
        delivered = [message.id for message in agent.messages if message.role == "user"]
        handed_back = [item.message.id for item in end.undelivered]
        waiting = [item.message.id for item in agent.inbox.items]
        found = Counter(delivered + handed_back + waiting + self.refused)
        assert found == Counter(self.sent), f"{delivered=} {handed_back=} {waiting=} {self.refused=}"
        if self.plan.closes:
            assert not waiting

    async def _next_prompt(self) -> None:
        harness = self.harness
        self.calm = True
        harness.model.responses = []
        harness.agent.inbox.clear()
        asked = len(harness.model.requests)
        task = harness.start("and now?")
        result = await harness.elapse(task)
        assert result.stop_reason == "complete"
        assert len(harness.model.requests) == asked + 1
        assert harness.asked()[-1] == "user:and now?"
        check_conversation(harness.model.requests[-1].messages)
        harness.verify()


def said(text: str):
    return (Text(text),)


@given(PLANS)
@settings(max_examples=800, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(replace(CALM, responses=(Response("answer", "", ("deaf", "good"), "stop"),), deeds=((12, "abort"),)))
@example(replace(CALM, responses=(Response("deafStream", "hm", (), "stop"),), deeds=((6, "abort"),)))
def test_every_run_ends_whole_and_nothing_said_is_lost(plan: Plan) -> None:
    async def story() -> None:
        world = World(plan)
        try:
            await world.run()
        finally:
            world.release.set()  # else what is deaf would hold the event loop's end

    asyncio.run(story())
