"""What a user has configured, and from where: the user's file, the environment, the command line.

Only these three may loosen anything. What arrives through a client may come from a repository, and only tightens.
"""

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from steersman.agent.config import Budget
from steersman.agent.model import ThinkingLevel
from steersman.models.errors import ModelConfigError
from steersman.session.errors import SessionError
from steersman.session.home import Home

if TYPE_CHECKING:
    from steersman.models.provider_file import UserProvider

Mode = Literal["read-only", "ask", "auto-edit", "full-auto"]
MODES: tuple[Mode, ...] = ("read-only", "ask", "auto-edit", "full-auto")
"""From the strictest to the loosest."""
THINKING: tuple[ThinkingLevel, ...] = ("off", "low", "medium", "high")

Source = Literal["file", "user", "default"]
"""`user`: environment and command line, which count as one."""

_NAMES: dict[Source, str] = {
    "file": "config.toml",
    "user": "the environment or command line",
    "default": "nowhere",
}

T = TypeVar("T", bound=str)


class SettingsError(SessionError):
    """A setting is unknown or has no such value; the text names it and its source."""


class ConfigFile(BaseModel):
    """`$STEERSMAN_HOME/config.toml`."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = None
    """`PROVIDER:NAME`, or `tape:FILE`."""
    base_url: str | None = None
    """Of the model's API, with its version: `http://127.0.0.1:8080/v1`."""
    api_key: str | None = None
    """Sent to `base_url` of this file only."""
    providers: dict[str, Any] = {}
    """`[providers.NAME]`: see `models.provider_file`."""
    thinking: ThinkingLevel | None = None
    """How much models think before they answer, where they take a level."""
    mode: Mode | None = None
    max_turns: Annotated[int, Field(ge=1)] | None = None
    images: bool | None = None
    """Whether the model takes images. If it isn't set, what is known of the model's name counts."""
    context_window: Annotated[int, Field(ge=1000)] | None = None
    """Tokens of the model's window: old messages are summarised before a request would not fit."""
    context_max_chars: Annotated[int, Field(ge=1)] | None = None
    """A plain budget instead: a request has at most so many characters of the conversation, the newest ones."""
    allow_commands: list[str] = []
    """Commands that need no question: `ls`, or `pytest *` for any arguments. Plain commands only: one with a pipe, a
    redirection, a substitution or a second command in it is asked about."""
    deny: list[str] = []
    """More paths that no tool may touch, as globs; `!` at the start makes an exception."""
    protect: list[str] = []
    """More paths that are never changed without a question."""
    extensions: list[str] = []
    """Names of installed extensions that are enabled. They are code that runs in the server."""


@dataclass(frozen=True, slots=True)
class Settings:
    model: str | None = None
    base_url: str | None = None
    base_url_source: Source = "default"
    api_key: str | None = field(default=None, repr=False)
    api_key_source: Source = "default"
    providers: Mapping[str, "UserProvider"] = field(default_factory=dict)
    """What the user's file says of providers."""
    locked: str | None = None
    """Why no key of the user's file is used (others can read the file), and what to do."""
    general_locked: bool = False
    """The general `api_key` of the file is one of those keys."""
    file_secrets: tuple[str, ...] = field(default=(), repr=False)
    """Keys and values of headers in the user's file, used or not."""
    thinking: ThinkingLevel = "off"
    mode: Mode = "ask"
    max_turns: int | None = None
    images: bool | None = None
    """None: what is known of the model's name counts."""
    context_window: int | None = None
    context_max_chars: int | None = None
    allow_commands: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()

    @property
    def usable_key(self) -> str | None:
        """The key, if it may go to the base URL: both came from the same source."""
        return self.api_key if self.api_key_source == self.base_url_source else None

    @property
    def withheld_key(self) -> str | None:
        """Why the key is not used, for the user; None if it is used, or there is none."""
        if self.usable_key is not None:
            return None
        if self.api_key is None:
            return self.locked if self.general_locked and self.base_url_source == "file" else None
        key, url = _NAMES[self.api_key_source], _NAMES[self.base_url_source]
        return (
            f"The API key from {key} is not sent to {self.base_url}, which comes from {url}: "
            "a key only goes to the base URL of its own source. Set both in the same place."
        )

    @property
    def budget(self) -> Budget:
        """The ceilings of a run, as far as none are given for it."""
        return Budget(turns=self.max_turns) if self.max_turns else Budget()

    def with_flags(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        thinking: ThinkingLevel | None = None,
        mode: Mode | None = None,
        max_turns: int | None = None,
        context_max_chars: int | None = None,
        extensions: Sequence[str] = (),
    ) -> "Settings":
        """These settings, overruled by the command line."""
        changed = replace(
            self,
            model=model or self.model,
            thinking=thinking or self.thinking,
            mode=mode or self.mode,
            max_turns=max_turns or self.max_turns,
            context_max_chars=context_max_chars or self.context_max_chars,
            extensions=(*self.extensions, *extensions),
        )
        return replace(changed, base_url=base_url, base_url_source="user") if base_url else changed


