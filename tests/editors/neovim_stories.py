"""A person at a real Neovim, in a real terminal, with the configuration of docs/editors/neovim.md and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from editors.conftest import SetStage, Stage
from editors.snippets import snippets
from editors.terminal import Terminal

NOTE = "one\ntwo\nthree\n"
EDIT = {"name": "edit", "arguments": {"path": "note.txt", "edits": [{"oldText": "two", "newText": "TWO"}]}}
SHOUT = [{"text": "I shout.", "toolCalls": [EDIT]}, {"text": "Shouted."}]

Capture = Callable[[str, str], None]


def neovim(stage: Stage, *files: str, more: str = "") -> Terminal:
    """Neovim with the page's first snippet, and `more`."""
    config = Path(stage.env["XDG_CONFIG_HOME"]) / "nvim"
    config.mkdir(parents=True)
    (config / "init.lua").write_text(snippets("neovim", "lua")[0] + more)
    terminal = stage.terminal("nvim", "-n", *files)
    attached = "lua vim.print(#vim.lsp.get_clients({name='steersman'}) .. ' attached')"
    terminal.until(files[0])
    for _ in range(200):
        terminal.type(f":{attached}\r")
        if "1 attached" in terminal.settle(0.1):
            return terminal
    raise AssertionError(f"never attached:\n{terminal.text}")


@pytest.fixture
def shouting(set_stage: SetStage) -> Stage:
    return set_stage(SHOUT, {"note.txt": NOTE})


def test_a_question_is_answered_in_the_diff_and_the_edit_is_one_undo_step(shouting: Stage, capture: Capture) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        capture("neovim-question", vim.until("1: Show diff"))
        vim.type("1\r")
        capture("neovim-diff", vim.until("+TWO"))
        vim.type("gra")
        capture("neovim-answers", vim.until("1: Accept"))
        vim.type("1\r")
        vim.until("Shouted.")
        vim.type("\r:edit note.txt\r")
        vim.until("TWO\nthree")
        vim.type("u")
        vim.until("two\nthree")


@pytest.mark.parametrize("typed", ["return 2 * x\r", "2\r", "3\r12\r", "ok\r2\r2\r2\r", "5\r\x1b3\r"])
def test_ordinary_typing_at_the_moment_of_the_question_never_accepts(shouting: Stage, typed: str) -> None:
    with neovim(shouting, "note.txt") as vim:
        vim.type(":Agent shout\r")
        vim.until("1: Show diff")
        vim.type(typed)
        vim.settle(1)
        assert shouting.read("note.txt") == NOTE
        vim.type("\r:echo getline(1, '$')\r")
        assert "TWO" not in vim.settle(0.5).split("echo getline")[-1]
        # The question is still there, and can be answered.
        vim.type("\r")
        vim.settle(0.3)
        vim.type("gra")
        vim.until("1: Accept: Edit note.txt")
        vim.type("1\r")
        vim.until("Shouted.")
