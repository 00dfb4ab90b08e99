"""What replaces the ``context-faithfulness`` assertions of a promptfoo config: ours, to paste.

The config is read as plain data, and so is a file that ``defaultTest`` names. Nothing in it is run,
and other files are not read but listed. No key is repeated. What is not carried over becomes a
comment beside the assertion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml

from ..judges import REMOTE, model_of
from ..policy.parsing import read_data
from ..records.checks import as_mapping, mappings_in
from ..records.errors import ConfigError
from ..settings import JUDGE_VARIABLE
from ..text.strings import clip, sections, visible
from .hook import PATH_AS, RAW_OUTPUT

BUILT_IN, INVERTED = "context-faithfulness", "not-context-faithfulness"
MAX_NUMBER = 1e6  # of a weight or a threshold
# A contextTransform that is only a path, such as `output.a[0]` or `context.vars.b`: the same as a
# JMESPath, without `context.`. Of its items it may take a field, and join them: passages here.
PATH = re.compile(
    r"(?:context\.(?=vars|metadata)|(?=output))"
    r"((?:output|vars|metadata)(?:\.[A-Za-z_]\w*|\[\d+\])*)"
    r"(?:\.map\(\(?(\w+)\)? ?=> ?\2\.([A-Za-z_]\w*)\))?(?:\.join\([^()]*\))?"
)
UNKNOWN = "PATH_OF_THE_CONTEXT"
"""In place of a path that a person has to write: it matches nothing, and the assertion says so."""
CARRIED = {"type", "value", "threshold", "weight", "transform", "contextTransform", "provider"}
GRADER = re.compile(r"([a-z]+):([\w./:@-]+)")
_TEXTS = sections(__file__.removesuffix("migrate.py") + "migration.txt")
_ROWS = (row.split(" | ") for row in _TEXTS["servers"].splitlines() if row)
SERVERS = {name: (url, needs) for name, url, needs in _ROWS}
"""Where a provider of promptfoo has OpenAI's API, and what it needs."""
DIFFERENCES = _TEXTS["differences"].splitlines()
# Claude, Nova and Llama have other APIs there, and a region may stand before the model's name.
ON_BEDROCK = re.compile(r"(?:[a-z]+\.)?openai\.")
AS_JSON = (
    """Write it as JSON, and name that: node -e "import('{}').then(c => """
    """console.log(JSON.stringify(c.default)))" > config.json"""
)
FILE = "file://faithfulness.py"
Options = tuple[Mapping[str, Any], ...]
"""The mappings that may name a grader or a transform, the nearest first."""


def migrate_file(config: str) -> str:
    """``migrate_config`` of a file in YAML or JSON. Raises ``ConfigError`` as it does."""
    data = _read(config)
    if isinstance(data, list):
        data = {"tests": data}
    if isinstance(data, dict) and isinstance(named := data.get("defaultTest"), str):
        path = Path(config).parent / named.removeprefix("file://")
        data["defaultTest"] = _read(str(path))
    return migrate_config(data)


def _read(file: str) -> object:
    if (path := Path(file).absolute()).suffix.endswith(("js", "ts")):
        raise ConfigError(f"init: {file}: a program; it is not run here. {AS_JSON.format(path)}")
    return read_data(file, "init", (".yaml", ".yml", ".json"), _Loader)


def migrate_config(config: object) -> str:
    """The assertions to paste, as YAML with comments.

    Raises:
        ConfigError: the config, as data, is not a mapping, or has no such assertion.
    """
    if not isinstance(config, Mapping):
        problem = f"must be a mapping with tests, got {type(config).__name__}"
        raise ConfigError(f"init: a promptfoo config {problem}")
    if "assert" in config:  # the file of a defaultTest
        config = {"defaultTest": config}
    places: dict[str, list[str]] = {}  # by the text of our assertion
    for place, assertion, options in _assertions(config):
        if assertion.get("type") in (BUILT_IN, INVERTED):
            places.setdefault(_ours(assertion, options), []).append(place)
    files = list(_files(config))[:20]
    if not places:
        hint = f": {' '.join(files)}" if files else ""
        raise ConfigError(f"init: the config has no {BUILT_IN} assertion{hint}")
    blocks = [f"# in {clip(', '.join(where), 200)}\n{text}" for text, where in places.items()]
    notes = ["# Differences from the built-in:", *(f"# - {n}" for n in (*DIFFERENCES, *files))]
    return "\n".join([*blocks, *notes, ""])


