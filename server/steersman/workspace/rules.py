"""Which paths no tool may touch (secrets), and which are never changed without asking (protected).

All tools, and mentions of files, ask the same object. It knows paths as text; resolving links is up to the caller.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from steersman.workspace.default_rules import DENIED, PROTECTED
from steersman.workspace.globs import compile_glob, expand_braces
from steersman.workspace.roots import ResolvedPath
from steersman.workspace.rule_list import RuleList, is_wild
from steersman.workspace.shell_words import LONGEST_GLOB, shell_words


@dataclass(frozen=True, slots=True)
class PathRules:
    """Deny and protect patterns. The last pattern that matches decides; one that begins with `!` lets a path through.

    A pattern is a glob that ignores case and covers what it names and everything below: `name` anywhere, `a/b` a `b`
    in any `a`, `/a` only at the top of a workspace folder. A trailing `/` makes no difference. The user's own patterns
    follow the defaults: `PathRules.of(deny=["secrets/", "!.env.ci"])`.
    """

    deny: RuleList = field(default_factory=lambda: RuleList.of(DENIED))
    protect: RuleList = field(default_factory=lambda: RuleList.of(PROTECTED))

    @classmethod
    def of(cls, *, deny: Iterable[str] = (), protect: Iterable[str] = ()) -> "PathRules":
        """The defaults, followed by the user's own.

        Raises:
            GlobError: a pattern is unusable.
        """
        return cls(RuleList.of((*DENIED, *deny)), RuleList.of((*PROTECTED, *protect)))

    def and_then(self, *, deny: Iterable[str], protect: Iterable[str]) -> "PathRules":
        """With more patterns, which take precedence over these."""
        return PathRules(self.deny.and_then(deny), self.protect.and_then(protect))

    def denied(self, path: ResolvedPath) -> str | None:
        """The pattern that denies the path, be it as it was named or as its links resolve."""
        return self.deny.first(path.forms)

    def protected(self, path: ResolvedPath) -> str | None:
        """The pattern that protects the path, be it as it was named or as its links resolve."""
        return self.protect.first(path.forms)

    def denied_name(self, path: str) -> str | None:
        """The pattern that denies a path given as text, relative to a workspace folder or absolute."""
        return self.deny.decide(path)

    def denied_names(self, folder: str, names: Sequence[str]) -> list[str]:
        """Those of the names in one folder that `denied_name` would deny."""
        return self.deny.among(folder, names)

    def exclusions(self) -> list[str]:
        """Globs of what a search can leave out, below any folder.

        They only save work: a search that uses them still asks `denied_name` about each path.
        """
        return self.deny.exclusions()

    def mentions_denied(self, command: str) -> str | None:
        """A word of the shell command that names a denied file, or None.

        Words are tried with and without their quotes and backslashes, and globs on the names of well-known secrets.
        A hit is a reason to ask; this is no sandbox, since a program can build any name.
        """
        for word in shell_words(command):
            name = word.strip("!-+").rstrip("/")
            if "/" in name:
                # As text: the word may be no path.
                name = os.path.normpath(os.path.expanduser(name))  # noqa: PTH111
            # The value of a short option may follow it without a space: `-f.env`.
            for part in (name, name[1:]) if word.startswith("-") else (name,):
                if part and (self.denied_name(part) is not None or self._glob_reaches(part)):
                    return word
        return None

    def _glob_reaches(self, word: str) -> bool:
        """Whether a shell would expand the glob to a well-known secret. A leading star matches no dot file."""
        last = word.rsplit("/", 1)[-1]
        if not is_wild(last) or not last.strip("*?[]") or len(last) > LONGEST_GLOB:
            return False
        matcher = compile_glob(last, ignore_case=True)
        return any(
            matcher.fullmatch(name) and self.denied_name(name) is not None
            for name in _well_known()
            if name.startswith(".") == last.startswith(".")
        )


@lru_cache(maxsize=1)
def _well_known() -> tuple[str, ...]:
    """Names that the defaults deny, to try globs on."""
    literal = [
        name.rstrip("/")
        for raw in DENIED
        if not raw.startswith("!")
        for name in expand_braces(raw)
        if not is_wild(name) and "/" not in name.rstrip("/")
    ]
    return (*literal, ".env", ".env.local", ".env.production", ".envrc", "server.pem", "server.key")
