"""httpx without its command line. If click is installed, httpx imports it together with rich and pygments, which takes
longer than importing httpx itself.

    from steersman.models.lean_httpx import httpx
"""

import sys

_COMMAND_LINE = "httpx._main"

_hidden = _COMMAND_LINE not in sys.modules
if _hidden:
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # means "not there": httpx does without it
try:
    import httpx
finally:
    if _hidden:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