class _Loader(yaml.SafeLoader):
    """Reads a plain text with ``?`` also in braces, as promptfoo does."""

    _in_plain_text = False

    def scan_plain(self) -> Any:
        self._in_plain_text = True
        try:
            return super().scan_plain()
        finally:
            self._in_plain_text = False

    def peek(self, index: int = 0) -> str:
        """The character at ``index``. A text is cut out by its length, so any letter will do."""
        char: str = super().peek(index)
        return "x" if char == "?" and self._in_plain_text else char


def _assertions(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Options]]:
    """Each assertion, also those in sets: where it is, itself, its options, the nearest first."""
    default = as_mapping(config.get("defaultTest"))
    for place, test in _tests(config):
        outer = (as_mapping(test.get("options")), default, as_mapping(default.get("options")))
        for assertion in mappings_in(test.get("assert")):
            yield place, assertion, (assertion, *outer)
            if assertion.get("type") == "assert-set":
                for one in mappings_in(assertion.get("assert")):
                    yield f"{place} (assert-set)", one, (one, *outer)


def _tests(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts of a config that have assertions, each with its place."""
    yield "defaultTest", as_mapping(config.get("defaultTest"))
    listed = [("test", config.get("tests"))]
    listed += [
        ("scenarios: test", one.get("tests")) for one in mappings_in(config.get("scenarios"))
    ]
    for section, tests in listed:
        for number, test in enumerate(mappings_in(tests), 1):
            described = test.get("description")
            name = f" “{_shown(described)}”" if described else ""
            yield f"{section} {number}{name}", test
    for name, template in as_mapping(config.get("assertionTemplates")).items():
        yield f"assertionTemplates.{_shown(name)}", {"assert": [template]}


def _files(config: Mapping[str, Any]) -> Iterator[str]:
    """A remark for each file of tests that the config names."""
    for key in ("defaultTest", "tests", "scenarios"):
        value = config.get(key)
        for item in value if isinstance(value, list) else [value]:
            path = item.get("path") if isinstance(item, Mapping) else item
            if isinstance(path, str):
                yield f"{key} {_shown(path)} is another file; it was not read."
                if path.lower().endswith(".csv"):
                    yield "An assertion in defaultTest grades its rows, which then need no other."
                    judge = f"the judge is then {JUDGE_VARIABLE} (in .env), or that of"
                    yield f"Or its column __expected has python:{FILE}; {judge} pyproject.toml,"
                    yield "where base_url, policy (else default) and threshold can stand, too."


# ---------------------------------------------------------------- writing assertions


def _ours(assertion: Mapping[str, Any], options: Options) -> str:
    """The equivalent ``python`` assertion as YAML, with comments on what has no equivalent."""
    judge, notes = judge_of(tuple(one.get("provider") for one in options))
    transform, path = assertion.get("transform"), assertion.get("contextTransform")
    config: dict[str, Any] = {**judge, "policy": "promptfoo", **_number(assertion, "threshold")}
    config["components"] = "none"
    # A contextTransform sees what the provider returned; our output has been transformed.
    is_changed = any(one.get("transform") for one in options)
    code = path.strip().replace("JSON.parse(output)", "output") if isinstance(path, str) else ""
    if match := PATH.fullmatch(code):  # a path of ours leads into texts of JSON by itself
        path = match[1] + (f"[].{match[3]}" if match[3] else "")
        if is_changed and path.startswith("output"):
            path = RAW_OUTPUT + path.removeprefix("output")
        config["contextFrom"] = path
    elif path is not None:
        config["contextFrom"] = UNKNOWN  # else it would grade another context
        advice = f"Write contextFrom as a JMESPath, such as {PATH_AS[is_changed]}."
        notes.append(f"contextTransform is code: {_shown(path)}. {advice}")
    more: dict[str, Any] = {"transform": transform} if isinstance(transform, str) else {}
    more |= {**_number(assertion, "weight"), "config": config}
    kind = "not-python" if assertion["type"] == INVERTED else "python"
    text = indent(yaml.safe_dump(more, sort_keys=False, width=1000), "  ")
    comments = "".join(f"  # {note}\n" for note in (*notes, *_remarks(assertion)))
    return f"- type: {kind}\n  value: {FILE}\n{text}{comments}"


def judge_of(providers: tuple[Any, ...]) -> tuple[dict[str, str], list[str]]:
    """The options that name the judge, and remarks."""
    named = next((provider for provider in providers if provider), None)
    if named is None:
        chosen = "promptfoo would choose one by the API keys that it finds"
        note = f"The config names no grader; {chosen}. Put your judge in place of this one."
        return {"judge": "openai:gpt-4o-mini"}, [note]
    if isinstance(named, Mapping) and "id" not in named and "text" in named:
        named = named["text"]  # a mapping by type
    provider = named if isinstance(named, Mapping) else {"id": named}
    config = as_mapping(provider.get("config"))
    judge, notes = _judge_of(provider.get("id"))
    url = config.get("apiBaseUrl")
    taken = {"apiKey"}
    if isinstance(url, str) and not set(url) & set("@?"):  # no passwords
        judge["baseUrl"] = url
        taken.add("apiBaseUrl")
    if "apiKey" in config:
        packages = map(str.upper, REMOTE)
        keys = " or ".join(f"{package}_API_KEY" for package in packages)
        advice = f"set {keys} in the environment, since promptfoo writes config into its results"
        notes.append(f"The provider's apiKey is not repeated here: {advice}.")
    return judge, [*notes, *_left_out("of the provider's config", set(config) - taken)]


def _judge_of(id: object) -> tuple[dict[str, str], list[str]]:
    """The judge that asks the same model as a provider, if there is one, and what it needs."""
    match = GRADER.fullmatch(id) if isinstance(id, str) else None
    name, model = (match[1], model_of(match[2])) if match else ("", "")
    if name in REMOTE:
        return {"judge": f"{name}:{model}"}, []
    if name not in SERVERS or (name == "bedrock" and not ON_BEDROCK.match(model)):
        server = "With OpenAI's API (docs/servers.md), write judge: openai:MODEL and baseUrl."
        return {}, [f"There is no judge for {_shown(id)}: name one. {server}"]
    url, note = SERVERS[name]
    return {"judge": f"openai:{model}", "baseUrl": url}, [note]


def _remarks(assertion: Mapping[str, Any]) -> Iterator[str]:
    if assertion["type"] == INVERTED:
        defect = f"promptfoo 0.121 does not invert {INVERTED} (0.123 does)"
        yield f"{defect}: it passes faithful answers. This assertion passes unfaithful ones."
    threshold = assertion.get("threshold")
    if threshold is not None and not _number(assertion, "threshold"):
        yield f"The threshold {_shown(threshold)} is no number: write one here."
    elif threshold is None:
        old = "The built-in had no threshold: promptfoo 0.121 passes every answer, 0.123 from 0.5"
        yield f"{old}, as this assertion does."
    yield from _left_out("of the assertion", set(assertion) - CARRIED)


def _left_out(where: str, keys: set[Any]) -> list[str]:
    names = sorted(map(_shown, keys))
    more = ", …" if len(names) > 10 else ""
    return [f"Left out {where}: {', '.join(names[:10])}{more}."] if names else []


def _number(assertion: Mapping[str, Any], key: str) -> dict[str, float]:
    value = assertion.get(key)
    return {key: value} if isinstance(value, int | float) and abs(value) <= MAX_NUMBER else {}


def _shown(value: object) -> str:
    """Text from the config for a comment: one line, short, visible; a list is only named."""
    return visible(clip(value, 80)) if isinstance(value, str) else f"a {type(value).__name__}"
