"""What can go wrong before a model is asked. What goes wrong in a stream is a value: `agent.model.StreamFailure`.

ModelError
└── ModelConfigError      no usable model: unknown provider, no key, a bad base URL
    ├── MissingKey        the model wants a key, and there is none
    └── TapeError         a tape that can't be read, or breaks the format
"""

from typing import Final


class ModelError(Exception):
    """The base of this package's exceptions."""


class ModelConfigError(ModelError):
    """The named model can't be used as configured. The text says what to change."""


class MissingKey(ModelConfigError):
    """The model needs a key, and there is none."""


class TapeError(ModelConfigError):
    """A tape is missing or malformed. The text names the file, the line and the field."""


UNUSABLE_PATH: Final = (OSError, ValueError, RuntimeError)
"""What opening a file raises: besides `OSError`, ValueError for a name that no file can have (a NUL, half of a
surrogate pair), and RuntimeError for the home (`~name`) of a user who does not exist."""


def reason_of(error: Exception) -> str:
    """One of `UNUSABLE_PATH` in words, without a full stop."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "no such user" if isinstance(error, RuntimeError) else "no file can have this name"
