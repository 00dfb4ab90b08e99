"""Writes the licences of all installed dependencies, from their own metadata, to docs/licences.md.

    python tools/licences.py

Packages that are listed stay: other Pythons and other versions need other packages.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "docs" / "licences.md"
HEAD = """# Licences of what is installed with this package

Direct and transitive dependencies, also of the extras, with the licence that each package names.
A test checks that the list is complete. Written by `python tools/licences.py`.

"""

PERMISSIVE = re.compile(
    r"\b(?:MIT|Apache|BSD|ISC|PSF|Python Software Foundation|Unlicense"
    r"|MPL|Mozilla Public License)\b",
    re.IGNORECASE,
)
COPYLEFT = re.compile(
    r"\b(?:A|L)?GPL|General Public License|EUPL|SSPL|Commons Clause", re.IGNORECASE
)


@dataclass(frozen=True, order=True)
class Package:
    """An installed package, and the licence that its metadata names."""

    name: str
    licence: str


def direct() -> list[Requirement]:
    """The direct dependencies of this package and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        Requirement(line)
        for group in (project["dependencies"], *project["optional-dependencies"].values())
        for line in group
    ]


def installed() -> list[Package]:
    """All direct and transitive dependencies that are installed."""
    waiting = direct()
    packages: dict[str, Package] = {}
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if name in packages or (need.marker and not need.marker.evaluate({"extra": ""})):
            continue
        try:
            packages[name] = Package(name, licence(name))
            waiting += [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            continue  # an extra that is not installed
    return sorted(packages.values())


def licence(name: str) -> str:
    """A package's licence: its expression, else its classifiers, else its text's first line."""
    about = metadata(name)
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = map(str, about.get_all("Classifier", []))
    names = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    lines = str(about.get("License") or "").strip().splitlines() or ["unknown"]
    return ", ".join(names) or lines[0].strip()


def is_permissive(licence: str) -> bool:
    """Whether a licence only demands attribution (MPL: also sharing changes to its files)."""
    return PERMISSIVE.search(licence) is not None and COPYLEFT.search(licence) is None


def listed() -> dict[str, str]:
    """The packages in the file, with their licences."""
    if not LISTED.exists():
        return {}
    text = LISTED.read_text(encoding="utf-8")
    lines = re.findall(r"^- (.+): (.+)$", text, re.MULTILINE)
    return {name: licence for licence, names in lines for name in names.split(", ")}


def main() -> None:
    rows = {**listed(), **{package.name: package.licence for package in installed()}}
    packages: dict[str, list[str]] = {}
    for name in sorted(rows):
        packages.setdefault(rows[name], []).append(name)
    lines = (f"- {licence}: {', '.join(packages[licence])}\n" for licence in sorted(packages))
    LISTED.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{len(rows)} packages in {LISTED.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
