"""Looks at paths that somebody named. What can't be looked at counts as not there.

The methods of `Path` raise for a name that is too long, a folder that may not be entered, or a disk that is gone.
"""

import os
from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether there is a file or folder; links are followed."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - see above
