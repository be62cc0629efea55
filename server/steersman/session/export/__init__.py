"""A session's log as a document for people: Markdown, and one HTML page that needs nothing else."""
