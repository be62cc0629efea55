"""Extensions that keep the rules, in any combination: hypothesis draws what each of them does at each of its hooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from steersman.extensions import (
    Block,
    CustomMessage,
    Extension,
    NextTurn,
    NotPossible,
    Session,
    Stop,
    Text,
    UserMessage,
    text_result,
)


@dataclass(frozen=True, slots=True)
class Habits:
    """How often, by turns or calls, an extension does what; 0: never."""

    order: int
    redacts: bool
    updates: bool
    custom: int
    shows: bool
    context: bool
    vetoes: int
    stops_run: bool
    results: bool
    stops_after: int
    steers: int
    follow_ups: int
    pushes: int
    tools: bool
    fewer_tools: bool
    system: bool
    forgets: int


rare = st.sampled_from([0, 0, 0, 1, 2])
habits = st.builds(
    Habits,
    order=st.integers(-1, 1),
    redacts=st.booleans(),
    updates=st.booleans(),
    custom=rare,
    shows=st.booleans(),
    context=st.booleans(),
    vetoes=rare,
    stops_run=st.booleans(),
    results=st.booleans(),
    stops_after=rare,
    steers=rare,
    follow_ups=rare,
    pushes=rare,
    tools=st.booleans(),
    fewer_tools=st.booleans(),
    system=st.booleans(),
    forgets=rare,
)


def extensions_of(drawn: Sequence[Habits]) -> Mapping[str, type[Extension]]:
    return {f"e{number}": _kind(each) for number, each in enumerate(drawn)}


def _kind(habits: Habits) -> type[Extension]:
    hooks: dict[str, object] = {"habits": habits, "order": habits.order, "redacts": habits.redacts}
    wanted = {
        "transform_context": habits.context,
        "show_to_model": habits.shows,
        "before_tool_call": habits.vetoes,
        "after_tool_call": habits.results,
        "transform_update": habits.updates,
    }
    for name, wants in wanted.items():
        if not wants:
            hooks[name] = getattr(Extension, name)
    return type("WellBehaved", (_WellBehaved,), hooks)


class _WellBehaved(Extension):
    habits: Habits

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._turns = self._calls = 0
        self._steers, self._follow_ups = self.habits.steers, self.habits.follow_ups

    async def prepare_run(self, inputs, signal):
        system = f"{self.session.system} {self.session.extension}" if self.habits.system else None
        tools = [tool for tool in self.session.tools if tool.name != "write"]
        return NextTurn(system=system, tools=tools if self.habits.fewer_tools else None)

    async def prepare_next_turn(self, turn, signal):
        if turn.turn != self.habits.forgets:
            return None
        return NextTurn(context=[UserMessage("forgotten", (Text("all before is forgotten"),))])

    async def transform_context(self, messages, signal):
        return [*messages, UserMessage(f"ctx-{self.session.extension}", (Text("and mind this"),))]

    def show_to_model(self, message: CustomMessage):
        return message.kind if message.kind == self.session.extension else None

    async def before_tool_call(self, pending, signal):
        self._calls += 1
        if self._calls != self.habits.vetoes:
            return None
        return Stop("stop") if self.habits.stops_run else Block("no")

    async def after_tool_call(self, pending, result, signal):
        return text_result(f"{result.text}!", is_error=result.is_error)

    def transform_update(self, call, text):
        return text.upper() if len(text) % 2 else None

    async def should_stop_after_turn(self, turn):
        self._turns += 1
        for _ in range(self.habits.custom):
            self.session.say_custom(self.session.extension, f"turn {turn.turn}")
        if self._turns <= self.habits.pushes:
            try:
                self.session.steer("pushed")
                self.session.follow_up("pushed for later")
            except NotPossible:
                pass
        return "enough" if self._turns == self.habits.stops_after else None

    def get_steering_messages(self):
        self._steers -= 1
        return ["steered"] if self._steers >= 0 else []

    def get_follow_up_messages(self):
        self._follow_ups -= 1
        return ["and then"] if self._follow_ups >= 0 else []
