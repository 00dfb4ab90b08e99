"""``python -m faithfulness_assert`` is the command line."""

from .cli import main

main()
