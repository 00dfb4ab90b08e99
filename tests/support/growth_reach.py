"""Which public names, commands and files of the package no sink of ``growth_sinks.py`` reaches.

All sinks are run once with a short text, and what is called is noted. So a row that says that it is about a function, and never
calls it, does not count.
"""

from __future__ import annotations

import ast
import json
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from growth_sinks import PACKAGE, ROOT, Sink, sinks

from faithfulness_assert.records.errors import FaithfulnessError

SHORT = "# Prices in May\n\n" + "The tower is [1] 12 metres tall in May.\n" * 40
NO_TEXT = "gets no text of others"
PACKAGE_MISSING = (
    "its package is not installed everywhere; what it does with texts is in adapters/shared.py"
)
OF_A_TEST = "takes texts of a test's own code, and gives them to grade()"
SENDS_BYTES = "passes messages on as bytes; what is in them is an assertion"
NEEDS_NO_ROW = {
    **{f"adapters/{name}.py": PACKAGE_MISSING for name in ("deepeval", "inspect_ai", "langfuse", "langsmith", "mlflow", "opentelemetry", "ragas")},
    **dict.fromkeys(("agreement.Rate", *("cli/doctor_commands.py", "cli/node.py", "command doctor", "command demo", "command worker", "cli.main"), *("judges.preload", "policy/presets.py"), *("pytest_plugin/hooks.py", "pytest_plugin/plugin_settings.py")), NO_TEXT),
    **dict.fromkeys(("pytest_plugin/fixture.py",), OF_A_TEST),
    **{
        f"promptfoo/worker_process/{name}.py": SENDS_BYTES
        for name in ("server", "tcp_socket", "worker_socket")
    },
    **dict.fromkeys(("CitationAudit", "Judge", "PromptTooLong", "text.statements.Split", "report.Report", "agreement.JudgeFigures", "batch.provider_batches.Standing"), "a record without code of its own"),
    "batch/ray.py": "its package is not installed here; it grades rows as grade_many does",
    "promptfoo/javascript.py": "the program that calls promptfoo.grade, which has a row",
    **dict.fromkeys(("cli/probe_commands.py", "command probe", "probe.probe_estimate"), "asks about scenes of ours; what the judge says of them has the row probe"),
    "command batch collect": "asks a provider's server; what it reads is read by batch import, too",
    "batch.provider_batches.collect": "asks a provider's server; what it reads is read by batch import, too",
    "batch/provider_batches/anthropic_batches.py": "the envelope of a server's lines; what is in them is read as a reply",
}  # fmt: skip
"""Why no sink has to reach a name, a command or a file."""
MAY_REFUSE = (
    *("read_verdicts", "a conversation as text", "a marker of pytest", "a report of a text", "a text as CSV"),
    *(".toml of a policy", ".yaml of a policy", ".json of a policy", "a value of TOML", "a key in TOML"),
    *("a value of YAML", "a list in YAML", "a key in YAML", "a value of JSON", "a mapping", "settings"),
    *("an unknown field of a policy", "an option", "an option's name", "a judge's name", "a policy's name"),
    *("a config of promptfoo", "words of a command", "a local model's labels"),
    *("a sheet", "how a sheet was drawn", "the ids of a sheet", "the labels of a sheet"),
)  # fmt: skip
"""Sinks that refuse most texts: what is measured is how long that takes. All others must take a plain text."""


def missed() -> tuple[list[str], list[str]]:
    """What no sink reaches with a short text (names, commands, files), and which sinks refuse that text."""
    for path in modules():
        with suppress(ImportError):
            import_module(dotted(path))
    all_sinks = sinks()
    called: dict[int, CodeType] = {}  # by id, which is faster than by what is in them
    refusing: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        called[id(frame.f_code)] = frame.f_code

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        for name, sink in all_sinks.items():
            refusing += [name] * _refuses(sink)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    reached = {(c.co_filename, c.co_firstlineno, c.co_name) for c in called.values()}
    return list(_missed(reached)), refusing


def _refuses(sink: Sink) -> bool:
    try:
        sink(SHORT)
    except FaithfulnessError:
        return True
    return False


def _missed(reached: set[tuple[str, int, str]]) -> Iterator[str]:
    files = {file for file, _, name in reached if name != "<module>"}
    for path in modules():
        if _has_functions(path) and str(path) not in files:
            yield path.relative_to(PACKAGE).as_posix()
    for name, value in public():
        codes = [code for code in _codes(value) if code.co_filename.startswith(str(PACKAGE))]
        if not any((c.co_filename, c.co_firstlineno, c.co_name) in reached for c in codes):
            yield name
    from faithfulness_assert.cli.app import COMMANDS

    for words, (theme, _) in COMMANDS.items():
        verb = words.split()[-1]
        module = import_module(f"faithfulness_assert.cli.{theme}_commands")
        code = getattr(module, f"run_{verb}").__code__
        if (code.co_filename, code.co_firstlineno, code.co_name) not in reached:
            yield f"command {words}"


def modules() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    return [p for p in found if p.name != "__main__.py" and "templates" not in p.parts]


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def public() -> Iterator[tuple[str, Any]]:
    """The names in ``__all__`` of each module, and those that docs/api.md lists."""
    found: dict[str, Any] = {}
    for path in modules():
        if "__all__" in path.read_text(encoding="utf-8"):
            module = import_module(dotted(path))
            found.update(
                {f"{dotted(path)}.{name}": getattr(module, name) for name in module.__all__}
            )
    for line in (ROOT / "docs" / "api.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("::: "):
            home, _, name = line[4:].strip().rpartition(".")
            found[f"{home}.{name}"] = getattr(import_module(home), name)
    own = {name.removeprefix("faithfulness_assert."): value for name, value in found.items()}
    return ((name, value) for name, value in sorted(own.items()) if callable(value))


def _codes(value: Any) -> Iterator[CodeType]:
    """The code of a function, or of the methods of a class."""
    members = vars(value).values() if isinstance(value, type) else [value]
    for member in members:
        inner = getattr(member, "fget", None) or getattr(member, "__func__", member)
        while hasattr(inner, "__wrapped__"):
            inner = inner.__wrapped__
        if isinstance(code := getattr(inner, "__code__", None), CodeType):
            yield code


def _has_functions(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(tree))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(missed()))
