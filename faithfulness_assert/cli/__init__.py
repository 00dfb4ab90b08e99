"""The command line. One file holds one command, or a few that belong together."""

from .app import main

__all__ = ["main"]
