"""Steersman: a coding agent that lives in a language server."""

__version__ = "0.1.0"
