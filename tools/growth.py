"""Repeats what our patterns mention at every public function and sink, and names what is slow.

``growth.py [SECONDS] [SEED] [SINK ...]``. The short
form is ``tests/test_growth.py``. What is tried is in ``tests/support/growth.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support")]

from growth import slow  # noqa: E402


def main() -> None:
    budget, seed, *only = [*sys.argv[1:], *("600", "1")[len(sys.argv) - 1 :]]
    found = slow(int(seed), float(budget), *only)
    print("\n".join(found) or "all took time in proportion to their texts")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
