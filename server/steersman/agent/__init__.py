"""The kernel: a model in a loop with tools. It knows no HTTP, no LSP and no files."""
