"""Decides about every tool call of a run: asks the policy, then the user, and remembers the answers.

It is the kernel's `before_tool_call`. `needs` says what a call would do; how a question is shown is a face's matter.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from steersman.agent.abort import AbortSignal
from steersman.agent.events import EndedBy
from steersman.agent.hooks import Allow, Block, Leave, PendingCall, Stop, TurnSummary
from steersman.session.approvals import ACCEPTING, Answer, Decision, Question
from steersman.session.cautions import cautions
from steersman.session.facts import Denial, describe
from steersman.session.needs import command_of, needs_of, revision_of, tool_of, unsaved_of, views_of
from steersman.session.policy import Ask, Grants, Need, Policy, Refuse

DECLINES_TO_END = 3
"""Declined questions in a row after which a run ends: users must not be worn out."""
DECLINES_TO_REFUSE = 2
"""Declines of the same proposal after which it is refused unasked."""

_ALWAYS_ASKED: tuple[Decision, ...] = ("accept", "decline", "cancel")
_GRANTABLE: tuple[Decision, ...] = ("accept", "acceptForRun", "acceptForSession", "decline", "cancel")


class Gate:
    """One per run."""

    def __init__(
        self,
        *,
        session: str,
        run: str,
        policy: Policy,
        session_grants: Grants,
        denials: dict[str, Denial],
        ask: Callable[[Question, AbortSignal], Awaitable[Answer]],
        new_id: Callable[[str], str],
    ) -> None:
        """`denials` gets why a call was not done, by its id; `ask` puts a question and returns its answer."""
        self.policy = policy
        self._session, self._run = session, run
        self._run_grants, self._session_grants = Grants(), session_grants
        self._denials = denials
        self._ask, self._new_id = ask, new_id
        self._declined: Counter[str] = Counter()
        self._accepted: dict[str, str] = {}
        """The question about each call that was accepted, by the call's id."""
        self._in_a_row = 0

    def new_task(self) -> None:
        """A follow-up begins: what was granted or declined concerned the task before it."""
        self._run_grants.clear()
        self._declined.clear()
        self._accepted.clear()
        self._in_a_row = 0

    async def should_stop_after_turn(self, _: TurnSummary) -> EndedBy | None:
        """The kernel's hook of this name."""
        return "declines" if self._worn_out else None

    async def before_tool_call(self, pending: PendingCall, signal: AbortSignal) -> Leave:
        """The kernel's hook of this name."""
        needs = needs_of(pending)
        if not needs:
            return Allow()
        if self._worn_out:
            return self._block(pending, "Not executed: three proposals in a row were declined.", "repeated")
        verdict = self.policy.decide_all(needs, (self._run_grants, self._session_grants))
        if isinstance(verdict, Refuse):
            text = f"{verdict.reason} What would allow it: {verdict.setting}."
            return self._block(pending, text, "mode", verdict.setting)
        if not isinstance(verdict, Ask):
            return Allow()
        digest = pending.proposal.digest if pending.proposal else pending.call.id
        if self._declined[digest] >= DECLINES_TO_REFUSE:
            self._in_a_row += 1
            return self._block(
                pending, "Refused: exactly this was declined twice. Find another way.", "repeated"
            )
        question = self._question(pending, needs, verdict, digest)
        answer = await self._ask(question, signal)
        if answer.decision in ACCEPTING:
            self._accepted[pending.call.id] = question.id
        return self._leave(pending, needs, verdict, digest, answer)

    @property
    def _worn_out(self) -> bool:
        return self._in_a_row >= DECLINES_TO_END

    def _question(self, pending: PendingCall, needs: Sequence[Need], ask: Ask, digest: str) -> Question:
        command, cwd = command_of(pending)
        reason = ask.reason
        if unsaved := unsaved_of(pending):
            reason += f" It does not see text that is not saved yet: {', '.join(unsaved)}."
        title, changes = title_of(pending), views_of(pending)
        if overlooked := cautions(title, changes, command):
            reason += f" {overlooked}"
        grantable = not any(need.asks_always or need.effect == "delete" for need in needs)
        return Question(
            id=self._new_id("apr"),
            session=self._session,
            run=self._run,
            tool_call_id=pending.call.id,
            kind=ask.kind,
            title=title,
            reason=reason,
            digest=digest,
            decisions=_GRANTABLE if grantable else _ALWAYS_ASKED,
            changes=changes,
            command=command,
            cwd=cwd,
            tool=tool_of(pending),
            supersedes=self._accepted.get(pending.call.id),
            revise=revision_of(pending),
        )

    def _leave(
        self, pending: PendingCall, needs: Sequence[Need], ask: Ask, digest: str, answer: Answer
    ) -> Leave:
        if answer.decision in ACCEPTING:
            self._in_a_row = 0
            grants = {"acceptForRun": self._run_grants, "acceptForSession": self._session_grants}
            if (granted := grants.get(answer.decision)) is not None:
                for need in needs:
                    granted.add(need)
            return Allow(answer.proposal)
        if answer.decision == "cancel":
            self._deny(pending, "The user stopped the run.", "user")
            return Stop("Not executed: the user stopped the run.")
        if answer.by == "withdrawn":
            return Block("Not executed: the question was withdrawn because the run ended.")
        self._declined[digest] += 1
        self._in_a_row += 1
        if answer.by == "nobody":
            text = f"Declined: there is nobody to ask. {ask.reason} What would allow it: {ask.setting}."
            return self._block(pending, text, "nobody", ask.setting)
        said = f' They said: "{answer.feedback}".' if answer.feedback else ""
        text = f"The user declined this.{said} Nothing was changed. Don't propose it again as it is."
        return self._block(pending, text, "user")

    def _block(self, pending: PendingCall, reason: str, by: str, setting: str | None = None) -> Block:
        self._deny(pending, reason, by, setting)
        return Block(reason)

    def _deny(self, pending: PendingCall, reason: str, by: str, setting: str | None = None) -> None:
        call = pending.call
        self._denials[call.id] = Denial(call.id, call.name, title_of(pending), reason, by, setting)


def title_of(pending: PendingCall) -> str:
    """One line for a person."""
    if pending.proposal is not None:
        return pending.proposal.title
    return describe(pending.call.name, pending.arguments)
