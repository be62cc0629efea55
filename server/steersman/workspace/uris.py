"""The one way from a `file:` URI of ours to its path: names are bytes, and come back as they were."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit


def path_of(uri: str) -> Path:
    """The path of a URI that `Path.as_uri` has made.

    Raises:
        ValueError: it is malformed.
    """
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))
