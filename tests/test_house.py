"""The house stands as designed: public names, import direction, and nothing imported that a path does not use."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import faithfulness_assert

PACKAGE = Path(faithfulness_assert.__file__).parent
DOCS = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
PUBLIC = (
    "grade agrade grade_many Grader Policy policies GradingResult Results to_frame "
    "ConfigError JudgeError PromptTooLong split_statements read_verdicts is_refusal "
    "audit_citations Case Passage Verdict Judge Ask Reply Usage CitationAudit UnreadableReply "
    "assert_faithful NotGraded"
).split()

# The rooms from the ground floor up. A file may import from its own room and from those before it.
ROOMS = (
    "files",  # imports nothing of ours, so that every room may use it
    "statistics",
    "text.strings",  # helpers that every room may use
    "records",
    "text",
    "conversations",
    "cases",
    "reading",
    "policy",
    "asking",
    "judges",
    "plan",
    "drive",
    "options",
    "settings",
    "grading",
    "batch",
    "agreement",
    "probe",
    "report",
    "adapters",
    "promptfoo",
    "pytest_plugin",
    "cli",
    "__main__",
)
JUDGES_MAY_IMPORT = {"files", "text.strings", "records", "reading", "asking", "judges"}
PLAN_MAY_NOT_IMPORT = {"judges"}
PYTEST_FILES = ("hooks", "session", "fixture")
# All below the drivers but what opens files, and what draws by a seed.
PURE = (*ROOMS[2 : ROOMS.index("judges")], "plan")
IMPURE_MODULES = {
    *("socket", "urllib", "http", "time", "os", "logging", "random", "threading", "asyncio"),
    *("subprocess", "openai", "httpx"),
}


def modules() -> dict[str, Path]:
    """The modules of the package by dotted name, without the package itself."""
    found = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    return {name: path for name, path in found.items() if name != "__init__"}


MODULES = modules()


def room(name: str) -> str:
    return name if name == "text.strings" else name.split(".")[0]


@cache
def parsed(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of a file."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path, *, typing: bool = False) -> list[ast.Import | ast.ImportFrom]:
    """Every import of a file, also inside functions; those for type checkers if ``typing``."""
    hidden = {
        id(inner)
        for node in parsed(path)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    wanted = (ast.Import, ast.ImportFrom)
    found = [node for node in parsed(path) if isinstance(node, wanted)]
    return found if typing else [node for node in found if id(node) not in hidden]


def foreign_imports(path: Path) -> set[str]:
    """The top-level modules of other packages that a file imports."""
    found: set[str] = set()
    for node in imports(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif not node.level:
            found.add((node.module or "").split(".")[0])
    return found


def own_imports(name: str, *, typing: bool = False) -> set[str]:
    """The modules of this package that the module ``name`` imports."""
    path = MODULES[name]
    folder = path.relative_to(PACKAGE).parts[:-1]
    found: set[str] = set()
    for node in imports(path, typing=typing):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*folder[: len(folder) - node.level + 1], *(node.module or "").split(".")]
            base = [part for part in base if part]
            whole = [".".join([*base, alias.name]) for alias in node.names]
            found |= {name if name in MODULES else ".".join(base) for name in whole}
    return found - {"", name}


CALLED_BY_NAME = re.compile(r"__\w+__|pytest_\w+|run_\w+")
"""What Python, pytest and the command line find by its name."""


def test_every_function_and_constant_is_named_a_second_time():
    sources = [path.read_text(encoding="utf-8") for path in MODULES.values()]
    pages = [path.read_text(encoding="utf-8") for path in DOCS]
    named = Counter(re.findall(r"\w+", " ".join(sources + pages)))
    made = [name for path in MODULES.values() for name in names_made(path)]
    assert len(made) > 1000
    assert [n for n in made if named[n] == 1 and not CALLED_BY_NAME.fullmatch(n)] == []


def names_made(path: Path) -> list[str]:
    """The functions, classes and constants of a module."""
    body = parsed(path)[0].body
    targets = [t for node in body if isinstance(node, ast.Assign) for t in node.targets]
    targets += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    inner = [name for target in targets for name in ast.walk(target)]
    defined = [n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return defined + [name.id for name in inner if isinstance(name, ast.Name)]


def test_the_public_names_are_exactly_those_promised():
    assert sorted(faithfulness_assert.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(faithfulness_assert, name) is not None


def test_every_module_belongs_to_a_room():
    assert {room(name) for name in MODULES} == set(ROOMS)


def test_no_import_runs_up_the_house():
    wrong = {name: used - allowed(name) for name in MODULES if (used := rooms_of(name))}
    assert {name: used for name, used in wrong.items() if used} == {}


def rooms_of(name: str) -> set[str]:
    return {room(module) for module in own_imports(name)}


def allowed(name: str) -> set[str]:
    """The rooms that a module may import."""
    if room(name) == "judges":  # the embedded judge is the only one that reads a statement itself
        return JUDGES_MAY_IMPORT | ({"text"} if name.startswith("judges.embedded") else set())
    below = set(ROOMS[: ROOMS.index(room(name)) + 1])
    return below - PLAN_MAY_NOT_IMPORT if room(name) == "plan" else below


def test_no_modules_import_each_other_in_a_circle():
    waiting = {name: own_imports(name, typing=True) for name in MODULES}
    # The result calls its views, and only a type checker reads what they show.
    assert "records.result" not in own_imports("records.views")
    waiting["records.views"].discard("records.result")
    while free := {name for name, used in waiting.items() if not used & waiting.keys()}:
        waiting = {name: used for name, used in waiting.items() if name not in free}
    assert not waiting


def test_below_the_drivers_there_is_no_network_no_clock_and_no_environment():
    pure = {name: path for name, path in MODULES.items() if room(name) in PURE}
    assert [name for name, path in pure.items() if foreign_imports(path) & IMPURE_MODULES] == []


HOMES = {
    "openai": "judges.remote.sdk",
    "anthropic": "judges.remote.sdk",
    "h11": "judges.http",
    "truststore": "judges.http",
    "httpcore2": "judges.remote.sdk",
    "tiktoken": "asking.windows",
    "jsonschema": "asking.schema",
    "json_repair": "reading.unwrapping",
    "sentencex": "text.sentences",
    "jmespath": "cases.paths",
    "rich": "cli.terminal",
    "yaml": "policy.parsing promptfoo.migrate",
    "pyarrow": "cases.table_process cases.tables",
    "python_calamine": "cases.table_process",
    "ray": "batch.ray",
    "deepeval": "adapters.deepeval",
    "ragas": "adapters.ragas",
    "inspect_ai": "adapters.inspect_ai",
    "mlflow": "adapters.mlflow",
    "langfuse": "adapters.langfuse",
    "langsmith": "adapters.langsmith",
    "opentelemetry": "adapters.opentelemetry",
    "jinja2": "report.page",
    "onnxruntime": "judges.local.loading",
    "numpy": "judges.local.loading",
    "torch": "judges.local.transformers_engine",
    "transformers": "judges.local.transformers_engine",
    "safetensors": "judges.local.transformers_engine",
    "tokenizers": "judges.local.inputs",
    "huggingface_hub": "judges.local.model_files",
    "pytest": " ".join(f"pytest_plugin.{name}" for name in PYTEST_FILES),
}
"""The modules that import what is heavy or optional."""


def test_each_heavy_package_has_one_home():
    users = {package: set() for package in HOMES}
    for name, path in MODULES.items():
        for package in foreign_imports(path) & HOMES.keys():
            users[package].add(name)
    assert users == {package: set(home.split()) for package, home in HOMES.items()}


OPENING = set(
    "open read_text read_bytes write_text write_bytes touch rename renames mkstemp mktemp "
    "NamedTemporaryFile copy2 copyfile move symlink_to hardlink_to FileIO OSFile memory_map".split()
)
NO_FILES = {"answers", "self"}
"""Objects of ours that are open or not, as a game is."""
REPLACING = {"os.replace", "os.truncate", "os.link", "os.symlink", "shutil.copy"}


def openings(nodes: Iterable[ast.AST]) -> list[str]:
    """The places of a source where a file may be opened, made or moved by its name."""
    found = []
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="sqlite3"), attr="connect")):
                found.append("sqlite3.connect")
            case ast.Name(id="open"):
                found.append("open")
            case ast.Attribute(attr="open", value=owner) if ast.unparse(owner) in NO_FILES:
                pass
            case ast.Attribute(attr=name) if name in OPENING:
                found.append(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                found += REPLACING & {f"{owner}.{name}"}
            case ast.ImportFrom(module="os" | "io" | "shutil" | "tempfile" | "sqlite3" as module):
                names = {alias.name for alias in node.names}
                found += [f"{module}.{n}" for n in names & {*OPENING, "replace", "connect"}]
    return found


def test_only_one_module_opens_files():
    found = {name: openings(parsed(path)) for name, path in MODULES.items()}
    assert found.pop("files")
    assert {name: places for name, places in found.items() if places} == {}
    for source in (
        *("open(x)", "path.open('rb')", "path.read_text()", "map(Path.read_bytes, x)"),
        *("os.open(x, 0)", "tempfile.mkstemp()", "sqlite3.connect(path)", "os.replace(a, b)"),
        *("from os import replace", "from tempfile import NamedTemporaryFile", "io.open(x)"),
    ):
        assert openings(ast.walk(ast.parse(source))), source


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after ``code``."""
    script = f"import sys\n{code}\nloaded = sorted({{name.split('.')[0] for name in sys.modules}})\nimport json\nprint(json.dumps(loaded))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = set(
    "openai anthropic pydantic jsonschema tiktoken json_repair rich jmespath numpy "
    "httpx httpx2 httpcore2".split()
)


