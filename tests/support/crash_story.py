"""A long scripted session with about every kind of write. When writes fail, it goes on where it can."""

import asyncio
import hashlib
from collections.abc import Awaitable
from pathlib import Path

from steersman.session.errors import SessionError
from steersman.session.trust import TrustStore
from steersman.workspace.guard import Guard
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness

FILES = {
    "a.txt": (b"one\r\nlast\r\n", 0o644),
    "old.txt": (b"old\n", 0o755),
    "here.txt": ("h\u00e9re\n".encode(), 0o600),
    "deep/keep.txt": (b"kept\n", 0o644),
}
PATIENCE = 60.0
CUT = "cut"
"""The file that names the session which the story itself has cut off, as a crash would."""


def script() -> list[list[object]]:
    def edit(old: str, new: str) -> call:
        return call("edit", {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]})

    return [
        answer("Let me look.", call("read", {"path": "a.txt"}), call("ls", {"path": "."}), thinking="Hm."),
        answer(
            "",
            call("write", {"path": "new/made.txt", "content": "made\n"}),
            edit("one", "two"),
            edit("two", "three"),
            call("delete", {"path": "old.txt"}),
            call("move", {"from": "here.txt", "to": "there/here.txt"}),
            call("wirte", {"path": "c.txt"}),
        ),
        answer("", call("bash", {"command": "head -c 51210 /dev/zero | tr '\\0' x"})),
        answer("Done."),
        answer("", call("write", {"path": "second.txt", "content": "2\n"}), edit("three", "four")),
        answer(f"A2 {'x' * 4000}", piece=2000),
        answer(f"A3 {'x' * 4000}", piece=2000),
        answer("## Goal\nall of it"),
        answer("Another way."),
    ]


def lay_out(root: Path) -> None:
    for name, (data, mode) in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)


def tree(root: Path) -> dict[str, str]:
    """By relative path what is there: a hash and the mode. Temporary files of ours are left out."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        try:
            if path.is_file() and not path.name.startswith(".steersman-"):
                mode = path.stat().st_mode & 0o777
                found[path.relative_to(root).as_posix()] = f"{_hash(path.read_bytes())} {mode:o}"
        except FileNotFoundError:
            continue
    return found


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def harness(base: Path, guard: Guard, *responses: list[object]) -> SessionHarness:
    return SessionHarness(
        base, *responses, person=Person(otherwise="accept"), guard=guard, trusts_all=True, mode="ask"
    )


async def play(h: SessionHarness) -> None:
    """Tells the whole story. A step that is refused is passed over."""
    _try(lambda: TrustStore(h.home).remember(h.root, True))
    steer = h.services.bus.listen(
        lambda event: (
            event.type == "tool_execution_end"
            and event.data["name"] == "delete"
            and h.session.live is not None
            and h.manager.add("steer", "mind the gap")
        )
    )
    if await _run(h, "do it", None) is None:
        return
    steer()
    session = h.session.id
    for prompt in ("and more", "and three"):
        await _run(h, prompt, session)
    users = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    library, reverts = h.manager.library, h.manager.reverts
    await _step(library.rename(session, "My work"))
    await _step(h.manager.compact(session, h.roots))
    await _settled(h)
    if users:
        await _step(reverts.revert(session, users[-2] if len(users) > 1 else users[0]))
        await _settled(h)
        await _step(library.go_back(session, users[-1]))
    await _run(h, "another way", session)
    made = await _step(library.fork(session))
    if isinstance(made, dict):
        await _resume_after_a_crash(h, made["session"])


async def _resume_after_a_crash(h: SessionHarness, session: str) -> None:
    """What closes an interrupted run is written too, and can be interrupted."""
    path = h.path(session)
    lines = path.read_bytes().splitlines(keepends=True)
    running = next(i for i, line in enumerate(lines) if b'"tool_execution_running"' in line)
    (h.base / CUT).write_text(session)
    path.write_bytes(b"".join(lines[: running + 1]) + lines[running + 1][:30])
    await _step(h.manager.resume(session))
    h.events[:] = [event for event in h.events if event.session != session]  # ends of what was not told here
    await _run(h, "and after a crash", session)


async def _run(h: SessionHarness, prompt: str, session: str | None) -> object:
    try:
        run = await h.start(prompt, session=session)
    except SessionError:
        return None
    await asyncio.wait_for(run.wait(), PATIENCE)
    return run


async def _step(doing: Awaitable[object]) -> object:
    try:
        return await doing
    except SessionError:
        return None


async def _settled(h: SessionHarness) -> None:
    if h.session.operation is not None:
        await asyncio.wait_for(h.session.operation.task, PATIENCE)


def _try(doing: object) -> None:
    try:
        doing()  # type: ignore[operator]
    except SessionError:
        return
