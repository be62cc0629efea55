"""A session goes on with another provider, of another API: what the first one said, thought and called is told to the
second as its API wants it."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import permutations

import pytest

from steersman.session.compose import build_services
from steersman.session.errors import Refused
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.settings import load_settings
from steersman.session.starting import StartRequest
from steersman.workspace.roots import Roots
from support import anthropic_sse, gemini_sse, responses_sse, sse
from support.anthropic_rules import check_anthropic_request
from support.chat_rules import check_chat_request
from support.gemini_rules import check_gemini_request
from support.model_server import raw_server
from support.responses_rules import check_responses_request

ARGUMENTS = '{"path": "a.txt"}'

# Of each API an answer that thinks and calls, and one that answers

CHAT = (
    sse.sse(
        sse.chunk({"reasoning_content": "thought of chat"}),
        sse.call(ARGUMENTS, index=0, id="call/with:odd id", name="read", finish="tool_calls"),
    ),
    sse.sse(sse.text("answer of chat", finish="stop")),
)
CLAUDE = (
    anthropic_sse.answer(
        anthropic_sse.thinking(0, "thought of claude"),
        anthropic_sse.call(1, "read", ARGUMENTS),
        reason="tool_use",
    ),
    anthropic_sse.answer(anthropic_sse.text(0, "answer of claude")),
)
RESPONSES = (
    responses_sse.answer(
        responses_sse.thinking(0, ["thought of responses"]), responses_sse.call(1, "read", ARGUMENTS)
    ),
    responses_sse.answer(responses_sse.text(0, "answer of responses")),
)
GOOGLE = (
    gemini_sse.answer(
        gemini_sse.thought("thought of google"), gemini_sse.call("read", {"path": "a.txt"}, signature="c2ln")
    ),
    gemini_sse.answer(gemini_sse.text("answer of google")),
)


class Answering:
    """A server that answers with one body after the other, and keeps what it was asked. It lists no models."""

    def __init__(self, *bodies: bytes) -> None:
        self.waiting = list(bodies)
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []

    def keep(self, head: bytes, body: bytes) -> None:
        self.heads.append(head)
        if body:
            self.bodies.append(body)

    async def answer(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.heads[-1].startswith(b"GET "):
            writer.write(b"HTTP/1.1 404 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return
        body = self.waiting.pop(0)
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()


@asynccontextmanager
async def a_manager(tmp_path, config: str, **servers: Answering):
    """A server's sessions over these providers; `{NAME}` in the configuration is the base URL of one."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_text("ALPHA\n")
    home = Home(tmp_path / "home")
    home.make()
    async with AsyncExitStack() as stack:
        urls = {
            name: await stack.enter_async_context(raw_server(each.answer, each.keep))
            for name, each in servers.items()
        }
        home.config.write_text(config.format(**urls))
        home.config.chmod(0o600)
        services = build_services(home, load_settings(home, {}), approver=None, trusts_all=True)
        manager = SessionManager(services)
        try:
            yield manager
        finally:
            await manager.close()


async def run(manager: SessionManager, tmp_path, prompt: str, session: str | None = None, **more):
    live = await manager.start(StartRequest(prompt, Roots([tmp_path / "ws"]), session, **more))
    live.release()
    await live.wait()
    return live


FOUR = """
model = "chat:m"
[providers.chat]
api = "openai-chat"
base_url = "{chat}"
api_key = "key-of-chat"
quirks = {{ replay_reasoning = true }}
[providers.claude]
api = "anthropic"
base_url = "{claude}"
api_key = "key-of-claude"
[providers.responses]
api = "openai-responses"
base_url = "{responses}"
api_key = "key-of-responses"
[providers.google]
api = "gemini"
base_url = "{google}"
api_key = "key-of-google"
"""
MODELS = {
    "chat": "m",
    "claude": "claude-sonnet-4-5",
    "responses": "gpt-5",
    "google": "gemini-2.5-pro",
}
CHECKS = {
    "chat": lambda body: check_chat_request(body, reasoning_replay=True),
    "claude": check_anthropic_request,
    "responses": check_responses_request,
    "google": lambda body: check_gemini_request(body, MODELS["google"]),
}
PARTS = {"chat": CHAT, "claude": CLAUDE, "responses": RESPONSES, "google": GOOGLE}
THOUGHTS = {name: f"thought of {name}" for name in PARTS}


@pytest.mark.parametrize("order", list(permutations(MODELS, 2)), ids="-".join)
async def test_a_session_with_calls_and_thinking_goes_on_with_another_api_and_back(tmp_path, order):
    first, second = order
    servers = {
        name: Answering(*PARTS[name], *PARTS[name][1:]) if name == first else Answering(*PARTS[name])
        for name in MODELS
    }
    async with a_manager(tmp_path, FOUR, **servers) as manager:
        spec = {name: f"{name}:{MODELS[name]}" for name in MODELS}
        begun = await run(manager, tmp_path, "what does a.txt say?", model=spec[first], thinking="low")
        assert begun.end.stop_reason == "complete"
        told = await manager.configure(session=begun.session, model=spec[second])
        assert told["model"] == spec[second]
        gone_on = await run(manager, tmp_path, "look again", begun.session)
        assert (gone_on.end.stop_reason, gone_on.thinking) == ("complete", "low")
        back = await run(manager, tmp_path, "and now?", begun.session, model=spec[first])
        assert back.end.stop_reason == "complete"
    for name in order:
        server = servers[name]
        assert not server.waiting
        for body in server.bodies:
            CHECKS[name](body)
        assert all(f"key-of-{name}".encode() in head for head in server.heads)
        others = [f"key-of-{other}".encode() for other in MODELS if other != name]
        assert not any(key in head for head in server.heads for key in others)
    asked = servers[second].bodies[0].decode()
    assert f"answer of {first}" in asked and "ALPHA" in asked
    assert THOUGHTS[first] not in asked  # another model's thinking can't be checked
    last = servers[first].bodies[-1].decode()
    assert f"answer of {second}" in last and THOUGHTS[second] not in last
    assert THOUGHTS[first] in last or first == "google"  # which wants signatures back, not thoughts


async def test_a_key_command_that_fails_refuses_the_start_and_the_next_one_may_work(tmp_path):
    config = """
    model = "one:m"
    [providers.one]
    api = "openai-chat"
    base_url = "{one}"
    key_command = ["cat", "%s"]
    """
    one = Answering(CHAT[1])
    async with a_manager(tmp_path, config % (tmp_path / "key"), one=one) as manager:
        refused = None
        try:
            await run(manager, tmp_path, "hello")
        except Refused as refusal:
            refused = refusal
        assert refused is not None and refused.code == "noCredentials"
        assert "key_command in [providers.one]" in str(refused)
        assert one.heads == [] and manager.status()["sessions"] == []
        (tmp_path / "key").write_text("key-of-the-file\nmore\n")
        live = await run(manager, tmp_path, "hello")
        assert live.end.stop_reason == "complete"
    assert b"Bearer key-of-the-file\r\n" in one.heads[0]
