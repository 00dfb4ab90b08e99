"""Turns the ``context-faithfulness`` assertions of a promptfoo config into ``python`` ones of ours.

The config is read as plain data. Nothing in it is run, and the files that it names are not read but
listed. No key is repeated. The output is YAML; what has no equivalent becomes a comment beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..judges import environment_prefixes
from ..records.errors import ConfigError
from ..text.strings import clip, visible
from .providers import judge_for

BUILT_IN, INVERTED = "context-faithfulness", "not-context-faithfulness"
MAX_ASSERTIONS = 10_000  # a few lines of YAML aliases can stand for billions of assertions
MAX_EXTERNAL_FILES = 20  # that are listed
MAX_NUMBER = 1e6  # of a weight or a threshold
KEPT = ("transform",)  # texts that mean the same on any assertion

# A contextTransform that is only a path, such as `output.a[0]` or `context.vars.b`. As a JMESPath
# it is the same without `context.`.
PATH = re.compile(r"(?:output|context\.(?:vars|metadata))(?:\.[A-Za-z_]\w*|\[\d+\])*")
# A text that YAML reads as this text without quotes.
PLAIN = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z](?:[\w.:/-]*[\w/])?", re.IGNORECASE
)

DEFAULT_JUDGE = "openai:gpt-4o-mini"
DIFFERENCES = (
    "Without a threshold, promptfoo 0.121 passes every answer; the policy promptfoo needs 0.5.",
    "A refused, truncated or unreadable reply is a grader error; the built-in scores it.",
    "Verdicts may be a numbered, comma-separated, JSON or bare list; the built-in reads one form.",
    "`policy: default` needs one call instead of two. It gives half credit, so scores differ.",
)


@dataclass(frozen=True)
class ConfiguredAssertion:
    """An assertion of a config.

    Args:
        location: where it is in the config, for a comment.
        assertion: its mapping.
        providers: what the config names as its grader, the most specific first.
    """

    location: str
    assertion: Mapping[str, Any]
    providers: tuple[Any, ...]


def migrate_config(config: object) -> str:
    """The assertions to paste, as YAML with comments.

    Args:
        config: a promptfoo config, as data.

    Raises:
        ConfigError: the config is not a mapping, has too many assertions, or contains no
            ``context-faithfulness`` assertion.
    """
    if not isinstance(config, Mapping):
        kind = type(config).__name__
        raise ConfigError(f"init: a promptfoo config must be a mapping with tests, got {kind}")
    locations: dict[str, list[str]] = {}  # by the text of the migrated assertion
    listed = list(islice(configured_assertions(config), MAX_ASSERTIONS + 1))
    if len(listed) > MAX_ASSERTIONS:
        raise ConfigError(f"init: the config has more than {MAX_ASSERTIONS:,} assertions; split it")
    for configured in listed:
        if is_built_in(configured.assertion):
            locations.setdefault(as_yaml(configured), []).append(configured.location)
    files = list(islice(external_files(config), MAX_EXTERNAL_FILES))
    if not locations:
        hint = f" ({'; '.join(files)})" if files else ""
        places = "defaultTest, tests, scenarios or assertionTemplates"
        raise ConfigError(f"init: no {BUILT_IN} assertion in {places}{hint}")
    blocks = [f"# {_listed(names)}\n{text}" for text, names in locations.items()]
    notes = ["# Differences from the built-in:", *(f"# - {n}" for n in (*DIFFERENCES, *files))]
    return "\n\n".join([*blocks, "\n".join(notes)]) + "\n"


def is_built_in(assertion: Mapping[str, Any]) -> bool:
    """Whether an assertion is one that ours replace."""
    return assertion.get("type") in (BUILT_IN, INVERTED)


def _listed(locations: list[str]) -> str:
    if len(locations) == 1:
        return f"in {locations[0]}"
    more = ", …" if len(locations) > 3 else ""
    return f"in {len(locations)} places: {', '.join(locations[:3])}{more}"


# ---------------------------------------------------------------- reading a config


def configured_assertions(config: Mapping[str, Any]) -> Iterator[ConfiguredAssertion]:
    """Every assertion that the config itself contains, also those in sets."""
    default = _mapping(config.get("defaultTest"))
    for location, test in _tests(config):
        # promptfoo's order: the grader of the assertion, of the test, of the default test.
        graders = (
            _mapping(test.get("options")).get("provider"),
            default.get("provider"),
            _mapping(default.get("options")).get("provider"),
        )
        for assertion in _mappings(test.get("assert")):
            is_set = assertion.get("type") == "assert-set"
            members = _mappings(assertion.get("assert")) if is_set else iter(())
            for one in (assertion, *islice(members, MAX_ASSERTIONS)):
                yield ConfiguredAssertion(location, one, (one.get("provider"), *graders))


def _tests(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts of a config that have assertions, each with its location."""
    yield "defaultTest", _mapping(config.get("defaultTest"))
    for number, test in enumerate(_mappings(config.get("tests")), 1):
        yield _described(f"tests[{number}]", test), test
    for scenario in _mappings(config.get("scenarios")):
        for number, test in enumerate(_mappings(scenario.get("tests")), 1):
            yield _described(f"scenarios: tests[{number}]", test), test
    for name, template in _mapping(config.get("assertionTemplates")).items():
        yield f"assertionTemplates.{_shown(name)}", {"assert": [template]}


def _described(location: str, test: Mapping[str, Any]) -> str:
    description = test.get("description")
    return f"{location} “{_shown(description)}”" if description else location


