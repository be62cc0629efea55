"""What can go wrong with files. Every message is for the model: what is wrong, and what to do about it."""


class WorkspaceError(Exception):
    """Root of the expected failures of this package. Their messages may be shown."""


class PathError(WorkspaceError):
    """The path can't be used: malformed, escaping through a link, or of the wrong kind."""


class FileNotFound(WorkspaceError):
    """There is no such file or directory."""


class FileAccessError(WorkspaceError):
    """The system refused: permissions, a read-only file, no space left."""


class DeniedPath(WorkspaceError):
    """A deny rule covers the path. Only the user can change that."""


class ChangeRefused(WorkspaceError):
    """The change can't be made as it was asked for; nothing was touched."""


class SearchError(WorkspaceError):
    """The search could not run: a bad pattern, or no ripgrep."""