def load_settings(home: Home, environ: Mapping[str, str] = os.environ) -> Settings:
    """The user's file, overruled by the environment.

    Raises:
        SettingsError: a key or value that is not known.
    """
    file = _read_file(home.config)
    providers = _providers(home.config, file)
    secrets = _secrets(file, providers)
    locked = _locked(home.config) if secrets.keys else None
    file_key = None if locked else file.api_key
    # A key with no base URL of its own source goes to the provider's own server, which counts as that source's.
    base_url, base_source = file.base_url, "file" if file.base_url or file_key else "default"
    api_key, key_source = file_key, "file"
    env_url, env_key = environ.get("STEERSMAN_BASE_URL"), environ.get("STEERSMAN_API_KEY")
    if env_url:
        base_url, base_source = env_url, "user"
    if env_key:
        api_key, key_source = env_key, "user"
        if base_url is None:
            base_source = "user"
    return Settings(
        model=environ.get("STEERSMAN_MODEL") or file.model,
        base_url=base_url,
        base_url_source=base_source,  # type: ignore[arg-type]  # mypy widens the literals of a conditional
        api_key=api_key,
        api_key_source=key_source,  # type: ignore[arg-type]  # as above
        providers=providers,
        locked=locked,
        general_locked=locked is not None and file.api_key is not None,
        file_secrets=(*secrets.keys, *secrets.headers),
        thinking=_one_of(THINKING, "STEERSMAN_THINKING", environ) or file.thinking or "off",
        mode=_one_of(MODES, "STEERSMAN_MODE", environ) or file.mode or "ask",
        max_turns=file.max_turns,
        images=file.images,
        context_window=file.context_window,
        context_max_chars=file.context_max_chars,
        allow_commands=tuple(file.allow_commands),
        deny=tuple(file.deny),
        protect=tuple(file.protect),
        extensions=tuple(file.extensions),
    )


def stricter(one: Mode, other: Mode) -> Mode:
    return MODES[min(MODES.index(one), MODES.index(other))]


def _one_of(choices: tuple[T, ...], variable: str, environ: Mapping[str, str]) -> T | None:
    value = environ.get(variable)
    if not value:
        return None
    for choice in choices:
        if choice == value:
            return choice
    raise SettingsError(f"{variable} is {value!r}; it can be {', '.join(map(str, choices))}.")


@dataclass(frozen=True, slots=True)
class _Secrets:
    keys: tuple[str, ...]
    headers: tuple[str, ...]


def _secrets(file: ConfigFile, providers: "Mapping[str, UserProvider]") -> _Secrets:
    keys = [file.api_key, *(each.own_key.key for each in providers.values())]
    headers = [value for each in providers.values() for value in each.provider.headers.values()]
    return _Secrets(tuple(key for key in keys if key), tuple(headers))


def _providers(path: Path, file: ConfigFile) -> "Mapping[str, UserProvider]":
    if not file.providers:
        return {}
    from steersman.models.provider_file import user_providers  # noqa: PLC0415 - most files have none

    try:
        return user_providers(file.providers)
    except ModelConfigError as error:
        raise SettingsError(f"{path}: {error}") from None


def _locked(path: Path) -> str | None:
    """Why the keys of a file are not used, if others than its owner can read it. Windows has no such bits."""
    if sys.platform == "win32" or not path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return None
    return f"{path} holds a key and can be read by others, so its keys are not used: chmod 600 {path}"


def _read_file(path: Path) -> ConfigFile:
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ConfigFile()
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (at byte {error.start})") from None
    import tomllib  # noqa: PLC0415 - many have no file

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of thousands of digits, or of brackets
        raise SettingsError(f"{path} is not TOML: {error}") from None
    try:
        return ConfigFile.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])[:200]
        if first["type"] == "extra_forbidden":
            known = ", ".join(ConfigFile.model_fields)
            raise SettingsError(f"{path}: {name} is not a known key. Known keys: {known}.") from None
        got = "" if name == "api_key" else f", got {first['input']!r:.60}"
        raise SettingsError(f"{path}: {name}: {first['msg']}{got}.") from None
