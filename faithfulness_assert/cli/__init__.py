"""The command line: one file for a command or a few that belong together."""

from .app import main

__all__ = ["main"]
