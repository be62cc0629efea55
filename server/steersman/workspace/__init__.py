"""Files, buffers, paths, text and processes. It knows nothing of agents or editors' protocols."""
