"""The house stands as designed: public names, import direction, and nothing imported that a path does not use."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import faithfulness_assert

PACKAGE = Path(faithfulness_assert.__file__).parent
PUBLIC = [
    "grade",
    "agrade",
    "grade_many",
    "Grader",
    "Policy",
    "policies",
    "GradingResult",
    "ConfigError",
    "JudgeError",
    "split_statements",
    "read_verdicts",
    "is_refusal",
    "audit_citations",
    "Case",
    "Passage",
    "Verdict",
    "Judge",
    "Ask",
    "Reply",
    "Usage",
    "CitationAudit",
    "UnreadableReply",
]

# Each layer may import from the layers above it in this list, and from itself.
LAYERS = [
    ("errors", "model", "case", "wire", "data_files"),
    (
        "asides",
        "statements",
        "sentences",
        "blocks",
        "markup",
        "headings",
        "tokens",
        "prompting",
        "reading",
        "policy",
        "presets",
        "policy_data",
        "scoring",
        "controls",
        "reconcile",
        "evidence",
        "citations",
    ),
    ("result", "windows", "state", "words"),
    ("claims", "truths", "holistic", "verdicts", "conclude", "explain"),
    ("plan",),
    ("drive",),
    ("judges",),
    ("grading",),
    ("promptfoo", "doctor", "policy_table", "terminal"),
    ("cli", "__main__"),
]
JUDGES_MAY_IMPORT = {"errors", "model", "wire", "tokens", "prompting", "judges"}
PURE = {name for layer in LAYERS[:5] for name in layer}
IMPURE_MODULES = {"socket", "urllib", "http", "time", "os", "logging", "random", "threading", "asyncio", "subprocess", "openai", "httpx"}


def modules() -> dict[str, Path]:
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path for path in PACKAGE.rglob("*.py")}


def imported(path: Path) -> set[tuple[str, str]]:
    """(ours | foreign, top module) of every import of a file, those inside functions too, TYPE_CHECKING ones left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(n) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test) for n in ast.walk(node)
    }
    found: set[tuple[str, str]] = set()
    depth = len(path.relative_to(PACKAGE).parts) - 1
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found |= {("foreign", alias.name.split(".")[0]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(("foreign", (node.module or "").split(".")[0]))
        elif isinstance(node, ast.ImportFrom):
            inside = path.relative_to(PACKAGE).parts[: depth - node.level + 1]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {("ours", ".".join([*inside, name]).split(".")[0]) for name in names}
    return found


def test_the_public_names_are_exactly_those_promised() -> None:
    assert sorted(faithfulness_assert.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(faithfulness_assert, name) is not None


def test_no_module_is_named_like_a_public_name() -> None:
    assert not {path.stem for path in PACKAGE.rglob("*.py")} & set(PUBLIC)


def test_every_module_has_its_place_in_a_layer() -> None:
    placed = {name for layer in LAYERS for name in layer}
    assert {name.split(".")[0] for name in modules()} - {"", "__init__"} == placed


@pytest.mark.parametrize("name", sorted(set(modules()) - {"", "__init__"}))
def test_imports_point_down_the_house(name: str) -> None:
    top = name.split(".")[0]
    ours = {module for kind, module in imported(modules()[name]) if kind == "ours"}
    if top == "judges":
        assert ours <= JUDGES_MAY_IMPORT
        return
    place = next(i for i, layer in enumerate(LAYERS) if top in layer)
    allowed = {module for layer in LAYERS[: place + 1] for module in layer}
    assert ours <= allowed, f"{name} imports {ours - allowed}"
    if top in PURE:
        assert "judges" not in ours


@pytest.mark.parametrize("name", sorted(n for n in modules() if n.split(".")[0] in PURE))
def test_below_the_drivers_there_is_no_network_no_clock_and_no_environment(name: str) -> None:
    assert not {module for kind, module in imported(modules()[name]) if kind == "foreign"} & IMPURE_MODULES


@pytest.mark.parametrize(
    ("package", "home"),
    [
        ("openai", {"judges.openai"}),
        ("anthropic", {"judges.anthropic"}),
        ("tiktoken", {"tokens"}),
        ("jsonschema", {"wire"}),
        ("json_repair", {"reading.json_reply", "reading.json_text"}),
        ("markdown_it", {"blocks", "statements"}),
        ("sentencex", {"sentences", "statements"}),
        ("jmespath", {"promptfoo.hook"}),
        ("typer", {"cli"}),
        ("rich", {"terminal"}),
        ("yaml", {"data_files"}),
    ],
)
def test_each_heavy_package_has_one_home(package: str, home: set[str]) -> None:
    users = {name for name, path in modules().items() if ("foreign", package) in imported(path)}
    assert users <= home
    assert len(users) == 1


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after ``code``."""
    script = f"import sys\n{code}\nloaded = sorted({{name.split('.')[0] for name in sys.modules}})\nimport json\nprint(json.dumps(loaded))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {
    "openai",
    "anthropic",
    "pydantic",
    "jsonschema",
    "tiktoken",
    "json_repair",
    "markdown_it",
    "typer",
    "rich",
    "jmespath",
    "numpy",
    "httpx",
    "httpx2",
}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_by("import faithfulness_assert") & (HEAVY | {"sentencex", "asyncio", "dataclasses", "typing"})


def test_an_embedded_grade_of_plain_text_loads_nothing_that_it_does_not_use() -> None:
    code = "from faithfulness_assert import grade; assert grade('The tower is tall.', 'The tower is tall.').pass_"
    assert not loaded_by(code) & HEAVY


def test_the_promptfoo_hook_with_the_embedded_judge_loads_nothing_that_it_does_not_use() -> None:
    context = {"vars": {"context": "The tower is tall."}, "config": {"judge": "embedded"}}
    code = f"from faithfulness_assert.promptfoo import get_assert; assert get_assert('The tower is tall.', {context!r})['pass']"
    wrapper = "import asyncio, importlib.util, inspect, json, os"  # promptfoo's own, around every assertion
    loaded = loaded_by(f"{wrapper}\n{code}")
    assert not loaded & HEAVY
    added = loaded - loaded_by(wrapper) - {"faithfulness_assert"}
    assert added <= sys.stdlib_module_names
    assert len(added) <= 16


def test_ci_runs_the_test_command_of_the_readme() -> None:
    root = Path(__file__).parents[1]
    commands = [line for line in (root / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[1] in (root / ".ci" / "run").read_text(encoding="utf-8").splitlines()
