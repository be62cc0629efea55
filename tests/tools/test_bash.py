"""bash: the proposal of a command, its updates, its endings and its result."""

import asyncio
from pathlib import Path

import pytest

from steersman.agent.abort import AbortController
from steersman.tools.proposals import CommandProposal
from steersman.workspace.guard import Guard
from support.workspace import Bench, make_bench


async def test_output_is_returned_and_updates_are_told(bench: Bench) -> None:
    bench.put("a.txt")
    called = await bench.call("bash", command="ls; echo oops >&2")
    assert (called.is_error, called.text) == (False, "a.txt\noops\n")
    assert "".join(called.updates) == "a.txt\noops\n"


async def test_no_output_says_so(bench: Bench) -> None:
    assert await bench.ok("bash", command="true") == "(no output)"


async def test_an_exit_code_is_an_error_with_the_output(bench: Bench) -> None:
    called = await bench.call("bash", command="echo before; exit 3")
    assert (called.is_error, called.text) == (True, "before\n\nCommand exited with code 3")
    assert called.result.details is not None
    assert called.result.details["exitCode"] == 3


async def test_a_signal_is_told(bench: Bench) -> None:
    assert "SIGSEGV" in await bench.error("bash", command="kill -SEGV $$")


async def test_a_timeout_is_told_with_what_there_was(bench: Bench) -> None:
    text = await bench.error("bash", command="echo before; sleep 60", timeout=0.5)
    assert text.startswith("before\n\nCommand timed out after 0.5 seconds")


async def test_long_output_is_the_end_with_the_place_of_the_whole(bench: Bench, tmp_path: Path) -> None:
    text = await bench.ok("bash", command="seq 1 100000")
    assert len(text) < 52_000
    [path] = (tmp_path / "outputs").iterdir()
    assert text.endswith(f"of 100,000 (588,895 bytes). All of it is in {path}]")
    assert "\n100000\n[The last " in text
    assert path.read_text() == "".join(f"{number}\n" for number in range(1, 100_001))


async def test_an_abort_returns_what_there_was(bench: Bench) -> None:
    controller = AbortController()
    started = asyncio.Event()
    bound = bench.tools["bash"].bind({"command": "echo before; sleep 60"})
    task = asyncio.create_task(
        _execute(bound, controller, lambda _text: started.set()),
    )
    await started.wait()
    controller.abort()
    result = await task
    assert (result.is_error, result.text) == (True, "before\n\nOperation aborted")


async def _execute(bound, controller, update):
    from steersman.agent.tool import ToolContext

    return await bound.execute(ToolContext("1", controller.signal, update, None))


async def test_the_proposal_says_what_would_run_and_where(bench: Bench) -> None:
    signal = AbortController().signal

    async def propose(command: str) -> CommandProposal:
        proposal = await bench.tools["bash"].bind({"command": command}).propose(signal)
        assert isinstance(proposal, CommandProposal)
        return proposal

    proposal = await propose("pytest -q\nls")
    assert (proposal.title, proposal.cwd) == ("Run pytest -q (+1 lines)", str(bench.root))
    assert proposal.mentions is None
    assert (await propose("pytest -q\nls")).digest == proposal.digest
    assert (await propose("pytest -q \nls")).digest != proposal.digest
    assert (await propose("cat .env")).mentions == ".env"
    assert (await propose("echo \x1b[2J" + "x" * 500)).title == "Run echo \\x1b[2J" + "x" * 68 + "…"


async def test_an_empty_command_is_an_error(bench: Bench) -> None:
    assert "empty" in await bench.error("bash", command="  ")


async def test_unsaved_files_are_named_before_and_after(editor: Bench) -> None:
    editor.workspace.buffers[editor.put("a.txt", "saved\n")] = "typed\n"
    called = await editor.call("bash", command="cat a.txt")
    assert isinstance(called.proposal, CommandProposal)
    assert called.proposal.unsaved == ("a.txt",)
    assert called.text == (
        "saved\n[The command saw the files as saved; the editor has newer, unsaved text of a.txt]"
    )


async def test_what_still_runs_is_named(bench: Bench) -> None:
    text = await bench.ok("bash", command="sleep 30 >/dev/null 2>&1 & echo started $!")
    pid = text.split()[1]
    assert f"[Still running: {pid} (sleep 30)]" in text
    await bench.ok("bash", command=f"kill {pid}")


@pytest.mark.parametrize("command", ["read x; echo got $x", "git commit", "python3 -c 'input()'"])
async def test_a_command_never_waits_for_input(bench: Bench, command: str) -> None:
    called = await bench.call("bash", command=command, timeout=20)
    assert "timed out" not in called.text


async def test_without_a_folder_there_is_no_place_to_run(tmp_path: Path, guard: Guard) -> None:
    bench = make_bench(tmp_path, guard)
    bench.workspace.roots = type(bench.workspace.roots)([])
    assert "no workspace folder" in await bench.error("bash", command="ls")