def test_every_hint_to_install_something_comes_from_one_place():
    """It quotes: ``pip install a[b]`` does not run in zsh."""
    texts = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
    assert [name for name, text in texts.items() if "pip install" in text] == ["records.errors"]


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import faithfulness_assert") & (
        HEAVY | {"sentencex", "asyncio", "dataclasses", "typing"}
    )


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_load_nothing_that_grades(flag):
    code = f"from contextlib import suppress\nimport faithfulness_assert.cli as cli\nsys.argv[1:] = ['{flag}']\nwith suppress(SystemExit):\n    cli.main()"
    assert loaded_by(code).isdisjoint({*HEAVY, "dataclasses", "json", "logging", "sentencex"})


def test_an_embedded_grade_of_plain_text_loads_nothing_that_it_does_not_use():
    code = "from faithfulness_assert import grade; assert grade('The tower is tall.', 'The tower is tall.').pass_"
    unused = "assert 'faithfulness_assert.reading.json_form' not in sys.modules"
    assert not loaded_by(f"{code}\n{unused}") & HEAVY


def test_the_plugin_of_pytest_loads_nothing_at_start_that_grades():
    own = "faithfulness_assert.pytest_plugin.hooks"
    code = f"import pytest, json, tempfile\nbefore = set(sys.modules)\nimport {own}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=True
    )
    room = "faithfulness_assert.pytest_plugin"
    added = {"faithfulness_assert", room, own, f"{room}.session"}
    assert set(json.loads(done.stdout)) == added


