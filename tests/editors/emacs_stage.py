"""Emacs in a terminal with a configuration of docs/editors/emacs.md, and what a person types at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Final

from editors.conftest import Stage
from editors.snippets import snippets
from editors.terminal import Terminal

EGLOT, EGLOT_WITH_MORE, LSP_MODE = (0,), (0, 1, 2, 3), (4,)
"""Which of the page's configurations."""
LIBRARIES: Final = Path("/usr/share/emacs/site-lisp/elpa")
"""Where Debian's packages put eglot and lsp-mode: what activates itself there needs no set-up."""

QUIET = """
(setq native-comp-deferred-compilation nil inhibit-startup-screen t make-backup-files nil)
(setq package-enable-at-startup t)
;; A slow machine is waited for.
(setq eglot-connect-timeout 120 lsp-response-timeout 120)
(with-eval-after-load 'jsonrpc (setq jrpc-default-request-timeout 120))
"""


def is_missing() -> str | None:
    """What there is too little of for these stories; None if all is there."""
    if which("emacs") is None:
        return "no emacs"
    missing = [name for name in ("eglot", "lsp-mode") if not list(LIBRARIES.glob(f"{name}-*"))]
    return f"no {' and no '.join(missing)} for it" if missing else None


@contextmanager
def emacs(stage: Stage, file: str, configuration: tuple[int, ...] = EGLOT) -> Iterator[Terminal]:
    """Emacs with these configurations, attached to the file."""
    folder = stage.root / ".emacs.d"
    folder.mkdir()
    (folder / "early-init.el").write_text(QUIET)
    pages = snippets("emacs", "elisp")
    (folder / "init.el").write_text("\n".join(pages[number] for number in configuration))
    with stage.terminal("emacs", "-nw", file) as terminal:
        terminal.until(lambda text: f" {file} " in text and "Loading" not in text)
        if configuration == LSP_MODE:
            terminal.until("LSP[steersman")
            terminal.until(lambda text: "starting" not in text)
        else:
            do(terminal, "eglot")
            terminal.until("[eglot:shop]")
        yield terminal


def do(terminal: Terminal, command: str, *answers: str) -> None:
    """`M-x command`, with what it asks for."""
    terminal.press("M-x")
    terminal.until("\nM-x")
    terminal.type(f"{command}\r")
    for answer in answers:
        terminal.type(f"{answer}\r")


def answer(terminal: Terminal, title: str) -> None:
    """Puts another answer in the place of the one that eglot suggests: the minibuffer is cleared, and it is typed."""
    terminal.until("Choose an option: ")
    terminal.type(f"\x01\x0b{title}\r")


def leave(terminal: Terminal) -> None:
    """Leaves the question open. What is typed before Emacs has said so is thrown away with it."""
    terminal.press("C-g")
    terminal.until("Quit")


def act(terminal: Terminal, title: str) -> None:
    """Chooses a code action where the cursor is."""
    do(terminal, "eglot-code-actions")
    terminal.until("Pick an action")
    terminal.type(f"{title}\t\r")
