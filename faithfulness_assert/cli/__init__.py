"""The command line. A file holds the commands that belong together."""

from .app import main

__all__ = ["main"]