def external_files(config: Mapping[str, Any]) -> Iterator[str]:
    """A remark for each file of tests that the config names."""
    for key in ("defaultTest", "tests", "scenarios"):
        value = config.get(key)
        for item in value if isinstance(value, list) else [value]:
            path = item.get("path") if isinstance(item, Mapping) else item
            if isinstance(path, str):
                yield f"{key} {_shown(path)} is another file; it was not read."


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else []
    return (item for item in items if isinstance(item, Mapping))


# ---------------------------------------------------------------- writing assertions


def as_yaml(configured: ConfiguredAssertion) -> str:
    """The equivalent ``python`` assertion as YAML, with comments on what has no equivalent."""
    assertion = configured.assertion
    kind = "not-python" if assertion["type"] == INVERTED else "python"
    texts = {key: assertion[key] for key in KEPT if isinstance(assertion.get(key), str)}
    head = {"value": "file://faithfulness.py", **texts, **_number(assertion, "weight")}
    judge, judge_notes = judge_of(configured.providers)
    context, context_notes = context_of(assertion.get("contextTransform"))
    threshold = _number(assertion, "threshold")
    config = {**judge, "policy": "promptfoo", **threshold, **context}
    lines = [
        f"- type: {kind}",
        *(f"  {key}: {_scalar(value)}" for key, value in head.items()),
        "  config:",
        *(f"    {key}: {_scalar(value)}" for key, value in config.items()),
        *(f"  # {note}" for note in (*judge_notes, *context_notes, *_remarks(assertion))),
    ]
    return "\n".join(lines)


def judge_of(providers: tuple[Any, ...]) -> tuple[dict[str, Any], list[str]]:
    """The options that name the judge, and remarks."""
    named = next((provider for provider in providers if provider), None)
    if named is None:
        chosen = "promptfoo would choose one by the API keys that it finds"
        note = f"The config names no grader; {chosen}. Put your judge in place of this one."
        return {"judge": DEFAULT_JUDGE}, [note]
    provider = _text_provider(named)
    config = _mapping(provider.get("config"))
    notes: list[str] = []
    id = provider.get("id")
    known = judge_for(id, config)
    if known is None:
        server = "For a server with OpenAI's API, write judge: openai:MODEL and baseUrl."
        notes.append(f"There is no judge for {_shown(id)}: name one. {server}")
    url = config.get("apiBaseUrl")
    base: dict[str, Any] = {}
    if isinstance(url, str) and "@" not in url:  # no passwords
        base = {"baseUrl": url}
    elif known is not None and known.base_url:
        base = {"baseUrl": known.base_url}
    if known is not None and known.note:
        notes.append(known.note)
    if "apiKey" in config:
        keys = " or ".join(f"{prefix}API_KEY" for prefix in environment_prefixes())
        advice = f"set {keys} in the environment, since promptfoo writes config into its results"
        notes.append(f"The provider's apiKey is not repeated here: {advice}.")
    taken = ("apiKey", *(("apiBaseUrl", "apiHost", "region") if base else ()))
    if names := sorted(_shown(key) for key in config if key not in taken):
        more = ", …" if len(names) > 10 else ""
        notes.append(f"Left out of the provider's config: {', '.join(names[:10])}{more}.")
    return {**({"judge": known.judge} if known else {}), **base}, notes


def _text_provider(named: object) -> Mapping[str, Any]:
    """A provider is an id, a mapping with an id, or a mapping by type whose ``text`` is either."""
    if isinstance(named, Mapping) and "id" not in named and "text" in named:
        named = named["text"]
    return named if isinstance(named, Mapping) else {"id": named}


def context_of(transform: object) -> tuple[dict[str, str], list[str]]:
    """``contextFrom``, if a JMESPath can say what the transform does; else a remark."""
    if transform is None:
        return {}, []
    if isinstance(transform, str) and PATH.fullmatch(transform.strip()):
        return {"contextFrom": transform.strip().removeprefix("context.")}, []
    advice = "Write contextFrom instead: a JMESPath over output, vars and metadata."
    return {}, [f"contextTransform is code: {_shown(transform)}. {advice}"]


def _remarks(assertion: Mapping[str, Any]) -> Iterator[str]:
    if assertion["type"] == INVERTED:
        defect = (
            f"promptfoo 0.121 does not invert {INVERTED} (0.123 does): it passes faithful answers"
        )
        yield f"{defect}. This assertion passes unfaithful ones."
    if not _number(assertion, "threshold"):
        old = "The built-in had no threshold, so promptfoo 0.121 passes every answer"
        yield f"{old}. This assertion passes from 0.5."
    if assertion.get("metric") is not None:
        metric = f"metric {_shown(assertion['metric'])} is not copied"
        yield f"{metric}: promptfoo would count a grader error as 0 in it. Ours is `faithfulness`."
    if assertion.get("rubricPrompt") is not None:
        yield "rubricPrompt is not used: describe your domain with guidance and examples."


def _number(assertion: Mapping[str, Any], key: str) -> dict[str, float]:
    value = assertion.get(key)
    return {key: value} if isinstance(value, int | float) and abs(value) <= MAX_NUMBER else {}


def _scalar(value: str | float) -> str:
    """A value as YAML: plain if that is safe, else quoted, with invisible characters escaped.

    Not ``json.dumps``: YAML has no surrogate pairs.
    """
    if not isinstance(value, str):
        return json.dumps(value)
    if PLAIN.fullmatch(value):
        return value
    quoted = visible(re.sub(r'["\\]', r"\\\g<0>", value)).replace("\n", "\\n")
    return f'"{quoted}"'


def _shown(value: object) -> str:
    """Text from the config for a comment: one line, short, visible.

    Lists and mappings are only named: aliases can make them endless.
    """
    return visible(clip(value, 80)) if isinstance(value, str) else f"a {type(value).__name__}"
