"""What the agent can do: read, search, change files, run commands."""
