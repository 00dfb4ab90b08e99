"""What we install and what our workflows run is pinned, and the lower bounds that we promise are tested."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import licences
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)
HIDDEN = ("node_modules", "site", "fixtures")
ENDS = (".txt", ".md", ".yml", ".yaml", ".toml", ".cjs", ".py", ".in")


def texts() -> Iterator[Path]:
    """All texts of the repository. Folders of what was installed or made may be large: it does not look into them."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [n for n in inner if n == ".github" or not (n.startswith(".") or n in HIDDEN)]
        yield from (Path(folder, n) for n in names if n.endswith(ENDS) and not n.startswith("."))


TEXTS = sorted(texts())
REQUIREMENTS = [
    file for file in TEXTS if file.suffix == ".txt" and PIN.search(file.read_text("utf-8"))
]
WITH_ACTIONS = [file for file in TEXTS if file.suffix != ".py"]


def pins_of(name: str) -> dict[str, set[str]]:
    """Package → its versions in a file of ``requirements/``."""
    pins: dict[str, set[str]] = {}
    for package, version in PIN.findall((ROOT / "requirements" / name).read_text("utf-8")):
        pins.setdefault(package, set()).add(version)
    return pins


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_requirement_has_hashes_and_no_file_names_a_host(file):
    text = file.read_text("utf-8")
    pins = [part for part in re.split(r"\n(?=\S)", text) if PIN.match(part)]
    assert [pin.split("\n")[0] for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in text


def test_all_files_of_requirements_are_looked_at():
    folders = {file.parent.relative_to(ROOT).as_posix() for file in REQUIREMENTS}
    assert folders == {"requirements", "benchmarks/peers/pins"}


def test_every_dependency_is_bounded():
    for dependency in licences.direct():
        assert {">=", "<"} == {bound.operator for bound in dependency.specifier}, dependency


def test_the_lock_file_pins_every_dependency_within_its_bounds():
    pins = pins_of("ci.txt")
    for need in licences.direct():
        assert pins[need.name], need
        assert all(need.specifier.contains(version) for version in pins[need.name]), need


def test_the_lowest_versions_that_are_tested_are_those_that_we_allow():
    pins = pins_of("lowest.txt")
    for need in licences.direct():
        assert pins[need.name] == {lowest(need)}, need
    oldest = (
        (ROOT / "tox.ini").read_text("utf-8").partition("[testenv:py310]")[2].partition("\n[")[0]
    )
    assert "UV_CONSTRAINT = {tox_root}/requirements/lowest.txt" in oldest


def lowest(need: Requirement) -> str:
    """The lower bound of a dependency, as its releases write it."""
    bound = next(bound.version for bound in need.specifier if bound.operator == ">=")
    return bound + ".0" * (2 - bound.count("."))


def test_every_action_is_pinned_by_its_digest():
    used = [
        line.strip()
        for file in WITH_ACTIONS
        for line in file.read_text("utf-8").splitlines()
        if re.match(r"\s*(- )?uses:", line)
    ]
    assert len(used) > 6
    pinned = re.compile(r"(- )?uses: (\./\S+|[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)( .*)?")
    assert [line for line in used if not pinned.fullmatch(line)] == []
