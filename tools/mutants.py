"""How many small changes of the code that decides are noticed by its tests.

    python tools/mutants.py [--most 80] [--open] [MODULE ...]      (Linux, macOS)

Prints for each module, such as ``plan/lists``, how many mutants were tried, and how many of them a
test notices. ``explained_mutants.jsonl`` says why the others are harmless; ``--open`` lists those
that it does not name, as rows to fill in. Of a module with 150 or more mutants, at most ``--most``
are tried: every n-th one.

pytest collects the module's tests once. Each mutant is then put into a forked process, which runs
the tests that reach the changed function until one fails. Property tests run with 25 examples, and
tests that take seconds are left out.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from mutations import HOOK, KEYS, Mutant, mutants, with_hooks

HERE = Path(__file__).parent
ROOT = HERE.parent
PACKAGE = "faithfulness_assert"
EXPLAINED = HERE / "explained_mutants.jsonl"
FEW = 150  # mutants of a module that are all tried
SLOW = 2.0  # seconds of CPU, while its lines are counted, of a test that is left out
CPU_LIMIT, TIME_LIMIT = 40, 900  # seconds, for a mutant that never ends
RECENT = 10  # tests that failed for the last mutants of a function, which are run first

TESTS = {
    "text/phrases": "talk",
    "text/citation_audit": "citations",
    "policy/scoring": "policy golden endings",
    "reading/gate": "reading/gate recorded_replies",
    "reading/reconcile": "reconcile reading/gate recorded_replies",
    "reading/rows": "reading/rows lists_and_ratings forms recorded_replies",
    "reading/json_form": "forms reading/rows recorded_replies",
    "reading/forms": "forms reading/rows recorded_replies",
    "plan/lists": "stages asked_numbers systems carrying",
    "plan/whole_answer": "systems stages",
    "plan/long_contexts": "stages likely_windows",
    "plan/verdicts": "stages numbers left_open controls talk",
    "plan/state": "asked_numbers systems stages numbers tokens",
    "plan/conclude": "asked_numbers systems endings stages word_checks",
    "plan/weighing": "endings left_open stages controls policy",
    "asking/windows": "systems stages likely_windows",
    "asking/controls": "control_rules controls",
}
"""The test files of the modules that are tried without an argument."""
OTHER_TESTS = (
    "forms reading/gate reading/rows lists_and_ratings reconcile refusal policy policy_data golden"
)
"""The test files of all other modules."""


class Runner:
    """A pytest plugin that tries mutants in place of one run of the tests."""

    def __init__(self, module: str, most: int) -> None:
        self.file = ROOT / PACKAGE / f"{module}.py"
        self.name = f"{PACKAGE}.{module.replace('/', '.')}"
        found = list(mutants(module, self.file.read_text(encoding="utf-8")))
        self.keys = {mutant.key for mutant in found}
        self.tried = found if len(found) < FEW else found[:: -(-len(found) // most)]
        self.is_sound = False  # the tests pass without mutants, and with a copy of the module
        self.alive: list[Mutant] = []
        self.reached: dict[str, set[int]] = defaultdict(set)  # tests by function
        self.seconds: dict[int, float] = {}  # of the tests, without any mutant
        self.killers: dict[str, list[int]] = defaultdict(list)  # tests by function

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs all tests once as they are, then each mutant's in a process of its own."""
        if session.testsfailed:
            return True
        importlib.import_module(self.name)
        self._measure(session)
        if session.testsfailed:
            return True
        gc.freeze()
        unchanged = self.tried[0]._replace(function="", tree=self._tree())
        if self._is_killed(session, unchanged):
            return True
        self.is_sound = True
        self.alive = [mutant for mutant in self.tried if not self._is_killed(session, mutant)]
        return True

    def _tree(self) -> ast.Module:
        return ast.parse(self.file.read_text(encoding="utf-8"))

    def _measure(self, session: pytest.Session) -> None:
        vars(sys.modules[self.name])[HOOK] = lambda name: self.reached[name].add(number)
        install(self.name, with_hooks(self._tree()), values=False)
        for number, item in enumerate(session.items):
            forget_results()
            begin = time.process_time()
            run(item)
            self.seconds[number] = time.process_time() - begin

    def _is_killed(self, session: pytest.Session, mutant: Mutant) -> bool:
        reached = self._that_reach(mutant)
        recent = [n for n in self.killers[mutant.function] if n in reached]
        rest = sorted(reached.difference(recent), key=self.seconds.__getitem__)
        failed = in_a_fork(lambda: self._first_failure(session, mutant, [*recent, *rest]))
        if failed and failed.isdecimal():
            killers = [int(failed), *(n for n in recent if n != int(failed))]
            self.killers[mutant.function] = killers[:RECENT]
        return failed != "none"

    def _that_reach(self, mutant: Mutant) -> set[int]:
        """The tests that call the changed function; all tests for a change outside functions."""
        fast = {number for number, seconds in self.seconds.items() if seconds < SLOW}
        return self.reached[mutant.function] & fast or fast

    def _first_failure(self, session: pytest.Session, mutant: Mutant, tests: Sequence[int]) -> str:
        try:
            install(self.name, mutant.tree, values=not mutant.function)
        except Exception:  # noqa: BLE001 - a mutant may raise anything
            return "import"
        for number in tests:
            run(session.items[number])
            if session.testsfailed:
                return str(number)
        return "none"


