"""Removes what nobody else does: old outputs of commands, pre-images, transcripts, and diffs of killed servers."""

import logging
import time
from pathlib import Path

from steersman.session.home import Home
from steersman.workspace.retention import prune_blobs, prune_outputs
from steersman.workspace.temporary import remove_leftovers

log = logging.getLogger(__name__)

DIFF_AGE = 24 * 3600.0
"""Seconds after which no live question needs a diff document any more: it was written anew, or is younger. A transcript
that an editor still shows by then is made again when its session goes on."""


def tidy(home: Home, *, now: float | None = None) -> None:
    """Removes it. Blocking; safe while other servers use the same home. What can't be removed is logged and stays."""
    try:
        prune_outputs(home.outputs, now=now)
        prune_blobs(home.preimages, now=now)
        for folder in (home.diffs, home.transcripts):
            _remove_older(folder, (time.time() if now is None else now) - DIFF_AGE)
        for folder in (
            home.root,
            home.sessions,
            home.exports,
            home.transcripts,
            *_folders_in(home.preimages),
        ):
            remove_leftovers(folder)
    except OSError:
        log.warning("%s could not be tidied", home.root, exc_info=True)


def _remove_older(folder: Path, instant: float) -> None:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.suffix in (".diff", ".sh", ".json", ".md"):
            try:
                if path.lstat().st_mtime < instant:
                    path.unlink()
            except FileNotFoundError:
                continue  # another server has just removed it
            except OSError as error:
                log.warning("%s can't be removed: %s", path, error.strerror)


def _folders_in(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
