"""An extension whose module prints when it is imported, which a language server's standard output must not have."""

from steersman.extensions import Extension

print("hello from an import")  # noqa: T201 - that is what it is for


class Talking(Extension):
    pass