def test_an_assertion_outside_of_pytest_does_not_load_pytest():
    code = "from faithfulness_assert import assert_faithful; assert_faithful('The tower is tall.', 'The tower is tall.')"
    assert not loaded_by(code) & {*HEAVY, "pytest", "_pytest"}


def test_the_promptfoo_hook_with_the_embedded_judge_loads_nothing_that_it_does_not_use():
    context = {"vars": {"context": "The tower is tall."}, "config": {"judge": "embedded"}}
    code = f"from faithfulness_assert.promptfoo import get_assert; assert get_assert('The tower is tall.', {context!r})['pass']"
    wrapper = "import asyncio, importlib.util, inspect, json, os"  # promptfoo's own, around every assertion
    loaded = loaded_by(f"{wrapper}\n{code}")
    assert not loaded & HEAVY
    added = loaded - loaded_by(wrapper) - {"faithfulness_assert"}
    assert added <= sys.stdlib_module_names
    assert len(added) <= 16


def test_ci_runs_the_test_command_of_the_readme():
    root = Path(__file__).parents[1]
    commands = [
        line
        for line in (root / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("python3 -m venv")
    ]
    assert len(commands) == 2
    assert commands[1] in (root / ".ci" / "run").read_text(encoding="utf-8").splitlines()


SCRIPTS = [
    *sorted((Path(__file__).parents[1] / "benchmarks").rglob("*.py")),
    *sorted((Path(__file__).parents[1] / "tools").glob("*.py")),
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_what_a_benchmark_or_a_tool_imports_of_ours_exists(script):
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(PACKAGE.name):
            try:
                module = importlib.import_module(str(node.module))
            except ModuleNotFoundError as missing:
                if str(missing.name).startswith(PACKAGE.name):
                    raise
                pytest.skip(f"needs {missing.name}")
            for name in node.names:
                assert hasattr(module, name.name) or find_spec(f"{node.module}.{name.name}")
