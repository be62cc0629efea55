"""The strategy: which tools the model has, what it is told, and when it plans, goes on or stops."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from plan_strategy.steps import Step, read_steps, written
from steersman.extensions import (
    AbortSignal,
    Arguments,
    BaseTool,
    Command,
    CustomMessage,
    Extension,
    Input,
    Json,
    NextTurn,
    Session,
    Text,
    Tool,
    ToolContext,
    ToolResult,
    TurnSummary,
    text_result,
)

KIND = "plan"
"""Kind of the custom message that holds the plan."""
PLANS = 2
"""Plans in one run: the first, and one more after a failed step."""
REMINDERS = 2
"""How often the model is reminded of a missing plan or of open steps."""

PLANNING = """\
Plan first. Look at what you need with the tools that you have now; they change nothing. Then answer, without a tool \
call, with the plan and nothing else: a numbered list of 1 to 9 short steps, each something to do and to check."""
DOING = """\
There is a plan; the newest message that begins with "Plan" has it. Carry it out in its order. Report each step by \
report_step as soon as it is done or can't be done; don't go on after one that failed."""


class ReportArguments(Arguments):
    step: int = Field(ge=1, description="Its number in the plan.")
    ok: bool = Field(description="Whether it is done.")
    note: str = Field("", description="If it is not: why, in one sentence.")


class ReportStep(BaseTool[ReportArguments]):
    """Changes nothing, so no question is asked about it."""

    name = "report_step"
    description = "Report that a step of the plan is done, or can't be done."
    arguments = ReportArguments
    execution = "parallel"

    def __init__(self, strategy: "PlanStrategy") -> None:
        super().__init__()
        self._strategy = strategy

    async def execute(self, args: ReportArguments, context: ToolContext) -> ToolResult:
        return self._strategy.report(args)


class NoParams(BaseModel):
    pass


class PlanStrategy(Extension):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.stage: Literal["planning", "doing"] = "planning"
        self.steps: list[Step] = []
        self._told: str | None = None
        """The stage that the model was last told of."""
        self._plans = self._reminders = 0

    def tools(self) -> Sequence[Tool]:
        return [ReportStep(self)]

    # What the model has and is told

    async def prepare_run(self, inputs: Sequence[Input], signal: AbortSignal) -> NextTurn | None:
        self._plans = self._reminders = 0
        plan = self._plan()
        self.steps = read_steps(_text(plan)) if plan is not None and not inputs else []
        self.stage = "doing" if self.steps else "planning"  # a run without a prompt goes on with its plan
        return self._change()

    async def prepare_next_turn(self, turn: TurnSummary, signal: AbortSignal) -> NextTurn | None:
        return None if self._told == self.stage else self._change()

    def _change(self) -> NextTurn:
        self._told = self.stage
        planning = self.stage == "planning"
        tools = [
            tool
            for tool in self.session.tools
            if not planning or (tool.execution == "parallel" and tool.name != ReportStep.name)
        ]
        return NextTurn(system=f"{self.session.system}\n\n{PLANNING if planning else DOING}", tools=tools)

    def show_to_model(self, message: CustomMessage) -> str | None:
        """Only the newest plan."""
        newest = self._plan()
        return _text(message) if newest is not None and message.id == newest.id else None

    # What follows from a turn

    async def should_stop_after_turn(self, turn: TurnSummary) -> str | None:
        failed = next((step for step in self.steps if step.state == "failed"), None)
        if self.stage == "doing" and failed is not None:
            return self._plan_anew(failed)
        if turn.message.tool_calls:
            return None
        if self.stage == "planning":
            return self._take_plan(turn.message.text)
        left = [str(step.number) for step in self.steps if step.state == "open"]
        if left:
            self._remind(
                f"Steps {', '.join(left)} of the plan are open. Do them, or report why they can't be done."
            )
        return None

    def _take_plan(self, text: str) -> str | None:
        steps = [replace(step, state="open") for step in read_steps(text)]
        if not steps:
            asked = self._remind("Answer with the plan: a numbered list of steps, nothing else.")
            return None if asked else "the model wrote no plan."
        self.steps, self.stage = steps, "doing"
        self._plans += 1
        self.session.say_custom(KIND, written(steps))
        self.session.steer("Carry out the plan, and report each step by report_step.")
        return None

    def _plan_anew(self, failed: Step) -> str | None:
        if self._plans >= PLANS:
            return f"step {failed.number} of the second plan failed: {failed.text}"
        self.steps, self.stage = [], "planning"
        self.session.steer(
            f"Step {failed.number} failed: {failed.text}. Make a new plan for what is left to do."
        )
        return None

    def _remind(self, text: str) -> bool:
        """False if the model was reminded often enough already."""
        self._reminders += 1
        if self._reminders > REMINDERS:
            return False
        self.session.steer(text)
        return True

    def report(self, args: ReportArguments) -> ToolResult:
        """What `report_step` does: keeps and shows the plan as it stands now."""
        if not 1 <= args.step <= len(self.steps):
            return text_result(f"The plan has steps 1 to {len(self.steps)}.", is_error=True)
        step = self.steps[args.step - 1]
        said = step.text if args.ok or not args.note else f"{step.text} ({args.note})"
        self.steps[args.step - 1] = replace(step, text=said, state="done" if args.ok else "failed")
        self.session.say_custom(KIND, written(self.steps))
        return text_result("Noted." if args.ok else "Noted. Stop here: there will be a new plan.")

    # For clients

    async def show(self, params: NoParams) -> Json:
        plan = self._plan()
        steps = self.steps or (read_steps(_text(plan)) if plan is not None else [])
        return {
            "stage": self.stage,
            "steps": [{"number": it.number, "text": it.text, "state": it.state} for it in steps],
        }

    commands = (Command("show", NoParams, show, "The plan, and what is done of it"),)

    def _plan(self) -> CustomMessage | None:
        """The newest plan in the conversation."""
        plans = (
            it for it in reversed(self.session.messages) if isinstance(it, CustomMessage) and it.kind == KIND
        )
        return next(plans, None)


def _text(message: CustomMessage) -> str:
    return "".join(block.text for block in message.content if isinstance(block, Text))
