"""What can go wrong before a model can be asked. What goes wrong in a stream is a value: `agent.model.StreamFailure`.

ModelError
└── ModelConfigError      no usable model: unknown provider, no key, a bad base URL
    ├── MissingKey        the model wants a key, and there is none
    └── TapeError         a tape that can't be read, or breaks the format
"""


class ModelError(Exception):
    """Base of what this package raises."""


class ModelConfigError(ModelError):
    """The model that was named can't be used as configured. The text says what to change."""


class MissingKey(ModelConfigError):
    """No key, and no server of one's own."""


class TapeError(ModelConfigError):
    """A tape is missing or malformed. The text names the file, the line and the field."""
