"""The table of options is complete, and editors and type checkers see the same options."""

import ast
import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from conftest import ROOT

from faithfulness_assert import (
    ConfigError,
    Grader,
    Policy,
    grade,
    grade_many,
    options,
    policies,
)
from faithfulness_assert.options import CASE_NAMES, OPTIONS, parse_options

# These policy fields also take plain data, so their type for callers is wider than the field's.
WIDER = {"fail_on", "fail_on_flags", "score_caps", "examples", "hedges"}


def typed_options() -> dict[str, str]:
    """Names and types of the TypedDicts, which exist for type checkers only."""
    tree = ast.parse(Path(options.__file__).read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    names = [node.name for node in classes]
    assert names == ["Option", "GraderOptions", "CaseOptions", "GradeOptions"]
    members = [item for node in classes[1:] for item in node.body]
    annotated = [item for item in members if isinstance(item, ast.AnnAssign)]
    return {ast.unparse(item.target): ast.unparse(item.annotation) for item in annotated}


def test_type_checkers_see_the_options_of_the_table_and_no_others():
    parameters = set(inspect.signature(grade).parameters)
    assert set(typed_options()) == (set(OPTIONS) | CASE_NAMES) - parameters
    assert set(OPTIONS) & parameters == {"threshold"}


def test_type_checkers_see_the_types_of_a_policys_fields():
    typed = typed_options()
    of_policy = {field.name: field.type for field in fields(Policy)}
    for name in (typed.keys() & of_policy) - WIDER:
        assert typed[name] == of_policy[name], name


def test_a_field_that_only_a_policy_sets_is_no_option_and_the_message_says_where_it_goes():
    described = {"name", "summary", "deviations"}
    of_policies = {field.name for field in fields(Policy)} - OPTIONS.keys() - described
    assert len(of_policies) == 7
    for name in of_policies:
        with pytest.raises(ConfigError, match=f"{name}: unknown option. Only a policy sets it"):
            grade("a", "c", **{name: True})
    own = {"dedupe": False, "name": "default", "summary": ""}
    assert Grader("embedded", own).policy.dedupe is False


def test_each_way_that_a_case_ends_is_changed_alone():
    by_option = Grader("embedded", "promptfoo-plan", endings={"abstained": "pass"}).policy.endings
    assert by_option == {**policies["promptfoo-plan"].endings, "abstained": "pass"}
    assert Policy(endings={"blank": 0.5}).endings == {**Policy().endings, "blank": 0.5}


CALLS = [
    ("grade('a', 'c', controls='off', max_retries=3, weights={'supported': 1.0})", ""),
    ("grade('a', retrieved_contexts=['c'], id='1', policy={'base': 'ragas'})", ""),
    ("Grader('openai:m', 'ragas', 0.5, seed=1, prices={'prompt': 2.5}, cache='store')", ""),
    ("grade_many([{'answer': 'a', 'context': 'c'}], deadline=None, fail_on=['contradicted'])", ""),
    ("loaded: dict[str, Any] = {}; Grader(**loaded)", ""),
    ("Grader().grade('a', user_input='q', contexts=['c'])", ""),
    ("grade('a', 'c', treshold=0.5)", 'Unexpected keyword argument "treshold"'),
    ("grade('a', 'c', deadline='soon')", 'Argument "deadline"'),
    ("grade('a', 'c', controls='on')", 'Argument "controls"'),
    ("Grader(weights={'suported': 1.0})", "Dict entry 0"),
    ("Grader(id='1')", 'Unexpected keyword argument "id"'),
]


def test_mypy_accepts_right_calls_and_rejects_wrong_names_and_types(tmp_path):
    pytest.importorskip("mypy")
    snippet = tmp_path / "calls.py"
    head = "from typing import Any; from faithfulness_assert import Grader, grade, grade_many"
    snippet.write_text("\n".join([head, *(call for call, _ in CALLS)]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    cache = ROOT / ".mypy_cache" / "calls"  # the next run takes a tenth of the time
    files = ["--config-file=", f"--cache-dir={cache}", str(snippet)]
    done = subprocess.run(
        [*command, *files],
        capture_output=True,
        text=True,
        # Not beside the package: in site-packages mypy takes its neighbours for modules of the caller.
        cwd=tmp_path,
        check=False,
    )
    reported = done.stdout.splitlines()
    for number, (call, expected) in enumerate(CALLS, 2):
        errors = [line for line in reported if line.startswith(f"{snippet.name}:{number}: error")]
        assert bool(errors) == bool(expected), (call, errors, done.stderr)
        assert expected in " ".join(errors), call


def test_a_value_is_json_a_number_without_its_zero_or_text():
    values = {".9": 0.9, "0.9": 0.9, ".9.1": ".9.1", ".env": ".env", '{"a": 1}': {"a": 1}, "": ""}
    for text, value in values.items():
        assert parse_options([f"threshold={text}"], "--option") == {"threshold": value}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: grade("a", "b", tresholds=1, polcy="p"),
            "Did you mean 'threshold'? polcy: unknown option. Did you mean 'policy'?",
        ),
        (lambda: grade("a", "b", model="m"), "model: unknown option. The judge's name has it"),
        (
            lambda: grade(outputs="a", context="b"),
            "outputs: unknown option. Did you mean 'actual_output'",
        ),
        (lambda: grade_many([], concurency=3), "Did you mean 'concurrency'?"),
        (lambda: grade("a", "b", fail_on=("suported",)), "Did you mean 'supported'?"),
        (lambda: grade("a", "b", fail_on=("unsupported",)), "unknown label 'unsupported'. Known: "),
        (lambda: grade("a", "b", threshold=80), "threshold: must be a number from 0 to 1"),
        (lambda: Grader().grade("a", "b", threshold=0.2), "threshold: give it to Grader"),
    ],
)
def test_a_wrong_name_or_one_that_is_missing_is_an_error_that_names_the_right_one(call, said):
    with pytest.raises(ConfigError) as error:
        call()
    assert said in str(error.value)
