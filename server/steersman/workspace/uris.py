"""From a `file:` URI that we made back to its path. Names are bytes, and come back unchanged."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit


def path_of(uri: str) -> Path:
    """The path of a URI made by `Path.as_uri`.

    Raises:
        ValueError: it is malformed.
    """
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))
