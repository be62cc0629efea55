"""Whatever a client asks for, in whatever order: the rules that hold of every conversation with the server."""

import json
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.event_checker import check
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import Desk, desk, is_progress
from support.manual_clock import settle
from support.scripted_model import answer, call, failure

QUESTIONS = ["Accept", "Decline", "Stop", "Accept all in this run", "nonsense", None]
STEPS = st.one_of(
    st.tuples(st.just("start"), st.sampled_from(["ask", "auto-edit"]), st.booleans()),
    st.tuples(st.sampled_from(["steer", "followUp"]), st.booleans()),
    st.tuples(st.just("abort"), st.booleans()),
    st.tuples(st.just("approve"), st.sampled_from(["accept", "acceptForSession", "decline", "cancel"])),
    st.tuples(st.just("choose"), st.sampled_from(QUESTIONS)),
    st.tuples(st.just("configure"), st.sampled_from(["ask", "auto-edit"])),
    st.tuples(st.just("settle")),
)
REPLIES = st.lists(st.sampled_from(["text", "read", "write", "two", "unknown", "failed"]), max_size=12)


def reply(kind: str, number: int) -> list[Any]:
    """What the model says to its request of this number; every file has a name of its own."""
    match kind:
        case "read":
            return answer("", call("read", {"path": "a.txt"}))
        case "write":
            return answer("", call("write", {"path": f"n{number}", "content": "x"}))
        case "two":
            paths = f"n{number}-1", f"n{number}-2"
            return answer("", *(call("write", {"path": path, "content": "x"}) for path in paths))
        case "unknown":
            return answer("", call("nothing", {}))
        case "failed":
            return failure("auth")
        case _:
            return answer(f"text {number}")


@dataclass
class Conversation:
    """A client that does what it is told, and writes down what it may expect."""

    it: Desk
    runs: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    """Texts that the server has accepted."""
    _texts: int = 0

    async def do(self, step: tuple[Any, ...]) -> None:
        try:
            await getattr(self, f"_{step[0]}")(*step[1:])
        except AnsweredWithError as error:
            assert error.code == -32803, error

    def _text(self) -> str:
        self._texts += 1
        return f"text of the user {self._texts}."

    async def _start(self, mode: str, again: bool) -> None:
        text = self._text()
        where = {"session": self.sessions[-1]} if again and self.sessions else {}
        started = await self.it.command("start", {"prompt": text, "mode": mode, **where})
        self._began(started, text)

    def _began(self, started: dict[str, Any], text: str) -> None:
        self.taken.append(text)
        if started["run"] not in self.runs:
            self.runs.append(started["run"])
        if started["session"] not in self.sessions:
            self.sessions.append(started["session"])

    async def _steer(self, named: bool) -> None:
        await self._add("steer", named)

    async def _followUp(self, named: bool) -> None:
        await self._add("followUp", named)

    async def _add(self, kind: str, named: bool) -> None:
        text = self._text()
        run = {"run": self.runs[-1]} if named and self.runs else {}
        try:
            self._began(await self.it.command(kind, {"text": text, **run}), text)
        except AnsweredWithError as error:
            assert error.data["text"] == text
            raise

    async def _abort(self, named: bool) -> None:
        await self.it.command("abort", {"run": self.runs[-1]} if named and self.runs else {})

    async def _approve(self, decision: str) -> None:
        pending = (await self.it.command("approvals"))["approvals"]
        if pending:
            await self.it.command("approve", {"id": pending[-1]["id"], "decision": decision})

    async def _choose(self, title: str | None) -> None:
        await settle()
        if not self.it.questions.empty():
            self.it.questions.get_nowait().choose(title)

    async def _configure(self, mode: str) -> None:
        await self.it.command(
            "configure", {"mode": mode, "session": self.sessions[-1] if self.sessions else "no"}
        )

    async def _settle(self) -> None:
        await self.it.heard()

    async def end(self) -> None:
        for run in self.runs:
            await self.it.command("abort", {"run": run})
        for run in self.runs:
            await self.it.ended(run)
        assert (await self.it.command("approvals"))["approvals"] == []
        await self.it.client.shut_down()
        await self.it.client.wait_for_end()

    # What must hold

    def verify(self) -> None:
        by_session, by_run = defaultdict(list), defaultdict(list)
        for event in self.it.events():
            by_session[event["session"]].append(event)
            if event.get("run") and event["type"] != "config":
                by_run[event["run"]].append(event)
        assert list(by_run) == self.runs
        for events in by_run.values():
            check(events, whole=False)
        user_texts: list[str] = []
        for session, events in by_session.items():
            page = self.it.home.sessions / f"{session}.jsonl"
            kept = [event for event in events if "seq" in event]
            assert [event["seq"] for event in kept] == list(range(1, len(kept) + 1))
            assert _records(page) == kept
            user_texts += _texts(kept)
        assert Counter(user_texts) == Counter(self.taken)
        self._verify_progress()
        self._verify_files()

    def _verify_progress(self) -> None:
        """The answer, then one begin, then one end."""
        received = self.it.client.received
        for run in self.runs:
            token = f"steersman/{run}"
            kinds = [m["params"]["value"]["kind"] for m in received if is_progress(m, token)]
            if kinds:  # a run can be over before the client has taken its token
                assert (kinds[0], kinds[-1], kinds.count("begin"), kinds.count("end")) == (
                    "begin",
                    "end",
                    1,
                    1,
                )
            of_run = [n for n, m in enumerate(received) if run in str(m)]
            assert "result" in received[of_run[0]]

    def _verify_files(self) -> None:
        """A file is there if its call says so, and never after a no."""
        paths, declined = {}, set()
        for event in self.it.events():
            data = event["data"]
            if event["type"] == "tool_execution_start" and data["name"] == "write":
                paths[data["toolCallId"]] = data["args"]["path"]
            elif event["type"] == "approval_resolved" and data["decision"] in (
                "decline",
                "withdrawn",
                "cancel",
            ):
                declined.add(data["toolCallId"])
        written = {
            paths[data["toolCallId"]]
            for data in self.it.results()
            if data["toolCallId"] in paths and data["outcome"] == "ok"
        }
        refused = {paths[call_id] for call_id in declined if call_id in paths}
        there = {path.name for path in self.it.root.iterdir()} - {"a.txt"}
        assert there == written
        assert not there & refused


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _texts(events: list[dict[str, Any]]) -> list[str]:
    """The user's texts that are in history or were handed back."""
    found = []
    for event in events:
        data = event["data"]
        if event["type"] == "message_end" and data.get("role") == "user":
            found.append("".join(block["text"] for block in data["content"]))
        elif event["type"] == "agent_end":
            found += [item["text"] for item in data["undelivered"]]
    return found


@given(steps=st.lists(STEPS, min_size=4, max_size=25), replies=REPLIES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_nothing_is_lost_told_twice_or_done_unasked(steps, replies):
    with tempfile.TemporaryDirectory() as base:
        responses = [reply(kind, number) for number, kind in enumerate(replies)]
        async with desk(Path(base), *responses) as it:
            it.put("a.txt", "one\n")
            it.model.fallback = answer("done")
            conversation = Conversation(it)
            for step in steps:
                await conversation.do(step)
            await conversation.end()
            conversation.verify()
