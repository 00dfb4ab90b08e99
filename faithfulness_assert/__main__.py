"""``python -m faithfulness_assert`` is the command line."""

from .cli.app import main

main()
