"""Keys are never shown, hostile text is shown as plain text, and nothing from outside is run."""

import ast
import json
import re
from collections.abc import Iterable

import licences
import pytest
from attacks import KEY, shown_safely
from fakes import ScriptedJudge, verdicts_json
from hypothesis import example, given
from rows import rows
from sinks import result_saying
from strategies import examples, texts
from test_house import MODULES, parsed

from faithfulness_assert import ConfigError, Grader
from faithfulness_assert.promptfoo import get_assert

ANSWER, CONTEXT = (
    "The museum opens at nine. It closes at five.",
    "The museum opens at nine on weekdays.",
)


def test_a_failing_assertion_shows_neither_the_key_nor_a_traceback():
    config = {
        "judge": "openai:m",
        "apiKey": KEY,
        "baseUrl": "http://127.0.0.1:9/v1",
        "maxRetries": 0,
        "timeout": 2,
    }
    for wrong in ({}, {"timeout": "x"}, {"apiKey": f"{KEY}\n"}, {"nonsense": KEY}):
        given = {"vars": {"context": CONTEXT}, "config": {**config, **wrong}}
        made = get_assert(ANSWER, given)
        assert made["metadata"]["graderError"]
        assert "SECRET" not in json.dumps(made)
        assert "Traceback" not in made["reason"]


@pytest.mark.parametrize("text", rows("hostile_texts"))
def test_hostile_text_is_shown_as_text_wherever_it_comes_from(text):
    """In every field of a result. Viewers escape what promptfoo gets."""
    assert list(shown_safely(result_saying(text))) == []


@given(texts)
@example("00\x850\r1")
@example(".¼")
@example("1,000½ and .1.1")
@examples(60)
def test_any_text_is_shown_as_text_wherever_it_comes_from(text):
    assert list(shown_safely(result_saying(text))) == []


NAMES = ("../../outside", "/etc/passwd", "a/b", "..", "C:\\x", "x\0y", "file:///etc/passwd")


def test_no_text_of_a_case_becomes_the_name_of_a_file(tmp_path):
    store = tmp_path / "a" / "store"
    judge = ScriptedJudge(
        [verdicts_json({1: "supported", 2: "supported"})], name="../../../outside/x\x00"
    )
    judge.identity = {"judge": "../../outside"}
    for text in NAMES:
        case = {
            "answer": f"{text} {ANSWER}",
            "context": [{"id": text, "text": f"{CONTEXT} {text}"}],
            "question": text,
            "id": text,
        }
        assert next(Grader(judge, cache=store).grade_many([case])).error is None
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*")]
    assert {path.parts[:2] for path in made} == {("a",), ("a", "store")}
    assert all(re.fullmatch(r"[\w.-]+", part) for path in made for part in path.parts)


def levels(one: str, first: str) -> str:
    """YAML in which each of twelve values contains the previous one nine times."""
    rows = [one.format(n=n, many=", ".join([f"*x{n - 1}"] * 9)) for n in range(1, 12)]
    return "".join([first, *rows])


ALIASES = {
    "nested": levels("a{n}: &x{n} [{many}]\n", "guidance: &x0 [x]\n"),
    "merged": levels("a{n}: &x{n} {{<<: [{many}]}}\n", "a0: &x0 {k: v}\n"),
    "a long text": f"guidance: &a {'x' * 100_000}\nexamples: [{', '.join(['*a'] * 20)}]\n",
    "in itself": "examples: &a [*a]\n",
    "often in itself": f"examples: &a [{', '.join(['*a'] * 6_000)}]\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ALIASES.values(), ids=ALIASES.keys())
def test_a_few_aliases_that_mean_billions_of_values_are_refused(text, tmp_path, monkeypatch):
    monkeypatch.setattr("faithfulness_assert.policy.parsing.MAX_FILE_BYTES", 200_000)
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="aliases"):
        Grader("embedded", str(tmp_path / "p.yaml"))


FORBIDDEN_CALLS = set("eval exec compile __import__ breakpoint input".split())
FORBIDDEN_IMPORTS = set(
    "pickle dill marshal shelve jsonpickle joblib ctypes code codeop runpy".split()
)
FORBIDDEN_ATTRIBUTES = set(
    "os.system os.popen os.execv os.spawnv subprocess.getoutput yaml.load yaml.unsafe_load "
    "yaml.full_load tempfile.mktemp".split()
)


def dangers(nodes: Iterable[ast.AST]) -> list[str]:
    """The calls, imports and attributes of a source that could run code from outside."""
    found = []
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_CALLS:
                found.append(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                found += FORBIDDEN_ATTRIBUTES & {f"{owner}.{name}"}
            case ast.keyword(arg="shell", value=value) if ast.unparse(value) != "False":
                found.append("shell=")
            case ast.Import(names=names):
                found += FORBIDDEN_IMPORTS & {alias.name.partition(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                found += FORBIDDEN_IMPORTS & {module.partition(".")[0]}
    return found


def test_no_module_runs_code_from_outside():
    found = {name: dangers(parsed(path)) for name, path in MODULES.items()}
    assert {name: places for name, places in found.items() if places} == {}
    forbidden = "eval(x)|import pickle|from pickle import loads|os.system(x)|yaml.load(x)|exec(x)"
    for source in (*forbidden.split("|"), "subprocess.run(x, shell=True)"):
        assert dangers(ast.walk(ast.parse(source))), source


def test_every_licence_is_permissive_and_listed():
    here, listed = licences.installed(), licences.listed()
    assert {need.name for need in licences.direct()} - set(listed) == set()
    assert {package.name for package in here} - set(listed) == set(), "run python tools/licences.py"
    assert [
        name
        for name, licence in {**listed, **{p.name: p.licence for p in here}}.items()
        if not licences.is_permissive(licence)
    ] == []
    assert not licences.is_permissive("GPL-3.0-or-later")
    assert not licences.is_permissive("unknown")
