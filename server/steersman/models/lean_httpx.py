"""httpx without its command line. Where click is installed httpx imports that too, and rich and pygments with it, which
takes longer than httpx itself.

    from steersman.models.lean_httpx import httpx
"""

import sys

_COMMAND_LINE = "httpx._main"

_hidden = _COMMAND_LINE not in sys.modules
if _hidden:
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # "not there": httpx goes on without it
try:
    import httpx
finally:
    if _hidden:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
