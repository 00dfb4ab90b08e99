"""Repeats what our patterns mention at every public function and sink, and names what is slow.

``growth.py [SECONDS] [SEED] [CHARACTERS] [SINK ...]``. With more characters, work is found that
only many rows make slow. The short form is ``tests/test_growth.py``. What is tried is in
``tests/support/growth.py`` and ``tests/support/growth_sinks.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("tests/support", "tests")]

from growth import SIZE, slow  # noqa: E402


def main() -> None:
    given = sys.argv[1:4]
    budget, seed, size = [*given, *("600", "1", str(SIZE))[len(given) :]]
    found = slow(int(seed), float(budget), *sys.argv[4:], size=int(size))
    print("\n".join(found) or "all took time in proportion to their texts")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
