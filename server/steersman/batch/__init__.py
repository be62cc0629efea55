"""Fleets: many tasks over many workspaces, each with a folder of its own. A face above the sessions."""
