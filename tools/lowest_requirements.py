"""Writes requirements/lowest.txt: the oldest versions of our direct dependencies that we allow.

    python tools/lowest_requirements.py     (needs uv)

Only what users install is old: the tools of the tests are new. The tests run with it on Python
3.10 (``tox run -e py310``), so that a lower bound is never a guess.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "requirements" / "lowest.txt"
HEAD = """\
# The oldest versions that pyproject.toml allows, with which all tests run on Python 3.10.
# To renew: python tools/lowest_requirements.py
"""
COMPILE = (
    *("uv", "pip", "compile", "pyproject.toml", "--all-extras", "--python-version", "3.10"),
    *("--no-header", "--no-annotate", "--no-emit-index-url", "--quiet"),
)


def main() -> None:
    listed = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.scripts]")[0]
    ours = {name.lower() for name in re.findall(r'"([\w-]+)(?:\[\w+\])?>=', listed)}
    lowest = _compiled("--resolution", "lowest-direct").splitlines()
    direct = [line for line in lowest if line.split("==")[0].lower() in ours]
    pinned = "\n".join(direct) + "\n"
    whole = _compiled("--group", "test", "--generate-hashes", "--constraints", "-", given=pinned)
    FILE.write_text(HEAD + whole, encoding="utf-8")


def _compiled(*options: str, given: str = "") -> str:
    made = subprocess.run(
        [*COMPILE, *options], cwd=ROOT, input=given, text=True, stdout=subprocess.PIPE, check=False
    )
    return made.stdout if made.returncode == 0 else sys.exit(made.returncode)


if __name__ == "__main__":
    main()
