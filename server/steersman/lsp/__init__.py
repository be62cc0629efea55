"""The language server: it translates between editors and sessions, and decides nothing itself."""
