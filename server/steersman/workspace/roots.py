"""Workspace folders, and what a path means in them: relative names, links, containment.

It looks at names and links only. It opens nothing, and knows nothing of rules and approvals.
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steersman.workspace.errors import PathError
from steersman.workspace.invisible import is_visible, seen
from steersman.workspace.spelling import existing_spelling, same_name

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4096
_MAX_LINKS = 40
"""As for the kernel."""
_NOT_BELOW = re.compile(r"~(?:/|$)|file:|\s*$")
"""Paths that begin like this never count as relative, even if the workspace has such a name."""


@dataclass(frozen=True, slots=True)
class Root:
    """One workspace folder."""

    name: str
    """Unique among the folders. Paths in folders other than the session's own begin with it."""
    path: Path
    """Absolute, links resolved."""
    given: Path
    """Absolute, as the editor named it."""


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    given: str
    """As somebody wrote it."""
    path: Path
    """Absolute, links resolved: what is read and written. The last component may not exist."""
    relative: str
    """With `/`: from the session's folder on, `folder/…` in another one, absolute elsewhere. Raw: print `display`."""
    root: Root | None
    """The folder that `path` is in; None outside."""
    forms: tuple[str, ...]
    """The texts that rules are tried on, each below its workspace folder or absolute: the file reached, the path as it
    was named, and the link between them, if any."""
    link: Path | None = None
    """The symbolic link that was named, if `path` is its target."""

    @property
    def outside(self) -> bool:
        """Outside all workspace folders: needs its own approval."""
        return self.root is None

    @property
    def display(self) -> str:
        """`relative` for people and models, with invisible characters and bytes that are not UTF-8 escaped."""
        return printable(self.relative)


class Roots:
    """The workspace folders of a session. Relative paths start in the first, the session's own."""

    __slots__ = ("_readable", "folders")

    def __init__(
        self, folders: Sequence[Path], names: Sequence[str] = (), *, readable: Sequence[Path] = ()
    ) -> None:
        """`names` are the editor's for the same folders; missing ones are taken from the paths. All are made unique.
        `readable` are directories of our own (such as that of commands' long outputs) that tools may read unasked.

        Raises:
            PathError: a folder does not exist or is not a directory.
        """
        taken: set[str] = set()
        roots: list[Root] = []
        for index, folder in enumerate(folders):
            given = Path(os.path.abspath(folder))  # noqa: PTH100  (Path.absolute() keeps `..`)
            if not given.is_dir():
                raise PathError(
                    f"The workspace folder {printable(str(given))} does not exist or is not a directory."
                )
            wanted = (names[index] if index < len(names) else "") or given.name or "root"
            wanted = f"_{wanted}" if _NOT_BELOW.match(wanted) else wanted
            roots.append(Root(_unique(wanted.replace("/", "-"), taken), Path(os.path.realpath(given)), given))
        self.folders = tuple(roots)
        self._readable = tuple(os.path.realpath(folder) for folder in readable)

    def __eq__(self, other: object) -> bool:
        """The same folders, under the same names."""
        if not isinstance(other, Roots):
            return NotImplemented
        return (self.folders, self._readable) == (other.folders, other._readable)

    def __hash__(self) -> int:
        return hash((self.folders, self._readable))

    @property
    def primary(self) -> Root | None:
        return self.folders[0] if self.folders else None

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        """What `path` means: relative to the session's folder, `folder/…`, absolute, `~/…` or a `file:` URI.

        With `follow=False` a link in the last place is not followed: the link itself is meant (delete, move).

        Raises:
            PathError: it can't name a file here, or it is `for_write` and a link leads out of the workspace.
        """
        text = _clean(path)
        start = self._start(text)
        head, name = os.path.split(start)
        if name in ("", ".", ".."):  # of a link, too, this is what it leads to
            follow = True
            entry = real = _real(start, path)
        else:
            entry = existing_spelling(f"{_real(head, path).rstrip('/')}/{name}")
            real = _real(entry, path) if follow and _is_link(entry) else entry
        if follow and _is_link(real):
            raise PathError(f"{printable(path)} leads through symbolic links in a circle.")
        root = self.containing(real)
        named = self._named_below(start)
        if for_write and root is None and not named.startswith("/"):
            raise PathError(
                f"{printable(path)} leads through a symbolic link to {printable(real)}, outside the workspace; "
                "nothing is written there. Name the real path if that is what you want."
            )
        reached = real if root is None else _below(real, root.path)
        if real == entry:
            return ResolvedPath(path, Path(real), self.relative(real, root), root, (reached, named))
        forms = (reached, named, self._named_below(entry))
        return ResolvedPath(path, Path(real), self.relative(real, root), root, forms, Path(entry))

    def may_read(self, path: ResolvedPath) -> bool:
        """Whether it may be read without an approval of its own."""
        return path.root is not None or any(_is_below(str(path.path), folder) for folder in self._readable)

    def containing(self, path: str | Path) -> Root | None:
        """The innermost folder that contains an absolute, resolved path; of equal ones, the first."""
        text = str(path)
        best: Root | None = None
        for root in self.folders:
            if _is_below(text, str(root.path)) and (
                best is None or len(str(root.path)) > len(str(best.path))
            ):
                best = root
        return best

    def relative(self, path: str | Path, root: Root | None = None) -> str:
        """The name of a resolved, absolute path: the inverse of `resolve`. Raw, see `ResolvedPath`."""
        text = str(path)
        primary = self.primary
        if primary is not None and _is_below(text, str(primary.path)):
            below = _below(text, primary.path)
            return f"./{below}" if _NOT_BELOW.match(below) else below
        root = root or self.containing(text)
        if root is None:
            return text
        if primary is not None and _has_entry(primary, root.name):
            return text  # the name means the entry of the session's folder
        below = _below(text, root.path)
        return root.name if below == "." else f"{root.name}/{below}"

    def _start(self, text: str) -> str:
        """The absolute path that `text` means, before links and `..` are resolved."""
        if text == "~" or text.startswith("~/"):
            home = os.path.expanduser(text)  # noqa: PTH111  (Path would drop a trailing slash and collapse dots)
            if not home.startswith("/"):
                raise PathError(
                    f"There is no home directory: use an absolute path instead of {printable(text)}."
                )
            return home
        if text.startswith("/"):
            return text
        primary = self.primary
        if primary is None:
            raise PathError(
                f"There is no workspace folder: use an absolute path instead of {printable(text)}."
            )
        first, _, rest = text.partition("/")
        if len(self.folders) > 1 and not _has_entry(primary, first):
            named = same_name(first, (root.name for root in self.folders))
            for root in self.folders:
                if root.name == named:
                    return f"{root.path}/{rest}"
        return f"{primary.path}/{text}"

    def _named_below(self, start: str) -> str:
        """A path with `..` resolved but not links: below the workspace folder that it names, or absolute."""
        lexical = os.path.normpath(start)
        for root in self.folders:
            for folder in (root.path, root.given):
                if _is_below(lexical, str(folder)):
                    return _below(lexical, folder)
        return lexical


