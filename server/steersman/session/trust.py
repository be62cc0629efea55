"""Whether a folder's own instructions may be followed. They are strangers' words until the user says otherwise."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.abort import AbortSignal
from steersman.session.approvals import ACCEPTING, Answer, Question
from steersman.session.errors import SessionError
from steersman.session.home import Home
from steersman.session.jsonlines import decode, encode
from steersman.session.looking import is_file, is_folder
from steersman.session.settings import Mode, stricter
from steersman.workspace.atomic import write_file
from steersman.workspace.roots import printable

INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md")
"""The first that is there counts."""
TEMPLATES = ".steersman/templates"
"""Below a workspace folder: its own prompt templates."""


class TrustStore:
    """The answers that the user gave, one for each folder, in `trust.json`."""

    def __init__(self, home: Home) -> None:
        self._path = home.trust
        self._given: dict[str, bool] = {}
        """Answers given in this process: they hold even if they could not be written."""

    def answer(self, folder: Path) -> bool | None:
        """True or False as the user said; None if nobody was asked yet."""
        given = self._given.get(str(folder))
        value = self._read().get(str(folder)) if given is None else given
        return value if isinstance(value, bool) else None

    def how_to_trust(self, folder: Path) -> str:
        """What to do to have a folder's instructions followed: the rest of a sentence."""
        if self.answer(folder) is None:
            return "trust the folder when a run asks, or start with --trust"
        return (
            "start with --trust, or take the folder out of "
            f"{self._path} to be asked again: you have said no to it before"
        )

    def hold(self, folder: Path, trusted: bool) -> None:
        """Takes an answer that holds as long as this process lives."""
        self._given[str(folder)] = trusted

    def remember(self, folder: Path, trusted: bool) -> None:
        """Keeps an answer.

        Raises:
            SessionError: it can't be written; the answer then holds for this process only.
        """
        self.hold(folder, trusted)
        try:
            self._write(self._read() | {str(folder): trusted})
        except OSError as error:
            raise SessionError(
                f"The answer about trust can't be kept: {self._path}: {error.strerror}"
            ) from error

    def _write(self, answers: dict[str, object]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # The run waits for it, and what is lost is asked again.
        write_file(self._path, [encode(answers)], durable=False)

    def _read(self) -> dict[str, object]:
        """An unreadable file is no trust at all."""
        try:
            value = decode(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which a run may work in its folders."""

    mode: Mode
    trusted: bool
    """The first folder's own instructions may be followed."""


class TrustCheck:
    """Settles trust in the folders of one run, before its first request."""

    def __init__(
        self,
        store: TrustStore,
        *,
        trusts_all: bool,
        trusts_none: bool = False,
        ask: Callable[[Question], Awaitable[Answer]],
        answer_alike: Callable[[Question, Answer], None],
        question: Callable[[Path], Question],
        notice: Callable[[str], None],
    ) -> None:
        """`trusts_none` overrules all else. `answer_alike` gives an answer of the user to the other runs that ask the
        same at that time, `notice` tells the user something that needs no answer."""
        self._store, self._trusts_all, self._trusts_none = store, trusts_all, trusts_none
        self._ask, self._answer_alike, self._question, self._notice = ask, answer_alike, question, notice
        self._settled: dict[Path, bool] = {}
        """Answers in this run: where nobody can be asked, there is no second question."""

    async def settle(self, folders: Sequence[Path], mode: Mode, signal: AbortSignal) -> Terms:
        """Asks about folders that were not asked about yet, if it makes a difference.

        Raises:
            LogError: see `Asker.ask`.
        """
        if not folders:
            return Terms(mode, trusted=False)
        loose = stricter(mode, "ask") != mode
        first = folders[0]
        matters = [each for each in folders if loose or (each == first and has_instructions(each))]
        untrusted = [folder for folder in matters if not await self._is_trusted(folder)]
        if loose and untrusted and not signal.aborted:
            how = (
                "trust the workspace in the editor"
                if self._trusts_none
                else self._store.how_to_trust(untrusted[0])
            )
            self._notice(
                f"{printable(str(untrusted[0]))} is not a trusted folder: mode {mode} is not used, every change needs "
                f"a question. To use it, {how}."
            )
        return Terms(
            stricter(mode, "ask") if untrusted else mode, first in matters and first not in untrusted
        )

    async def may_follow(self, folder: Path) -> bool:
        """Whether instructions that were found in or below a workspace folder may be followed. Asks if nobody has
        answered that yet.

        Raises:
            LogError: see `Asker.ask`.
        """
        return await self._is_trusted(folder, found=True)

    async def _is_trusted(self, folder: Path, *, found: bool = False) -> bool:
        if self._trusts_none:
            return False
        known = True if self._trusts_all else self._settled.get(folder, self._store.answer(folder))
        if known is None:
            known = self._settled[folder] = await self._asked(folder, found=found or has_instructions(folder))
        return known

    async def _asked(self, folder: Path, *, found: bool) -> bool:
        question = self._question(folder)
        answer = await self._ask(question)
        if answer.by == "user":
            self._answer_alike(question, answer)
        trusted = answer.decision in ACCEPTING
        if answer.decision == "acceptForSession":
            self._store.hold(folder, trusted)
        elif answer.by == "user":
            try:
                self._store.remember(folder, trusted)
            except SessionError as error:
                self._notice(str(error))
        elif answer.by == "nobody" and found:
            self._notice(
                f"The instructions of {printable(str(folder))} are not followed: nobody can be asked whether it is "
                "trusted. Start with --trust to follow them."
            )
        return trusted


def trust_question(question_id: str, session: str, run: str, folder: Path) -> Question:
    return Question(
        id=question_id,
        session=session,
        run=run,
        tool_call_id="",
        kind="trust",
        title=f"Trust the folder {printable(str(folder))}?",
        reason="Its own instructions (AGENTS.md) and prompt templates would be followed, and modes looser than ask be "
        "allowed.",
        digest=str(folder),
        decisions=("accept", "acceptForSession", "decline"),
    )


def has_instructions(folder: Path) -> bool:
    """Whether trust makes a difference: the folder has instructions or templates of its own."""
    return any(is_file(folder / name) for name in INSTRUCTION_FILES) or is_folder(folder / TEMPLATES)
