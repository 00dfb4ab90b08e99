"""``python -m faithfulness_assert`` runs the command line."""

from .cli import main

main()