def run(item: pytest.Item) -> None:
    """Runs one test."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def in_a_fork(work: Callable[[], str]) -> str:
    """What ``work`` returns in a process of its own; "" if it crashes or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT)
            signal.alarm(TIME_LIMIT)
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        result = said.read()
    os.waitpid(child, 0)
    return result


# ---- a mutant in the place of its module


def install(name: str, tree: ast.Module, *, values: bool) -> None:
    """Gives the functions of an imported module the code of another tree; or also its values."""
    module = sys.modules[name]
    changed = types.ModuleType(name)
    changed.__dict__.update(__package__=module.__package__, __file__=module.__file__)
    exec(compile(tree, str(module.__file__), "exec"), changed.__dict__)
    replace_functions(module, changed, name)
    if values:
        for key, value in vars(changed).items():
            is_value = not isinstance(value, types.ModuleType | types.FunctionType | type)
            if is_value and not key.startswith("__"):
                replace_everywhere(key, vars(module)[key], value)
    forget_results()


def replace_functions(old: object, new: object, name: str) -> None:
    """Replaces the code of the functions of a module, and of its classes."""
    for key, value in vars(new).items():
        before = vars(old).get(key)
        functions = function_in(before), function_in(value)
        if all(functions):
            replace_code(*functions, name)
        elif isinstance(value, type) and value.__module__ == name:
            replace_functions(before, value, name)


def function_in(value: object) -> types.FunctionType | None:
    """The function itself of a method, a property or a cached function."""
    inner = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
    inner = getattr(inner, "__wrapped__", inner)
    return inner if isinstance(inner, types.FunctionType) else None


def replace_code(old: types.FunctionType, new: types.FunctionType, name: str) -> None:
    """Gives a function of this module the code and the defaults of another one."""
    if old.__module__ == name:
        old.__code__, old.__defaults__ = new.__code__, new.__defaults__
        old.__kwdefaults__ = new.__kwdefaults__


def replace_everywhere(key: str, before: object, value: object) -> None:
    """Replaces a value in its module, and in all that import it by its name."""
    for module in list(sys.modules.values()):
        if getattr(module, key, None) is before and vars(module).get("__name__"):
            setattr(module, key, value)


def forget_results() -> None:
    """Clears what the package's functions have cached."""
    for cached in caches():
        cached.cache_clear()


@functools.lru_cache(maxsize=1)
def caches() -> list[functools._lru_cache_wrapper[object]]:
    """The package's cached functions."""
    found = [o for o in gc.get_objects() if isinstance(o, functools._lru_cache_wrapper)]
    return [o for o in found if str(getattr(o, "__module__", "")).startswith(PACKAGE)]


# ---- the report


def explained(module: str) -> set[tuple[object, ...]]:
    """The mutants of a module that change nothing that matters; each row says why."""
    rows = map(json.loads, EXPLAINED.read_text(encoding="utf-8").splitlines())
    return {tuple(row[key] for key in KEYS) for row in rows if row["module"] == module}


def run_tests(names: str, plugin: Runner) -> None:
    """Starts pytest with these test files, without its output."""
    named = [name.rpartition("/") for name in names.split()]
    files = [str(next((ROOT / "tests").rglob(f"{at or '*'}/test_{n}.py"))) for at, _, n in named]
    options = "-q --no-header -p no:cacheprovider -p no:xdist --hypothesis-profile=few --rootdir"
    with open(os.devnull, "w") as silence, contextlib.redirect_stdout(silence):
        pytest.main([*options.split(), str(ROOT), *files], plugins=[plugin])


def report(module: str, most: int, show_open: bool) -> None:
    """Tries the mutants of a module and prints what came of them."""
    runner = Runner(module, most)
    run_tests(TESTS.get(module, OTHER_TESTS), runner)
    if not runner.is_sound:
        sys.exit(f"{module}: its tests fail without a mutant")
    known = explained(module)
    if gone := known - runner.keys:
        sys.exit(f"{EXPLAINED.name} names mutants that do not exist any more: {gone}")
    unexplained = [mutant for mutant in runner.alive if mutant.key not in known]
    tried, alive, left = len(runner.tried), len(runner.alive), len(unexplained)
    figures = f"{tried} | {tried - alive} | {alive - left} | {1 - left / tried:.1%}"
    print(f"| `{module}` | {figures} |", flush=True)
    for mutant in unexplained if show_open else ():
        shown = dict(zip(KEYS, mutant.key, strict=True)) | {"why": "", "line": mutant.line}
        print(json.dumps(shown, ensure_ascii=False), flush=True)


def main() -> None:
    """Prints the table; one process for each module, so that nothing of one is left in another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", default=list(TESTS))
    parser.add_argument("--most", type=int, default=80, help="mutants of a module")
    parser.add_argument("--open", action="store_true", help="list what is not explained")
    options = parser.parse_args()
    if len(options.modules) == 1:
        report(options.modules[0], options.most, options.open)
        return
    print("| module | mutants | killed | explained | together |\n|---|---|---|---|---|", flush=True)
    for module in options.modules:
        command = [sys.executable, __file__, module, "--most", str(options.most)]
        subprocess.run([*command, *(["--open"] if options.open else [])], check=True)


if __name__ == "__main__":
    main()
