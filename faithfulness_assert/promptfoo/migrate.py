"""From promptfoo's ``context-faithfulness`` to ours: the assertions of a promptfoo config, written as ``python`` assertions to paste.

The config is read as plain data and nothing of it is run; what it says elsewhere (files of tests, code) is told, not followed. No key is
repeated. Rule of the output: it is YAML, and whatever has no equivalent stands beside it as a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..records.errors import ConfigError
from ..text.strings import clip, visible

BUILT_IN, INVERTED = "context-faithfulness", "not-context-faithfulness"
MOST = 10_000  # assertions that are looked at: a few lines of YAML aliases can stand for billions
KEPT = ("metric", "transform")  # texts that mean the same on any assertion
NUMBERS = 1e6  # none that is larger, or not finite, is a weight or a threshold

# promptfoo's ids of judges that we have too; `chat` and `messages` are which of the provider's interfaces is used.
PROVIDER = re.compile(r"(openai|anthropic):(?:(?:chat|responses|messages):)?([\w./:-]+)")
# A contextTransform that only walks down: `output.a[0]`, `context.vars.b`. JMESPath writes the same, without `context`.
WALK = re.compile(r"(?:output|context\.(?:vars|metadata))(?:\.[A-Za-z_]\w*|\[\d+\])*")
PLAIN = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z](?:[\w.:/-]*[\w/])?", re.IGNORECASE
)

NO_JUDGE = "openai:gpt-4o-mini"
ALWAYS = (
    "The threshold: without one, context-faithfulness of promptfoo 0.121 passes every answer; the policy promptfoo passes from 0.5.",
    "A judge that refuses, is cut off or cannot be read is a grader error, with a status of its own; the built-in scores it.",
    "The judge's numbered, comma-separated, JSON and bare lists are read; the built-in reads one format.",
    "`policy: default` asks once instead of twice, and gives half credit: half the calls, another score.",
)


@dataclass(frozen=True)
class Place:
    """An assertion of a config, where it stands, and the graders that the config names for it, nearest first."""

    where: str
    assertion: Mapping[str, Any]
    providers: tuple[Any, ...]


def migrated(config: object) -> str:
    """The assertions to paste, as YAML with comments.

    Args:
        config: a promptfoo config, as data.

    Raises:
        ConfigError: it is no promptfoo config, or has no ``context-faithfulness`` that could be seen.
    """
    if not isinstance(config, Mapping):
        raise ConfigError(
            f"init: a promptfoo config is a mapping with tests, got {type(config).__name__}"
        )
    looked_at = list(islice(places(config), MOST + 1))
    if len(looked_at) > MOST:
        raise ConfigError(
            f"init: the config has more than {MOST:,} assertions; give one with fewer"
        )
    found: dict[str, list[str]] = {}
    for place in looked_at:
        if place.assertion.get("type") in (BUILT_IN, INVERTED):
            found.setdefault(written(place), []).append(place.where)
    unread = list(islice(elsewhere(config), 20))
    if not found:
        raise ConfigError(
            f"init: no {BUILT_IN} assertion in defaultTest, tests, scenarios or assertionTemplates{_but(unread)}"
        )
    notes = [
        f"# {line}"
        for line in (
            "What differs from the built-in:",
            *(f"- {line}" for line in (*ALWAYS, *unread)),
        )
    ]
    return (
        "\n\n".join(
            [*(f"# {_where(names)}\n{text}" for text, names in found.items()), "\n".join(notes)]
        )
        + "\n"
    )


def _but(unread: list[str]) -> str:
    return f" ({'; '.join(unread)})" if unread else ""


def _where(names: list[str]) -> str:
    return (
        f"in {names[0]}"
        if len(names) == 1
        else f"in {len(names)} places: {', '.join(names[:3])}{', …' if len(names) > 3 else ''}"
    )


# ---------------------------------------------------------------- what is in a config


def places(config: Mapping[str, Any]) -> Iterator[Place]:
    """Every assertion of a config that is written in it, those in sets too."""
    default = _mapping(config.get("defaultTest"))
    for where, test in tests(config):
        # In promptfoo's order: the assertion's own grader, the test's, the default test's.
        graders = (
            _mapping(test.get("options")).get("provider"),
            default.get("provider"),
            _mapping(default.get("options")).get("provider"),
        )
        for assertion in _mappings(test.get("assert")):
            inner = (
                _mappings(assertion.get("assert"))
                if assertion.get("type") == "assert-set"
                else iter(())
            )
            for one in (assertion, *islice(inner, MOST)):
                yield Place(where, one, (one.get("provider"), *graders))


def tests(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Whatever has assertions, and how it is called."""
    yield "defaultTest", _mapping(config.get("defaultTest"))
    for number, test in enumerate(_mappings(config.get("tests")), 1):
        yield _name(f"tests[{number}]", test), test
    for scenario in _mappings(config.get("scenarios")):
        for number, test in enumerate(_mappings(scenario.get("tests")), 1):
            yield _name(f"scenarios: tests[{number}]", test), test
    for name, template in _mapping(config.get("assertionTemplates")).items():
        yield f"assertionTemplates.{_shown(name)}", {"assert": [template]}


