"""What providers say of their models, kept so that a session knows windows and prices at once.

One file for each provider: `$STEERSMAN_HOME/cache/models/PROVIDER.json`. It holds no key. Whatever of
it can't be read is ignored.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import orjson

from steersman.models.listed_facts import ListedModel
from steersman.models.provider import NOTHING, ModelFacts, Price
from steersman.workspace.atomic import write_file
from steersman.workspace.regular import TooLarge, read_regular

log = logging.getLogger(__name__)

VERSION: Final = 1
"""Of the files; others are ignored."""
DAY: Final = 86_400.0
MAX_BYTES: Final = 4 * 1024 * 1024

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class _Kept:
    asked: float
    """When, in seconds since 1970."""
    models: Mapping[str, object]


@dataclass(slots=True)
class FactsCache:
    """The files of one home. Blocking; a file is some tens of kilobytes. One thread may keep what others look at."""

    folder: Path
    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    _read: dict[Path, tuple[tuple[int, ...], dict[str, object] | None]] = field(default_factory=dict)
    """What was read, with the file's inode, size and time: the time alone may be too coarse to tell two files apart."""
    _paths: dict[str, Path | None] = field(default_factory=dict)
    """By provider."""

    def facts(self, provider: str, base_url: str, name: str) -> ModelFacts:
        """What the provider said of a model, however long ago; nothing if another server said it."""
        kept = self._kept(provider, base_url)
        return NOTHING if kept is None else _facts(kept.models.get(name))

    def is_fresh(self, provider: str, base_url: str, seconds: float = DAY) -> bool:
        """Whether the provider was asked within the last `seconds`. If the clock has gone back, nothing is fresh."""
        kept = self._kept(provider, base_url)
        return kept is not None and 0 <= self.now() - kept.asked < seconds

    def keep(self, provider: str, base_url: str, models: Iterable[ListedModel]) -> None:
        """Replaces what is kept of a provider.

        Raises:
            OSError: it could not be written.
        """
        path = self._path(provider)
        if path is None:
            return
        told = {model.name: _json(model.facts) for model in models}
        content = {
            "version": VERSION,
            "server": _server(base_url),
            "asked": self.now(),
            "models": {name: facts for name, facts in told.items() if facts},
        }
        for folder in (path.parent.parent.parent, path.parent.parent, path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, [orjson.dumps(content)])
        self._read.pop(path, None)  # an inode may be given to the next file at once

    def _kept(self, provider: str, base_url: str) -> _Kept | None:
        path = self._path(provider)
        content = None if path is None else self._content(path)
        if content is None or content.get("version") != VERSION or content.get("server") != _server(base_url):
            return None
        asked, models = content.get("asked"), content.get("models")
        if isinstance(asked, bool) or not isinstance(asked, int | float) or not isinstance(models, dict):
            return None
        return _Kept(asked, models)

    def _content(self, path: Path) -> dict[str, object] | None:
        try:
            status = path.stat()
            which = status.st_ino, status.st_size, status.st_mtime_ns
            known = self._read.get(path)
            if known is None or known[0] != which:
                known = self._read[path] = which, _parsed(path)
        except (OSError, TooLarge) as error:
            if not isinstance(error, FileNotFoundError):
                log.info("%s can't be read: %s", path, error)
            return None
        return known[1]

    def _path(self, provider: str) -> Path | None:
        """None for a name that can't be a file's. Remembered, since a run asks often and making a `Path` takes time."""
        if provider not in self._paths:
            named = self.folder / f"{provider}.json" if _NAME.fullmatch(provider) else None
            self._paths[provider] = named
        return self._paths[provider]


def _parsed(path: Path) -> dict[str, object] | None:
    data, _ = read_regular(path, MAX_BYTES)
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        log.info("%s is no JSON; it is ignored", path)
        return None
    return content if isinstance(content, dict) else None


def _server(base_url: str) -> str:
    """Without user information and query, which may be secret; "" for what is no URL."""
    try:
        parts = urlsplit(base_url.strip())
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def _json(facts: ModelFacts) -> dict[str, object]:
    """Only what is known."""
    said = {name: value for name, value in asdict(facts).items() if value is not None}
    if isinstance(price := said.get("price"), dict):
        said["price"] = {name: value for name, value in price.items() if value is not None}
    return said


def _facts(said: object) -> ModelFacts:
    """A value that `_json` would not write counts as unknown."""
    if not isinstance(said, dict):
        return NOTHING
    price = said.get("price")
    return ModelFacts(
        context_window=_tokens(said.get("context_window")),
        max_output=_tokens(said.get("max_output")),
        images=_bool(said.get("images")),
        thinking=_bool(said.get("thinking")),
        price=_price(price) if isinstance(price, dict) else None,
    )


def _price(said: Mapping[str, object]) -> Price:
    return Price(**{each.name: _dollars(said.get(each.name)) for each in fields(Price)})


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _dollars(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _bool(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
