"""The licences of all that is installed with this package, from what the packages say of themselves, into the table of docs/licences.md.

    python benchmarks/licences.py

Rows that are there stay: other Pythons, and other versions of what we need, need other packages.
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

Direct and transitive dependencies, those of the extras too, as each package names its own; a test keeps the list complete.
Written by `python benchmarks/licences.py`.

| package | licence |
|---|---|
"""

PERMISSIVE = re.compile(
    r"\b(?:MIT|Apache|BSD|ISC|PSF|Python Software Foundation|Unlicense|MPL|Mozilla Public License)\b",
    re.IGNORECASE,
)
COPYLEFT = re.compile(
    r"\b(?:A|L)?GPL|General Public License|EUPL|SSPL|Commons Clause", re.IGNORECASE
)


@dataclass(frozen=True, order=True)
class Package:
    """An installed package and its licence, as it names it."""

    name: str
    licence: str


def direct() -> list[Requirement]:
    """What this package needs, with its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        Requirement(line)
        for group in (project["dependencies"], *project["optional-dependencies"].values())
        for line in group
    ]


def installed() -> list[Package]:
    """All packages that this one needs and that are here, and what they need in turn."""
    waiting, found = direct(), dict[str, Package]()
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if name in found or (need.marker and not need.marker.evaluate({"extra": ""})):
            continue
        try:
            found[name] = Package(name, licence(name))
            waiting += [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            continue  # an extra that is not installed
    return sorted(found.values())


def licence(name: str) -> str:
    """The licence of an installed package: its expression, else its classifiers, else the first line of its text."""
    about = metadata(name)
    if expression := about.get("License-Expression"):
        return str(expression)
    said = [
        str(c).rpartition(" :: ")[2]
        for c in about.get_all("Classifier", [])
        if c.startswith("License ::")
    ]
    return (
        ", ".join(said)
        or (str(about.get("License") or "unknown").strip().splitlines() or ["unknown"])[0].strip()
    )


def is_permissive(licence: str) -> bool:
    """Whether a licence asks for no more than to be named (or, MPL, to share changes of its own files)."""
    return PERMISSIVE.search(licence) is not None and COPYLEFT.search(licence) is None


def listed() -> dict[str, str]:
    """The packages of the list, with their licences."""
    return (
        dict(
            re.findall(
                r"^\| ([\w.-]+) \| (.+) \|$", LISTED.read_text(encoding="utf-8"), re.MULTILINE
            )[1:]
        )
        if LISTED.exists()
        else {}
    )


def main() -> None:
    rows = {**listed(), **{package.name: package.licence for package in installed()}}
    LISTED.write_text(
        HEAD + "".join(f"| {name} | {rows[name]} |\n" for name in sorted(rows)), encoding="utf-8"
    )
    print(f"{len(rows)} packages in {LISTED.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
