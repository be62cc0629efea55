"""Patterns over paths, in order: the last one that matches decides. Knows paths as text, and no defaults.

A path is covered in any of its Unicode forms, whichever the pattern was written in.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from steersman.workspace.globs import compile_glob, expand_braces
from steersman.workspace.spelling import composed

_INVISIBLE = dict.fromkeys(
    (*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, *range(0x206A, 0x2070), 0xFEFF)
)
"""Characters that some file systems ignore when they compare names (HFS+, Apple's TN1150, and a few more)."""
_PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789._ ~+=@#%-"
"""Characters that stand for themselves in a glob, whatever comes before or after them."""


class Rule:
    """One pattern. It is compiled when the first path is compared with it: most never are."""

    __slots__ = ("_matcher", "allows", "pattern")

    def __init__(self, pattern: str, *, allows: bool) -> None:
        """`pattern` comes without its `!` and without a trailing `/`.

        Raises:
            GlobError: it is unusable.
        """
        self.pattern, self.allows = pattern, allows
        self._matcher: re.Pattern[str] | None = None
        expand_braces(self._anchored)  # raises what compiling it would

    @property
    def _anchored(self) -> str:
        return self.pattern if self.pattern.startswith("/") else f"/**/{self.pattern}"

    @property
    def matcher(self) -> re.Pattern[str]:
        """For paths that begin with `/`."""
        if self._matcher is None:
            self._matcher = compile_glob(self._anchored, ignore_case=True)
        return self._matcher


class RuleList:
    """Rules in order; the last one that matches decides.

    Most paths contain no name that any rule ends in. Comparing how names begin and end finds that out without trying
    the rules.
    """

    __slots__ = ("_heads", "_literal", "_rules", "_tails")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        lasts = {_caseless(rule.pattern.rsplit("/", 1)[-1]) for rule in self._rules}
        wild = set(filter(is_wild, lasts))
        by_tail = {last for last in wild if last[-1] in _PLAIN}
        self._literal = lasts - wild
        self._tails = tuple({last[len(last.rstrip(_PLAIN)) :] for last in by_tail})
        self._heads = tuple({last[: -len(last.lstrip(_PLAIN))] for last in wild - by_tail})

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "RuleList":
        """Raises GlobError: a pattern is unusable."""
        return cls(_parsed(patterns))

    def and_then(self, patterns: Iterable[str]) -> "RuleList":
        """With more patterns, which take precedence over these."""
        return RuleList((*self._rules, *_parsed(patterns)))

    def decide(self, path: str) -> str | None:
        """The pattern that covers the path or a directory above it; None if none does, or one lets it through."""
        if not any(map(self._may_match, _folded_names(path))):
            return None
        parts = [part for part in _plain(path).split("/") if part not in ("", ".")]
        ancestors = ["/" + "/".join(parts[: index + 1]) for index in range(len(parts))]
        for rule in reversed(self._rules):
            if any(rule.matcher.fullmatch(ancestor) for ancestor in ancestors):
                return None if rule.allows else rule.pattern
        return None

    def first(self, paths: Iterable[str]) -> str | None:
        """What `decide` says of the first path for which it says anything."""
        for path in dict.fromkeys(paths):
            if (pattern := self.decide(path)) is not None:
                return pattern
        return None

    def among(self, folder: str, names: Sequence[str]) -> list[str]:
        """The names in one folder whose paths are covered. All are folded at once: there may be many thousands."""
        suspects = names
        if names and not any(map(self._may_match, _folded_names(folder))):
            folded = zip(names, _folded_names("/".join(names)), strict=True)
            suspects = [name for name, as_folded in folded if self._may_match(as_folded)]
        return [name for name in suspects if self.decide(f"{folder}/{name}") is not None]

    def exclusions(self) -> list[str]:
        """Globs, below any folder, of what is covered for certain: no later `!` can let it through."""
        return [
            f"**/{rule.pattern}"
            for index, rule in enumerate(self._rules)
            if not (rule.allows or rule.pattern.startswith("/"))
            and not any(_may_reopen(other, rule) for other in self._rules[index + 1 :])
        ]

    def _may_match(self, folded_name: str) -> bool:
        """False if no rule can end in this name."""
        return (
            folded_name in self._literal
            or folded_name.endswith(self._tails)
            or folded_name.startswith(self._heads)
        )


def is_wild(pattern: str) -> bool:
    """Whether a glob, its braces expanded, is more than a name."""
    return any(char in pattern for char in "*?[\\")


def _parsed(patterns: Iterable[str]) -> Iterator[Rule]:
    for raw in map(composed, patterns):
        for expanded in expand_braces(raw.removeprefix("!")):
            pattern = expanded.rstrip("/")
            if pattern:
                yield Rule(pattern, allows=raw.startswith("!"))


def _folded_names(path: str) -> list[str]:
    """The names in a path, without case and invisible characters."""
    return _caseless(_plain(path)).split("/")


def _plain(path: str) -> str:
    """Without invisible characters, and in the Unicode form of patterns."""
    return path if path.isascii() else composed(path.translate(_INVISIBLE))


def _caseless(text: str) -> str:
    """Equal for all texts that a regular expression without regard to case takes for equal."""
    return text.casefold() if text.isascii() else text.replace("İ", "i").replace("ı", "i").casefold()


def _may_reopen(allowing: Rule, rule: Rule) -> bool:
    """Whether `allowing` might let through something that `rule` covers; True in case of doubt."""
    if not allowing.allows:
        return False
    if is_wild(rule.pattern):
        return is_wild(allowing.pattern) or rule.matcher.fullmatch(f"/{allowing.pattern}") is not None
    return allowing.matcher.fullmatch(f"/{rule.pattern}") is not None
