"""Which paths no tool may touch (secrets) and which no mode changes without a question (protected).

One object, asked by every tool and by mentions. It knows paths as text; links are the caller's to resolve.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from steersman.workspace.globs import GlobError, compile_glob, expand_braces
from steersman.workspace.roots import ResolvedPath

DENIED = (
    # Environment files hold passwords and tokens; their templates don't.
    ".env*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!.env.*.example",
    # Private keys and key stores. A .pem may be a mere certificate: those with the usual names are let through.
    "id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
    "?*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx}",
    "!{cacert,cert,chain,fullchain,public,pubkey}.pem",
    "!*{.pub,public,.crt}.pem",
    "!public.key",
    # Credentials where the common clients keep them.
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".azure/",
    ".config/{gcloud,gh}/",
    ".kube/config",
    ".docker/config.json",
    "application_default_credentials.json",
    ".{netrc,pgpass,git-credentials,pypirc,htpasswd,vault-token}",
    "_netrc",
    # The variables that a process was started with, our own keys among them.
    "/proc/**/environ",
)
"""Secrets: never read, listed, searched or changed."""

PROTECTED = (
    # What runs, or decides what runs, without being asked: version control, editors, agents.
    ".{git,hg,svn,jj}/",
    ".gitmodules",
    ".steersman/",
    ".{vscode,vs,idea,zed,helix,fleet,devcontainer,vim,nvim,emacs.d}/",
    "*.{code-workspace,sublime-project,sublime-workspace}",
    ".{nvimrc,exrc,vimrc,gvimrc,lvimrc,nvim.lua,kakrc,emacs,dir-locals.el,dir-locals-2.el,projectile}",
    ".{kateproject,kateconfig}*",
    ".config/{nvim,helix,zed,kak,emacs,Code,fish,systemd,autostart,git}/",
    ".gitconfig",
    ".{claude,codex,cursor,gemini,opencode,continue,kiro,roo,windsurf}/",
    ".{cursorrules,windsurfrules,clinerules,mcp.json,aider.conf.yml}",
    "{AGENTS,AGENTS.*,CLAUDE,CLAUDE.*,GEMINI}.md",
    ".github/{copilot-instructions.md,instructions/}",
    # What runs elsewhere, with other people's rights: CI and hooks.
    ".github/{workflows,actions}/",
    ".{circleci,buildkite,woodpecker,ci,husky,githooks}/",
    ".{gitlab-ci,travis,drone,woodpecker,appveyor,cirrus,pre-commit-config}.{yml,yaml}",
    "{appveyor,azure-pipelines,bitbucket-pipelines}.{yml,yaml}",
    "{Jenkinsfile,cloudbuild.yaml,cloudbuild.yml}",
    "{lefthook,.lefthook}.{yml,yaml,toml,json}",
    # Where packages come from, and which: made by tools, not by hand.
    ".{npmrc,yarnrc,yarnrc.yml}",
    "{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}",
    "{uv,poetry,pdm,Pipfile,Cargo,Gemfile,composer,mix,pubspec,flake,Podfile}.lock",
    "{pylock.toml,pylock.*.toml,go.sum,Package.resolved,packages.lock.json,gradle.lockfile}",
    "{conda-lock.yml,.terraform.lock.hcl}",
    # A shell's start-up files, wherever they are.
    ".{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,inputrc,xprofile,xinitrc,xsessionrc}",
    ".{zshrc,zshenv,zprofile,zlogin,zlogout}",
)
"""Changed only after a question, in every mode."""

_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
"""Characters that some file systems leave out when they compare names."""
_PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789._ ~+=@#%-"
"""What stands for itself in a glob, whatever is before or after it."""
_LONGEST_GLOB = 200
_WORD_BREAKS = re.compile(r"[\s;|&<>()`$={}\"',:@]+")
_OUTSIDE_BRACES = re.compile(r"[\s;|&<>()`$=:@]+")
_HIDDEN = ".env"
"""Stands for a word whose braces make too many words to be looked at."""


class _Rule:
    """One pattern; it is compiled when a path is held against it, since few ever are."""

    __slots__ = ("_matcher", "allows", "pattern")

    def __init__(self, pattern: str, *, allows: bool) -> None:
        """`pattern` comes without its `!` and without a trailing `/`.

        Raises:
            GlobError: it is unusable.
        """
        self.pattern, self.allows = pattern, allows
        self._matcher: re.Pattern[str] | None = None
        expand_braces(self._anchored)  # what compiling it would refuse

    @property
    def _anchored(self) -> str:
        return self.pattern if self.pattern.startswith("/") else f"/**/{self.pattern}"

    @property
    def matcher(self) -> re.Pattern[str]:
        """Over a path that begins with `/`."""
        if self._matcher is None:
            self._matcher = compile_glob(self._anchored, ignore_case=True)
        return self._matcher


class _RuleList:
    """Rules in order, the last one that matches decides. Most paths hold no name that any rule ends in: a look at how
    their names begin and end spares them the rules."""

    __slots__ = ("_heads", "_literal", "_tails", "rules")

    def __init__(self, rules: Iterable[_Rule]) -> None:
        self.rules = tuple(rules)
        lasts = {_caseless(rule.pattern.rsplit("/", 1)[-1]) for rule in self.rules}
        wild = set(filter(_is_wild, lasts))
        by_tail = {last for last in wild if last[-1] in _PLAIN}
        self._literal = lasts - wild
        self._tails = tuple({last[len(last.rstrip(_PLAIN)) :] for last in by_tail})
        self._heads = tuple({last[: -len(last.lstrip(_PLAIN))] for last in wild - by_tail})

    def and_then(self, patterns: Iterable[str]) -> "_RuleList":
        """With more patterns, which decide before these."""
        return _RuleList((*self.rules, *_rules(patterns)))

    def decide(self, path: str) -> str | None:
        """The pattern that covers the path or a directory that it is in; None if none does or one lets it through."""
        if not any(map(self._may_match, _looks(path))):
            return None
        parts = [part for part in path.translate(_INVISIBLE).split("/") if part not in ("", ".")]
        ancestors = ["/" + "/".join(parts[: index + 1]) for index in range(len(parts))]
        for rule in reversed(self.rules):
            if any(rule.matcher.fullmatch(ancestor) for ancestor in ancestors):
                return None if rule.allows else rule.pattern
        return None

    def among(self, folder: str, names: Sequence[str]) -> list[str]:
        """Those of the names in one folder whose path a pattern covers. They are looked at all at once: there may be
        many thousand."""
        suspects = names
        if names and not any(map(self._may_match, _looks(folder))):
            looks = zip(names, _looks("/".join(names)), strict=True)
            suspects = [name for name, look in looks if self._may_match(look)]
        return [name for name in suspects if self.decide(f"{folder}/{name}") is not None]

    def _may_match(self, look: str) -> bool:
        """False if no rule ends in a name with this look."""
        return look in self._literal or look.endswith(self._tails) or look.startswith(self._heads)


@dataclass(frozen=True, slots=True)
class PathRules:
    """Deny and protect patterns. The last pattern that matches decides; one that begins with `!` lets a path through.

    A pattern is a glob and covers what it names and all that is below it, without regard to case: `name` anywhere,
    `a/b` a `b` in an `a`, `/a` only at the top of a workspace folder. A trailing `/` may be written and changes
    nothing. The user's own patterns go after the defaults: `PathRules.of(deny=["secrets/", "!.env.ci"])`.
    """

    deny: _RuleList = field(default_factory=lambda: _RuleList(_rules(DENIED)))
    protect: _RuleList = field(default_factory=lambda: _RuleList(_rules(PROTECTED)))

    @classmethod
    def of(cls, *, deny: Iterable[str] = (), protect: Iterable[str] = ()) -> "PathRules":
        """The defaults and then the user's own.

        Raises:
            GlobError: a pattern is unusable.
        """
        return cls(_RuleList(_rules((*DENIED, *deny))), _RuleList(_rules((*PROTECTED, *protect))))

    def and_then(self, *, deny: Iterable[str], protect: Iterable[str]) -> "PathRules":
        """With more patterns, which decide before these."""
        return PathRules(self.deny.and_then(deny), self.protect.and_then(protect))

    def denied(self, path: ResolvedPath) -> str | None:
        """The pattern that denies the path: as it was named, or what links make of it."""
        return _first(self.deny, path.forms)

    def protected(self, path: ResolvedPath) -> str | None:
        """The pattern that protects the path, asked in the same ways."""
        return _first(self.protect, path.forms)

    def denied_name(self, path: str) -> str | None:
        """The pattern that denies a path given as text, relative to a workspace folder or absolute."""
        return self.deny.decide(path)

    def denied_names(self, folder: str, names: Sequence[str]) -> list[str]:
        """Those of the names in one folder for whose path `denied_name` is a pattern."""
        return self.deny.among(folder, names)

    def exclusions(self) -> list[str]:
        """The deny patterns as globs of what to leave out of a search, below any folder; those only that no later `!`
        may reopen.

        A search that uses them still asks `denied_name` for each path: they save work, they don't decide.
        """
        rules = self.deny.rules
        return [
            f"**/{rule.pattern}"
            for index, rule in enumerate(rules)
            if not (rule.allows or rule.pattern.startswith("/"))
            and not any(_may_reopen(other, rule) for other in rules[index + 1 :])
        ]

    def mentions_denied(self, command: str) -> str | None:
        """A word of the shell command that names a denied file, or None.

        It looks at words with and without their quotes and backslashes, and at globs that a well-known secret would
        match. It is a reason to ask, not a sandbox: a program can build any name.
        """
        for word in _words(command):
            name = word.strip("!-+").rstrip("/")
            if "/" in name:  # a word, which may be no path
                name = os.path.normpath(os.path.expanduser(name))  # noqa: PTH111
            # The value of a short option may follow without a blank: `-f.env`.
            for part in (name, name[1:]) if word.startswith("-") else (name,):
                if part and (self.denied_name(part) is not None or self._glob_reaches(part)):
                    return word
        return None

    def _glob_reaches(self, word: str) -> bool:
        """Whether a shell's glob would match a well-known secret. A leading star leaves dot files alone."""
        last = word.rsplit("/", 1)[-1]
        if not _is_wild(last) or not last.strip("*?[]") or len(last) > _LONGEST_GLOB:
            return False
        matcher = compile_glob(last, ignore_case=True)
        return any(
            matcher.fullmatch(name) and self.denied_name(name) is not None
            for name in _well_known()
            if name.startswith(".") == last.startswith(".")
        )