def printable(text: str) -> str:
    """A name on one line, with all characters visible: others are escaped (`\\n`, `\\x1b`, `\\xff`, `\\u202e`)."""
    if is_visible(text):
        return text
    return "".join(char if is_seen else _escape(char) for char, is_seen in seen(text))


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as os.fsdecode represents it
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def _clean(path: str) -> str:
    if not path.strip():
        raise PathError("The path is empty. Use `.` for the workspace folder.")
    if "\0" in path:
        raise PathError(f"The path contains a NUL character: {printable(path)}")
    if path.startswith("file:"):
        path = _from_uri(path)
    elif re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path):
        raise PathError(f"{printable(path)} is a URL, not a path in the workspace.")
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        raise PathError(f"The path is not valid Unicode: {printable(path)}") from None
    if len(encoded) > MAX_PATH_BYTES or any(len(name) > MAX_NAME_BYTES for name in encoded.split(b"/")):
        raise PathError(f"The path is too long: {printable(path[:80])}…")
    stripped = path.rstrip("/")
    return stripped or "/"


def _from_uri(uri: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError:  # such as an unclosed bracket in the host
        raise PathError(f"{printable(uri)} is not a URI.") from None
    path = unquote(parts.path, errors="surrogateescape")
    if parts.netloc not in ("", "localhost") or not path.startswith("/") or "\0" in path:
        raise PathError(f"{printable(uri)} is not the URI of a local file.")
    return path


def _has_entry(root: Root, name: str) -> bool:
    return os.path.lexists(existing_spelling(f"{root.path}/{name}"))


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _real(path: str, given: str) -> str:
    """`path` with its links resolved, in the spelling that exists.

    Raises:
        PathError: the links form a circle. There `os.path.realpath` gives up and treats a later `..` as text, so that
            its result may still contain a link.
    """
    spelled = existing_spelling(path)
    try:
        for _ in range(_MAX_LINKS):
            real = os.path.realpath(spelled)
            if real != spelled and os.path.realpath(real) != real:
                break
            spelled = existing_spelling(real)
            if spelled == real:
                return real
    except OSError:  # a link has just been removed
        raise PathError(f"{printable(given)}: a directory of the path was replaced meanwhile.") from None
    raise PathError(f"{printable(given)} leads through symbolic links in a circle.")


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    taken.add(candidate)
    return candidate


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def _below(path: str | Path, folder: Path) -> str:
    text, base = str(path), str(folder)
    return text[len(base) :].lstrip("/") or "."