def elsewhere(config: Mapping[str, Any]) -> Iterator[str]:
    """What a config says to be in other files, or in code."""
    for key in ("defaultTest", "tests", "scenarios"):
        value = config.get(key)
        for item in value if isinstance(value, list) else [value]:
            path = item.get("path") if isinstance(item, Mapping) else item
            if isinstance(path, str):
                yield f"{key} {_shown(path)} is another file: it was not read."


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (
        (item for item in value if isinstance(item, Mapping))
        if isinstance(value, list)
        else iter(())
    )


def _name(place: str, test: Mapping[str, Any]) -> str:
    described = test.get("description")
    return f"{place} “{_shown(described)}”" if described else place


# ---------------------------------------------------------------- what is written


def written(place: Place) -> str:
    """The equivalent ``python`` assertion as YAML, with what has none as comments."""
    assertion = place.assertion
    head = {
        "type": "not-python" if assertion["type"] == INVERTED else "python",
        "value": "file://faithfulness.py",
    }
    kept = {key: assertion[key] for key in KEPT if isinstance(assertion.get(key), str)} | _number(
        assertion, "weight"
    )
    judge, notes = judge_of(place.providers)
    context, more = context_of(assertion.get("contextTransform"))
    config = {**judge, "policy": "promptfoo", **_number(assertion, "threshold"), **context}
    comments = [*notes, *more, *_remarks(assertion)]
    lines = [
        f"- type: {head.pop('type')}",
        *(f"  {key}: {_scalar(value)}" for key, value in {**head, **kept}.items()),
        "  config:",
    ]
    return "\n".join(
        [
            *lines,
            *(f"    {key}: {_scalar(value)}" for key, value in config.items()),
            *(f"  # {note}" for note in comments),
        ]
    )


def judge_of(providers: tuple[Any, ...]) -> tuple[dict[str, Any], list[str]]:
    """The options that name the judge, and remarks."""
    named = next((provider for provider in providers if provider), None)
    if named is None:
        return {"judge": NO_JUDGE}, [
            "The config names no grader; promptfoo takes one by the keys that it finds. Name the judge that you want."
        ]
    provider = _text_provider(named)
    name, config = provider.get("id"), _mapping(provider.get("config"))
    match = PROVIDER.fullmatch(name) if isinstance(name, str) else None
    url = config.get("apiBaseUrl")
    base = (
        {"baseUrl": url} if isinstance(url, str) and "@" not in url else {}
    )  # what stands before an @ may be a password
    notes = (
        []
        if match
        else [
            f"There is no judge for {_shown(name)}: name one. A server with OpenAI's interface is openai:MODEL with baseUrl."
        ]
    )
    if "apiKey" in config:
        notes.append(
            "The provider's apiKey is not repeated here: set OPENAI_API_KEY (or ANTHROPIC_API_KEY), or apiKey: '{{env.NAME}}'."
        )
    if other := sorted(
        _shown(key) for key in config if key != "apiKey" and not (key == "apiBaseUrl" and base)
    ):
        notes.append(
            f"Of the provider's config this is left out: {', '.join(other[:10])}{', …' if len(other) > 10 else ''}."
        )
    return {"judge": f"{match[1]}:{match[2]}" if match else NO_JUDGE, **base}, notes


def _text_provider(named: object) -> Mapping[str, Any]:
    """A provider is an id, a mapping with one, or a mapping by type whose ``text`` is one."""
    if isinstance(named, Mapping) and "id" not in named and "text" in named:
        named = named["text"]
    return named if isinstance(named, Mapping) else {"id": named}


def context_of(transform: object) -> tuple[dict[str, str], list[str]]:
    """``contextFrom``, where a JMESPath can say what the transform does; else a remark."""
    if transform is None:
        return {}, []
    if isinstance(transform, str) and WALK.fullmatch(transform.strip()):
        return {"contextFrom": transform.strip().removeprefix("context.")}, []
    return {}, [
        f"contextTransform is code: {_shown(transform)}. Say the same as contextFrom, a JMESPath over output, vars, metadata."
    ]


def _remarks(assertion: Mapping[str, Any]) -> Iterator[str]:
    if assertion["type"] == INVERTED:
        yield f"promptfoo 0.121 does not turn {INVERTED} round (0.123 does): it passes what is faithful. This one passes what is not."
    if not _number(assertion, "threshold"):
        yield "It had no threshold, with which nothing fails in promptfoo 0.121; this one fails below 0.5."
    if assertion.get("rubricPrompt") is not None:
        yield "rubricPrompt is not used: tell the judge about your domain with guidance and examples."


def _number(assertion: Mapping[str, Any], key: str) -> dict[str, float]:
    value = assertion.get(key)
    return {key: value} if isinstance(value, int | float) and abs(value) <= NUMBERS else {}


def _scalar(value: str | float) -> str:
    """A value as YAML: plain where that is safe, else in quotes, where all that is not seen is escaped (JSON's pairs are not YAML's)."""
    if not isinstance(value, str):
        return json.dumps(value)
    if PLAIN.fullmatch(value):
        return value
    quoted = visible(re.sub(r'["\\]', r"\\\g<0>", value)).replace("\n", "\\n")
    return f'"{quoted}"'


def _shown(value: object) -> str:
    """Foreign text in a comment: on one line, short, visible. Nothing nested is written out: aliases can make it endless."""
    return visible(clip(value, 80)) if isinstance(value, str) else f"a {type(value).__name__}"