def _words(command: str) -> Iterable[str]:
    """The words of a shell command as written, without quotes and backslashes, and with braces expanded; each once."""
    bare = re.sub(r"\\\n|[\\\"']", "", command)
    yield from dict.fromkeys((*_WORD_BREAKS.split(command), *_WORD_BREAKS.split(bare)))
    for word in dict.fromkeys(_OUTSIDE_BRACES.split(bare)):
        if "{" in word and "," in word and len(word) <= _LONGEST_GLOB:
            try:
                yield from expand_braces(word)
            except GlobError:
                yield _HIDDEN


def _rules(patterns: Iterable[str]) -> Iterable[_Rule]:
    for raw in patterns:
        for expanded in expand_braces(raw.removeprefix("!")):
            pattern = expanded.rstrip("/")
            if pattern:
                yield _Rule(pattern, allows=raw.startswith("!"))


def _looks(path: str) -> list[str]:
    """Its names as they are compared with the ends of rules."""
    return _caseless(path.translate(_INVISIBLE)).split("/")


def _caseless(text: str) -> str:
    """The same for texts that differ in case only, to the regular expressions of rules too."""
    return text.casefold() if text.isascii() else text.replace("İ", "i").replace("ı", "i").casefold()


def _is_wild(pattern: str) -> bool:
    return any(char in pattern for char in "*?[\\")


def _may_reopen(allowing: _Rule, rule: _Rule) -> bool:
    """Whether `allowing` may let through something that `rule` covers; rather yes than no."""
    if not allowing.allows:
        return False
    if _is_wild(rule.pattern):
        return _is_wild(allowing.pattern) or rule.matcher.fullmatch(f"/{allowing.pattern}") is not None
    return allowing.matcher.fullmatch(f"/{rule.pattern}") is not None


def _first(rules: _RuleList, forms: Sequence[str]) -> str | None:
    for form in dict.fromkeys(forms):
        if (pattern := rules.decide(form)) is not None:
            return pattern
    return None


@lru_cache(maxsize=1)
def _well_known() -> tuple[str, ...]:
    """Names that the defaults deny, for globs to be tried on."""
    literal = [
        name.rstrip("/")
        for raw in DENIED
        if not raw.startswith("!")
        for name in expand_braces(raw)
        if not _is_wild(name) and "/" not in name.rstrip("/")
    ]
    return (*literal, ".env", ".env.local", ".env.production", ".envrc", "server.pem", "server.key")
