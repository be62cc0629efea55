"""The folders that a run works in: those of the client, or the one that a command names."""

import os
from pathlib import Path

from steersman.lsp.client import Client, named_path, path_of
from steersman.lsp.documents import Documents
from steersman.session.errors import Refused
from steersman.session.home import Home
from steersman.workspace.errors import PathError
from steersman.workspace.roots import Roots


class WorkingFolders:
    """One connection's."""

    def __init__(self, client: Client, documents: Documents, home: Home) -> None:
        self._client, self._documents, self._home = client, documents, home

    def roots(self, named: str | None = None) -> Roots:
        """The client's folders, with the named one first if a command names one (by URI or path). A client without
        folders works in the folder of its only open file.

        Raises:
            Refused: outsideRoot; the named folder, or the client's first, is not a folder.
            InvalidParams: `named` can't be a path.
        """
        if named is not None:
            folders = self._with_first(named)
        elif self._client.named_folders:
            self._require_first()
            folders = self._client.folders
        else:
            folders = self._folder_of_only_file()
        try:
            return Roots(
                [path for _, path in folders],
                [name for name, _ in folders],
                readable=[self._home.outputs],
            )
        except PathError as error:
            raise Refused("outsideRoot", str(error)) from None

    def _with_first(self, named: str) -> list[tuple[str, Path]]:
        first = named_path("root", named)
        if not first.is_absolute() or not os.path.isdir(first):  # noqa: PTH112  (Path.is_dir() raises for long names)
            raise Refused("outsideRoot", f"The root is not a folder: {named}.", root=named)
        folders = self._client.folders
        known = [item for item in folders if item[1].resolve() == first.resolve()]
        return [*(known or [("", first)]), *(item for item in folders if item not in known)]

    def _require_first(self) -> None:
        """Relative paths start in the client's first folder, so no other folder takes its place."""
        first = self._client.named_folders[0][1]
        if not os.path.isdir(first):  # noqa: PTH112  (Path.is_dir() raises for long names)
            text = f"The workspace folder {first} does not exist: make it, or open another."
            raise Refused("outsideRoot", text, root=str(first))

    def _folder_of_only_file(self) -> list[tuple[str, Path]]:
        """Documents of our own, such as a diff, don't count."""
        paths = [path for document in self._documents if (path := path_of(document.uri)) is not None]
        folders = [path.parent for path in paths if not path.is_relative_to(self._home.root)]
        return [("", folders[0])] if len(folders) == 1 and folders[0].is_dir() else []
