"""The application log: what went wrong and when, for whoever mends it. (The session log is the run itself.)

One file for all Steersman processes of a home, bounded, readable by its owner only, with keys taken out. It must never
be the reason that something fails: where it can't be written, one line on standard error says so.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from steersman.models.secrets import MASK, Redactor
from steersman.session.catalog import secrets_of
from steersman.session.home import Home
from steersman.session.settings import Settings

try:
    import fcntl
except ImportError:  # Windows has no fcntl; there two processes may both rotate, and a backup is lost
    fcntl = None  # type: ignore[assignment]  # the module is absent, and looked at before use

FILE_NAME: Final = "steersman.log"
MAX_BYTES: Final = 2 * 1024 * 1024
"""Of one file; the backups are as long."""
BACKUPS: Final = 3
MAX_RECORD: Final = 32 * 1024
"""Characters of one record, its traceback included; of a longer one the middle is left out."""
RETRY_SECONDS: Final = 30.0
"""After a failed write, before the next attempt: a disk that was full may have room again."""

_FORMAT: Final = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NAMED_SECRET: Final = re.compile(
    r"(?i)(?<![a-z])(authorization|proxy-authorization|x-api-key|api[-_ ]?key|password|passwd|secret|access[-_]?token)"
    r"(['\"]?\s*[:=]\s*['\"]?)(?:(?:bearer|basic|token)\s+)?[^\s'\",;&}]{4,}"
)
_URL_PASSWORD: Final = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s@'\"]+@", re.IGNORECASE)


def configure_logging(
    home: Home, settings: Settings, level: str = "info", *, stderr_level: str = "warning"
) -> None:
    """Sends this process's log records to the file in the home and to standard error. May be called again.

    At `info` nothing is logged that holds texts of users, models or files; `debug` may. Records below a warning are
    taken from Steersman's own loggers only, unless one of the levels is `debug`.

    Args:
        home: its `logs` folder is made when the first record is written.
        settings: its key and what is secret in its base URL are in neither output.
        level: of the file: debug, info, warning or error. Where `stderr_level` is lower, that counts.
        stderr_level: of standard error.
    """
    levels = logging.getLevelNamesMapping()
    on_stderr = levels[stderr_level.upper()]
    in_file = min(levels[level.upper()], on_stderr)
    formatter = RedactingFormatter(lambda: secrets_of(settings))
    handlers: list[logging.Handler] = [LogFile(home.logs / FILE_NAME), StandardError()]
    root = logging.getLogger()
    for known in [each for each in root.handlers if isinstance(each, LogFile | StandardError)]:
        root.removeHandler(known)
        known.close()
    for handler, least in zip(handlers, (in_file, on_stderr), strict=True):
        handler.setLevel(least)
        handler.setFormatter(formatter)
        root.addHandler(handler)
    lowest = min(in_file, on_stderr)
    root.setLevel(logging.DEBUG if lowest <= logging.DEBUG else max(lowest, logging.WARNING))
    logging.getLogger("steersman").setLevel(lowest)


class RedactingFormatter(logging.Formatter):
    """Formats a record: its first line has the time, the process, the level and the logger. All other lines are
    indented, so that no text can pass for another record."""

    def __init__(self, secrets: Iterable[str] | Callable[[], Iterable[str]] = ()) -> None:
        super().__init__(_FORMAT)
        self._redact = Redactor(secrets)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        """UTC, to the millisecond."""
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        text = self._redact(super().format(record))
        text = _NAMED_SECRET.sub(rf"\1\2{MASK}", text)
        text = _bounded(_URL_PASSWORD.sub(rf"\1{MASK}@", text))
        text = _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text.replace("\r\n", "\n"))
        return text.rstrip("\n").replace("\n", "\n    ")


class StandardError(logging.Handler):
    """Writes to what is standard error at that moment. Where it is closed or gone, the record is dropped."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the record. Never raises."""
        try:
            _say(self.format(record))
        except Exception:  # noqa: BLE001 - the arguments of a record may be anything, and fail as anything
            _say(f"A log record of {record.name} can't be shown.")


class LogFile(logging.Handler):
    """A file that several processes append to, with one `write` for each record. Any of them may rotate it."""

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES, backups: int = BACKUPS) -> None:
        super().__init__()
        self.path = path
        self._max_bytes, self._backups = max_bytes, backups
        self._fd = -1
        self._torn = False
        """A record of ours was cut off by a full disk: the next one begins on a line of its own."""
        self._retry_at: float | None = None
        """As `LogRecord.created`; None: the last write went well."""
        self._told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the record. Never raises."""
        if self._retry_at is not None and record.created < self._retry_at:
            return
        try:
            self._write(self.format(record).encode(errors="backslashreplace") + b"\n")
            self._retry_at = None
        except OSError as error:
            self._retry_at = record.created + RETRY_SECONDS
            self._tell(error)
        except Exception:  # noqa: BLE001 - as in StandardError
            _say(f"A log record of {record.name} can't be written.")

    def close(self) -> None:
        self._release()
        super().close()

    def _write(self, data: bytes) -> None:
        self._follow()
        if os.fstat(self._fd).st_size + len(data) > self._max_bytes:
            self._rotate(len(data))
        data = b"\n" + data if self._torn else data
        self._torn = os.write(self._fd, data) < len(data)

    def _follow(self) -> None:
        """Opens the file that has the name now: another process may have rotated it, or somebody removed it."""
        if self._fd >= 0:
            try:
                if os.path.samestat(self.path.stat(), os.fstat(self._fd)):
                    return
            except FileNotFoundError:
                pass
            self._release()
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _rotate(self, room: int) -> None:
        """Makes the file a backup. If another process is just doing that, our file grows a little longer."""
        with _alone_in(self.path.parent) as alone:
            if not alone:
                return
            self._follow()
            size = os.fstat(self._fd).st_size
            if size == 0 or size + room <= self._max_bytes:
                return
            for number in range(self._backups - 1, 0, -1):
                older = self._backup(number)
                if older.exists():
                    older.replace(self._backup(number + 1))
            self.path.replace(self._backup(1))
            self._follow()

    def _backup(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")

    def _release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _tell(self, error: OSError) -> None:
        if not self._told:
            self._told = True
            _say(f"steersman: no log is kept: {self.path}: {error.strerror}")


@contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Whether this process is alone in here. It doesn't wait: a stopped process must not stop others."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if fcntl is not None:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(fd)


def _say(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return  # there is none, it is closed, or its reader has gone


def _bounded(text: str) -> str:
    if len(text) <= MAX_RECORD:
        return text
    half = MAX_RECORD // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
