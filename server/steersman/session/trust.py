"""Whether a folder's own instructions may be followed. They are strangers' words until the user says otherwise."""

from pathlib import Path

from steersman.session.errors import SessionError
from steersman.session.home import Home
from steersman.session.jsonlines import decode, encode

INSTRUCTION_FILES = ("AGENTS.md",)


class TrustStore:
    """The answers that the user gave, one for each folder, in `trust.json`."""

    def __init__(self, home: Home) -> None:
        self._path = home.trust

    def answer(self, folder: Path) -> bool | None:
        """True or False as the user said; None if nobody was asked yet."""
        value = self._read().get(str(folder))
        return value if isinstance(value, bool) else None

    def remember(self, folder: Path, trusted: bool) -> None:
        """Keeps an answer.

        Raises:
            SessionError: it can't be written; the answer then holds for this process only.
        """
        answers = self._read() | {str(folder): trusted}
        temporary = self._path.with_suffix(".tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.write_bytes(encode(answers))
            temporary.replace(self._path)
        except OSError as error:
            raise SessionError(
                f"The answer about trust can't be kept: {self._path}: {error.strerror}"
            ) from error

    def _read(self) -> dict[str, object]:
        """An unreadable file is no trust at all."""
        try:
            value = decode(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


def has_instructions(folder: Path) -> bool:
    return any((folder / name).is_file() for name in INSTRUCTION_FILES)
